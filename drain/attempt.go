package drain

import "github.com/kdrain-tui/kdrain-tui/drain/attempt"

// waits tells whether nothing is to be sent now: an answer is out, or a pause is not over.
func (st *stepper) waits(a attempt.Attempt) bool {
	st.wakeAt(a.Next)
	return a.Waits(st.now)
}
