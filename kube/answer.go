package kube

import (
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Answer is what came back for one request, as plain values, so that the rules
// about it need no client. It is filled for refusals as for successes.
type Answer struct {
	Code       int                 // HTTP status, 0 if no answer of an API server came
	Reason     metav1.StatusReason // metav1.Status.reason; NotFound only for the object that was asked for
	Message    string
	Causes     []Cause
	RetryAfter time.Duration // 0 if the header was missing, at most a minute
	AuditID    string
	// Failure is the network's or client's words when no answer came.
	Failure string
	// Unsent tells that the request certainly never reached the server (no
	// connection, no credentials, read-only): nothing is in doubt.
	Unsent bool

	// Of the object that came back, where one did.
	UID             UID
	ResourceVersion string
}

// Cause is one metav1.StatusCause.
type Cause struct {
	Type    string
	Message string
}

// OK tells whether the request was accepted.
func (a Answer) OK() bool { return a.Code >= 200 && a.Code < 300 }

// HasCause tells whether the answer carries a cause of that type.
func (a Answer) HasCause(typ string) bool {
	for _, c := range a.Causes {
		if c.Type == typ {
			return true
		}
	}
	return false
}

// AnswerClass says what an answer is to whoever sent the request, whatever the
// request was about. It is the one classification of status codes: a caller adds
// what only it can know (what a conflict is about, whether a right was there before).
type AnswerClass string

// The classes of answers.
const (
	AnswerDone      AnswerClass = "done"      // accepted
	AnswerGone      AnswerClass = "gone"      // the server knows no such object
	AnswerConflict  AnswerClass = "conflict"  // the object changed, or another one has its name
	AnswerTransient AnswerClass = "transient" // says nothing about the object: the same request may pass later
	AnswerForbidden AnswerClass = "forbidden" // a right is missing, or admission refuses it
	AnswerInvalid   AnswerClass = "invalid"   // the request cannot pass as it is
)

// Class classifies the answer. A 401 is transient, however often it comes: credential
// plugins get a new token after one, an API server whose token webhook times out sends
// one too, and an operator can log in again while a run waits. While it lasts, the
// heartbeat gets it as well, and health shows it as an outage. A 404 is about the object only with
// the reason NotFound; that of a proxy says nothing. What is not known is transient, for a
// failure in between must never end anything.
func (a Answer) Class() AnswerClass {
	switch {
	case a.OK():
		return AnswerDone
	case a.Code == http.StatusNotFound && a.Reason == metav1.StatusReasonNotFound:
		return AnswerGone
	case a.Code == http.StatusConflict:
		return AnswerConflict
	case a.Code == http.StatusForbidden:
		return AnswerForbidden
	}
	switch a.Code {
	case http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusNotAcceptable,
		http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity:
		return AnswerInvalid
	}
	return AnswerTransient
}
