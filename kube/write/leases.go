package write

import (
	"context"
	"net/http"
	"net/url"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// CreateLease makes the Lease of a node. The Node owns it: with the node it goes.
func (w *Writer) CreateLease(ctx context.Context, l request.WriteLease) kube.Answer {
	return w.send(ctx, http.MethodPost, lease(l.Namespace, kube.LeaseName(l.NodeUID)), ourQuery(), contentJSON,
		leaseObject(l), nil)
}

// UpdateLease writes a Lease of ours, whole.
func (w *Writer) UpdateLease(ctx context.Context, l request.WriteLease) kube.Answer {
	return w.send(ctx, http.MethodPut, lease(l.Namespace, kube.LeaseName(l.NodeUID)),
		ourQuery(), contentJSON, leaseObject(l), nil)
}

// DeleteLease gives a Lease back, if it still is as we know it.
func (w *Writer) DeleteLease(ctx context.Context, r request.DeleteLease) kube.Answer {
	options := deleteOptions(r.UID, nil, false)
	options.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "DeleteOptions"}
	if r.ResourceVersion != "" {
		if options.Preconditions == nil {
			options.Preconditions = &metav1.Preconditions{}
		}
		options.Preconditions.ResourceVersion = &r.ResourceVersion
	}
	return w.send(ctx, http.MethodDelete, lease(r.Namespace, r.Name), url.Values{}, contentJSON,
		options, nil)
}

// leaseObject is the Lease as the API has it.
func leaseObject(w request.WriteLease) *coordinationv1.Lease {
	seconds := int32(kube.LeaseDuration / time.Second)
	taken, renewed := metav1.NewMicroTime(w.Since), metav1.NewMicroTime(w.Renewed)
	annotations := map[string]string{kube.ByAnnotation: w.By, kube.MadeAtAnnotation: w.Since.UTC().Format(time.RFC3339)}
	if w.Reason != "" {
		annotations[kube.ReasonAnnotation] = w.Reason
	}
	return &coordinationv1.Lease{
		TypeMeta: metav1.TypeMeta{APIVersion: "coordination.k8s.io/v1", Kind: "Lease"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: w.Namespace, Name: kube.LeaseName(w.NodeUID), UID: w.UID, ResourceVersion: w.ResourceVersion,
			Labels:      map[string]string{kube.ManagedByLabel: kube.ManagedByValue, kube.RunLabel: w.Run},
			Annotations: annotations,
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "v1", Kind: "Node", Name: w.Node, UID: w.NodeUID,
			}},
		},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: &w.Run, LeaseDurationSeconds: &seconds, LeaseTransitions: &w.Transitions,
			AcquireTime: &taken, RenewTime: &renewed,
		},
	}
}
