package annotation

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

func (e *NoMarkError) Error() string { return "node " + e.Node + ": " + e.Why }

// Maker says who wrote the mark, and when.
func (m Mark) Maker() string {
	by := "an operator"
	if m.By != "" {
		by = m.By
	}
	if m.At.IsZero() {
		return by
	}
	return by + " at " + m.At.UTC().Format(time.RFC3339)
}

// NoMarkError says why a node tells of no run that could be taken over.
type NoMarkError struct {
	Node string
	Why  string
}

// MarkOf is the mark of a run on a node. One that stayed when kubectl uncordon made the node schedulable counts, as the
// run may have changed more than that. The cordon itself may be somebody else's by now; Undo judges that. The error is
// a *NoMarkError.
func MarkOf(s *kube.Snapshot, name string) (Mark, error) {
	n := s.Node(name)
	if n == nil {
		return Mark{}, &NoMarkError{name, "there is no such node"}
	}
	mark, ours := Parse(n.Annotations[kube.CordonAnnotation])
	switch {
	case !ours && !n.Unschedulable:
		return Mark{}, &NoMarkError{name, "it is schedulable and has no annotation of ours"}
	case !ours && n.Cordon != nil && n.Cordon.Manager != "":
		return Mark{}, &NoMarkError{name, "it has no annotation of ours; " + n.Cordon.Manager + " has cordoned it"}
	case !ours:
		return Mark{}, &NoMarkError{name, "it has no annotation of ours"}
	case mark.Run == "":
		return Mark{}, &NoMarkError{name, "no run cordoned it, " + mark.Maker() + " did"}
	}
	return mark, nil
}

// Unreleased is the mark that an uncordon leaves on a node because its run has not released its Lease: whatever else
// the run left is found by that mark. It is false for any other mark.
func Unreleased(n *kube.Node, lease *kube.Lease) (Mark, bool) {
	mark := annotated(n)
	mark.ExcludedFromLB, mark.ExcludedBy = false, "" // the label goes with the cordon
	return mark, mark.Run != "" && lease != nil && lease.Holder != ""
}

// Adoptable is the mark of another run of ours on a node, whose place a new run takes
// with a mark of its own, so that its rollback takes the cordon back: what the node was
// before is kept. False where the cordon is not ours to take over: it is
// somebody else's, or an operator's own (kdrain-tui cordon).
func Adoptable(n *kube.Node, run string) (Mark, bool) {
	if n.Cordon == nil || n.Cordon.Manager != kube.FieldManager {
		return Mark{}, false
	}
	mark, ours := Parse(n.Cordon.Mark)
	return mark, ours && mark.Run != "" && mark.Run != run && mark.Was == "schedulable"
}

// Mark is the content of our annotation on a cordoned node: who, for which run,
// why, when, and what the node was before.
type Mark struct {
	Run    string    `json:"run,omitempty"`
	By     string    `json:"by,omitempty"`
	Reason string    `json:"reason,omitempty"`
	At     time.Time `json:"at"`
	Was    string    `json:"was,omitempty"` // "schedulable" or "unschedulable" before us
	// ExcludedFromLB tells that we added the label that takes the node out of
	// external load balancers.
	ExcludedFromLB bool `json:"excludedFromLB,omitempty"`
	// ExcludedBy is the run that added it to a node whose mark is not its own.
	ExcludedBy string `json:"excludedBy,omitempty"`
	// After is the run whose mark this one took the place of, AfterBy whose run it was.
	After   string `json:"after,omitempty"`
	AfterBy string `json:"afterBy,omitempty"`
}

// labelStands reports whether the node has the label that the mark tells of as we wrote it. One that
// somebody has changed since, removed, or set again, is theirs.
func (m Mark) labelStands(n *kube.Node) bool {
	value, labelled := n.Labels[kube.LoadBalancerLabel]
	return m.ExcludedFromLB && labelled && value == "" && n.LBLabelOurs
}

// Excluded reports whether a run took the node out of external load balancers, by the label that its mark tells of.
// A node that kubectl uncordon made schedulable keeps both.
func Excluded(n *kube.Node) bool { return annotated(n).labelStands(n) }

// annotated is the mark in the annotation of a node, whether or not the node is schedulable.
func annotated(n *kube.Node) Mark {
	mark, _ := Parse(n.Annotations[kube.CordonAnnotation])
	return mark
}

// excluder is the run whose label the mark tells of, "" for none of a run.
func (m Mark) excluder() string { return cmp.Or(m.ExcludedBy, m.Run) }

// Parse reads the content of the annotation; false where it is not ours.
func Parse(text string) (Mark, bool) {
	var m Mark
	if text == "" || json.Unmarshal([]byte(text), &m) != nil {
		return Mark{}, false
	}
	// What was harmless as JSON may be a control sequence by now.
	for _, text := range []*string{&m.Run, &m.By, &m.Reason, &m.Was, &m.After} {
		*text = kube.Clean(*text)
	}
	return m, true
}

// String is the content of the annotation.
func (m Mark) String() string {
	text, err := json.Marshal(m)
	if err != nil {
		return "" // a struct of strings and a time always marshals
	}
	return string(text)
}
