//go:build lab

package engine

import (
	"context"
	"strings"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Without the right to delete pods the remedy is off and names the rule. Taken all the same,
// it is refused, and the pod goes on waiting for its budget.
func TestLabRemediesWithoutTheRight(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a := s.addNode("a")
	here := s.addPod("web", a)
	bob := s.addPerson("bob",
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"nodes", "pods"}, Verbs: []string{"get", "list", "watch"}},
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: []string{"patch"}},
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"pods/eviction"}, Verbs: []string{"create"}},
		rbacv1.PolicyRule{APIGroups: []string{"apps", "policy"}, Resources: []string{"daemonsets", "poddisruptionbudgets"}, Verbs: []string{"get", "list", "watch"}})
	c := s.connect(bob)
	w := s.watch(c)
	s.running(w, here)
	s.addBudget("web", "web", 1)
	s.budgetHas(w, "web", 1, 0)
	r := s.drain(w, c, bareOptions(), a)
	r.pod(here, eviction.BudgetBlocked)

	var offered remedy.Remedy
	r.s.poll("the remedy can be applied, but for the right", func() bool {
		for _, offered = range r.Remedies(here.UID) {
			if offered.Kind == remedy.Delete {
				break
			}
		}
		return offered.DisabledReason == ""
	})
	results, err := c.CheckAccess(t.Context(), offered.Needs)
	s.must(err)
	withheld := []remedy.Remedy{offered}
	remedy.DisableForbidden(withheld, results)
	if want := "you may not delete pods in namespace " + s.namespace; withheld[0].DisabledReason != want {
		t.Errorf("off: %q, want %q", withheld[0].DisabledReason, want)
	}
	if _, err := r.Command(t.Context(), drain.Command{Kind: drain.CommandRemedy, Pod: here.UID, Remedy: offered.Facts, Word: offered.Word, By: "bob", OnScreen: true}); err != nil {
		t.Fatal(err)
	}
	r.remedy(remedy.Refused)
	state := r.State()
	if p := state.Pod(here.UID); p.State == eviction.Failed || p.Action != plan.ActionEvict || state.Node(a).State != drain.NodeDraining {
		t.Errorf("the pod is %s (%s), its node %s", p.State, p.Action, state.Node(a).State)
	}
	s.setBudget("web", 0)
	r.pod(here, eviction.Gone)
	r.ends(drain.OutcomeDone)
}

// A policy that refuses to take a replica back answers like a number that has changed. The
// run says that it could not, and a rollback does it once the policy is gone.
func TestLabUndoRefusedByAPolicy(t *testing.T) {
	t.Parallel()
	s, w, r, d, p := single(t)
	c := s.connect("")
	r.remediate(remedy.Scale, p) // the new pod finds no room: the run stays blocked
	r.remedy(remedy.Done)
	s.until(w, "it has two replicas", func(snap *kube.Snapshot) bool { live := snap.Workload(d.UID); return live != nil && live.Replicas == 2 })
	thaw := s.freezeScales()
	r.Send(drain.Command{Kind: drain.CommandAbort, By: "ada"})
	r.ends(drain.OutcomeAborted)
	scaled := r.State().Remedies[0]
	if scaled.State != remedy.Orphaned || !strings.Contains(scaled.Message, s.namespace) || s.replicas(d) != 2 {
		t.Errorf("%s: %q, %d replicas", scaled.State, scaled.Message, s.replicas(d))
	}
	thaw()
	s.poll("a rollback takes it back", func() bool {
		undo := rollback.Plan(r.State(), w.Snapshot(), time.Now())[0]
		return undo.Scale != nil && c.Scale(t.Context(), *undo.Scale).OK()
	})
	if got := s.replicas(d); got != 1 {
		t.Errorf("%d replicas after the rollback", got)
	}
}

// freezeScales has a policy refuse every change of a scale in the namespace of the test.
func (s *stage) freezeScales() (thaw func()) {
	s.Helper()
	name, always := s.namespace+"-frozen", admissionregistrationv1.Fail
	policies, bindings := s.client.AdmissionregistrationV1().ValidatingAdmissionPolicies(), s.client.AdmissionregistrationV1().ValidatingAdmissionPolicyBindings()
	_, err := policies.Create(s.Context(), &admissionregistrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{FailurePolicy: &always,
			MatchConstraints: &admissionregistrationv1.MatchResources{ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{
				RuleWithOperations: admissionregistrationv1.RuleWithOperations{Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Update},
					Rule: admissionregistrationv1.Rule{APIGroups: []string{"apps"}, APIVersions: []string{"*"}, Resources: []string{"deployments/scale"}}}}}},
			Validations: []admissionregistrationv1.Validation{{Expression: "false", Message: "scales are frozen in " + s.namespace}}},
	}, metav1.CreateOptions{})
	s.must(err)
	s.afterwards(func(ctx context.Context) error { return policies.Delete(ctx, name, metav1.DeleteOptions{}) })
	_, err = bindings.Create(s.Context(), &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: name,
			ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
			MatchResources: &admissionregistrationv1.MatchResources{NamespaceSelector: &metav1.LabelSelector{
				MatchLabels: map[string]string{"kubernetes.io/metadata.name": s.namespace}}}},
	}, metav1.CreateOptions{})
	s.must(err)
	s.afterwards(func(ctx context.Context) error { return bindings.Delete(ctx, name, metav1.DeleteOptions{}) })
	deployments := s.client.AppsV1().Deployments(s.namespace)
	s.poll("the policy is in force", func() bool {
		scale, err := deployments.GetScale(s.Context(), "web", metav1.GetOptions{})
		s.must(err)
		_, err = deployments.UpdateScale(s.Context(), "web", scale, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
		return err != nil && strings.Contains(err.Error(), "frozen")
	})
	return func() { s.must(bindings.Delete(s.Context(), name, metav1.DeleteOptions{})) }
}
