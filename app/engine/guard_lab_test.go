//go:build lab

package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/watch"
)

// watchOwners sees also what tells how many pods there are to be.
func (s *stage) watchOwners(c *connection) *watch.Watcher {
	s.Helper()
	kinds := []kube.Kind{kube.KindNodes, kube.KindPods, kube.KindBudgets, kube.KindDaemonSets, kube.KindReplicaSets,
		kube.KindDeployments, kube.KindStatefulSets, kube.KindReplicationControllers, kube.KindJobs}
	w := watch.Start(s.Context(), c.Cluster, watch.Options{Needs: watch.Whole(withChecklist(kinds)...)})
	s.Cleanup(w.Close)
	ctx, cancel := context.WithTimeout(s.Context(), patience)
	defer cancel()
	s.must(kubetest.WaitSynced(ctx, w, kinds...))
	return w
}

// addController makes a ReplicationController whose pods the scheduler puts on these nodes.
func (s *stage) addController(app string, replicas int32, nodes ...string) {
	s.Helper()
	grace := int64(1)
	labels := map[string]string{"app": app}
	on := corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{
		{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: nodes}}}
	_, err := s.client.CoreV1().ReplicationControllers(s.namespace).Create(s.Context(), &corev1.ReplicationController{
		ObjectMeta: metav1.ObjectMeta{Name: app},
		Spec: corev1.ReplicationControllerSpec{Replicas: &replicas, Selector: labels, Template: &corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec: corev1.PodSpec{
				Containers:                    []corev1.Container{{Name: "main", Image: "registry.local/" + app}},
				Tolerations:                   []corev1.Toleration{{Key: "test.kdrain-tui.dev/own", Operator: corev1.TolerationOpExists}},
				TerminationGracePeriodSeconds: &grace,
				Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
					RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{on}}}},
			},
		}},
	}, metav1.CreateOptions{})
	s.must(err)
}

// healthyOf counts the pods of an app that serve.
func (s *stage) healthyOf(snap *kube.Snapshot, app string) int {
	n := 0
	for _, p := range snap.PodsIn(s.namespace) {
		if p.Labels["app"] == app && p.Healthy() {
			n++
		}
	}
	return n
}

// A guard keeps the pods of a ReplicationController as a budget would, by itself or by a
// temporary budget, whose owner is in the core group: at most one of four is missing.
func TestLabGuardOfAReplicationController(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]bool{"by itself": false, "by a temporary budget": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			a, b := s.addNode("a"), s.addNode("b")
			s.addController("web", 4, a) // all of them on the node that is drained
			c := s.connect("")
			w := s.watchOwners(c)
			s.until(w, "four pods are Ready", func(snap *kube.Snapshot) bool { return s.healthyOf(snap, "web") == 4 })
			patch := fmt.Sprintf(`{"spec":{"template":{"spec":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":`+
				`{"nodeSelectorTerms":[{"matchExpressions":[{"key":%q,"operator":"In","values":[%q,%q]}]}]}}}}}}}`, corev1.LabelHostname, a, b)
			_, err := s.client.CoreV1().ReplicationControllers(s.namespace).Patch(s.Context(), "web", types.MergePatchType, []byte(patch), metav1.PatchOptions{})
			s.must(err)

			o := bareOptions()
			s.must(o.Guard.Set("1"))
			o.GuardWrite = write
			r := s.start(w, c, o, a)
			if write {
				r.confirm(drain.PhaseGuard)
			}
			r.confirm(drain.PhaseCordon)
			r.confirm(drain.PhaseEvict)
			s.until(w, "all pods are on the other node", func(snap *kube.Snapshot) bool {
				if n := s.healthyOf(snap, "web"); n < 3 {
					s.Fatalf("%d of 4 pods serve:\n%s", n, r.story())
				}
				return r.State().Outcome != ""
			})
			state := r.ends(drain.OutcomeDone)
			gone := 0 // beside the pods of the scene's DaemonSets, which stay
			for _, p := range state.Pods {
				if p.State == eviction.Gone {
					gone++
				}
			}
			if sent := state.Sent[attempt.VerbEvict]; sent < 4 || gone != 4 {
				s.Errorf("%d evictions, %d pods gone", sent, gone)
			}
			if write && (len(state.Budgets) != 1 || state.Budgets[0].State != tempbudget.Removed || state.Budgets[0].Owner != "ReplicationController/web") {
				s.Errorf("%+v", state.Budgets)
			}
			if !write {
				r.waitedForGuard()
			}
		})
	}
}

// waitedForGuard fails the test unless some pod is said to wait for the guard.
func (r *labRun) waitedForGuard() {
	r.s.Helper()
	for _, e := range r.Events(0) {
		if e.Kind == drain.EventPod && e.Wait != nil && e.Wait.For == waits.ForTemporaryBudget {
			return
		}
	}
	r.s.Errorf("no pod waited for the guard:\n%s", r.story())
}

// A custom owner with a scale is guarded like a built-in workload: its pods leave one at a time,
// by the guard of the run and by a temporary budget, for which the disruption controller asks the
// same scale.
func TestLabGuardOfACustomOwner(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	group := s.namespace + ".test.kdrain-tui.dev"
	apis := s.client.CoreV1().RESTClient()
	definition := fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"clonesets.%[1]s"},"spec":{"group":%[1]q,`+
		`"scope":"Namespaced","names":{"plural":"clonesets","singular":"cloneset","kind":"CloneSet"},"versions":[{"name":"v1","served":true,"storage":true,`+
		`"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}},"subresources":{"status":{},"scale":`+
		`{"specReplicasPath":".spec.replicas","statusReplicasPath":".status.replicas","labelSelectorPath":".status.selector"}}}]}}`, group)
	const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	s.must(apis.Post().AbsPath(definitions).SetHeader("Content-Type", "application/json").Body([]byte(definition)).Do(s.Context()).Error())
	s.afterwards(func(ctx context.Context) error {
		return apis.Delete().AbsPath(definitions, "clonesets."+group).Do(ctx).Error()
	})
	for name, written := range map[string]bool{"game": false, "quiz": true} {
		s.guardsClones(s.addClones(group, name, 3), written)
	}
	s.blocksSingleClones(s.addClones(group, "solo", 1))
}

// addClones makes a custom owner whose scale wants so many pods of the app of its name.
func (s *stage) addClones(group, name string, replicas int) metav1.OwnerReference {
	s.Helper()
	apis, resource := s.client.CoreV1().RESTClient(), fmt.Sprintf("/apis/%s/v1/namespaces/%s/clonesets", group, s.namespace)
	body := fmt.Sprintf(`{"apiVersion":"%s/v1","kind":"CloneSet","metadata":{"name":%q},"spec":{"replicas":%d}}`, group, name, replicas)
	var made metav1.PartialObjectMetadata
	s.poll("clones are served", func() bool {
		answer, err := apis.Post().AbsPath(resource).SetHeader("Content-Type", "application/json").Body([]byte(body)).Do(s.Context()).Raw()
		return err == nil && json.Unmarshal(answer, &made) == nil
	})
	status := fmt.Sprintf(`{"status":{"replicas":%d,"selector":"app=%s"}}`, replicas, name)
	s.must(apis.Patch(types.MergePatchType).AbsPath(resource, name, "status").Body([]byte(status)).Do(s.Context()).Error())
	controller := true
	return metav1.OwnerReference{APIVersion: group + "/v1", Kind: "CloneSet", Name: name, UID: made.UID, Controller: &controller}
}

// blocksSingleClones plans with --block-single-replica for those who may read the scale of the
// owner and for somebody who may not: the only pod is refused either way, with its own reason.
func (s *stage) blocksSingleClones(owner metav1.OwnerReference) {
	s.Helper()
	a := s.addNode(owner.Name)
	p := s.addPod(owner.Name, a, func(p *corev1.Pod) { p.OwnerReferences = []metav1.OwnerReference{owner} })
	everybody := rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}}
	for person, want := range map[string]plan.ReasonCode{"": plan.ReasonSingleReplica, s.addPerson("reader", everybody): plan.ReasonScaleUnknown} {
		w := s.watchOwners(s.connect(""))
		s.running(w, p)
		watch.NewOwners(s.connect(person).Cluster).ReadScales(s.Context(), w.Store(), []string{a})
		o := bareOptions()
		o.BlockSingleReplica = true
		planned, err := plan.New(w.Snapshot(), []string{a}, o, time.Now())
		s.must(err)
		pods := planned.Nodes[0].Pods
		at := slices.IndexFunc(pods, func(one plan.Pod) bool { return one.Name == p.Name })
		if one := pods[at]; one.Action != plan.ActionRefuse || !slices.ContainsFunc(one.Reasons, func(r plan.Reason) bool { return r.Code == want }) {
			s.Errorf("as %q: %s %+v, want %s", person, one.Action, one.Reasons, want)
		}
	}
}

// guardsClones drains a node with two of the three pods of an owner that nothing controls: the
// second leaves only once somebody has made a replacement of the first.
func (s *stage) guardsClones(owner metav1.OwnerReference, written bool) {
	s.Helper()
	a, b := s.addNode(owner.Name+"-a"), s.addNode(owner.Name+"-b")
	owned := func(p *corev1.Pod) { p.OwnerReferences = []metav1.OwnerReference{owner} }
	one, two, other := s.addPod(owner.Name, a, owned), s.addPod(owner.Name, a, owned), s.addPod(owner.Name, b, owned)
	c := s.connect("")
	w := s.watchOwners(c)
	s.running(w, one, two, other)
	watch.NewOwners(c.Cluster).ReadScales(s.Context(), w.Store(), []string{a})

	o, held := bareOptions(), waits.ForTemporaryBudget
	s.must(o.Guard.Set("1"))
	if o.GuardWrite = written; written {
		held = waits.ForBudget
	}
	planned, err := plan.New(w.Snapshot(), []string{a}, o, time.Now())
	s.must(err)
	for _, f := range preflight.Check(w.Snapshot(), planned, preflight.Env{}).Findings {
		if f.Code == preflight.FindingGuardLeavesOut {
			s.Errorf("%+v", f)
		}
	}
	if written {
		s.untilComputed(owner.Name)
	}
	r := s.start(w, c, o, a)
	if written {
		r.confirm(drain.PhaseGuard)
	}
	r.confirm(drain.PhaseCordon)
	r.confirm(drain.PhaseEvict)
	r.until("one pod has left and the other waits for the guard", func(state *drain.State) bool {
		gone, waiting := 0, 0
		for _, p := range state.Pods {
			switch {
			case p.State == eviction.Gone:
				gone++
			case p.Wait != nil && p.Wait.For == held:
				waiting++
			}
		}
		return gone == 1 && waiting == 1
	})
	s.addPod(owner.Name, b, owned)
	r.pod(one, eviction.Gone)
	r.pod(two, eviction.Gone)
	if state := r.ends(drain.OutcomeDone); written && (len(state.Budgets) != 1 || state.Budgets[0].State != tempbudget.Removed ||
		state.Budgets[0].Owner != "CloneSet/"+owner.Name) {
		s.Errorf("%+v", state.Budgets)
	}
}

// untilComputed waits until the disruption controller knows the kind of the owner of an app: it
// reads the served kinds every 30 s, and does not compute a second time a budget that it could not.
func (s *stage) untilComputed(app string) {
	s.Helper()
	budgets, most := s.client.PolicyV1().PodDisruptionBudgets(s.namespace), intstr.FromInt32(1)
	probe := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: "probe"}, Spec: policyv1.PodDisruptionBudgetSpec{
		MaxUnavailable: &most, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}}}
	s.poll("the budget of a custom owner is computed", func() bool {
		_, err := budgets.Create(s.Context(), probe, metav1.CreateOptions{})
		s.must(err)
		var status policyv1.PodDisruptionBudgetStatus
		s.poll("the probe is judged", func() bool {
			b, err := budgets.Get(s.Context(), probe.Name, metav1.GetOptions{})
			s.must(err)
			status = b.Status
			return len(status.Conditions) > 0
		})
		s.must(budgets.Delete(s.Context(), probe.Name, metav1.DeleteOptions{}))
		return status.Conditions[0].Reason != policyv1.SyncFailedReason
	})
}
