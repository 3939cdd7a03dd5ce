package report

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/replacement"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
)

// What took the place of the pods is in text, markdown and JSON; a drain after which workloads are worse than
// before is not called a partial one, and says which.
func TestReplacements(t *testing.T) {
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	exit := int32(1)
	pod := func(name string, facts ...replacement.Facts) *eviction.Record {
		p := &eviction.Record{Facts: eviction.Facts{Node: "w1", Namespace: "shop", Name: name, Action: plan.ActionEvict}, State: eviction.Gone}
		for i, f := range facts {
			p.Replacement = p.Replacement.Become(f, noon.Add(time.Duration(i)*40*time.Second))
		}
		return p
	}
	worse := replacement.Worse{Workload: replacement.Workload{Kind: "Deployment", Namespace: "shop", Name: "api", UID: "api", Wanted: 2, Available: 1}, Why: "api-9: CrashLoopBackOff"}
	s := &drain.State{
		Run:   drain.RunFacts{ID: "r1", Nodes: []drain.NodeFacts{{Name: "w1"}}},
		Nodes: []*drain.NodeRun{{NodeFacts: drain.NodeFacts{Name: "w1"}, State: drain.NodeDrained}},
		Pods: []*eviction.Record{
			pod("web-1", replacement.Facts{State: replacement.Awaited, After: noon}, replacement.Facts{State: replacement.Ready, Pod: "web-2", Node: "w2", After: noon}),
			pod("api-1", replacement.Facts{State: replacement.Failing, Pod: "api-9", Node: "w3", Container: "app", Reason: "CrashLoopBackOff", Exit: &exit, Late: true}),
			pod("alone", replacement.Facts{State: replacement.NotWanted, Why: "it has no controller"}),
			pod("old"),
		},
		Started: noon, Ended: noon.Add(time.Minute), Outcome: drain.OutcomePartly,
		Gate: &replacement.GateRun{Gate: replacement.Gate{Closed: true, Workloads: []replacement.Worse{worse}}},
	}
	s.Message = "all nodes are drained; " + s.Gate.Sentence()
	r := OfState(s)
	text := r.Result(nil).Text()
	for _, want := range []string{
		"Drained w1 in 1m, and workloads are worse than before.", "1 of 2 replacements Ready, the slowest shop/web-2 after 40s",
		"shop/api-1  replacement api-9 fails on w3: container app: CrashLoopBackOff (exit code 1); not waited for any longer",
		"Deployment shop/api has 1 of 2 pods Ready: api-9: CrashLoopBackOff",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the text has no %q:\n%s", want, text)
		}
	}
	if markdown := r.Markdown(); !strings.Contains(markdown, "Replacements that are not Ready") || !strings.Contains(markdown, "1 of 2 replacements Ready") {
		t.Errorf("markdown:\n%s", markdown)
	}
	all, err := json.Marshal(r.Nodes[0].Pods)
	if err != nil {
		t.Fatal(err)
	}
	if want := `"replacement":{"state":"Ready","pod":"web-2","node":"w2","readySeconds":40,"readyAt":"2026-11-22T12:00:40Z"}`; !strings.Contains(string(all), want) {
		t.Errorf("no %s in %s", want, all)
	}
	if strings.Count(string(all), `"replacement"`) != 3 {
		t.Errorf("one of a pod that was not followed: %s", all)
	}
	todo := toDo(s, StatusEnded)
	if len(todo) == 0 || !strings.HasPrefix(todo[len(todo)-1].Command, "kubectl describe deployment -n shop api") {
		t.Errorf("to do: %+v", todo)
	}
}

// A run that is done, and of which a pod came up nowhere, is no plain success: the verdict counts such replacements,
// the first of the pods are those, and a command to look at each is left to do. One that starts is in good order.
func TestStuckReplacements(t *testing.T) {
	pod := func(name string, f replacement.Facts) *eviction.Record {
		return &eviction.Record{Facts: eviction.Facts{Node: "w1", Namespace: "shop", Name: name, Action: plan.ActionEvict}, State: eviction.Gone,
			Replacement: replacement.Record{Facts: f}}
	}
	starts := pod("web-1", replacement.Facts{State: replacement.Starting, Pod: "web-2", Node: "w2"})
	pending := pod("db-0", replacement.Facts{State: replacement.Pending, Pod: "db-0", Reason: "Unschedulable", Why: "no room"})
	fails := pod("api-1", replacement.Facts{State: replacement.Failing, Pod: "api-2", Node: "w2", Reason: "CrashLoopBackOff"})
	ending := pod("job-1", replacement.Facts{State: replacement.Starting, Pod: "job-2", Node: "w2"})
	ending.State = eviction.Terminating // it is not gone: what is said of it is said elsewhere
	for _, c := range []struct {
		pods    []*eviction.Record
		verdict Fact
		unready int
		todo    []string
	}{
		{[]*eviction.Record{ending}, Fact{Good, "Drained w1 in 1m"}, 0, nil},
		{[]*eviction.Record{starts}, Fact{Good, "Drained w1 in 1m"}, 1, nil},
		{[]*eviction.Record{starts, pending}, Fact{Warning, "Drained w1 in 1m, but 1 replacement is Pending"}, 2, []string{"kubectl describe pod -n shop db-0"}},
		{[]*eviction.Record{starts, pending, fails}, Fact{Warning, "Drained w1 in 1m, but 1 replacement is Pending and 1 replacement fails"}, 3,
			[]string{"kubectl describe pod -n shop db-0", "kubectl describe pod -n shop api-2"}},
	} {
		noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
		s := &drain.State{Run: drain.RunFacts{ID: "r1", Nodes: []drain.NodeFacts{{Name: "w1"}}}, Pods: c.pods,
			Nodes:   []*drain.NodeRun{{NodeFacts: drain.NodeFacts{Name: "w1"}, State: drain.NodeDrained}},
			Started: noon, Ended: noon.Add(time.Minute), Outcome: drain.OutcomeDone}
		result := OfState(s).Result(nil)
		unready := linesOf(result, "unready")
		if result.Verdict != c.verdict || len(unready) != c.unready {
			t.Errorf("verdict %+v, unready %+v", result.Verdict, unready)
		}
		if c.todo != nil && (unready[0].Level != Warning || !strings.Contains(unready[0].Text, "shop/db-0") || unready[c.unready-1].Level != Plain) {
			t.Errorf("the stuck replacement does not come first: %+v", unready)
		}
		suspended := *s
		suspended.Outcome = ""
		for at, text := range map[string]string{"when the run ended: ": linesOf(result, "replaced")[0].Text,
			"": linesOf(OfState(&suspended).Result(nil), "replaced")[0].Text, " ": " " + linesOf(OfState(s).Result(&Now{Follows: true}), "replaced")[0].Text} {
			if c.unready > 0 && !strings.HasPrefix(text, at+"0 of ") {
				t.Errorf("%q is not of the moment %q", text, at)
			}
		}
		var commands []string
		for _, todo := range toDo(s, StatusEnded) {
			if strings.Contains(todo.What, "has left, and its replacement") {
				commands = append(commands, todo.Command)
			}
		}
		if !slices.Equal(commands, c.todo) {
			t.Errorf("to do: %q, not %q", commands, c.todo)
		}
	}
}

func linesOf(r Result, label string) (lines []Line) {
	return slices.DeleteFunc(slices.Clone(r.Lines), func(l Line) bool { return l.Label != label })
}

// A run that could not set back what it raised drained its nodes, and is no plain success: the raise is named with what
// sets it back.
func TestARunThatLeavesARaiseIsNotDone(t *testing.T) {
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	s := &drain.State{Run: drain.RunFacts{ID: "r1", Nodes: []drain.NodeFacts{{Name: "w1"}}},
		Nodes:   []*drain.NodeRun{{NodeFacts: drain.NodeFacts{Name: "w1"}, State: drain.NodeDrained}},
		Started: noon, Ended: noon.Add(time.Minute), Outcome: drain.OutcomePartly, Message: "all nodes are drained; web",
		Surges: surge.Records{{Facts: surge.Facts{Kind: "Deployment", Namespace: "shop", Name: "web"}, State: surge.Orphaned, Batch: surge.Batch{Was: 2, To: 3}}}}
	r := OfState(s).Result(nil)
	if r.Verdict != (Fact{Warning, "Drained w1 in 1m, and something that the run made is left"}) {
		t.Errorf("%+v", r.Verdict)
	}
	left := linesOf(r, "left")
	if len(left) != 1 || !strings.HasPrefix(left[0].Text, "Deployment shop/web may still have 3 replicas: set it back to 2: kubectl ") || len(linesOf(r, "why")) > 0 {
		t.Errorf("%+v", r.Lines)
	}
}
