package engine

import (
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// mayNot is the answer of an authorizer: for good, or of a server that is starting.
var mayNot = kube.Answer{Code: http.StatusForbidden, Message: `leases.coordination.k8s.io "x" is forbidden: User "ada" cannot update resource "leases"`}

// A renewal that is refused is tried again until the Lease is overdue, whatever the
// server says and however often: only then the run goes on without it.
func TestARefusedRenewalIsTriedUntilTheLeaseIsOverdue(t *testing.T) {
	forbidden, invalid := mayNot, kube.Answer{Code: http.StatusUnprocessableEntity, Message: "no"}
	always := slices.Repeat([]kube.Answer{forbidden}, 20)
	for name, c := range map[string]struct {
		refuse []kube.Answer
		off    bool // a minute later
	}{
		"twice":           {[]kube.Answer{forbidden, forbidden}, false},
		"twice, invalid":  {[]kube.Answer{invalid, invalid}, false},
		"one of each":     {[]kube.Answer{forbidden, {Code: 503}, forbidden}, false},
		"overdue at last": {[]kube.Answer{{Code: 503}, {Code: 503}, {Code: 503}, forbidden, forbidden}, false},
		"for good":        {always, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := contested()
				o := &operator{Simulation: s}
				e := o.begin(t, "r1", leasing(), "a")
				time.Sleep(time.Second)
				o.Mu.Lock()
				o.refuse = slices.Clone(c.refuse)
				o.Mu.Unlock()
				for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(time.Second) {
					l := e.State().Nodes[0].Lease
					if l.State == lease.Disabled && attempt.Elapsed(l.Renewed, time.Now()) < lease.OverdueAfter {
						t.Fatalf("given up %s after its last renewal: %s", attempt.Elapsed(l.Renewed, time.Now()), l.Message)
					}
				}
				want := lease.Held
				if c.off {
					want = lease.Disabled
				}
				if l := e.State().Nodes[0].Lease; l.State != want {
					t.Errorf("the Lease is %s: %s", l.State, l.Message)
				}
				e.Send(drain.Command{Kind: drain.CommandAbort, By: "test"})
				<-e.Done()
				s.Halt()
			})
		})
	}
}

// A server that is just starting may refuse the first try for a Lease too.
func TestALeaseIsAskedForAgainWhileTheServerStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddNode("b")
		s.AddPod("web", "a")
		o := &operator{Simulation: s, refuse: []kube.Answer{{Code: http.StatusServiceUnavailable, Message: "starting"}, mayNot}}
		e := o.begin(t, "r1", leasing(), "a")
		<-e.Done()
		if n := e.State().Nodes[0]; e.State().Outcome != drain.OutcomeDone || n.Lease.State != lease.Released {
			t.Errorf("%s, the Lease is %s: %s", e.State().Outcome, n.Lease.State, n.Lease.Message)
		}
		s.Halt()
	})
}
