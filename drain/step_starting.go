package drain

import (
	"net/http"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// An API server that has just started refuses what it allows a moment later: its
// authorizer answers from a cache that is still filling. Within startTime after it
// was away, a missing right is asked for again instead of being believed; what a
// drain needs was allowed when the run began (the faces check it).
const (
	startTime   = 10 * time.Second
	rightsRetry = 2 * time.Second
)

// stillStarting tells whether the answer refuses a right, and may only do so
// because the API server is not ready yet.
func (st *stepper) stillStarting(a kube.Answer) bool {
	return missingRight(a) && !st.s.unwell.IsZero() && st.now.Sub(st.s.unwell) < startTime
}

// classOf is the class of an answer in this run. A right that may be missing only
// because the API server is starting is asked for again; credentials that are
// refused twice in a row are refused.
func (st *stepper) classOf(a kube.Answer, before Attempt) kube.AnswerClass {
	switch {
	case st.stillStarting(a):
		return kube.AnswerTransient
	case a.Code == http.StatusUnauthorized && before.Last != nil && before.Last.Code == http.StatusUnauthorized:
		return kube.AnswerForbidden
	}
	return a.Class()
}

// missingRight tells a refusal by the authorizer from those of admission and of
// the eviction handler, by its words: "User "ada" cannot create resource ..."
// (kubernetes apiserver pkg/endpoints/handlers/responsewriters/errors.go).
func missingRight(a kube.Answer) bool {
	return a.Code == http.StatusForbidden && strings.Contains(a.Message, " cannot ") && strings.Contains(a.Message, " resource ")
}
