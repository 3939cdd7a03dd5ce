package print

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/report"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
)

// Begins names the run, by which ctl, report and resume know it.
func (d *Drain) Begins(s *drain.State, program string) {
	if !d.Out.Watched() || s == nil || s.Outcome != "" {
		return
	}
	d.Note("run %s: %s ctl %s status shows its progress, pause and abort steer it", s.Run.ID, program, s.Run.ID)
}

// standstill are the pods that wait for one thing.
type standstill struct {
	cause string
	pods  []string
	since time.Time
}

// Still says what the run waits for: a line for each cause, what has lasted
// longest first.
func (d *Drain) Still(s *drain.State) {
	if !d.Out.Watched() {
		return
	}
	now := d.Now()
	var all []*standstill
	for _, p := range s.Pods {
		if !p.State.Blocked() && p.State != eviction.Terminating && p.State != eviction.StuckTerminating {
			continue
		}
		cause := stillFor(p, now)
		i := slices.IndexFunc(all, func(w *standstill) bool { return w.cause == cause })
		if i < 0 {
			i, all = len(all), append(all, &standstill{cause: cause, since: p.Since})
		}
		all[i].pods = append(all[i].pods, p.Namespace+"/"+p.Name)
		if p.Since.Before(all[i].since) {
			all[i].since = p.Since
		}
	}
	slices.SortStableFunc(all, func(a, b *standstill) int {
		return cmp.Or(a.since.Compare(b.since), cmp.Compare(a.cause, b.cause))
	})
	for _, w := range all {
		d.say(Warning, fmt.Sprintf("still waiting, for %s: %s: %s", format.Duration(now.Sub(w.since)),
			format.List(w.pods, format.NamesShown), w.cause))
	}
}

// stillFor is what a pod waits for, in words that are the same for all pods that do.
func stillFor(p *eviction.Record, now time.Time) string {
	if p.Wait != nil && p.Wait.For == waits.ForGrace {
		return "its grace period"
	}
	return cmp.Or(causeOf(p.Wait, now), report.StateWord(p.State))
}

// hangs reports whether a terminating pod waits for more than its grace period.
func hangs(w *waits.Wait) bool {
	return w != nil && (w.For == waits.ForKubelet || w.For == waits.ForFinalizers || w.For == waits.ForEnd)
}
