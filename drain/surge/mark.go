package surge

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// mark is the content of our annotation on a workload whose replicas a run has raised.
type mark struct {
	Run    string    `json:"run"`
	By     string    `json:"by,omitempty"`
	Reason string    `json:"reason,omitempty"`
	At     time.Time `json:"at"`
	Was    int32     `json:"was"` // its replicas before
	To     int32     `json:"to"`  // and since; equal to Was once they are set back
	// Costs are the deletion costs before of the pods that are to leave, "" where they had none.
	Costs map[kube.UID]string `json:"costs,omitempty"`
	// Owners are those of the number before the raise, as in kube.Workload.ReplicasOwners.
	Owners json.RawMessage `json:"owners,omitempty"`
}

// lowered reports whether the replicas are set back, and costs may be left of the surge.
func (m mark) lowered() bool { return m.To == m.Was }

// raisedBy reports whether a workload has the annotation of a run that has raised it.
func raisedBy(w *kube.Workload, run string) bool {
	m, marked := parseMark(w.SurgeMark)
	return marked && m.Run == run && !m.lowered()
}

// isRaised reports whether a workload has the annotation of any run that has raised it.
func isRaised(w *kube.Workload) bool {
	m, marked := parseMark(w.SurgeMark)
	return marked && !m.lowered()
}

const annotationRemoved = "the annotation of the run was removed"

// unmarked reports whether the replicas are those of the raise although the annotation is gone: `kubectl rollout undo`
// replaces all of a Deployment's by those of an earlier ReplicaSet. managedFields tell who wrote the number last: where
// the raise was not accepted, that is the remedy scale, or another run that set back what it had raised.
func (r *Record) unmarked(w *kube.Workload) bool {
	if r.State == Raising && r.Last.Class() != kube.AnswerDone && !r.Batch.again() {
		return false
	}
	return (r.raised() || r.State == Orphaned) && w.SurgeMark == "" && w.Replicas == r.Batch.To && w.ReplicasOurs
}

// parseMark reads the content of the annotation; false where it is not ours.
func parseMark(text string) (mark, bool) {
	var m mark
	if text == "" || json.Unmarshal([]byte(text), &m) != nil || m.Run == "" {
		return mark{}, false
	}
	for _, text := range []*string{&m.Run, &m.By, &m.Reason} {
		*text = kube.Clean(*text)
	}
	return m, true
}

// FromMarks are the surges of a run as far as the cluster alone tells of them: workloads that
// have its annotation, the pods that it names, and replacements of the lowest deletion cost.
func FromMarks(s *kube.Snapshot, run string) []*Record {
	var records []*Record
	for _, kind := range []kube.Kind{kube.KindDeployments, kube.KindReplicaSets} {
		for _, w := range kube.Workloads(s, kind) {
			m, ours := parseMark(w.SurgeMark)
			if !ours || m.Run != run {
				continue
			}
			text := w.SurgeMark
			if d := copiedFrom(s, w); d != nil { // what is left is to be known by the copy alone
				w = d
			}
			known := slices.ContainsFunc(records, func(r *Record) bool { return r.UID == w.UID })
			if !known {
				records = append(records, fromMark(s, w, m, text))
			}
		}
	}
	return records
}

// later is the surge by the annotation where that is of a later batch than this one, the last that the journal tells
// of, else nil: the process went on without the journal.
func (b *Batch) later(s *kube.Snapshot, w *kube.Workload, run string) *Record {
	m, marked := parseMark(w.SurgeMark)
	earlier := w.SurgeMark == b.Mark || m.At.Before(b.At) // as `kubectl rollout undo` brings it back
	if !marked || m.Run != run || m.lowered() || m.To != w.Replicas || earlier {
		return nil
	}
	return fromMark(s, w, m, w.SurgeMark)
}

// copiedFrom is the Deployment of a ReplicaSet, from which it has its annotations.
func copiedFrom(s *kube.Snapshot, rs *kube.Workload) *kube.Workload {
	if rs.Owner == nil || rs.Owner.Kind != "Deployment" {
		return nil
	}
	return s.Workload(rs.Owner.UID)
}

func fromMark(s *kube.Snapshot, w *kube.Workload, m mark, text string) *Record {
	r := &Record{Facts: Facts{Kind: w.Kind, Namespace: w.Namespace, Name: w.Name, UID: w.UID, AtOnce: m.To - m.Was},
		State: Starting, Since: m.At, Batch: Batch{Was: m.Was, To: m.To, Mark: text, At: m.At}}
	active := activeOf(s, w)
	for _, p := range active {
		mover := Mover{p.Name, p.UID}
		was, moves := m.Costs[p.UID]
		if moves {
			r.Batch.Pods = append(r.Batch.Pods, mover)
		}
		ours := moves || !p.Created.Before(m.At.Add(-madeBefore))
		if ours && lowest(p) && was != request.LowestDeletionCost {
			r.Costs = append(r.Costs, Cost{CostFacts: CostFacts{mover, was, request.LowestDeletionCost}})
		}
	}
	for _, uid := range slices.Sorted(maps.Keys(m.Costs)) { // pods that somebody took out of it by their labels
		was, p := m.Costs[uid], s.Pod(uid)
		if p == nil || p.Terminating() || slices.Contains(active, p) {
			continue
		}
		if lowest(p) && was != request.LowestDeletionCost {
			r.Costs = append(r.Costs, Cost{CostFacts: CostFacts{Mover{p.Name, uid}, was, request.LowestDeletionCost}})
		}
	}
	r.Pods = len(r.Batch.Pods)
	r.Batch.Others = max(0, int(m.Was)-r.Pods) // all of them, as it does not tell which were available
	return r
}

// String is the content of the annotation.
func (m mark) String() string {
	text, err := json.Marshal(m)
	if err != nil {
		return "" // strings, numbers and a time always marshal
	}
	return string(text)
}
