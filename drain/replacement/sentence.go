package replacement

import (
	"fmt"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
)

// Sentence says what has become of the replacement, for an operator, and for how long it is so; ""
// where the pod is not followed. now is our clock.
func (r *Record) Sentence(now time.Time) string {
	return r.named() + r.Brief(now)
}

// Brief is Sentence without the name of the replacement.
func (r *Record) Brief(now time.Time) string {
	switch r.State {
	case "":
		return ""
	case Ready:
		return r.is() + " after " + format.Duration(r.Took())
	case NotWanted:
		return r.Words()
	}
	return r.is() + " for " + format.Duration(now.Sub(r.Since)) + r.because() + r.late()
}

// Words say the same as Sentence without times.
func (f *Facts) Words() string {
	if f.State == NotWanted {
		return "no replacement: " + f.Why
	}
	return f.named() + f.is() + f.because() + f.late()
}

// named begins a sentence about a replacement that is there.
func (f *Facts) named() string {
	switch f.State {
	case Pending, Ready:
		return "replacement " + f.Pod + " is "
	case Starting, Failing:
		return "replacement " + f.Pod + " "
	}
	return ""
}

func (f *Facts) is() string {
	switch f.State {
	case Awaited:
		return "no replacement yet"
	case Pending:
		return "Pending"
	case Starting:
		return "starts on " + f.Node
	case Failing:
		return "fails on " + f.Node
	}
	return "Ready on " + f.Node
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
