package cli

import (
	"context"
	"errors"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/drain"
)

// Leaving the dashboard ends the run that is live on it; where the screen failed, it
// is suspended. Either is said on the normal screen.
func TestTheEndOfADashboardEndsItsRun(t *testing.T) {
	for _, test := range []struct {
		failed error
		last   drain.CommandKind
		code   int
		says   string
	}{
		{nil, drain.CommandAbort, ExitAborted, "the run is being stopped; accepted evictions finish"},
		{errors.New("no such terminal"), drain.CommandSuspend, ExitError, "the dashboard ended: no such terminal"},
	} {
		b := newBench(t, smallCluster())
		b.Terminal = Terminal{In: true, Out: true, Err: true}
		run := happyRun()
		run.changed, run.done = make(chan struct{}, 1), make(chan struct{})
		run.play([]drain.Event{{Kind: drain.EventRunStarted, Run: &drain.RunFacts{ID: "aaaaaa"}}})
		b.Dashboard = func(context.Context, DashboardRequest) (DashboardEnd, error) {
			return DashboardEnd{Run: run, Text: func() string { return "the result" }}, test.failed
		}
		b.expect(t, test.code, []string{test.says})
		control, _ := run.sent[0].(drain.Command)
		if len(run.sent) != 1 || control.Kind != test.last {
			t.Errorf("sent %+v, want %s", run.sent, test.last)
		}
		if b.out.String() != "the result\n" {
			t.Errorf("printed %q", b.out)
		}
	}
}
