package drain

import "strings"

// turnSentence says which pod with volumes goes first, and how far it is.
func (w *Wait) turnSentence() string {
	switch {
	case w.Ahead == nil:
		return "its turn: other pods with volumes of " + w.Driver + " go first"
	case len(w.Ahead.Volumes) > 0:
		return "its turn: " + w.Ahead.Namespace + "/" + w.Ahead.Pod + " is detaching from " + w.Ahead.Node +
			" (" + strings.Join(w.Ahead.Volumes, ", ") + ")"
	}
	return "its turn: " + w.Ahead.Namespace + "/" + w.Ahead.Pod + " is ending on " + w.Ahead.Node
}
