// Package plantest makes options and plans for the tests of other packages.
package plantest

import (
	"testing"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// Options are the defaults, changed.
func Options(change ...func(*plan.Options)) plan.Options {
	o := plan.DefaultOptions()
	for _, c := range change {
		c(&o)
	}
	return o
}

func Force(o *plan.Options)            { o.Force = true }
func IgnoreDaemonSets(o *plan.Options) { o.IgnoreDaemonSets = true }
func DeleteEmptyDir(o *plan.Options)   { o.DeleteEmptyDirData = true }
func DisableEviction(o *plan.Options)  { o.DisableEviction = true }

// New is the plan of the nodes.
func New(t *testing.T, s *kube.Snapshot, o plan.Options, nodes ...string) plan.Plan {
	t.Helper()
	p, err := plan.New(s, nodes, o, kubetest.Now)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
