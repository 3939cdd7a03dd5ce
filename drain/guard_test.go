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
