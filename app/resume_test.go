package app

import (
	"errors"
	"strings"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
)

// somewhere is a connection of which only the identity is asked.
type somewhere struct {
	Cluster
	identity conn.Identity
}

func (s somewhere) Identity() conn.Identity { return s.identity }

// A server that is just starting shows no kube-system: that is not another cluster,
// and the hint says so.
func TestAClusterThatCannotBeToldApart(t *testing.T) {
	run := &drain.RunFacts{ID: "aaaaaa", ClusterUID: "cluster-1", Context: "prod", Server: "https://prod.example:6443"}
	err := sameCluster(conn.Identity{ClusterID: "server:0123", Why: "reading the namespace kube-system: etcd is away", Context: "prod"}, run)
	var e *Error
	if !errors.As(err, &e) || e.Reason != ReasonUsage || !strings.Contains(e.Hint, "etcd is away") || !strings.Contains(e.Hint, "just starting") {
		t.Errorf("%v", err)
	}
	if err := sameCluster(conn.Identity{ClusterID: "cluster-1"}, run); err != nil {
		t.Error(err)
	}
}
