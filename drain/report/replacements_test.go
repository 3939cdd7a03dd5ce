package report

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/replacement"
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
	text := r.Text()
	for _, want := range []string{
		"Drained w1 in 1m 00s, and workloads are worse than before.", "1 of 2 replacements Ready, the slowest shop/web-2 after 40s",
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
	if want := `"replacement":{"state":"Ready","pod":"web-2","node":"w2","readySeconds":40}`; !strings.Contains(string(all), want) {
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
