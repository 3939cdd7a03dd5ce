package kubetest

import (
	"context"
	"fmt"
	"net/http"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

func (s *Simulation) AddBudget(app string, minAvailable int) {
	min := intstr.FromInt32(int32(minAvailable))
	b := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: app, UID: types.UID("budget-" + app), Generation: 1},
		Spec: policyv1.PodDisruptionBudgetSpec{MinAvailable: &min,
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}},
	}
	s.Budgets[app] = b
	s.Control(app)
}

// Control is the disruption controller's look at one budget.
func (s *Simulation) Control(app string) {
	b := s.Budgets[app]
	if b == nil || s.ControllerOff {
		return
	}
	healthy, expected := int32(0), int32(0)
	for _, p := range s.Pods {
		if p.Labels["app"] != app {
			continue
		}
		expected++
		if _, disrupted := b.Status.DisruptedPods[p.Name]; p.DeletionTimestamp == nil && IsReady(p) && !disrupted {
			healthy++
		}
	}
	for name := range b.Status.DisruptedPods {
		if p := s.named(name); p == nil || p.DeletionTimestamp != nil {
			delete(b.Status.DisruptedPods, name)
		}
	}
	b.Status.ObservedGeneration = b.Generation
	b.Status.CurrentHealthy, b.Status.ExpectedPods = healthy, expected
	if most := b.Spec.MaxUnavailable; most != nil {
		away, _ := intstr.GetScaledValueFromIntOrPercent(most, int(s.Replicas[app]), true)
		b.Status.ExpectedPods = s.Replicas[app]
		b.Status.DesiredHealthy = s.Replicas[app] - int32(away)
	} else {
		b.Status.DesiredHealthy = b.Spec.MinAvailable.IntVal
	}
	b.Status.DisruptionsAllowed = max(0, healthy-b.Status.DesiredHealthy)
	b.ResourceVersion = s.NextVersion()
	s.Store.Put(convert.Budget(b))
}

func BudgetRefusal(b *policyv1.PodDisruptionBudget) kube.Answer {
	return kube.Answer{Code: http.StatusTooManyRequests, Reason: metav1.StatusReasonTooManyRequests,
		Message: "Cannot evict pod as it would violate the pod's disruption budget.",
		Causes: []kube.Cause{{Type: string(policyv1.DisruptionBudgetCause), Message: "The disruption budget " +
			b.Name + " needs more"}}}
}

func (s *Simulation) CreateBudget(_ context.Context, r request.CreateBudget) kube.Answer {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if s.RefuseBudgets {
		return kube.Answer{Code: http.StatusForbidden, Message: "cannot create resource"}
	}
	app := r.Owner.Name
	if b := s.Budgets[app]; b != nil && b.Name == r.Name {
		return kube.Answer{Code: http.StatusConflict, Reason: metav1.StatusReasonAlreadyExists, Message: r.Name +
			" already exists"}
	}
	away := intstr.Parse(r.MaxUnavailable)
	b := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: r.Namespace, Name: r.Name, UID: types.UID("made-" + app),
			Generation: 1,
			Labels:     map[string]string{kube.ManagedByLabel: kube.ManagedByValue, kube.RunLabel: r.Run}},
		Spec: policyv1.PodDisruptionBudgetSpec{MaxUnavailable: &away,
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}},
	}
	s.Budgets[app] = b
	s.Made = append(s.Made, r.Name)
	s.Store.Put(convert.Budget(b)) // not observed yet
	s.Later(200*time.Millisecond, func() { s.Control(app) })
	return kube.Answer{Code: http.StatusCreated, UID: b.UID}
}

func (s *Simulation) LiveBudget(_ context.Context, r request.GetBudget) kube.Answer {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for _, b := range s.Budgets {
		if b.Name == r.Name && b.Labels[kube.RunLabel] == r.Run {
			return kube.Answer{Code: http.StatusOK, UID: b.UID}
		}
	}
	return kube.Answer{Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound,
		Message: fmt.Sprintf("poddisruptionbudgets.policy %q not found", r.Name)}
}

func (s *Simulation) DeleteBudget(_ context.Context, r request.BudgetRef) kube.Answer {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for app, b := range s.Budgets {
		if b.Name == r.Name && b.UID == r.UID {
			delete(s.Budgets, app)
			s.Unmade = append(s.Unmade, r.Name)
			s.Store.Remove(convert.Budget(b))
			return kube.Answer{Code: http.StatusOK}
		}
	}
	return kube.Answer{Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound}
}
