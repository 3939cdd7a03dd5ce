package page

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/landing"
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

func judgement(v drain.Verdict) *drain.BudgetJudgement {
	return &drain.BudgetJudgement{Verdict: v, Names: []string{"cart"},
		Budgets: []drain.BudgetNumbers{{Namespace: "checkout", Name: "cart", Needed: 3, Present: 3}},
		Sibling: &drain.Sibling{Name: "cart-7f9c-k2xzq", Node: "worker-b1", Reason: "CrashLoopBackOff"}}
}

func planned(a drain.Action, b *drain.BudgetJudgement, codes ...drain.ReasonCode) drain.PodPlan {
	p := drain.PodPlan{Namespace: "checkout", Name: "cart-7f9c-x2x9q", UID: "1", Action: a, Budget: b}
	for _, c := range codes {
		level := drain.LevelInfo
		if a == drain.ActionRefuse {
			level = drain.LevelError
		}
		p.Reasons = append(p.Reasons, drain.Reason{Code: c, Level: level, Message: "kubectl's words"})
	}
	return p
}

func nowhere(p drain.PodPlan) drain.PodPlan {
	p.Landing = &drain.Landing{Verdict: landing.Verdict{Answer: landing.DoesNotFit, Why: "0/3 nodes are available"}}
	return p
}

// What costs something has no green mark, however little room there is for its words.
func TestNoGreenMarkStandsByALoss(t *testing.T) {
	for _, p := range []drain.PodPlan{
		planned(drain.ActionEvict, judgement(drain.VerdictEvictable), drain.ReasonEmptyDir), planned(drain.ActionEvict, nil, drain.ReasonFinished),
		planned(drain.ActionEvict, nil, drain.ReasonUnmanaged), nowhere(planned(drain.ActionEvict, nil)),
	} {
		for width := range 30 {
			if l := append(Fate(p, width), Lands(p, width)...); strings.Contains(l.String(), paint.Good) {
				t.Errorf("%d cells: %s", width, l)
			}
		}
	}
	for _, loss := range []drain.Loss{drain.LossData, drain.LossPlace, drain.LossPod} {
		if l := PodState(&drain.PodRun{PodFacts: drain.PodFacts{Loss: loss}, State: drain.PodGone}); strings.Contains(l.String(), paint.Good) {
			t.Errorf("%s: %s", loss, l)
		}
	}
}

func TestFateAndWhy(t *testing.T) {
	for _, c := range []struct {
		pod       drain.PodPlan
		fate, why string
	}{
		{planned(drain.ActionSkip, nil, drain.ReasonDaemonSet), "· stays", "DaemonSet"},
		{planned(drain.ActionSkip, nil, drain.ReasonMirror), "· stays", "static pod"},
		{planned(drain.ActionRefuse, nil, drain.ReasonUnmanaged), "✖ refused", "kubectl's words"},
		{planned(drain.ActionEvict, judgement(drain.VerdictEvictable), drain.ReasonEmptyDir), "▲ moves (data deleted)", "its emptyDir is deleted"},
		{planned(drain.ActionEvict, judgement(drain.VerdictWait)), "‖ waits", "cart needs 3, has 3; …-k2xzq is down"},
		{planned(drain.ActionEvict, judgement(drain.VerdictWait), drain.ReasonEmptyDir), "▲ waits (data deleted)",
			"cart needs 3, has 3; …-k2xzq is down; its emptyDir is deleted"},
		{planned(drain.ActionEvict, judgement(drain.VerdictEvictable), drain.ReasonUnmanaged, drain.ReasonEmptyDir), "✖ lost",
			"nothing starts it again, its emptyDir is deleted"},
		{nowhere(planned(drain.ActionEvict, judgement(drain.VerdictWait))), "✖ lands nowhere",
			"no node can take its replacement; cart needs 3, has 3; …-k2xzq is down"},
		{nowhere(planned(drain.ActionEvict, judgement(drain.VerdictNever))), "✖ never", "cart needs 3, has 3; …-k2xzq is down; no node can take its replacement"},
		{planned(drain.ActionEvict, judgement(drain.VerdictEvictable), drain.ReasonFinished), "▲ moves (data deleted)", "finished, its record is deleted"},
		{planned(drain.ActionEvict, judgement(drain.VerdictUnknown)), "⁇ unknown", "budgets cannot be seen"},
		{planned(drain.ActionDelete, judgement(drain.VerdictEvictable)), "▲ deleted", "past all budgets (--disable-eviction)"},
	} {
		if fate, why := Fate(c.pod, 26).String(), Why(c.pod); fate != c.fate || why != c.why {
			t.Errorf("%q %q, want %q %q", fate, why, c.fate, c.why)
		}
	}
}

func TestUsualOnly(t *testing.T) {
	node := func(pods ...drain.PodPlan) drain.NodePlan { return drain.NodePlan{Pods: pods} }
	for _, c := range []struct {
		node drain.NodePlan
		want bool
	}{
		{node(), false},
		{node(planned(drain.ActionEvict, nil)), false},
		{node(planned(drain.ActionRefuse, nil, drain.ReasonDaemonSet), planned(drain.ActionRefuse, nil, drain.ReasonEmptyDir)), true},
		{node(planned(drain.ActionRefuse, nil, drain.ReasonDaemonSet), planned(drain.ActionRefuse, nil, drain.ReasonUnmanaged)), false},
		{node(planned(drain.ActionRefuse, nil, drain.ReasonEmptyDir, drain.ReasonUnmanaged)), false},
	} {
		if got := UsualOnly(c.node); got != c.want {
			t.Errorf("%+v: %v", c.node, got)
		}
	}
}

func TestDrift(t *testing.T) {
	plan := func(pods ...drain.PodPlan) drain.Plan {
		return drain.Plan{Nodes: []drain.NodePlan{{Name: "a", UID: "a", Ready: true, Pods: pods}}}
	}
	moves := planned(drain.ActionEvict, judgement(drain.VerdictEvictable))
	waits := planned(drain.ActionEvict, judgement(drain.VerdictWait))
	stays := planned(drain.ActionSkip, nil, drain.ReasonDaemonSet)
	stays.UID = "2"
	for _, c := range []struct {
		name          string
		before, after drain.Plan
		all, grave    int
	}{
		{"nothing", plan(moves), plan(moves), 0, 0},
		{"a pod is gone", plan(moves), plan(), 1, 0},
		{"a pod came", plan(), plan(moves), 1, 1},
		{"a pod that stays came", plan(), plan(stays), 1, 0},
		{"its budget closed", plan(moves), plan(waits), 1, 1},
		{"the node is gone", plan(), drain.Plan{}, 1, 1},
	} {
		changes := Drift(c.before, c.after)
		if len(changes) != c.all || len(Grave(changes)) != c.grave {
			t.Errorf("%s: %+v", c.name, changes)
		}
	}
	replaced := plan()
	replaced.Nodes[0].UID = "b"
	if len(Grave(Drift(plan(), replaced))) != 1 {
		t.Error("another node of the same name is no change")
	}
}

func TestBlockedText(t *testing.T) {
	w := &drain.Wait{For: drain.WaitForBudget, Budget: &drain.BudgetNumbers{Name: "cart", Needed: 3, Present: 3},
		Sibling: &drain.Sibling{Name: "cart-7f9c-k2xzq", Node: "worker-b1", Reason: "CrashLoopBackOff"}}
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
	o := drain.DefaultOptions()
	if got := Kubectl(drain.Target{Context: "prod"}, []string{"a"}, o); got != "kubectl --context=prod drain a" {
		t.Error(got)
	}
	o.IgnoreDaemonSets, o.GracePeriodSeconds, o.Timeout, o.MaxParallelNodes = true, 0, 90*time.Second, 4
	if err := o.Flags().Set("pod-selector", "app in (a,b)"); err != nil {
		t.Fatal(err)
	}
	want := "kubectl drain a 'b c' --ignore-daemonsets --grace-period=0 --timeout=1m30s --pod-selector='app in (a,b)'"
	if got := Kubectl(drain.Target{}, []string{"a", "b c"}, o); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestSwitchesSwitch(t *testing.T) {
	base := drain.DefaultOptions()
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
	o := drain.DefaultOptions()
	o.Honor, o.Guard, o.GuardWrite = drain.Honorable[:2], "25%", true
	for flag, text := range map[string]string{"honor": " karpenter", "guard": "", "reason": " kernel ", "force-after": "90s"} {
		changed, err := option(t, o, flag).Set(o, text)
		if err != nil {
			t.Errorf("--%s: %v", flag, err)
		}
		o = changed
	}
	if len(o.Honor) != 1 || o.Honor[0] != drain.HonorKarpenter || o.GuardWrite || o.Reason != "kernel" || o.ForceAfter != 90*time.Second {
		t.Errorf("%+v", o)
	}
}

func option(t *testing.T, o drain.Options, flag string) *Option {
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
	for _, o := range Options(drain.DefaultOptions()) {
		if o.Switch || o.Flag == "reason" {
			continue
		}
		if changed, err := o.Set(drain.DefaultOptions(), "x y z!"); err == nil {
			t.Errorf("--%s takes nonsense: %+v", o.Flag, changed)
		} else if strings.Contains(err.Error(), "--"+o.Flag+"\"") {
			t.Errorf("--%s: the field is named twice: %v", o.Flag, err)
		}
	}
}

func TestCordonedBy(t *testing.T) {
	mark := drain.Mark{Run: "k7f3", By: "ada", Reason: "kernel", At: now.Add(-time.Hour)}.String()
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
		KubectlCordon(drain.Target{Context: "prod"}, []string{"a", "b c"}, true):   "kubectl --context=prod cordon a 'b c'",
		KubectlCordon(drain.Target{}, []string{"a"}, false):                        "kubectl uncordon a",
		KubectlDeleteBudget(drain.Target{Context: "prod"}, "web", "kdrain-k7f3-x"): "kubectl --context=prod delete pdb -n web kdrain-k7f3-x",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestFindingLines(t *testing.T) {
	finding := func(level drain.Level, message string) drain.Finding {
		return drain.Finding{Level: level, Message: message}
	}
	all := []drain.Finding{finding(drain.LevelError, "grave"), finding(drain.LevelWarning, "one"), finding(drain.LevelWarning, "two"),
		finding(drain.LevelWarning, "three"), finding(drain.LevelInfo, "said elsewhere")}
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
	all[0].Advice = []drain.Advice{{Text: "wait for it.", Command: "kubectl get pods"}}
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
