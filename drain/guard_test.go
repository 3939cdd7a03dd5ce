package drain

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

func TestGuardFromText(t *testing.T) {
	for text, want := range map[string]bool{"25%": true, "1": true, "100%": true, "0": false, "0%": false, "101%": false, "-1": false, "x": false, "": true, "%": false} {
		var g Guard
		if err := g.Set(text); (err == nil) != want || want && g != Guard(text) {
			t.Errorf("%q: %v %q", text, err, g)
		}
	}
	// Rounded up, as the disruption controller does with maxUnavailable.
	for _, c := range []struct {
		guard          Guard
		replicas, want int32
	}{{"25%", 4, 1}, {"25%", 5, 2}, {"1%", 3, 1}, {"2", 10, 2}} {
		if got := c.guard.away(c.replicas); got != c.want {
			t.Errorf("%s of %d: %d, want %d", c.guard, c.replicas, got, c.want)
		}
	}
}

func (s *simulation) addReplicaSet(app string, replicas int32) {
	rs := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: app, UID: types.UID("rs-" + app)}}
	rs.Spec.Replicas, rs.Spec.Selector = &replicas, &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
	s.replicas[app] = replicas
	s.store.Put(kube.ReplicaSetRecord(rs))
}

func TestGuardHoldsUnprotectedWorkloadsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		s.addNode("a")
		s.addNode("b")
		for range 4 {
			s.addPod("web", "a")
		}
		s.addReplicaSet("web", 4)
		s.addPod("single", "a")
		s.addReplicaSet("single", 1)
		lowest := 4
		s.onChange = func() {
			up := 0
			for _, p := range s.pods {
				if p.Labels["app"] == "web" && p.DeletionTimestamp == nil && isReady(p) {
					up++
				}
			}
			lowest = min(lowest, up)
		}
		o := DefaultOptions()
		o.Guard = "25%"
		began := time.Now()
		e := drive(t, s, o, "a")
		if e.State().Outcome != OutcomeDone || lowest != 3 {
			t.Errorf("outcome %q, at the least %d of 4 were Ready", e.State().Outcome, lowest)
		}
		if took := time.Since(began); took < 6*time.Second || took > 9*time.Second {
			t.Errorf("took %s: three waits of 2 s each", took)
		}
		if slices.Index(s.accepted, "single-5") > 1 {
			t.Errorf("a single replica must not wait: %v", s.accepted)
		}
	})
}

func TestTemporaryBudgetsStandForTheTimeOfTheRun(t *testing.T) {
	for name, c := range map[string]struct {
		disturb func(s *simulation, cancel context.CancelFunc)
		outcome Outcome
		made    int
	}{
		"done":                  {func(*simulation, context.CancelFunc) {}, OutcomeDone, 1},
		"aborted":               {func(s *simulation, cancel context.CancelFunc) { s.later(2*time.Second, cancel) }, OutcomeAborted, 1},
		"refused by the server": {func(s *simulation, _ context.CancelFunc) { s.refuseBudgets = true }, OutcomePartly, 0},
		"another budget comes": {func(s *simulation, _ context.CancelFunc) {
			s.later(1500*time.Millisecond, func() {
				min := intstr.FromInt32(0)
				other := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "theirs", UID: "theirs"},
					Spec:   policyv1.PodDisruptionBudgetSpec{MinAvailable: &min, Selector: &metav1.LabelSelector{}},
					Status: policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: 9, CurrentHealthy: 9}}
				s.store.Put(kube.BudgetRecord(other))
			})
		}, OutcomeDone, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSimulation()
				s.addNode("a")
				s.addNode("b")
				for range 4 {
					s.addPod("web", "a")
				}
				s.addReplicaSet("web", 4)
				s.addPod("kept", "a") // has a budget of its own: never a second one
				s.addPod("kept", "b")
				s.addReplicaSet("kept", 2)
				s.addBudget("kept", 1)
				o := DefaultOptions()
				o.Guard, o.GuardWrite = "25%", true
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				c.disturb(s, cancel)
				e := begin(t, ctx, s, o, "a")
				confirmAll(t.Context(), s, e)
				if got := e.State().Outcome; got != c.outcome {
					t.Errorf("outcome %q (%s), want %q", got, e.State().Message, c.outcome)
				}
				if len(s.made) != c.made || !slices.Equal(s.made, s.unmade) {
					t.Errorf("made %v, removed %v", s.made, s.unmade)
				}
				if c.made == 0 && s.cordons > 0 {
					t.Error("cordoned without the guard that was asked for")
				}
				if c.outcome == OutcomeDone && name == "done" && len(s.evictions) != 5 {
					t.Errorf("%d evictions for 5 pods", len(s.evictions))
				}
			})
		})
	}
}

// The temporary budgets of a run have names of their own, that the API takes, and are owned
// by what they protect in its own API version.
func TestNamesAndOwnersOfTemporaryBudgets(t *testing.T) {
	f := newSteps()
	f.store.Put(&kube.Workload{Kind: "StatefulSet", Namespace: "default", Name: "web", UID: "set-web", Replicas: 2, Selector: labels.SelectorFromSet(labels.Set{"app": "set"})})
	long := strings.Repeat("a", 250)
	f.store.Put(&kube.Workload{Kind: "ReplicationController", Namespace: "default", Name: long, UID: "rc-long", Replicas: 2, Selector: labels.SelectorFromSet(labels.Set{"app": "rc"})})
	delete(f.budgets, "web")
	f.store.Remove(f.Snapshot().BudgetNamed("default", "web"))
	facts := []PodFacts{{Node: "a", Namespace: "default", Name: f.pod.Name, UID: f.pod.UID, Action: ActionEvict}}
	for _, o := range []struct{ kind, version, name, uid string }{{"StatefulSet", "apps/v1", "web", "set-web"}, {"ReplicationController", "v1", long, "rc-long"}} {
		p := f.addPod(o.kind, "a", func(p *corev1.Pod) {
			p.OwnerReferences[0].APIVersion, p.OwnerReferences[0].Kind, p.OwnerReferences[0].Name, p.OwnerReferences[0].UID = o.version, o.kind, o.name, types.UID(o.uid)
		})
		facts = append(facts, PodFacts{Node: "a", Namespace: "default", Name: p.Name, UID: p.UID, Action: ActionEvict})
	}
	o := DefaultOptions()
	o.Guard, o.GuardWrite = "1", true
	f.state = Fold(nil, Event{Seq: 1, Time: time.Now(), Kind: EventRunStarted, Run: &RunFacts{ID: "r1", Options: o, Nodes: []NodeFacts{{Name: "a", UID: "node-a"}}, Pods: facts}})
	f.store.SetSync(kube.KindReplicationControllers, kube.SyncState{Phase: kube.NotSynced})
	f.step()
	if writes := f.step(Confirm{Phase: PhaseGuard, By: "ada"}); len(writes) != 0 {
		t.Errorf("before ReplicationControllers are known: %+v", writes)
	}
	f.store.SetSync(kube.KindReplicationControllers, kube.SyncState{Phase: kube.Synced})
	names, versions := map[string]bool{}, map[string]string{}
	for _, w := range f.step() {
		names[w.Guard.Name], versions[w.Guard.Owner.Kind] = true, w.Guard.Owner.APIVersion
		if errs := validation.IsDNS1123Subdomain(w.Guard.Name); len(errs) > 0 {
			t.Errorf("%d characters: %s", len(w.Guard.Name), errs)
		}
	}
	if len(names) != 3 || !names["kdrain-r1-web"] || versions["ReplicationController"] != "v1" || versions["StatefulSet"] != "apps/v1" {
		t.Errorf("%v, %v", names, versions)
	}
}

// What a guard does not count is named in the plan.
func TestThePlanNamesWhatTheGuardLeavesOut(t *testing.T) {
	f := newSteps()
	f.addPod("clone", "a", func(p *corev1.Pod) {
		p.OwnerReferences[0].APIVersion, p.OwnerReferences[0].Kind, p.OwnerReferences[0].UID = "apps.kruise.io/v1alpha1", "CloneSet", "clone"
	})
	f.addPod("job", "a", func(p *corev1.Pod) {
		p.OwnerReferences[0].APIVersion, p.OwnerReferences[0].Kind, p.OwnerReferences[0].UID = "batch/v1", "Job", "job"
	})
	o := DefaultOptions()
	for guard, want := range map[Guard][]string{"1": {"CloneSet/default/clone"}, "": nil} {
		o.Guard = guard
		plan, err := NewPlan(f.Snapshot(), []string{"a"}, o, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, finding := range findUnguarded(f.Snapshot(), &plan, nil) {
			if finding.Code == FindingGuardLeavesOut {
				got = finding.Objects
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("guard %q leaves out %v, want %v", guard, got, want)
		}
	}
}
