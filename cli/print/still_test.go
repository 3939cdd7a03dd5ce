package print

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// newDrain prints its notes to err.
func newDrain() (err *bytes.Buffer, d *Drain) {
	err = &bytes.Buffer{}
	return err, (&Drain{Out: &Text{W: io.Discard}, Err: err, Now: func() time.Time { return noon }}).Of(plan.Plan{})
}

// What a run waits for is said with a line for each cause.
func TestStillWaits(t *testing.T) {
	b, out := newDrain()
	pod := func(name string, state eviction.State, ago time.Duration, w *waits.Wait) *eviction.Record {
		return &eviction.Record{Facts: eviction.Facts{Namespace: "shop", Name: name}, State: state, Since: noon.Add(-ago), Wait: w}
	}
	held := func(present int32) *waits.Wait {
		return &waits.Wait{For: waits.ForBudget, Budget: &budget.Numbers{Namespace: "shop", Name: "web", Needed: 2, Present: present}}
	}
	grace := func(left time.Duration) *waits.Wait {
		return &waits.Wait{For: waits.ForGrace, Until: noon.Add(left)}
	}
	out.Still(&drain.State{Pods: []*eviction.Record{
		pod("gone", eviction.Gone, time.Hour, nil), pod("later", eviction.Planned, time.Hour, &waits.Wait{For: waits.ForSlot}),
		pod("a", eviction.Terminating, 10*time.Second, grace(20*time.Second)), pod("b", eviction.Terminating, 5*time.Second, grace(25*time.Second)),
		pod("w1", eviction.BudgetBlocked, time.Minute, held(2)), pod("w2", eviction.BudgetBlocked, 2*time.Minute, held(2)),
		pod("w3", eviction.BudgetBlocked, time.Minute, held(2)), pod("w4", eviction.BudgetBlocked, time.Minute, held(2)),
		pod("x", eviction.WebhookWait, time.Second, &waits.Wait{For: waits.ForWebhook, Words: "not now"}),
	}})
	const want = "still waiting, for 2m: shop/w1, shop/w2, shop/w3 and 1 more: budget web needs 2, has 2\n" +
		"still waiting, for 10s: shop/a and shop/b: its grace period\n" +
		"still waiting, for 1s: shop/x: an admission webhook (the server said \"not now\")\n"
	if got := b.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// With --yes nobody reads the plan: what it found wrong is said before the run.
func TestYesIsToldWhatThePlanFound(t *testing.T) {
	b, out := newDrain()
	out.Findings(plan.Plan{Findings: []plan.Finding{
		{Code: preflight.FindingLastControlPlane, Level: plan.LevelError, Message: "the \x1b[31mlast one"},
		{Code: preflight.FindingSingleReplica, Level: plan.LevelWarning, Message: "one replica only", Advice: []budget.Advice{{Text: "run two", Command: "kubectl scale"}}},
		{Code: preflight.FindingServingUnknown, Level: plan.LevelInfo, Message: "not known"},
	}})
	if got, want := b.String(), "error: the last one\nWarning: one replica only\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
