//go:build lab

package engine

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/watch"
)

// remedyKinds are what the remedies read.
var remedyKinds = []kube.Kind{kube.KindNodes, kube.KindPods, kube.KindBudgets, kube.KindDaemonSets, kube.KindReplicaSets,
	kube.KindDeployments, kube.KindStatefulSets, kube.KindAutoscalers}

func (s *stage) watchRemedies(c *connection) *watch.Watcher {
	s.Helper()
	w := watch.Start(s.Context(), c.Cluster, watch.Options{Needs: watch.Whole(withChecklist(remedyKinds)...)})
	s.Cleanup(w.Close)
	ctx, cancel := context.WithTimeout(s.Context(), patience)
	defer cancel()
	s.must(kubetest.WaitSynced(ctx, w, remedyKinds...))
	return w
}

// deploy makes a Deployment whose pods the scheduler puts on the nodes of this stage.
func (s *stage) deploy(app string, replicas int32, nodes ...string) *appsv1.Deployment {
	s.Helper()
	labels := map[string]string{"app": app}
	grace := int64(1)
	d, err := s.client.AppsV1().Deployments(s.namespace).Create(s.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: app},
		Spec: appsv1.DeploymentSpec{Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{
				TerminationGracePeriodSeconds: &grace,
				Containers:                    []corev1.Container{{Name: "main", Image: "registry.local/" + app}},
				Tolerations:                   []corev1.Toleration{{Key: "test.kdrain-tui.dev/own", Operator: corev1.TolerationOpExists}},
				Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
					NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
						{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: nodes}}}}}}},
			}}},
	}, metav1.CreateOptions{})
	s.must(err)
	return d
}

// replicas are what the Deployment is to have, on the server.
func (s *stage) replicas(d *appsv1.Deployment) int32 {
	s.Helper()
	live, err := s.client.AppsV1().Deployments(s.namespace).Get(s.Context(), d.Name, metav1.GetOptions{})
	s.must(err)
	return *live.Spec.Replicas
}

// podOf waits for the one pod of the app on the node.
func (s *stage) podOf(source Source, app, node string) *corev1.Pod {
	s.Helper()
	found := &corev1.Pod{}
	s.until(source, app+" runs on "+node, func(snap *kube.Snapshot) bool {
		for _, p := range snap.PodsIn(s.namespace) {
			if p.Labels["app"] == app && p.Node == node && p.Ready {
				found.Name, found.Namespace, found.UID = p.Name, p.Namespace, p.UID
				return true
			}
		}
		return false
	})
	return found
}

// climb applies a remedy once it is available, and again where something
// changed under the operator's hands: controllers write to Deployments and nodes at any
// time.
func (r *labRun) remediate(kind remedy.Kind, pod *corev1.Pod) {
	r.s.Helper()
	why := ""
	defer func() {
		if r.s.Failed() {
			r.s.Logf("remedy %s: %s", kind, why)
		}
	}()
	r.s.poll("remedy "+string(kind)+" is taken", func() bool {
		remedies := drain.Remedies(r.State(), r.config.Source.Snapshot(), pod.UID, r.config.Now())
		i := slices.IndexFunc(remedies, func(r remedy.Remedy) bool { return r.Kind == kind })
		if i < 0 {
			r.s.Fatalf("there is no remedy %s", kind)
		}
		if why = remedies[i].DisabledReason; why != "" {
			return false
		}
		taken := len(r.State().Remedies)
		if _, err := r.Command(r.s.Context(), drain.Command{Kind: drain.CommandRemedy, Pod: pod.UID, Remedy: remedies[i].Facts, Word: remedies[i].Word, By: "ada", OnScreen: true}); err != nil {
			why = err.Error()
			return false
		}
		state := r.until("the remedy is answered", func(state *drain.State) bool {
			return len(state.Remedies) > taken && state.Remedies[taken].State != remedy.Requested
		})
		why = state.Remedies[taken].Message
		return state.Remedies[taken].State != remedy.Refused
	})
}

// remedy waits until the last remedy has come to a state.
func (r *labRun) remedy(want remedy.State) {
	r.s.Helper()
	r.until(fmt.Sprintf("the remedy is %s", want), func(state *drain.State) bool {
		n := len(state.Remedies)
		return n > 0 && state.Remedies[n-1].State == want
	})
}

// single is a Deployment of one pod on a node that is drained, under a budget that needs
// it. There is no room for another pod until the test makes node b.
func single(t *testing.T) (*stage, *watch.Watcher, *labRun, *appsv1.Deployment, *corev1.Pod) {
	s := newStage(t)
	c := s.connect("")
	a := s.addNode("a")
	w := s.watchRemedies(c)
	d := s.deploy("web", 1, a, s.namespace+"-b")
	p := s.podOf(w, "web", a)
	s.addBudget("web", "web", 1)
	s.budgetHas(w, "web", 1, 0)
	r := s.drain(w, c, bareOptions(), a)
	r.pod(p, eviction.BudgetBlocked)
	return s, w, r, d, p
}

func (s *stage) somebodyScales(d *appsv1.Deployment, to int32) {
	s.Helper()
	_, err := s.client.AppsV1().Deployments(s.namespace).Patch(s.Context(), d.Name, mergePatch,
		[]byte(fmt.Sprintf(`{"spec":{"replicas":%d}}`, to)), metav1.PatchOptions{FieldManager: "somebody"})
	s.must(err)
}

func TestLabRemedyScale(t *testing.T) {
	t.Parallel()
	s, _, r, d, p := single(t)
	s.addNode("b")
	r.remediate(remedy.Scale, p)
	r.ends(drain.OutcomeDone)
	r.remedy(remedy.Undone)
	if got := s.replicas(d); got != 1 {
		t.Errorf("%d replicas at the end", got)
	}
}

func TestLabRemedyScaleLeftAloneAfterSomebody(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		to   int32 // 0: nothing else changes it
		want int32
		is   remedy.State
	}{{0, 1, remedy.Undone}, {5, 5, remedy.Kept}} {
		s, w, r, d, p := single(t)
		r.remediate(remedy.Scale, p) // the new pod finds no room: the run stays blocked
		r.remedy(remedy.Done)
		s.until(w, "it has two replicas", func(snap *kube.Snapshot) bool { live := snap.Workload(d.UID); return live != nil && live.Replicas == 2 })
		if undo := rollback.Plan(r.State(), w.Snapshot(), time.Now())[0]; undo.Scale == nil {
			t.Errorf("rollback: %+v", undo)
		}
		if c.to != 0 {
			s.somebodyScales(d, c.to)
			s.until(w, "somebody scaled", func(snap *kube.Snapshot) bool { return snap.Workload(d.UID).Replicas == c.to })
			if undo := rollback.Plan(r.State(), w.Snapshot(), time.Now())[0]; undo.Scale != nil || undo.Left == "" {
				t.Errorf("rollback: %+v", undo)
			}
		}
		r.Send(drain.Command{Kind: drain.CommandAbort, By: "ada"})
		r.ends(drain.OutcomeAborted)
		r.remedy(c.is)
		if got := s.replicas(d); got != c.want {
			t.Errorf("%d replicas after the abort, want %d", got, c.want)
		}
	}
}

// A surge for one pod: it leaves past a budget that allows no disruption, once its replacement is
// Ready, and the workload is as before.
func TestLabRemedySurge(t *testing.T) {
	t.Parallel()
	s, w, r, d, p := single(t)
	s.addNode("b")
	r.remediate(remedy.Surge, p)
	r.pod(p, eviction.Gone)
	r.ends(drain.OutcomeDone)
	r.remedy(remedy.Done)
	if got := s.replicas(d); got != 1 {
		t.Errorf("%d replicas at the end", got)
	}
	if live := w.Snapshot().Workload(d.UID); live == nil || live.SurgeMark != "" {
		t.Errorf("%+v at the end", live)
	}
	state := r.State()
	if len(state.Surges) != 1 || state.Surges[0].State != surge.Done {
		t.Errorf("surges %+v", state.Surges)
	}
}

func TestLabRemedyRestart(t *testing.T) {
	t.Parallel()
	s, _, r, _, p := single(t)
	s.addNode("b")
	r.remediate(remedy.RolloutRestart, p)
	r.pod(p, eviction.Gone)
	r.ends(drain.OutcomeDone)
	r.remedy(remedy.Done)
}

func TestLabRemedyDelete(t *testing.T) {
	t.Parallel()
	_, _, r, _, p := single(t)
	r.remediate(remedy.Delete, p)
	r.pod(p, eviction.Gone)
	r.ends(drain.OutcomeDone)
	r.remedy(remedy.Done)
}

func TestLabRemedyFreesTheBudget(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	c := s.connect("")
	a, b := s.addNode("a"), s.addNode("b")
	w := s.watchRemedies(c)
	keeper, err := s.client.CoreV1().ConfigMaps(s.namespace).Create(s.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "keeper"}}, metav1.CreateOptions{})
	s.must(err)
	owned := func(p *corev1.Pod) { // to the remedies it is an owner that recreates pods
		controller := true
		p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: keeper.Name, UID: keeper.UID, Controller: &controller}}
	}
	p := s.addPod("web", a, owned)
	unhealthyPod := s.addPod("web", b, owned, sick("CrashLoopBackOff"))
	s.running(w, p)
	s.addBudget("web", "web", 1, func(b *policyv1.PodDisruptionBudget) {
		allow := policyv1.AlwaysAllow
		b.Spec.UnhealthyPodEvictionPolicy = &allow
	})
	s.budgetHas(w, "web", 1, 0)
	r := s.drain(w, c, bareOptions(), a)
	r.pod(p, eviction.BudgetBlocked)
	r.remediate(remedy.EvictUnhealthy, p)
	r.remedy(remedy.Done)
	s.until(w, "the unhealthy pod is gone", func(snap *kube.Snapshot) bool { return snap.Pod(unhealthyPod.UID) == nil })
}
