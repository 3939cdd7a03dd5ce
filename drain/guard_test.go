package drain

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// The temporary budgets of a run have names of their own, that the API takes, and are owned
// by what they protect in its own API version.
func TestNamesAndOwnersOfTemporaryBudgets(t *testing.T) {
	f := newSteps()
	f.Store.Put(&kube.Workload{Kind: "StatefulSet", Namespace: "default", Name: "web", UID: "set-web", Replicas: 2, Selector: labels.SelectorFromSet(labels.Set{"app": "set"})})
	long := strings.Repeat("a", 250)
	f.Store.Put(&kube.Workload{Kind: "ReplicationController", Namespace: "default", Name: long, UID: "rc-long", Replicas: 2, Selector: labels.SelectorFromSet(labels.Set{"app": "rc"})})
	delete(f.Budgets, "web")
	f.Store.Remove(f.Snapshot().BudgetNamed("default", "web"))
	facts := []eviction.Facts{{Node: "a", Namespace: "default", Name: f.pod.Name, UID: f.pod.UID, Action: plan.ActionEvict}}
	for _, o := range []struct{ kind, version, name, uid string }{{"StatefulSet", "apps/v1", "web", "set-web"}, {"ReplicationController", "v1", long, "rc-long"}} {
		p := f.AddPod(o.kind, "a", func(p *corev1.Pod) {
			p.OwnerReferences[0].APIVersion, p.OwnerReferences[0].Kind, p.OwnerReferences[0].Name, p.OwnerReferences[0].UID = o.version, o.kind, o.name, types.UID(o.uid)
		})
		facts = append(facts, eviction.Facts{Node: "a", Namespace: "default", Name: p.Name, UID: p.UID, Action: plan.ActionEvict})
	}
	o := plan.DefaultOptions()
	o.Guard, o.GuardWrite = "1", true
	f.state = Fold(nil, Event{Seq: 1, Time: time.Now(), Kind: EventRunStarted, Run: &RunFacts{ID: "r1", Options: o, Nodes: []NodeFacts{{Name: "a", UID: "node-a"}}, Pods: facts}})
	f.Store.SetSync(kube.KindReplicationControllers, kube.SyncState{Phase: kube.NotSynced})
	f.step()
	if writes := f.step(Confirm{Phase: PhaseGuard, By: "ada"}); len(writes) != 0 {
		t.Errorf("before ReplicationControllers are known: %+v", writes)
	}
	f.Store.SetSync(kube.KindReplicationControllers, kube.SyncState{Phase: kube.Synced})
	names, versions := map[string]bool{}, map[string]string{}
	for _, w := range f.step() {
		names[sent[request.CreateBudget](w).Name], versions[sent[request.CreateBudget](w).Owner.Kind] = true, sent[request.CreateBudget](w).Owner.APIVersion
		if errs := validation.IsDNS1123Subdomain(sent[request.CreateBudget](w).Name); len(errs) > 0 {
			t.Errorf("%d characters: %s", len(sent[request.CreateBudget](w).Name), errs)
		}
	}
	if len(names) != 3 || !names["kdrain-r1-web"] || versions["ReplicationController"] != "v1" || versions["StatefulSet"] != "apps/v1" {
		t.Errorf("%v, %v", names, versions)
	}
}

// A guard counts the pods of a custom owner by its scale, and the last figures of it hold where it
// cannot be read any more.
func TestGuardOfACustomOwner(t *testing.T) {
	scale := func(change func(*kube.Workload)) *kube.Workload {
		w := &kube.Workload{Kind: "CloneSet", Namespace: "default", Name: "game", UID: "clone", APIVersion: "apps.kruise.io/v1alpha1",
			Resource: "clonesets.apps.kruise.io", Replicas: 3, Selector: labels.SelectorFromSet(labels.Set{"app": "game"})}
		change(w)
		return w
	}
	for name, c := range map[string]struct {
		change  func(*kube.Workload)
		allowed int // evictions at once under --guard=1
		budgets int // temporary budgets under --guard-write
		left    string
	}{
		"its scale is read": {func(*kube.Workload) {}, 1, 1, ""},
		"hidden by now":     {func(w *kube.Workload) { w.Hidden = "timeout" }, 1, 0, "timeout"},
		"hidden from the beginning": {func(w *kube.Workload) { w.Hidden, w.Replicas, w.Selector = "no right to get", 0, nil },
			0, 0, "no right to get"},
		"no scale":             {func(w *kube.Workload) { w.Resource, w.Replicas, w.Selector = "", 0, nil }, 0, 0, "it has no scale"},
		"no selector":          {func(w *kube.Workload) { w.Selector = nil }, 1, 0, "its scale has no selector of its pods"},
		"a selector of others": {func(w *kube.Workload) { w.Selector = labels.SelectorFromSet(labels.Set{"app": "api"}) }, 1, 0, "its scale has no selector of its pods"},
		"a single replica":     {func(w *kube.Workload) { w.Replicas = 1 }, 0, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := newSteps()
			var pods []kube.UID
			for range 3 {
				live := f.AddPod("game", "a", func(p *corev1.Pod) {
					p.OwnerReferences[0].APIVersion, p.OwnerReferences[0].Kind, p.OwnerReferences[0].UID = "apps.kruise.io/v1alpha1", "CloneSet", "clone"
				})
				pods = append(pods, kube.UID(live.UID))
			}
			f.Store.Put(scale(c.change))
			s := f.Snapshot()
			var books budget.GuardTrackers
			allowed := 0
			if book := books.Of("1", s, s.Pod(pods[0])); book != nil {
				allowed = book.Free
			}
			if made := tempbudget.Wanted(s, "r1", pods); allowed != c.allowed || len(made) != c.budgets {
				t.Errorf("the guard allows %d, want %d; budgets %+v", allowed, c.allowed, made)
			}
			o := plan.DefaultOptions()
			o.Guard, o.GuardWrite = "1", true
			planned, err := plan.New(s, []string{"a"}, o, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			said := ""
			for _, finding := range preflight.Check(s, planned, preflight.Env{}).Findings {
				if finding.Code == preflight.FindingGuardLeavesOut {
					said = finding.Message
				}
			}
			if (said == "") != (c.left == "") || !strings.Contains(said, c.left) {
				t.Errorf("left out: %q, want %q", said, c.left)
			}
		})
	}
}

// What a guard does not count is named in the plan.
func TestThePlanNamesWhatTheGuardLeavesOut(t *testing.T) {
	f := newSteps()
	f.AddPod("clone", "a", func(p *corev1.Pod) {
		p.OwnerReferences[0].APIVersion, p.OwnerReferences[0].Kind, p.OwnerReferences[0].UID = "apps.kruise.io/v1alpha1", "CloneSet", "clone"
	})
	f.AddPod("job", "a", func(p *corev1.Pod) {
		p.OwnerReferences[0].APIVersion, p.OwnerReferences[0].Kind, p.OwnerReferences[0].UID = "batch/v1", "Job", "job"
	})
	o := plan.DefaultOptions()
	for guard, want := range map[budget.Guard][]string{"1": {"CloneSet/default/clone"}, "": nil} {
		o.Guard = guard
		plan, err := plan.New(f.Snapshot(), []string{"a"}, o, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, finding := range preflight.Check(f.Snapshot(), plan, preflight.Env{}).Findings {
			if finding.Code == preflight.FindingGuardLeavesOut {
				got = finding.Objects
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("guard %q leaves out %v, want %v", guard, got, want)
		}
	}
}
