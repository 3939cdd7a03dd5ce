package drain

import (
	"net/http"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// rightsRetry is the pause before a missing right is asked for again.
const rightsRetry = 2 * time.Second

// stillStarting tells whether the answer refuses a right, and may only do so
// because the API server is not ready yet.
func (st *stepper) stillStarting(a kube.Answer) bool {
	return attempt.MissingRight(a) && !st.s.unwell.IsZero() && st.now.Sub(st.s.unwell) < attempt.StartTime
}

// classOf is the class of an answer in this run. A right that may be missing only
// because the API server is starting is asked for again; credentials that are
// refused twice in a row are refused.
func (st *stepper) classOf(a kube.Answer, before attempt.Attempt) kube.AnswerClass {
	switch {
	case st.stillStarting(a):
		return kube.AnswerTransient
	case a.Code == http.StatusUnauthorized && before.Last != nil && before.Last.Code == http.StatusUnauthorized:
		return kube.AnswerForbidden
	}
	return a.Class()
}
