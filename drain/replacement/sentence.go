package replacement

import (
	"fmt"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/words"
)

// Sentence says what has become of the replacement, for an operator, and for how long it is so; ""
// where the pod is not followed. now is our clock.
func (r *Record) Sentence(now time.Time) string {
	switch r.State {
	case "":
		return ""
	case Ready:
		return r.is() + " after " + words.ShortTime(r.Took())
	case NotWanted:
		return r.Words()
	}
	return r.is() + " for " + words.ShortTime(now.Sub(r.Since)) + r.because() + r.late()
}

// Words say the same without times.
func (f *Facts) Words() string {
	if f.State == NotWanted {
		return "no replacement: " + f.Why
	}
	return f.is() + f.because() + f.late()
}

func (f *Facts) is() string {
	switch f.State {
	case Awaited:
		return "no replacement yet"
	case Pending:
		return "replacement " + f.Pod + " is Pending"
	case Starting:
		return "replacement " + f.Pod + " starts on " + f.Node
	case Failing:
		return "replacement " + f.Pod + " fails on " + f.Node
	}
	return "replacement " + f.Pod + " is Ready on " + f.Node
}

func (f *Facts) late() string {
	if f.Late && !f.State.Settled() {
		return "; not waited for any longer"
	}
	return ""
}

// because is the reason and the message of scheduler or kubelet.
func (f *Facts) because() string {
	text := ""
	if f.Container != "" {
		text = ": container " + f.Container
	}
	if f.Reason != "" {
		text += ": " + f.Reason
	}
	if f.Exit != nil {
		text += fmt.Sprintf(" (exit code %d)", *f.Exit)
	}
	if f.Why != "" {
		text += ": " + f.Why
	}
	return text
}
