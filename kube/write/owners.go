package write

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// The API server gives a field to whoever changes it and takes it from all others. After a surge the number would be
// ours for good: a server-side apply of its owner would end with a conflict, and the next surge would not see that a
// GitOps tool sets it. managedFields can be written like any other field, if nothing else changes with them.

// giveBack makes those from whom a surge took spec.replicas its owners again, instead of us. The number is set back
// already.
func (w *Writer) giveBack(ctx context.Context, r request.Lower) kube.Answer {
	var live struct {
		metav1.ObjectMeta `json:"metadata"`
		Spec              struct {
			Replicas int32 `json:"replicas"`
		} `json:"spec"`
	}
	t := workload(r.Kind, r.Namespace, r.Name)
	answer := w.send(ctx, http.MethodGet, t, url.Values{}, "", nil, &live)
	var owners []metav1.ManagedFieldsEntry
	if err := json.Unmarshal([]byte(r.Owners), &owners); err != nil {
		return kube.Answer{Failure: "reading the owners of the number: " + err.Error(), Unsent: true}
	}
	entries, ours := ownedBy(live.ManagedFields, owners)
	raised := live.Annotations[kube.SurgeAnnotation] != "" // by another run since
	if !answer.OK() || !ours || raised || live.Spec.Replicas != r.From || live.UID != r.UID {
		return answer // the number is no longer ours
	}
	return w.send(ctx, http.MethodPatch, t, ourQuery(), contentMergePatch, map[string]any{"metadata": map[string]any{
		"uid": live.UID, "resourceVersion": live.ResourceVersion, "managedFields": entries,
	}}, nil)
}

// replicasPath is the field that a surge changes.
var replicasPath = fieldpath.NewSet(fieldpath.MakePathOrDie("spec", "replicas"))

// ownedBy are the entries of managedFields with spec.replicas in theirs and not in ours; false where it is in none of
// ours.
func ownedBy(entries, them []metav1.ManagedFieldsEntry) (changed []metav1.ManagedFieldsEntry, ours bool) {
	same := func(a, b metav1.ManagedFieldsEntry) bool {
		return a.Manager == b.Manager && a.Operation == b.Operation && a.APIVersion == b.APIVersion &&
			a.Subresource == b.Subresource
	}
	for _, e := range entries {
		var fields fieldpath.Set
		if e.FieldsV1 == nil || fields.FromJSON(bytes.NewReader(e.FieldsV1.GetRawBytes())) != nil {
			return nil, false
		}
		owner := func(one metav1.ManagedFieldsEntry) bool { return same(one, e) }
		switch {
		case e.Manager == kube.FieldManager && !replicasPath.Intersection(&fields).Empty():
			ours, fields = true, *fields.Difference(replicasPath)
		case slices.ContainsFunc(them, owner):
			fields, them = *fields.Union(replicasPath), slices.DeleteFunc(slices.Clone(them), owner)
		}
		if !fields.Empty() {
			changed = append(changed, withFields(e, &fields))
		}
	}
	now := metav1.NewTime(time.Now())
	for _, e := range them { // of whom the API server kept no entry, as nothing else was theirs
		e.Time, e.FieldsType = &now, "FieldsV1"
		changed = append(changed, withFields(e, replicasPath))
	}
	return changed, ours
}

func withFields(e metav1.ManagedFieldsEntry, fields *fieldpath.Set) metav1.ManagedFieldsEntry {
	encoded, err := fields.ToJSON()
	if err == nil { // what FromJSON has read is always encoded
		e.FieldsV1 = metav1.NewFieldsV1(string(encoded))
	}
	return e
}
