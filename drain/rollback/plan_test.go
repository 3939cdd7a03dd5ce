package rollback

import (
	"reflect"
	"testing"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// What the journal keeps of a remedy or a surge that was undone is the end of its record.
func TestTheEventOfAThingUndoneEndsItsRecord(t *testing.T) {
	noon := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	s := &drain.State{
		Seq: 7,
		Remedies: []*remedy.Record{
			{Facts: remedy.Facts{ID: 1, Kind: remedy.Scale, UID: "web", From: 3, To: 4}, State: remedy.Done},
			{Facts: remedy.Facts{ID: 2, Kind: remedy.Scale, UID: "api", From: 2, To: 3}, State: remedy.Done},
		},
		Surges: []*surge.Record{
			{Facts: surge.Facts{Kind: "Deployment", UID: "cart"}, State: surge.Starting},
			{Facts: surge.Facts{Kind: "Deployment", UID: "shop"}, State: surge.Starting},
		},
	}
	for _, u := range []Undo{
		{ID: s.Remedies[0].UndoID(), Scale: &request.Scale{Kind: "Deployment", Name: "web", To: 3}},
		{ID: s.Surges[0].UndoID(), Surge: []request.Request{request.Lower{}}},
	} {
		s = drain.Fold(s, u.Event(s, "ada", noon))
	}
	for _, r := range s.Remedies {
		if got, want := r.MayStand(), r.UID != "web"; got != want {
			t.Errorf("remedy %s may stand: %v, want %v", r.UID, got, want)
		}
	}
	for _, r := range s.Surges {
		if got, want := r.MayStand(), r.UID != "cart"; got != want {
			t.Errorf("surge of %s may stand: %v, want %v", r.UID, got, want)
		}
	}
}

// A workload that was scaled and then raised by a surge: the surge is undone first, and then the scale.
func TestASurgeIsUndoneBeforeTheScaleBelowIt(t *testing.T) {
	w, _ := kubetest.Deployment("shop/web", 6)
	w.Annotations = map[string]string{kube.SurgeAnnotation: `{"run":"r1","by":"ada","at":"2026-03-02T12:00:00Z","was":5,"to":6}`}
	w.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: kube.FieldManager, Operation: metav1.ManagedFieldsOperationUpdate,
		FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:replicas":{}}}`)}}
	facts := surge.Facts{Kind: "Deployment", Namespace: "shop", Name: "web", UID: w.UID}
	s := &drain.State{Run: drain.RunFacts{ID: "r1"},
		Remedies: []*remedy.Record{{Facts: remedy.Facts{ID: 1, Kind: remedy.Scale, Object: "Deployment", Namespace: "shop",
			Name: "web", UID: w.UID, From: 4, To: 5}, State: remedy.Done}},
		Surges: []*surge.Record{{Facts: facts, State: surge.Starting,
			Batch: surge.Batch{Was: 5, To: 6, Mark: w.Annotations[kube.SurgeAnnotation]}}}}
	undos := Plan(s, kubetest.SnapshotOf(kubetest.Now, w), kubetest.Now)
	want := &request.Scale{Kind: "Deployment", Namespace: "shop", Name: "web", UID: w.UID, From: 5, To: 4}
	if len(undos) != 2 || len(undos[0].Surge) == 0 || !reflect.DeepEqual(undos[1].Scale, want) {
		t.Errorf("%+v", undos)
	}
}

// A journal that lost its end does not tell of a raise and of a temporary budget that the cluster shows. What it tells
// of a later batch stays as it is.
func TestWhatTheJournalLostIsUndone(t *testing.T) {
	mark := func(at string) map[string]string {
		return map[string]string{kube.SurgeAnnotation: `{"run":"r1","by":"ada","at":"2026-03-02T` + at + `Z","was":5,"to":6}`}
	}
	w, _ := kubetest.Deployment("shop/web", 6)
	w.Annotations = mark("12:00:00")
	other, _ := kubetest.Deployment("shop/api", 6)
	other.Annotations = mark("12:00:00")
	made := func(run string) *policyv1.PodDisruptionBudget {
		return kubetest.Budget("shop/kdrain-"+run+"-web", 1, 1, 0, 1, func(b *policyv1.PodDisruptionBudget) {
			b.Labels = map[string]string{kube.ManagedByLabel: kube.ManagedByValue, kube.RunLabel: run}
		})
	}
	budget, foreign := made("r1"), made("r2")
	snap := kubetest.SnapshotOf(kubetest.Now, w, other, budget, foreign)
	undone := &surge.Record{Facts: surge.Facts{Kind: "Deployment", Namespace: "shop", Name: "api", UID: other.UID},
		State: surge.Undone, Batch: surge.Batch{Was: 5, To: 6, At: time.Date(2026, 3, 2, 12, 30, 0, 0, time.UTC)}}
	for name, surges := range map[string][]*surge.Record{
		"not planned": {undone},
		"planned": {undone, {Facts: surge.Facts{Kind: "Deployment", Namespace: "shop", Name: "web", UID: w.UID},
			State: surge.Planned}},
	} {
		s := &drain.State{Run: drain.RunFacts{ID: "r1"}, Surges: surges}
		undos := Plan(WithMarks(s, snap), snap, kubetest.Now)
		want := request.Lower{Kind: "Deployment", Namespace: "shop", Name: "web", UID: w.UID, From: 6, To: 5,
			Mark: w.Annotations[kube.SurgeAnnotation]}
		if len(undos) != 2 || undos[0].Unguard == nil || undos[0].Unguard.Name != budget.Name ||
			!reflect.DeepEqual(undos[1].Surge, []request.Request{want}) {
			t.Errorf("%s: %+v", name, undos)
		}
		if len(Plan(s, snap, kubetest.Now)) != 0 {
			t.Errorf("%s: the journal alone tells of it", name)
		}
	}
}
