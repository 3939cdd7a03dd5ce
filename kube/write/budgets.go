package write

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// CreateBudget makes a temporary budget, labelled as ours, with its run and date.
func (w *Writer) CreateBudget(ctx context.Context, r request.CreateBudget) kube.Answer {
	selector, err := metav1.ParseToLabelSelector(r.Selector)
	if err != nil {
		return kube.Answer{Failure: fmt.Sprintf("selector %q of %s: %v", r.Selector, r.Owner.Name, err), Unsent: true}
	}
	most := intstr.Parse(r.MaxUnavailable)
	made := policyv1.PodDisruptionBudget{
		TypeMeta: metav1.TypeMeta{APIVersion: "policy/v1", Kind: "PodDisruptionBudget"},
		ObjectMeta: metav1.ObjectMeta{
			Name: r.Name, Namespace: r.Namespace,
			Labels:      map[string]string{kube.ManagedByLabel: kube.ManagedByValue, kube.RunLabel: r.Run},
			Annotations: map[string]string{kube.MadeAtAnnotation: r.At.UTC().Format(time.RFC3339)},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: r.Owner.APIVersion, Kind: r.Owner.Kind, Name: r.Owner.Name, UID: r.Owner.UID,
			}},
		},
		Spec: policyv1.PodDisruptionBudgetSpec{Selector: selector, MaxUnavailable: &most},
	}
	query := url.Values{"fieldManager": {kube.FieldManager}}
	return w.send(ctx, http.MethodPost, budget(r.Namespace, r.Name), query, contentJSON, &made, nil)
}

// DeleteBudget removes exactly one budget.
func (w *Writer) DeleteBudget(ctx context.Context, r request.BudgetRef) kube.Answer {
	options := deleteOptions(r.UID, nil, false)
	options.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "DeleteOptions"}
	return w.send(ctx, http.MethodDelete, budget(r.Namespace, r.Name), url.Values{},
		contentJSON, options, nil)
}

// LiveBudget reads a temporary budget from the server, not from the store.
func (w *Writer) LiveBudget(ctx context.Context, r request.GetBudget) kube.Answer {
	var live policyv1.PodDisruptionBudget
	answer := w.send(ctx, http.MethodGet, budget(r.Namespace, r.Name), url.Values{}, "", nil,
		&live)
	if (&kube.Budget{Labels: live.Labels}).TemporaryOf() != r.Run {
		answer.UID = ""
	}
	return answer
}
