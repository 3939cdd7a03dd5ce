package report

import (
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
)

// A node that another run has taken over is that run's: the report does not say to uncordon
// it, or to care for its pods.
func TestANodeThatWasTakenOverIsNotToDo(t *testing.T) {
	c := aDrain()
	facts := &lease.Facts{Namespace: "kube-system", Name: "l", Holder: "other1"}
	c.add(time.Second, drain.Event{Kind: drain.EventLease, Node: "worker-1", Lease: facts, LeaseState: lease.Lost, Message: "taken over by run other1 of bob"})
	c.add(0, drain.Event{Kind: drain.EventNode, Node: "worker-1", NodeState: drain.NodeStopped, Message: "taken over by run other1 of bob"})
	c.add(time.Second, drain.Event{Kind: drain.EventRunEnded, Outcome: drain.OutcomePartly})
	r := Of(c.events, false)
	if r.Nodes[0].TakenOverBy != "other1" || !r.Nodes[0].Cordoned || r.Nodes[1].TakenOverBy != "" {
		t.Errorf("%+v", r.Nodes)
	}
	var todo []string
	for _, d := range r.ToDo {
		if strings.Contains(d.What+d.Command, "worker-1") {
			todo = append(todo, d.What+d.Command)
		}
	}
	if len(todo) != 1 || todo[0] != "node worker-1 was taken over by run other1: that run is responsible for the rest" {
		t.Errorf("to do: %q", todo)
	}
	if text := r.Result(nil).Text(); !strings.Contains(text, "stopped: taken over by run other1 of bob\n") || strings.Contains(text, "uncordon worker-1") {
		t.Error(text)
	}
}
