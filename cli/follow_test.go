package cli

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kdrain-tui/kdrain-tui/cli/print"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// transcript can be read while it is written.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (t *transcript) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.Write(p)
}

func (t *transcript) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}

// A run that waits says what for every half minute, however long it lasts.
func TestARunThatWaitsSaysWhatForEveryHalfMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, smallCluster())
		run := &scripted{changed: make(chan struct{}, 1), done: make(chan struct{})}
		wait := &waits.Wait{For: waits.ForBudget, Budget: &budget.Numbers{Namespace: "shop", Name: "web", Needed: 2, Present: 2}}
		run.play([]drain.Event{
			{Kind: drain.EventRunStarted, Run: &drain.RunFacts{ID: "k7f3pm", Nodes: []drain.NodeFacts{{Name: "worker-1", UID: "uid-worker-1"}},
				Pods: []eviction.Facts{{Node: "worker-1", Namespace: "shop", Name: "web-1", UID: "uid-web-1", Action: plan.ActionEvict}}}},
			podEvent("web-1", eviction.BudgetBlocked, wait, ""),
		})
		said := &transcript{}
		out := (&print.Drain{Out: &print.Text{W: io.Discard}, Err: said, Now: b.Now}).Of(plan.Plan{})
		f := &follower{p: b.Program, run: run, out: out, yes: true}
		var group kube.Group
		group.Go("follow", func() { f.follow(t.Context()) })
		for i, c := range []struct {
			after time.Duration
			times int
		}{{29 * time.Second, 0}, {2 * time.Second, 1}, {28 * time.Second, 1}, {2 * time.Second, 2}, {10 * time.Minute, 22}} {
			time.Sleep(c.after)
			synctest.Wait()
			if got := strings.Count(said.String(), "still waiting"); got != c.times {
				t.Errorf("look %d: said %d times, want %d:\n%s", i, got, c.times, said)
			}
		}
		run.play([]drain.Event{ended(drain.OutcomePartly)})
		group.Wait()
	})
}
