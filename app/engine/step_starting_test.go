package engine

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// An API server that has just come back refuses rights that it grants a moment
// later: no pod, node or budget is given up over it.
func TestARightMissingAfterTheServerWasAwayIsAskedForAgain(t *testing.T) {
	const words = `is forbidden: User "ada" cannot create resource "pods/eviction" in API group "" in the namespace "default"`
	for _, c := range []struct {
		name     string
		warm     time.Duration // from when on the server grants it; zero: never
		state    eviction.State
		requests int
	}{
		{"granted after a moment", time.Second, eviction.Gone, 2},
		{"never granted", 0, eviction.Failed, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := kubetest.NewSimulation()
				s.AddNode("a")
				s.AddNode("b")
				p := s.AddPod("web", "a")
				back := time.Now().Add(3 * time.Second)
				s.Answer = func(request.Evict) (kube.Answer, bool) {
					cold := c.warm == 0 || time.Since(back) < c.warm
					return kube.Answer{Code: http.StatusForbidden, Message: "pods " + words}, cold
				}
				s.Store.SetHealth(kube.Health{Reason: "connection refused"})
				e := begin(t, t.Context(), s, plan.DefaultOptions(), "a")
				time.AfterFunc(3*time.Second, func() { s.Store.SetHealth(kube.Health{Live: true, LastContact: time.Now()}) })
				confirmAll(t.Context(), s, e)
				if got := e.State().Pod(p.UID); got.State != c.state || len(s.Evictions) != c.requests {
					t.Errorf("%s after %d requests: %s", got.State, len(s.Evictions), got.Message)
				}
			})
		})
	}
}

// startingWriter refuses the connection for the first cordon and lets the server refuse the
// next as one that is starting does.
type startingWriter struct {
	*kubetest.Simulation
	asked int
}

func (w *startingWriter) Cordon(ctx context.Context, r request.Cordon) kube.Answer {
	w.asked++
	switch w.asked {
	case 1:
		return kube.Answer{Failure: "connection refused", Unsent: true}
	case 2:
		return kube.Answer{Code: http.StatusForbidden, Message: `nodes "a" is forbidden: User "ada" cannot patch resource "nodes" in API group "" at the cluster scope`}
	}
	return w.Simulation.Cordon(ctx, r)
}

func TestACordonRefusedByAStartingServerIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddNode("b")
		s.AddPod("web", "a")
		w := &startingWriter{Simulation: s}
		e := beginWith(t, t.Context(), s, w, plan.DefaultOptions(), "a")
		confirmAll(t.Context(), s, e)
		if got := e.State().Outcome; got != drain.OutcomeDone || w.asked != 3 {
			t.Errorf("outcome %q after %d cordons: %s", got, w.asked, e.State().Nodes[0].Message)
		}
	})
}
