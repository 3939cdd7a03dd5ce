package app

// Reason says what kind of refusal an Error is.
type Reason string

// The reasons. A frontend derives its exit code from them.
const (
	ReasonFailed    Reason = ""          // something did not work
	ReasonUsage     Reason = "Usage"     // what was asked for cannot be meant, such as another cluster than the run's
	ReasonForbidden Reason = "Forbidden" // a right is missing
)

// Error is why something was refused or failed, in words for an operator: what was
// tried on what, and what can be done about it.
type Error struct {
	Reason Reason
	Text   string // may have several lines
	Hint   string // may have several lines, "" for none
	Err    error  // the cause, nil if there is none
}

func (e *Error) Error() string {
	switch {
	case e.Err == nil:
		return e.Text
	case e.Text == "":
		return e.Err.Error()
	}
	return e.Text + ": " + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }
