package convert

import (
	"bytes"
	"encoding/json"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// rolloutOf says how a Deployment replaces its pods. Fractions are resolved as its
// controller does: the surge rounds up, what may be away rounds down, and where
// both come to nothing one may be away (deploymentutil.ResolveFenceposts).
func rolloutOf(o *appsv1.Deployment) *kube.Rollout {
	r := &kube.Rollout{Paused: o.Spec.Paused}
	if o.Spec.Strategy.Type != appsv1.RollingUpdateDeploymentStrategyType {
		return r
	}
	replicas := int(valueOr(o.Spec.Replicas, 1))
	quarter := intstr.FromString("25%")
	surge, away := &quarter, &quarter
	if u := o.Spec.Strategy.RollingUpdate; u != nil {
		if u.MaxSurge != nil {
			surge = u.MaxSurge
		}
		if u.MaxUnavailable != nil {
			away = u.MaxUnavailable
		}
	}
	more, err1 := intstr.GetScaledValueFromIntOrPercent(surge, replicas, true)
	less, err2 := intstr.GetScaledValueFromIntOrPercent(away, replicas, false)
	if err1 != nil || err2 != nil {
		return r
	}
	if more == 0 && less == 0 {
		less = 1
	}
	r.Surge, r.Unavailable = int32(more), int32(less)
	return r
}

// deployedBy names the tool that writes the object from a source of its own and
// takes foreign changes back, by the marks that it leaves; "" if none is known.
func deployedBy(m *metav1.ObjectMeta) string {
	has := func(of map[string]string, key string) bool { _, ok := of[key]; return ok }
	switch {
	case has(m.Annotations, "argocd.argoproj.io/tracking-id"), has(m.Labels, "argocd.argoproj.io/instance"):
		return "Argo CD"
	case has(m.Labels, "kustomize.toolkit.fluxcd.io/name"), has(m.Labels, "helm.toolkit.fluxcd.io/name"):
		return "Flux"
	case has(m.Annotations, "meta.helm.sh/release-name"), m.Labels["app.kubernetes.io/managed-by"] == "Helm":
		return "Helm"
	}
	return ""
}

// replicasOwners are the entries of managedFields that own spec.replicas, without the fields. An Update of somebody
// else takes the field from all others, an Apply of the same number makes it theirs too.
func replicasOwners(entries []metav1.ManagedFieldsEntry) (owners []metav1.ManagedFieldsEntry) {
	for i := range entries {
		if e := &entries[i]; e.Subresource != "status" && ownsReplicas(e.FieldsV1) {
			owners = append(owners, metav1.ManagedFieldsEntry{
				Manager: e.Manager, Operation: e.Operation, APIVersion: e.APIVersion, Subresource: e.Subresource,
			})
		}
	}
	return owners
}

func ownsReplicas(fields *metav1.FieldsV1) bool {
	raw := fields.GetRawBytes()
	if !bytes.Contains(raw, []byte(`"f:replicas"`)) {
		return false
	}
	var owned struct {
		Spec map[string]json.RawMessage `json:"f:spec"`
	}
	if err := json.Unmarshal(raw, &owned); err != nil {
		return false
	}
	_, ok := owned.Spec["f:replicas"]
	return ok
}

// scaleRecord fills what is asked of a workload before its replicas are changed.
func scaleRecord(w *kube.Workload, m *metav1.ObjectMeta) {
	owners := replicasOwners(m.ManagedFields)
	others := slices.DeleteFunc(slices.Clone(owners), func(e metav1.ManagedFieldsEntry) bool {
		return e.Manager == kube.FieldManager
	})
	w.DeployedBy, w.ReplicasBy = deployedBy(m), replicasBy(others)
	w.ReplicasOurs = len(owners) > 0 && len(others) == 0
	if len(others) > 0 {
		if encoded, err := json.Marshal(others); err == nil { // strings always marshal
			w.ReplicasOwners = Share(string(encoded))
		}
	}
	w.SurgeMark, w.ResourceVersion = m.Annotations[kube.SurgeAnnotation], m.ResourceVersion
}

// reconcilers are the field managers of tools that write objects again and again from a
// source of their own.
var reconcilers = map[string]bool{
	"argocd-controller": true, "argocd-application-controller": true, "kustomize-controller": true, "helm-controller": true,
	"fleetagent": true, "fleet-agent": true, "kapp-controller": true, "configsync.gke.io": true,
}

// replicasBy names the owner of spec.replicas that would take a change of it back: a known one, or one that applies the
// field on the server and is neither a person's kubectl nor Helm.
func replicasBy(others []metav1.ManagedFieldsEntry) string {
	for _, e := range others {
		applies := e.Operation == metav1.ManagedFieldsOperationApply && e.Manager != "kubectl" && e.Manager != "helm"
		if applies || reconcilers[e.Manager] {
			return kube.Clean(e.Manager)
		}
	}
	return ""
}

// rollingOut reports whether pods of a Deployment whose spec was seen are being replaced, as
// kubectl rollout status judges it (polymorphichelpers/rollout_status.go), but for pods that
// are not available: those no rollout replaces.
func rollingOut(o *appsv1.Deployment) bool {
	return o.Status.UpdatedReplicas < valueOr(o.Spec.Replicas, 1) ||
		o.Status.Replicas > o.Status.UpdatedReplicas
}
