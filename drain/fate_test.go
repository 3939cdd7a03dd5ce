package drain

import (
	"testing"

	"github.com/kdrain-tui/kdrain-tui/drain/landing"
)

// The fate of a pod is the worst of how it leaves, where it lands and what is lost.
func TestFate(t *testing.T) {
	lands := func(alone, together landing.Answer) *Landing {
		return &Landing{Verdict: landing.Verdict{Answer: alone}, Together: landing.Verdict{Answer: together}}
	}
	evict := func(v Verdict, reasons ...ReasonCode) PodPlan {
		p := PodPlan{Action: ActionEvict, Budget: &BudgetJudgement{Verdict: v}}
		for _, code := range reasons {
			p.Reasons = append(p.Reasons, Reason{Code: code})
		}
		return p
	}
	with := func(p PodPlan, edit func(p *PodPlan)) PodPlan {
		edit(&p)
		return p
	}
	fine := evict(VerdictEvictable)
	for _, c := range []struct {
		pod   PodPlan
		want  string
		level Level
	}{
		{PodPlan{Action: ActionSkip}, "stays", LevelInfo},
		{PodPlan{Action: ActionSkip, Reasons: []Reason{{Code: ReasonEmptyDir}}}, "stays", LevelInfo},
		{PodPlan{Action: ActionRefuse, Reasons: []Reason{{Code: ReasonUnmanaged}}}, "refused", LevelError},
		{PodPlan{Action: ActionDelete}, "deleted", LevelWarning},
		{PodPlan{Action: ActionDelete, Reasons: []Reason{{Code: ReasonUnmanaged}}}, "lost", LevelError},
		{PodPlan{Action: ActionEvict}, "moves", LevelInfo},
		{fine, "moves", LevelInfo},
		{evict(VerdictWait), "waits", LevelWarning},
		{evict(VerdictSyncing), "waits", LevelWarning},
		{evict(VerdictNever), "never", LevelError},
		{evict(VerdictDeadlock), "never", LevelError},
		{evict(VerdictMultiple), "never", LevelError},
		{evict(VerdictUnknown), "unknown", LevelWarning},

		{evict(VerdictEvictable, ReasonEmptyDir), "moves (data deleted)", LevelWarning},
		{evict(VerdictWait, ReasonEmptyDir), "waits (data deleted)", LevelWarning},
		{evict(VerdictNever, ReasonEmptyDir), "never", LevelError},
		{evict(VerdictEvictable, ReasonFinished), "moves (data deleted)", LevelWarning},
		{with(fine, func(p *PodPlan) { p.Ephemeral = true }), "moves (data deleted)", LevelWarning},
		{evict(VerdictEvictable, ReasonUnmanaged, ReasonEmptyDir), "lost", LevelError},
		{evict(VerdictWait, ReasonUnmanaged), "lost", LevelError},
		{evict(VerdictEvictable, ReasonOrphanedDaemonSet), "lost", LevelError},
		{with(fine, func(p *PodPlan) { p.NotRemade = "its Job has ended" }), "lost", LevelError},
		{with(fine, func(p *PodPlan) { p.NotRemade, p.Retried = "its ReplicaSet cannot make pods", true }), "lands nowhere", LevelError},
		{evict(VerdictEvictable, ReasonTerminating, ReasonEmptyDir), "moves", LevelInfo},

		{with(fine, func(p *PodPlan) { p.Pinned = "pv" }), "lands nowhere", LevelError},
		{with(fine, func(p *PodPlan) { p.Landing = lands(landing.Fits, landing.Fits) }), "moves", LevelInfo},
		{with(fine, func(p *PodPlan) { p.Landing = lands(landing.DoesNotFit, landing.DoesNotFit) }), "lands nowhere", LevelError},
		{with(evict(VerdictWait), func(p *PodPlan) { p.Landing = lands(landing.DoesNotFit, landing.DoesNotFit) }), "lands nowhere", LevelError},
		{with(fine, func(p *PodPlan) { p.Landing = lands(landing.Fits, landing.DoesNotFit) }), "moves", LevelWarning},
		{with(fine, func(p *PodPlan) { p.Landing = lands(landing.Unknown, landing.Unknown) }), "moves", LevelInfo},
	} {
		if f := c.pod.Fate(); f.String() != c.want || f.Level() != c.level {
			t.Errorf("%+v: %s (%s), want %s (%s)", c.pod, f, f.Level(), c.want, c.level)
		}
	}
}
