package page

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/landing"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

var now = time.Date(2026, 8, 21, 14, 2, 11, 0, time.UTC)

func TestTimes(t *testing.T) {
	for d, want := range map[time.Duration][3]string{
		-time.Second:                          {"0s", "0s", "0:00"},
		800 * time.Millisecond:                {"0s", "0.8s", "0:00"},
		41 * time.Second:                      {"41s", "41s", "0:41"},
		124 * time.Second:                     {"2m", "2m 04s", "2:04"},
		3*time.Hour + 12*time.Minute:          {"3h", "3h 12m", "3:12:00"},
		41*24*time.Hour + 59*time.Minute:      {"41d", "984h 59m", "984:59:00"},
		59*time.Second + 700*time.Millisecond: {"59s", "60s", "0:59"},
	} {
		if got := [3]string{Age(d), Spell(d), Clock(d)}; got != want {
			t.Errorf("%s: %v, want %v", d, got, want)
		}
	}
}

func TestNumbersAndLists(t *testing.T) {
	for got, want := range map[string]string{
		Count(1, "pod"): "1 pod", Count(2, "node"): "2 nodes", Count(150000, "pod"): "150,000 pods", Count(3, "try"): "3 tries",
		Number(999): "999", Number(1000): "1,000",
		List(nil, 3): "", List([]string{"a"}, 3): "a", List([]string{"a", "b"}, 3): "a and b",
		List([]string{"a", "b", "c", "d"}, 2): "a, b and 2 more",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func judgement(v budget.Verdict) *budget.Judgement {
	return &budget.Judgement{Verdict: v, Names: []string{"cart"},
		Budgets: []budget.Numbers{{Namespace: "checkout", Name: "cart", Needed: 3, Present: 3}},
		Sibling: &budget.Sibling{Name: "cart-7f9c-k2xzq", Node: "worker-b1", Reason: "CrashLoopBackOff"}}
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
		planned(plan.ActionEvict, judgement(budget.VerdictEvictable), plan.ReasonEmptyDir), planned(plan.ActionEvict, nil, plan.ReasonFinished),
		planned(plan.ActionEvict, nil, plan.ReasonUnmanaged), nowhere(planned(plan.ActionEvict, nil)),
	} {
		for width := range 30 {
			if l := append(Fate(p, width), Lands(p, width)...); strings.Contains(l.String(), paint.Good) {
				t.Errorf("%d cells: %s", width, l)
			}
		}
	}
	for _, loss := range []plan.Loss{plan.LossData, plan.LossPlace, plan.LossPod} {
		if l := PodState(&drain.PodRun{PodFacts: drain.PodFacts{Loss: loss}, State: drain.PodGone}); strings.Contains(l.String(), paint.Good) {
			t.Errorf("%s: %s", loss, l)
		}
	}
}

func TestFateAndWhy(t *testing.T) {
	for _, c := range []struct {
		pod       plan.Pod
		fate, why string
	}{
		{planned(plan.ActionSkip, nil, plan.ReasonDaemonSet), "· stays", "DaemonSet"},
		{planned(plan.ActionSkip, nil, plan.ReasonMirror), "· stays", "static pod"},
		{planned(plan.ActionRefuse, nil, plan.ReasonUnmanaged), "✖ refused", "kubectl's words"},
		{planned(plan.ActionEvict, judgement(budget.VerdictEvictable), plan.ReasonEmptyDir), "▲ moves (data deleted)", "its emptyDir is deleted"},
		{planned(plan.ActionEvict, judgement(budget.VerdictWait)), "‖ waits", "cart needs 3, has 3; …-k2xzq is down"},
		{planned(plan.ActionEvict, judgement(budget.VerdictWait), plan.ReasonEmptyDir), "▲ waits (data deleted)",
			"cart needs 3, has 3; …-k2xzq is down; its emptyDir is deleted"},
		{planned(plan.ActionEvict, judgement(budget.VerdictEvictable), plan.ReasonUnmanaged, plan.ReasonEmptyDir), "✖ lost",
			"nothing starts it again, its emptyDir is deleted"},
		{nowhere(planned(plan.ActionEvict, judgement(budget.VerdictWait))), "✖ lands nowhere",
			"no node can take its replacement; cart needs 3, has 3; …-k2xzq is down"},
		{nowhere(planned(plan.ActionEvict, judgement(budget.VerdictNever))), "✖ never", "cart needs 3, has 3; …-k2xzq is down; no node can take its replacement"},
		{planned(plan.ActionEvict, judgement(budget.VerdictEvictable), plan.ReasonFinished), "▲ moves (data deleted)", "finished, its record is deleted"},
		{planned(plan.ActionEvict, judgement(budget.VerdictUnknown)), "⁇ unknown", "budgets cannot be seen"},
		{planned(plan.ActionDelete, judgement(budget.VerdictEvictable)), "▲ deleted", "past all budgets (--disable-eviction)"},
	} {
		if fate, why := Fate(c.pod, 26).String(), Why(c.pod); fate != c.fate || why != c.why {
			t.Errorf("%q %q, want %q %q", fate, why, c.fate, c.why)
		}
	}
}

func TestUsualOnly(t *testing.T) {
	node := func(pods ...plan.Pod) plan.Node { return plan.Node{Pods: pods} }
	for _, c := range []struct {
		node plan.Node
		want bool
	}{
		{node(), false},
		{node(planned(plan.ActionEvict, nil)), false},
		{node(planned(plan.ActionRefuse, nil, plan.ReasonDaemonSet), planned(plan.ActionRefuse, nil, plan.ReasonEmptyDir)), true},
		{node(planned(plan.ActionRefuse, nil, plan.ReasonDaemonSet), planned(plan.ActionRefuse, nil, plan.ReasonUnmanaged)), false},
		{node(planned(plan.ActionRefuse, nil, plan.ReasonEmptyDir, plan.ReasonUnmanaged)), false},
	} {
		if got := UsualOnly(c.node); got != c.want {
			t.Errorf("%+v: %v", c.node, got)
		}
	}
}

func TestDrift(t *testing.T) {
	thePlan := func(pods ...plan.Pod) plan.Plan {
		return plan.Plan{Nodes: []plan.Node{{Name: "a", UID: "a", Ready: true, Pods: pods}}}
	}
	moves := planned(plan.ActionEvict, judgement(budget.VerdictEvictable))
	waits := planned(plan.ActionEvict, judgement(budget.VerdictWait))
	stays := planned(plan.ActionSkip, nil, plan.ReasonDaemonSet)
	stays.UID = "2"
	for _, c := range []struct {
		name          string
		before, after plan.Plan
		all, grave    int
	}{
		{"nothing", thePlan(moves), thePlan(moves), 0, 0},
		{"a pod is gone", thePlan(moves), thePlan(), 1, 0},
		{"a pod came", thePlan(), thePlan(moves), 1, 1},
		{"a pod that stays came", thePlan(), thePlan(stays), 1, 0},
		{"its budget closed", thePlan(moves), thePlan(waits), 1, 1},
		{"the node is gone", thePlan(), plan.Plan{}, 1, 1},
	} {
		changes := Drift(c.before, c.after)
		if len(changes) != c.all || len(Grave(changes)) != c.grave {
			t.Errorf("%s: %+v", c.name, changes)
		}
	}
	replaced := thePlan()
	replaced.Nodes[0].UID = "b"
	if len(Grave(Drift(thePlan(), replaced))) != 1 {
		t.Error("another node of the same name is no change")
	}
}

func TestBlockedText(t *testing.T) {
	w := &drain.Wait{For: drain.WaitForBudget, Budget: &budget.Numbers{Name: "cart", Needed: 3, Present: 3},
		Sibling: &budget.Sibling{Name: "cart-7f9c-k2xzq", Node: "worker-b1", Reason: "CrashLoopBackOff"}}
	for width, want := range map[int]string{
		80: "cart needs 3 has 3 · cart-7f9c-k2xzq on worker-b1: CrashLoopBackOff",
		60: "cart needs 3 has 3 · …-k2xzq on worker-b1: CrashLoopBackOff",
		20: "cart needs 3 has 3 …",
	} {
		if got := BlockedText(w, "cart-7f9c-x2x9q", width); got != want || paint.Width(got) > width {
			t.Errorf("%d: %q, want %q", width, got, want)
		}
	}
}

func TestKubectl(t *testing.T) {
	o := plan.DefaultOptions()
	if got := Kubectl(plan.Target{Context: "prod"}, []string{"a"}, o); got != "kubectl --context=prod drain a" {
		t.Error(got)
	}
	o.IgnoreDaemonSets, o.GracePeriodSeconds, o.Timeout, o.MaxParallelNodes = true, 0, 90*time.Second, 4
	if err := o.Flags().Set("pod-selector", "app in (a,b)"); err != nil {
		t.Fatal(err)
	}
	want := "kubectl drain a 'b c' --ignore-daemonsets --grace-period=0 --timeout=1m30s --pod-selector='app in (a,b)'"
	if got := Kubectl(plan.Target{}, []string{"a", "b c"}, o); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestSwitchesSwitch(t *testing.T) {
	base := plan.DefaultOptions()
	for i, o := range Options(base) {
		if !o.Switch {
			continue
		}
		once, err := o.Toggle(base)
		if err != nil {
			t.Errorf("--%s: %v", o.Flag, err)
			continue
		}
		twice, err := Options(once)[i].Toggle(once)
		if err != nil || Options(once)[i].On == o.On || Options(twice)[i].On != o.On {
			t.Errorf("--%s does not switch: %v", o.Flag, err)
		}
		if !strings.Contains(OptionWords(once), "--"+o.Flag) {
			t.Errorf("--%s is on, and the plan says only %s", o.Flag, OptionWords(once))
		}
	}
}

// A value that is typed replaces the one before; written budgets go with the guard.
func TestOptionsOfTheirValues(t *testing.T) {
	o := plan.DefaultOptions()
	o.Honor, o.Guard, o.GuardWrite = plan.Honorable[:2], "25%", true
	for flag, text := range map[string]string{"honor": " karpenter", "guard": "", "reason": " kernel ", "force-after": "90s"} {
		changed, err := option(t, o, flag).Set(o, text)
		if err != nil {
			t.Errorf("--%s: %v", flag, err)
		}
		o = changed
	}
	if len(o.Honor) != 1 || o.Honor[0] != plan.HonorKarpenter || o.GuardWrite || o.Reason != "kernel" || o.ForceAfter != 90*time.Second {
		t.Errorf("%+v", o)
	}
}

func option(t *testing.T, o plan.Options, flag string) *Option {
	t.Helper()
	for _, opt := range Options(o) {
		if opt.Flag == flag {
			return &opt
		}
	}
	t.Fatalf("--%s is not on the page", flag)
	return nil
}

func TestOptionsRefuseNonsense(t *testing.T) {
	for _, o := range Options(plan.DefaultOptions()) {
		if o.Switch || o.Flag == "reason" {
			continue
		}
		if changed, err := o.Set(plan.DefaultOptions(), "x y z!"); err == nil {
			t.Errorf("--%s takes nonsense: %+v", o.Flag, changed)
		} else if strings.Contains(err.Error(), "--"+o.Flag+"\"") {
			t.Errorf("--%s: the field is named twice: %v", o.Flag, err)
		}
	}
}

func TestCordonedBy(t *testing.T) {
	mark := annotation.Mark{Run: "k7f3", By: "ada", Reason: "kernel", At: now.Add(-time.Hour)}.String()
	for _, c := range []struct {
		node kube.Node
		want string
	}{
		{kube.Node{}, ""},
		{kube.Node{Unschedulable: true}, "Cordoned."},
		{kube.Node{Unschedulable: true, Cordon: &kube.Cordon{Manager: "kubectl-cordon", Since: now.Add(-3 * time.Hour)}}, "Cordoned by kubectl-cordon, 3h ago."},
		{kube.Node{Unschedulable: true, Cordon: &kube.Cordon{Manager: kube.FieldManager, Mark: mark}}, `Cordoned with kdrain-tui by ada for run k7f3, 1h ago: "kernel".`},
		{kube.Node{Unschedulable: true, Cordon: &kube.Cordon{Manager: "kubectl-uncordon", Mark: mark}}, "Cordoned by kubectl-uncordon."},
	} {
		if got := CordonedBy(&c.node, now); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestKubectlOfOtherActions(t *testing.T) {
	for got, want := range map[string]string{
		KubectlCordon(plan.Target{Context: "prod"}, []string{"a", "b c"}, true):   "kubectl --context=prod cordon a 'b c'",
		KubectlCordon(plan.Target{}, []string{"a"}, false):                        "kubectl uncordon a",
		KubectlDeleteBudget(plan.Target{Context: "prod"}, "web", "kdrain-k7f3-x"): "kubectl --context=prod delete pdb -n web kdrain-k7f3-x",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestFindingLines(t *testing.T) {
	finding := func(level plan.Level, message string) plan.Finding {
		return plan.Finding{Level: level, Message: message}
	}
	all := []plan.Finding{finding(plan.LevelError, "grave"), finding(plan.LevelWarning, "one"), finding(plan.LevelWarning, "two"),
		finding(plan.LevelWarning, "three"), finding(plan.LevelInfo, "said elsewhere")}
	for most, want := range map[int][]string{
		9:  {"✖ grave", "▲ one", "▲ two", "▲ three"},
		4:  {"✖ grave", "▲ one", "▲ two", "▲ three"},
		3:  {"✖ grave", "▲ one", "… 2 more: f shows all"},
		1:  {"▲ 4 findings: f shows all"},
		0:  nil,
		-2: nil,
	} {
		var got []string
		for _, l := range FindingLines(all, most, "f") {
			got = append(got, l.String())
		}
		if !slices.Equal(got, want) {
			t.Errorf("in %d lines %q, want %q", most, got, want)
		}
	}
	all[0].Advice = []budget.Advice{{Text: "wait for it.", Command: "kubectl get pods"}}
	var full []string
	for _, l := range Findings(all, 60) {
		full = append(full, l.String())
	}
	for _, want := range []string{"· said elsewhere", "  would help: wait for it", "    kubectl get pods"} {
		if !slices.Contains(full, want) {
			t.Errorf("%q is missing in %q", want, full)
		}
	}
}

func TestLeasesThatStandInTheWay(t *testing.T) {
	node := func(name string, state drain.NodeState, lease drain.LeaseState, message string) *drain.NodeRun {
		return &drain.NodeRun{NodeFacts: drain.NodeFacts{Name: name}, State: state, Lease: &drain.LeaseRun{State: lease, Message: message}}
	}
	s := &drain.State{Nodes: []*drain.NodeRun{
		node("a", drain.NodeWaiting, drain.LeaseAwaited, "held by run p4wq"), node("b", drain.NodeDraining, drain.LeaseHeld, ""),
		node("c", drain.NodeDraining, drain.LeaseOverdue, "not renewed for 12s"), node("d", drain.NodeStopped, drain.LeaseAwaited, ""),
		{NodeFacts: drain.NodeFacts{Name: "e"}, State: drain.NodeDraining},
	}}
	for most, want := range map[int][]string{
		1: {"‖ a waits for its Lease: held by run p4wq", "and 1 more node"},
		2: {"‖ a waits for its Lease: held by run p4wq", "‖ c: its Lease is overdue: not renewed for 12s"},
	} {
		var got []string
		for _, l := range RunLeases(s, 80, most) {
			got = append(got, l.String())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d lines: %q, want %q", most, got, want)
		}
	}
}
