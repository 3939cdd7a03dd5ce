package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
)

// Leaving the dashboard ends the run that is live on it; where the screen failed, it
// is suspended. Either is said on the normal screen.
func TestTheEndOfADashboardEndsItsRun(t *testing.T) {
	for _, test := range []struct {
		failed error
		signal os.Signal
		last   drain.CommandKind
		why    string
		code   int
		says   string
	}{
		{nil, nil, drain.CommandAbort, "the dashboard was closed", ExitAborted, "the run is being stopped; accepted evictions finish"},
		{nil, syscall.SIGTERM, drain.CommandAbort, "interrupted by SIGTERM", 143, "the run is being stopped; accepted evictions finish"},
		{nil, syscall.SIGHUP, drain.CommandSuspend, "suspended by SIGHUP", 129, "the run is being suspended; accepted evictions finish"},
		{nil, syscall.SIGPIPE, drain.CommandSuspend, "suspended by SIGPIPE", 141, "the run is being suspended; accepted evictions finish"},
		{errors.New("no such terminal"), nil, drain.CommandSuspend, "suspended: the dashboard failed", ExitError,
			"the dashboard ended: no such terminal"},
	} {
		b := newBench(t, smallCluster())
		b.Terminal = Terminal{In: true, Out: true, Err: true}
		run := happyRun()
		run.changed, run.done = make(chan struct{}, 1), make(chan struct{})
		run.play([]drain.Event{{Kind: drain.EventRunStarted, Run: &drain.RunFacts{ID: "aaaaaa"}}})
		b.Dashboard = func(ctx context.Context, _ DashboardRequest) (DashboardEnd, error) {
			if test.signal != nil {
				b.signals <- test.signal
				<-ctx.Done()
			}
			return DashboardEnd{Run: run, Text: func() string { return "the result" }}, test.failed
		}
		b.expect(t, test.code, []string{test.says})
		control, _ := run.sent[0].(drain.Command)
		if len(run.sent) != 1 || control.Kind != test.last || control.Why != test.why {
			t.Errorf("sent %+v, want %s: %s", run.sent, test.last, test.why)
		}
		if b.out.String() != "the result\n" {
			t.Errorf("printed %q", b.out)
		}
	}
}

// The operator can go on in another context, and is back where it was where that cluster cannot be reached:
// with what was chosen meanwhile, and without the marks of the first cluster.
func TestTheDashboardGoesOnInAnotherContext(t *testing.T) {
	b := newBench(t, smallCluster())
	b.Terminal = Terminal{In: true, Out: true, Err: true}
	open, next := b.Program.Open, []string{"other", "dead", ""}
	b.Program.Open = func(ctx context.Context, f *conn.Flags, o app.ConnectOptions) (app.Cluster, error) {
		if f.Overrides.CurrentContext == "dead" {
			return nil, errors.New("no server")
		}
		return open(ctx, f, o)
	}
	var seen []string
	b.Dashboard = func(_ context.Context, r DashboardRequest) (DashboardEnd, error) {
		seen = append(seen, strings.TrimSpace(fmt.Sprint(b.connection.Overrides.CurrentContext, " ", r.Marked, " ", r.Screen.Theme, " ", r.Notes)))
		end := DashboardEnd{Context: next[0], Theme: "mono"}
		next = next[1:]
		return end, nil
	}
	b.expect(t, ExitDone, nil, "worker-1")
	want := []string{"[worker-1]  []", "other [] mono []", "other [] mono [context dead: no server]"}
	if !slices.Equal(seen, want) {
		t.Errorf("%q, want %q", seen, want)
	}
	b.expect(t, ExitError, []string{"no server"}, "--context=dead")
}
