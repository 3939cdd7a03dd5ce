package budget

import (
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// An eviction is assumed from the moment it is sent until its budget contains it, it is
// refused, or its time is over.
func TestAssumedEvictions(t *testing.T) {
	now := kubetest.Now
	accept := func(a Assumed) { a.Answered(1, true, false, now) }
	for name, c := range map[string]struct {
		since     func(a Assumed)
		budget    kube.Budget
		after     time.Duration
		remaining int
		inFlight  int
		wake      time.Duration
	}{
		"in flight":                         {nil, kube.Budget{ResourceVersion: "1"}, 0, 1, 1, 0},
		"in flight for long":                {nil, kube.Budget{ResourceVersion: "1"}, time.Hour, 1, 1, 0},
		"accepted":                          {accept, kube.Budget{ResourceVersion: "1"}, time.Second, 1, 0, AssumedFor},
		"accepted, pod gone, not counted":   {accept, kube.Budget{ResourceVersion: "1"}, 2 * time.Second, 1, 0, AssumedFor},
		"accepted, counted":                 {accept, kube.Budget{ResourceVersion: "2"}, time.Second, 2, 0, AssumedFor},
		"listed before the answer":          {nil, kube.Budget{ResourceVersion: "2", DisruptedPods: map[string]time.Time{"web-1": now}}, 0, 2, 1, 0},
		"listed before it was sent":         {nil, kube.Budget{ResourceVersion: "1", DisruptedPods: map[string]time.Time{"web-1": now}}, 0, 1, 1, 0},
		"accepted, expired":                 {accept, kube.Budget{ResourceVersion: "1"}, AssumedFor, 2, 0, 0},
		"refused":                           {func(a Assumed) { a.Answered(1, false, false, now) }, kube.Budget{ResourceVersion: "1"}, 0, 2, 0, 0},
		"another's answer":                  {func(a Assumed) { a.Answered(2, false, false, now) }, kube.Budget{ResourceVersion: "1"}, 0, 1, 1, 0},
		"accepted, tried again":             {func(a Assumed) { accept(a); a.Assume("b", "1", 2, "p", "web-1", now) }, kube.Budget{ResourceVersion: "1"}, 0, 1, 1, 0},
		"of another process":                {func(a Assumed) { a.Resume(now) }, kube.Budget{ResourceVersion: "1"}, time.Second, 1, 0, AssumedFor},
		"of another process, a while later": {func(a Assumed) { a.Resume(now) }, kube.Budget{ResourceVersion: "1"}, AssumedFor, 2, 0, 0},
	} {
		a := Assumed{}
		a.Assume("b", "1", 1, "p", "web-1", now)
		before := a.Clone()
		if c.since != nil {
			c.since(a)
		}
		c.budget.UID, c.budget.DisruptionsAllowed = "b", 2
		got, wake := a.account(&c.budget, kubetest.SnapshotOf(now), now.Add(c.after))
		if got.free != c.remaining || got.InFlight != c.inFlight || got.FreeFor("p") != 2 || wake.IsZero() != (c.wake == 0) || c.wake != 0 && !wake.Equal(now.Add(c.wake)) {
			t.Errorf("%s: %+v, %d for its pod, wake %s", name, got, got.FreeFor("p"), wake)
		}
		if got, _ := before.account(&kube.Budget{UID: "b", ResourceVersion: "1", DisruptionsAllowed: 2}, kubetest.SnapshotOf(now), now); got.free != 1 {
			t.Errorf("%s: the clone changed with it", name)
		}
		if a.Expire(now.Add(c.after)); c.after >= AssumedFor && c.since != nil && len(a) > 0 {
			t.Errorf("%s: %+v did not expire", name, a)
		}
	}
}
