package rollback

import (
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
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
