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
)

// The API server gives a field to whoever changes it and takes it from all others. After a surge the number would be
// ours for good: a server-side apply of its owner would end with a conflict, and the next surge would not see that a
// GitOps tool sets it. managedFields can be written like any other field, if nothing else changes with them.

// giveBackTries bounds the attempts to write managedFields: the controller of a workload writes its status when the
// number changes.
const giveBackTries = 5

// giveBack makes those from whom a surge took spec.replicas its owners again, instead of us. The number is set back
// already: where this fails, the ownership alone stays ours, as after kubectl scale.
func (w *Writer) giveBack(ctx context.Context, t target, live *metav1.PartialObjectMetadata, owners string) {
	var them []metav1.ManagedFieldsEntry
	if json.Unmarshal([]byte(owners), &them) != nil {
		return
	}
	for range giveBackTries {
		entries, ours := ownedBy(live.ManagedFields, them)
		if !ours {
			return
		}
		answer := w.send(ctx, http.MethodPatch, t, ourQuery(), contentMergePatch, map[string]any{
			"metadata": map[string]any{"uid": live.UID, "resourceVersion": live.ResourceVersion, "managedFields": entries},
		}, nil)
		if answer.Class() != kube.AnswerConflict {
			return
		}
		*live = metav1.PartialObjectMetadata{}
		if !w.send(ctx, http.MethodGet, t, url.Values{}, "", nil, live).OK() {
			return
		}
	}
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
