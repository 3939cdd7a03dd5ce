package plan

import (
	"testing"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/landing"
)

// A pod has every effect that it meets, the gravest first.
func TestEffects(t *testing.T) {
	lands := func(alone, together landing.Answer) *Landing {
		return &Landing{Verdict: landing.Verdict{Answer: alone}, Together: landing.Verdict{Answer: together}}
	}
	evict := func(v budget.Verdict, reasons ...ReasonCode) Pod {
		p := Pod{Action: ActionEvict, Budget: &budget.Judgement{Verdict: v}}
		for _, code := range reasons {
			p.Reasons = append(p.Reasons, Reason{Code: code})
		}
		return p
	}
	with := func(p Pod, edit func(p *Pod)) Pod {
		edit(&p)
		return p
	}
	fine := evict(budget.VerdictEvictable)
	for _, c := range []struct {
		pod   Pod
		want  string
		level Level
	}{
		{Pod{Action: ActionSkip}, "stays", LevelInfo},
		{Pod{Action: ActionSkip, Reasons: []Reason{{Code: ReasonEmptyDir}}}, "stays", LevelInfo},
		{Pod{Action: ActionRefuse, Reasons: []Reason{{Code: ReasonUnmanaged}}}, "refused", LevelError},
		{Pod{Action: ActionDelete}, "deleted", LevelWarning},
		{Pod{Action: ActionDelete, Reasons: []Reason{{Code: ReasonUnmanaged}}}, "lost, deleted", LevelError},
		{Pod{Action: ActionEvict}, "moves", LevelInfo},
		{fine, "moves", LevelInfo},
		{evict(budget.VerdictEvictable, ReasonDaemonSetLast), "leaves last", LevelInfo},
		{evict(budget.VerdictWait, ReasonDaemonSetLast), "waits", LevelWarning},
		{evict(budget.VerdictEvictable, ReasonDaemonSetLast, ReasonEmptyDir), "loses data, leaves last", LevelWarning},
		{Pod{Action: ActionDelete, Reasons: []Reason{{Code: ReasonDaemonSetLast}}}, "deleted", LevelWarning},
		{evict(budget.VerdictWait), "waits", LevelWarning},
		{evict(budget.VerdictSyncing), "waits", LevelWarning},
		{evict(budget.VerdictNever), "blocked", LevelError},
		{evict(budget.VerdictDeadlock), "blocked", LevelError},
		{evict(budget.VerdictMultiple), "blocked", LevelError},
		{evict(budget.VerdictUnknown), "unknown", LevelWarning},

		{evict(budget.VerdictEvictable, ReasonEmptyDir), "loses data", LevelWarning},
		{evict(budget.VerdictWait, ReasonEmptyDir), "waits, loses data", LevelWarning},
		{evict(budget.VerdictNever, ReasonEmptyDir), "blocked", LevelError},
		{evict(budget.VerdictEvictable, ReasonFinished), "finished", LevelInfo},
		{with(fine, func(p *Pod) { p.Ephemeral = true }), "loses data", LevelWarning},
		{with(fine, func(p *Pod) { p.Down = 1 }), "down until Ready", LevelWarning},
		{with(evict(budget.VerdictEvictable, ReasonEmptyDir), func(p *Pod) { p.Down = 1 }), "down until Ready, loses data", LevelWarning},
		{with(evict(budget.VerdictWait), func(p *Pod) { p.Down = 1 }), "waits, down until Ready", LevelWarning},
		{with(fine, func(p *Pod) { p.Down, p.Pinned = 1, "pv" }), "lands nowhere, down until Ready", LevelError},
		{evict(budget.VerdictEvictable, ReasonUnmanaged, ReasonEmptyDir), "lost, loses data", LevelError},
		{evict(budget.VerdictWait, ReasonUnmanaged), "lost, waits", LevelError},
		{evict(budget.VerdictEvictable, ReasonOrphanedDaemonSet), "lost", LevelError},
		{with(fine, func(p *Pod) { p.NotRemade = "its Job has ended" }), "lost", LevelError},
		{with(fine, func(p *Pod) { p.NotRemade, p.Retried = "its ReplicaSet cannot make pods", true }), "lands nowhere", LevelError},
		{evict(budget.VerdictEvictable, ReasonTerminating, ReasonEmptyDir), "ending", LevelInfo},

		{with(fine, func(p *Pod) { p.Pinned = "pv" }), "lands nowhere", LevelError},
		{with(fine, func(p *Pod) { p.Landing = lands(landing.Fits, landing.Fits) }), "moves", LevelInfo},
		{with(fine, func(p *Pod) { p.Landing = lands(landing.DoesNotFit, landing.DoesNotFit) }), "lands nowhere", LevelError},
		{with(evict(budget.VerdictWait), func(p *Pod) { p.Landing = lands(landing.DoesNotFit, landing.DoesNotFit) }), "lands nowhere, waits", LevelError},
		{with(fine, func(p *Pod) { p.Landing = lands(landing.Fits, landing.DoesNotFit) }), "may not fit", LevelWarning},
		{with(fine, func(p *Pod) { p.Landing = lands(landing.Unknown, landing.Unknown) }), "moves", LevelInfo},
	} {
		if e := c.pod.Effects(); e.String() != c.want || e.Worst().Level() != c.level {
			t.Errorf("%+v: %s (%s), want %s (%s)", c.pod, e, e.Worst().Level(), c.want, c.level)
		}
	}
}
