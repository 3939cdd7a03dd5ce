package remedy

import (
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// askController changes what the documentation of the controller of the pod's budget prescribes; ok is false where
// it prescribes nothing.
func (v *View) askController() (r Remedy, ok bool) {
	b, _ := v.budget()
	if b == nil || !budget.HasWayOut(b) {
		return r, false
	}
	way, why := budget.NewTracker(v.Snap, v.Now).WayOut(v.Live, b)
	r = Remedy{Facts: Facts{Kind: AskController, Object: way.Kind, Namespace: way.Namespace, Name: way.Name,
		UID: way.UID, Fields: way.Fields}, Title: way.Does, DisabledReason: why}
	r.Word = string(r.Kind) + " " + way.Name
	r.Risk = strings.ToUpper(way.Cost[:1]) + way.Cost[1:] + "."
	if r.lasts() {
		r.Risk += " The change is undone at the end of the run, unless somebody else changed it."
	}
	if slices.ContainsFunc(v.Records, func(other *Record) bool {
		return other.Kind == AskController && other.UID == r.UID && other.Open()
	}) {
		r.DisabledReason = "this run has done that already: its controller is working on it"
	}
	return r, true
}

// fieldsRequest sets the fields of the object.
func (f *Facts) fieldsRequest(fields request.Fields) request.SetFields {
	return request.SetFields{Kind: f.Object, Namespace: f.Namespace, Name: f.Name, UID: f.UID, Fields: fields}
}
