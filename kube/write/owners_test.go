package write

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

func entry(manager string, operation metav1.ManagedFieldsOperationType, fields string) metav1.ManagedFieldsEntry {
	e := metav1.ManagedFieldsEntry{Manager: manager, Operation: operation, APIVersion: "apps/v1", FieldsType: "FieldsV1"}
	if fields != "" {
		e.FieldsV1 = metav1.NewFieldsV1(fields)
	}
	return e
}

// The number goes from us to its owners; all else in managedFields stays as it is.
func TestOwnedBy(t *testing.T) {
	const (
		template = `{"f:spec":{"f:template":{}}}`
		both     = `{"f:spec":{"f:replicas":{},"f:template":{}}}`
		replicas = `{"f:spec":{"f:replicas":{}}}`
		status   = `{"f:status":{"f:replicas":{}}}`
		mark     = `{"f:metadata":{"f:annotations":{"f:kdrain-tui.dev/surge":{}}},"f:spec":{"f:replicas":{}}}`
		cost     = `{"f:metadata":{"f:annotations":{"f:kdrain-tui.dev/surge":{}}}}`
	)
	apply, update := metav1.ManagedFieldsOperationApply, metav1.ManagedFieldsOperationUpdate
	for name, c := range map[string]struct {
		entries, them, want []metav1.ManagedFieldsEntry
	}{
		"an applier has other fields too": {
			entries: []metav1.ManagedFieldsEntry{entry("argocd", apply, template), entry(kube.FieldManager, update, replicas), entry("kcm", update, status)},
			them:    []metav1.ManagedFieldsEntry{entry("argocd", apply, "")},
			want:    []metav1.ManagedFieldsEntry{entry("argocd", apply, both), entry("kcm", update, status)},
		},
		"of an owner nothing else is left, of us our annotation": {
			entries: []metav1.ManagedFieldsEntry{entry("argocd", update, template), entry(kube.FieldManager, update, mark)},
			them:    []metav1.ManagedFieldsEntry{entry("argocd", apply, "")},
			want:    []metav1.ManagedFieldsEntry{entry("argocd", update, template), entry(kube.FieldManager, update, cost), entry("argocd", apply, replicas)},
		},
		"two owners": {
			entries: []metav1.ManagedFieldsEntry{entry("argocd", apply, template), entry(kube.FieldManager, update, replicas)},
			them:    []metav1.ManagedFieldsEntry{entry("argocd", apply, ""), entry("ada", update, "")},
			want:    []metav1.ManagedFieldsEntry{entry("argocd", apply, both), entry("ada", update, replicas)},
		},
		"somebody else has set the number since": {
			entries: []metav1.ManagedFieldsEntry{entry("ada", update, replicas), entry(kube.FieldManager, update, cost)},
			them:    []metav1.ManagedFieldsEntry{entry("argocd", apply, "")},
		},
		"an entry cannot be read": {
			entries: []metav1.ManagedFieldsEntry{entry("ada", update, "{"), entry(kube.FieldManager, update, replicas)},
			them:    []metav1.ManagedFieldsEntry{entry("argocd", apply, "")},
		},
	} {
		got, ours := ownedBy(c.entries, c.them)
		if ours != (c.want != nil) || len(got) != len(c.want) && ours {
			t.Errorf("%s: %v, %v", name, ours, got)
			continue
		}
		for i, w := range c.want {
			if g := got[i]; g.Manager != w.Manager || g.Operation != w.Operation || g.APIVersion != w.APIVersion || g.FieldsType != w.FieldsType || g.FieldsV1.GetRawString() != w.FieldsV1.GetRawString() {
				t.Errorf("%s: entry %d is %s %s %s, want %s %s %s", name, i, g.Manager, g.Operation, g.FieldsV1.GetRawString(), w.Manager, w.Operation, w.FieldsV1.GetRawString())
			}
		}
	}
}
