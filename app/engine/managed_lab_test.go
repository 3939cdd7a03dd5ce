//go:build lab

package engine

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// Controllers that move their pods themselves. The tests do what these controllers do, on budgets that custom resources
// own. In each the first eviction is sent although the budget is closed, and the pod goes once the controller is ready.

// own creates a custom resource of a kind that the stage defines, and makes it the owner of a budget.
func (s *stage) own(group, kind string) func(*policyv1.PodDisruptionBudget) {
	s.Helper()
	plural := strings.ToLower(kind) + "s"
	object := map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	s.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": plural + "." + group},
		"spec": map[string]any{"group": group, "scope": "Namespaced",
			"names": map[string]any{"kind": kind, "plural": plural, "singular": strings.ToLower(kind)},
			"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": object}}}}})
	path := fmt.Sprintf("/apis/%s/v1/namespaces/%s/%s", group, s.namespace, plural)
	s.poll("the API server serves "+path, func() bool {
		return s.client.Discovery().RESTClient().Get().AbsPath(path).Do(s.Context()).Error() == nil
	})
	made := s.post(path, map[string]any{"apiVersion": group + "/v1", "kind": kind,
		"metadata": map[string]any{"name": "db"}})
	return func(b *policyv1.PodDisruptionBudget) {
		kubetest.ControlledBy(group+"/v1", kind, "db")(b)
		b.OwnerReferences[0].UID = made.UID
	}
}

// post creates an object; one that is there already is as good.
func (s *stage) post(path string, object any) (made metav1.PartialObjectMetadata) {
	s.Helper()
	body, err := json.Marshal(object)
	s.must(err)
	answer, err := s.client.Discovery().RESTClient().Post().AbsPath(path).Body(body).
		SetHeader("Content-Type", "application/json").DoRaw(s.Context())
	if apierrors.IsAlreadyExists(err) {
		return made
	}
	s.must(err)
	s.must(json.Unmarshal(answer, &made))
	return made
}

func labelled(key, value string) labOption {
	return func(p *corev1.Pod) { p.Labels[key] = value }
}

func selecting(key, value string) func(*policyv1.PodDisruptionBudget) {
	return func(b *policyv1.PodDisruptionBudget) { b.Spec.Selector.MatchLabels = map[string]string{key: value} }
}

// relabel gives a pod another label.
func (s *stage) relabel(p *corev1.Pod, key, value string) {
	s.Helper()
	patch := fmt.Sprintf(`{"metadata":{"labels":{%q:%q}}}`, key, value)
	_, err := s.client.CoreV1().Pods(s.namespace).Patch(s.Context(), p.Name, mergePatch, []byte(patch),
		metav1.PatchOptions{})
	s.must(err)
}

// drainClosed drains the node once its pods run and the controller has closed the budget.
func (s *stage) drainClosed(node, name string, healthy int32, pods ...*corev1.Pod) *labRun {
	s.Helper()
	c := s.connect("")
	w := s.watch(c)
	s.running(w, pods...)
	s.budgetHas(w, name, healthy, 0)
	return s.drain(w, c, bareOptions(), node)
}

// held waits until the server has refused the eviction of the pod for its closed budget, once and at once.
func (r *labRun) held(p *corev1.Pod, words string) {
	r.s.Helper()
	blocked := r.pod(p, eviction.BudgetBlocked)
	r.answered(blocked, http.StatusTooManyRequests, "disruption budget")
	if blocked.Attempts != 1 || !strings.Contains(blocked.Wait.Managed, words) || blocked.Wait.Never {
		r.s.Errorf("%d attempts, waits for %+v", blocked.Attempts, blocked.Wait)
	}
}

// goes waits until the second eviction of the pod was accepted, and the drain is done.
func (r *labRun) goes(p *corev1.Pod) {
	r.s.Helper()
	if gone := r.pod(p, eviction.Gone); gone.Attempts != 2 {
		r.s.Errorf("%d attempts:\n%s", gone.Attempts, r.story())
	}
	r.ends(drain.OutcomeDone)
	if deleted := r.State().Sent[attempt.VerbDelete]; deleted != 0 {
		r.s.Errorf("%d pods were deleted past their budgets", deleted)
	}
}

// CloudNativePG chooses another primary once the node is cordoned: its budget then selects that one.
func TestLabSwitchover(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b := s.addNode("a"), s.addNode("b")
	primary, replica := s.addPod("db", a, labelled("role", "primary")), s.addPod("db", b, labelled("role", "replica"))
	s.addBudget("db-primary", "db", 1, selecting("role", "primary"), s.own("postgresql.cnpg.io", "Cluster"))
	r := s.drainClosed(a, "db-primary", 1, primary, replica)
	r.held(primary, "is controlled by Cluster db; CloudNativePG opens it after the switchover")
	s.relabel(replica, "role", "primary")
	s.relabel(primary, "role", "replica")
	r.goes(primary)
}

// CloudNativePG has nothing to switch over to from a single instance: its budget never opens. The pod goes once the
// operator has let CloudNativePG remove the budget.
func TestLabSingleInstance(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, own := s.addNode("a"), s.own("postgresql.cnpg.io", "Cluster")
	var of policyv1.PodDisruptionBudget
	own(&of)
	only := s.addPod("db", a, func(p *corev1.Pod) { p.OwnerReferences = of.OwnerReferences })
	s.addBudget("db-primary", "db", 1, own)
	r := s.drainClosed(a, "db-primary", 1, only)
	blocked := r.pod(only, eviction.BudgetBlocked)
	r.answered(blocked, http.StatusTooManyRequests, "disruption budget")
	if blocked.Attempts != 1 || !blocked.Wait.Never || !strings.Contains(blocked.Wait.Managed, "CloudNativePG never opens it for a single instance") {
		t.Errorf("%d attempts, waits for %+v", blocked.Attempts, blocked.Wait)
	}
	s.deleteBudget("db-primary")
	r.goes(only)
}

// Longhorn deletes the budget of an instance manager when the volumes of its node are detached.
func TestLabInstanceManager(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a := s.addNode("a")
	manager := s.addPod("im", a, labelled("longhorn.io/component", "instance-manager"))
	s.addBudget("im", "im", 1, selecting("longhorn.io/component", "instance-manager"))
	r := s.drainClosed(a, "im", 1, manager)
	r.held(manager, "is controlled by Longhorn; Longhorn deletes it when the volumes of the node are detached")
	s.deleteBudget("im")
	r.goes(manager)
}

// ECK opens its budget while the health of the cluster is green.
func TestLabGreenHealth(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b := s.addNode("a"), s.addNode("b")
	here, there := s.addPod("es", a), s.addPod("es", b)
	s.addBudget("es", "es", 2, s.own("elasticsearch.k8s.elastic.co", "Elasticsearch"))
	r := s.drainClosed(a, "es", 2, here, there)
	r.held(here, "ECK opens it while the health of the cluster is green")
	s.setBudget("es", 1)
	r.goes(here)
}

// KubeVirt refuses the eviction by a webhook, migrates the machine, and the pod completes.
func TestLabMigration(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a := s.addNode("a")
	launcher := s.addPod("vm", a)
	s.addBudget("vm", "vm", 1, s.own("kubevirt.io", "VirtualMachineInstance"))
	const words = "Eviction triggered evacuation of VMI"
	migrated := s.refuseUntilMigrated(words)
	r := s.drainClosed(a, "vm", 1, launcher)
	r.answered(r.pod(launcher, eviction.WebhookWait), http.StatusTooManyRequests, words)
	migrated.Store(true)
	_, err := s.client.CoreV1().Pods(s.namespace).Patch(s.Context(), launcher.Name, types.MergePatchType,
		[]byte(`{"status":{"phase":"Succeeded"}}`), metav1.PatchOptions{}, "status")
	s.must(err)
	r.pod(launcher, eviction.Gone)
	r.ends(drain.OutcomeDone)
	r.onlyEvicted(launcher)
}
