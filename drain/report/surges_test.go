package report

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// A report says how far each workload was raised, how many pods left without an eviction, and why one
// was not raised. Here the operator asked for one pod, and two of its workload move, a batch each.
func TestReportTellsOfTheSurges(t *testing.T) {
	c := &chronicle{at: noon}
	run := &drain.RunFacts{ID: "k7f3pm", Nodes: []drain.NodeFacts{{Name: "worker-1", UID: "n1"}}}
	pods := []string{"web-1", "web-2"}
	for _, name := range pods {
		run.Pods = append(run.Pods, eviction.Facts{Node: "worker-1", Namespace: "shop", Name: name, UID: kube.UID(name),
			Owner: "ReplicaSet/web", Action: plan.ActionEvict})
	}
	c.add(0, drain.Event{Kind: drain.EventRunStarted, Run: run})
	surges := func(after time.Duration, workload string, change surge.Change) {
		facts := surge.Facts{Kind: "Deployment", Namespace: "shop", Name: workload, UID: kube.UID(workload), AtOnce: 1, Pods: 1}
		c.add(after, drain.Event{Kind: drain.EventSurge, Namespace: "shop", Surge: &facts, SurgeChange: &change, Message: change.Message})
	}
	surges(0, "cart", surge.Change{State: surge.Planned, Asked: true})
	surges(0, "cart", surge.Change{State: surge.Refused, Message: "autoscaler cart owns the replicas"})
	surges(0, "api", surge.Change{State: surge.Planned, Asked: true})
	surges(0, "api", surge.Change{State: surge.Raising, Batch: &surge.Batch{Was: 2, To: 3}})
	surges(0, "api", surge.Change{State: surge.Refused, Message: "deployments.apps api is forbidden"})
	surges(0, "web", surge.Change{State: surge.Planned, Asked: true})
	for i, name := range pods {
		surges(0, "web", surge.Change{State: surge.Raising, Batch: &surge.Batch{Was: 2, To: 3, Pods: []surge.Mover{{Name: name, UID: kube.UID(name)}}}})
		c.add(0, drain.Event{Kind: drain.EventIntent, Namespace: "shop", Pod: name, UID: kube.UID(name), Surge: &surge.Facts{UID: "web"},
			Cost: &surge.CostFacts{Mover: surge.Mover{Name: name, UID: kube.UID(name)}}, Action: &attempt.ActionFacts{ID: 90, Verb: attempt.VerbDeletionCost}})
		surges(3*time.Second, "web", surge.Change{State: surge.Lowering})
		surges(time.Second, "web", surge.Change{State: surge.Verifying})
		if i == 0 { // the second one is evicted later
			c.add(0, drain.Event{Kind: drain.EventPod, Node: "worker-1", Namespace: "shop", Pod: name, UID: kube.UID(name), PodState: eviction.Gone})
		}
		surges(time.Second, "web", surge.Change{State: surge.Done})
	}
	r := Of(c.events, true)
	if len(r.Surges) != 3 {
		t.Fatalf("%+v", r.Surges)
	}
	want := Surge{Workload: "Deployment/shop/web", State: surge.Done, From: 2, To: 3, Pods: 2, Left: 1, Seconds: 10}
	if r.Surges[2] != want {
		t.Errorf("%+v, want %+v", r.Surges[2], want)
	}
	for _, p := range r.Nodes[0].Pods {
		if slices.ContainsFunc(p.Timeline, func(s Span) bool { return s.Tries > 0 }) {
			t.Errorf("a deletion cost counts as a try to evict %s: %+v", p.Name, p.Timeline)
		}
	}
	for _, line := range []string{"  Deployment/shop/cart: not raised: autoscaler cart owns the replicas",
		"  Deployment/shop/api: not raised: deployments.apps api is forbidden",
		"  Deployment/shop/web: raised from 2 to 3, 1 of 2 pods left without an eviction, in 10s"} {
		if !strings.Contains(r.Story(), line) {
			t.Errorf("the report lacks %q:\n%s", line, r.Story())
		}
	}
	if text := r.Markdown(); !strings.Contains(text, "Replacements first") || !strings.Contains(text, "| `Deployment/shop/web` | 2 | 3 | 1 of 2 | 10s |") {
		t.Errorf("no table:\n%s", text)
	}
}

// A surge that could not be taken back is among what is left to do, with the commands for it.
func TestReportTellsWhatIsLeftOfASurge(t *testing.T) {
	c := aDrain()
	facts := surge.Facts{Kind: "Deployment", Namespace: "shop", Name: "web", UID: "web", AtOnce: 1, Pods: 1}
	change := func(c surge.Change) drain.Event {
		return drain.Event{Kind: drain.EventSurge, Namespace: "shop", Surge: &facts, SurgeChange: &c, Message: c.Message}
	}
	c.add(0, change(surge.Change{State: surge.Raising, Batch: &surge.Batch{Was: 2, To: 3, Pods: []surge.Mover{{Name: "web-1", UID: "web-1"}}}}))
	c.add(0, drain.Event{Kind: drain.EventIntent, Namespace: "shop", Pod: "web-1", UID: "web-1", Surge: &facts,
		Cost: &surge.CostFacts{Mover: surge.Mover{Name: "web-1", UID: "web-1"}, To: "-2147483648"}, Action: &attempt.ActionFacts{ID: 99, Verb: attempt.VerbDeletionCost}})
	c.add(0, change(surge.Change{State: surge.Orphaned, Message: "not set back: no"}))
	c.add(0, drain.Event{Kind: drain.EventRunEnded, Outcome: drain.OutcomePartly})
	r := Of(c.events, false)
	for _, todo := range r.ToDo {
		if todo.What == "Deployment shop/web may still have 3 replicas: set it back to 2" {
			if !strings.Contains(todo.Command, "pod-deletion-cost-; kubectl") || !strings.Contains(todo.Command, `"replicas":2`) {
				t.Errorf("%q", todo.Command)
			}
			return
		}
	}
	t.Errorf("%+v", r.ToDo)
}
