package wording

import (
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/checklist"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/landing"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

var now = time.Date(2026, 8, 21, 14, 2, 11, 0, time.UTC)

func TestTimes(t *testing.T) {
	for d, want := range map[time.Duration][2]string{
		-time.Second:                          {"0s", "0s"},
		800 * time.Millisecond:                {"0s", "0.8s"},
		41 * time.Second:                      {"41s", "41s"},
		124 * time.Second:                     {"2m", "2m04s"},
		3*time.Hour + 12*time.Minute:          {"3h", "3h12m"},
		41*24*time.Hour + 59*time.Minute:      {"41d", "41d1h"},
		59*time.Second + 700*time.Millisecond: {"59s", "1m"},
	} {
		if got := [2]string{format.Age(d), format.Duration(d)}; got != want {
			t.Errorf("%s: %v, want %v", d, got, want)
		}
	}
}

func TestNumbersAndLists(t *testing.T) {
	for got, want := range map[string]string{
		format.Count(1, "pod"): "1 pod", format.Count(2, "node"): "2 nodes", format.Count(150000, "pod"): "150,000 pods", format.Count(3, "try"): "3 tries",
		format.Number(999): "999", format.Number(1000): "1,000",
		format.CPU(250): "250m", format.Bytes(0): "0", format.Bytes(2048): "2Ki", format.Bytes(120<<20 + 1): "120Mi", format.Bytes(3 << 29): "1.5Gi", format.Bytes(2 << 40): "2Ti",
		format.List(nil, 3): "", format.List([]string{"a"}, 3): "a", format.List([]string{"a", "b"}, 3): "a and b",
		format.List([]string{"a", "b", "c", "d"}, 2): "a, b and 2 more",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func judgement(v budget.Verdict) *budget.Judgement {
	return &budget.Judgement{Verdict: v, Names: []string{"cart"},
		Budgets:      []budget.Numbers{{Namespace: "checkout", Name: "cart", Needed: 3, Present: 3}},
		UnhealthyPod: &budget.UnhealthyPod{Name: "cart-7f9c-k2xzq", Node: "worker-b1", Reason: "CrashLoopBackOff"}}
}

func planned(a plan.Action, b *budget.Judgement, codes ...plan.ReasonCode) plan.Pod {
	p := plan.Pod{Namespace: "checkout", Name: "cart-7f9c-x2x9q", UID: "1", Action: a, Budget: b}
	for _, c := range codes {
		level := plan.LevelInfo
		if a == plan.ActionRefuse {
			level = plan.LevelError
		}
		p.Reasons = append(p.Reasons, plan.Reason{Code: c, Level: level, Message: "kubectl's words"})
	}
	return p
}

func nowhere(p plan.Pod) plan.Pod {
	p.Landing = &plan.Landing{Verdict: landing.Verdict{Answer: landing.DoesNotFit, Why: "0/3 nodes are available"}}
	return p
}

// What costs something has no green mark, however little room there is for its words.
func TestNoGreenMarkStandsByALoss(t *testing.T) {
	for _, p := range []plan.Pod{
		planned(plan.ActionEvict, judgement(budget.VerdictEvictable), plan.ReasonEmptyDir),
		planned(plan.ActionEvict, nil, plan.ReasonUnmanaged), nowhere(planned(plan.ActionEvict, nil)),
	} {
		for width := range 30 {
			if l := Effects(p, width); strings.Contains(l.String(), paint.Good) {
				t.Errorf("%d cells: %s", width, l)
			}
		}
	}
	for _, cost := range []plan.EffectKind{plan.Data, plan.Nowhere, plan.Lost} {
		if l := PodState(&eviction.Record{Facts: eviction.Facts{Costs: []plan.EffectKind{cost}}, State: eviction.Gone}); strings.Contains(l.String(), paint.Good) {
			t.Errorf("%s: %s", cost, l)
		}
	}
}

func TestEffectsAndWhy(t *testing.T) {
	for _, c := range []struct {
		pod       plan.Pod
		fate, why string
	}{
		{planned(plan.ActionSkip, nil, plan.ReasonDaemonSet), "· stays", "DaemonSet"},
		{planned(plan.ActionSkip, nil, plan.ReasonMirror), "· stays", "static pod"},
		{planned(plan.ActionRefuse, nil, plan.ReasonUnmanaged), "✖ refused", "no controller (--force)"},
		{planned(plan.ActionEvict, judgement(budget.VerdictEvictable), plan.ReasonEmptyDir), "▲ loses data", "its emptyDir is deleted"},
		{planned(plan.ActionEvict, judgement(budget.VerdictWait)), "‖ waits", "cart needs 3, has 3; …-k2xzq not Ready"},
		{planned(plan.ActionEvict, judgement(budget.VerdictWait), plan.ReasonEmptyDir), "‖ waits, loses data",
			"cart needs 3, has 3; …-k2xzq not Ready; its emptyDir is deleted"},
		{planned(plan.ActionEvict, judgement(budget.VerdictEvictable), plan.ReasonUnmanaged, plan.ReasonEmptyDir), "✖ lost, loses data",
			"no controller recreates it; its emptyDir is deleted"},
		{nowhere(planned(plan.ActionEvict, judgement(budget.VerdictWait))), "✖ lands nowhere, waits",
			"no node can take its replacement: 0/3 nodes are available; cart needs 3, has 3; …-k2xzq not Ready"},
		{nowhere(planned(plan.ActionEvict, judgement(budget.VerdictNever))), "✖ blocked", "cart needs 3, has 3; …-k2xzq not Ready"},
		{planned(plan.ActionEvict, judgement(budget.VerdictEvictable), plan.ReasonFinished), "✔ finished", "its record is deleted"},
		{planned(plan.ActionEvict, judgement(budget.VerdictEvictable), plan.ReasonFinished, plan.ReasonTerminating), "✔ ending", "it is terminating already"},
		{planned(plan.ActionEvict, judgement(budget.VerdictUnknown)), "⁇ unknown", "budgets cannot be seen"},
		{planned(plan.ActionDelete, judgement(budget.VerdictEvictable)), "▲ deleted", "past all budgets (--disable-eviction)"},
	} {
		if fate, why := Effects(c.pod, 40).String(), Why(c.pod); fate != c.fate || why != c.why {
			t.Errorf("%q %q, want %q %q", fate, why, c.fate, c.why)
		}
	}
}

func TestDrainLine(t *testing.T) {
	o := plan.DefaultOptions()
	if got := DrainLine(plan.Target{Context: "prod"}, []string{"a"}, o); got != "kubectl --context=prod drain a" {
		t.Error(got)
	}
	o.IgnoreDaemonSets, o.GracePeriodSeconds, o.Timeout = true, 0, 90*time.Second
	if err := o.Flags().Set("pod-selector", "app in (a,b)"); err != nil {
		t.Fatal(err)
	}
	want := "kubectl drain a 'b c' --ignore-daemonsets --grace-period=0 --timeout=1m30s --pod-selector='app in (a,b)'"
	if got := DrainLine(plan.Target{}, []string{"a", "b c"}, o); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	o.Surge, o.ExcludePods = "1", []string{"shop/db-0"}
	if got := DrainLine(plan.Target{}, []string{"a"}, o); !strings.HasPrefix(got, "kdrain-tui drain a ") || !strings.Contains(got, "--surge=1") ||
		!strings.Contains(got, "--exclude-pod=shop/db-0") {
		t.Errorf("what kubectl cannot do: %s", got)
	}
}

func TestKubectlOfOtherActions(t *testing.T) {
	for got, want := range map[string]string{
		KubectlCordon(plan.Target{Context: "prod"}, []string{"a", "b c"}, true): "kubectl --context=prod cordon a 'b c'",
		KubectlCordon(plan.Target{}, []string{"a"}, false):                      "kubectl uncordon a",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestResultSaysWhatIsSafeToPowerOff(t *testing.T) {
	s := &drain.State{Outcome: drain.OutcomeDone, Run: drain.RunFacts{ID: "r1"}, Nodes: []*drain.NodeRun{
		{NodeFacts: drain.NodeFacts{Name: "worker-1"}, State: drain.NodeDrained, PowerOff: &checklist.Verdict{Safe: true}},
		{NodeFacts: drain.NodeFacts{Name: "worker-2"}, State: drain.NodeDrained, Warning: "not safe to power off: volume pv-x (data/x) is still attached"},
		{NodeFacts: drain.NodeFacts{Name: "worker-3"}, State: drain.NodeDrained},
		{NodeFacts: drain.NodeFacts{Name: "worker-4"}, State: drain.NodeStopped, PowerOff: &checklist.Verdict{Safe: true}},
	}}
	text := ResultText(s, nil, 160)
	for _, want := range []string{"power off  ▲ worker-2: not safe to power off: volume pv-x (data/x) is still attached\n", "             worker-1: no volume is attached"} {
		if !strings.Contains(text, want) {
			t.Errorf("the result does not say %q:\n%s", want, text)
		}
	}
}

// What a pod waited for was looked at until its node was given up: it does not get older, and is not said to be so now.
func TestResultTellsWhatWasSeenLast(t *testing.T) {
	held := &eviction.Record{Facts: eviction.Facts{Namespace: "shop", Name: "web-1", UID: "u1", Node: "worker-1", Action: plan.ActionEvict},
		State: eviction.BudgetBlocked, Wait: &waits.Wait{For: waits.ForBudget,
			Budget:       &budget.Numbers{Namespace: "shop", Name: "web", Needed: 3, Present: 3},
			UnhealthyPod: &budget.UnhealthyPod{Name: "web-2", Node: "worker-2", Reason: "CrashLoopBackOff", Since: now.Add(-time.Minute)}}}
	s := &drain.State{Outcome: drain.OutcomePartly, Run: drain.RunFacts{ID: "r1"}, Ended: now.Add(time.Second), Pods: []*eviction.Record{held},
		Nodes: []*drain.NodeRun{{NodeFacts: drain.NodeFacts{Name: "worker-1"}, State: drain.NodeStopped, Ended: now}}}
	const want = "shop/web-1: blocked, when it was seen last: budget web needs 3, has 3: web-2 on worker-2: CrashLoopBackOff\n"
	s.Ended = now.Add(time.Hour)
	if text := ResultText(s, nil, 400); !strings.Contains(text, want) {
		t.Errorf("the result does not say %q:\n%s", want, text)
	}
}
