package attempt

import (
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// AnswerFactsOf are what the journal keeps of an answer.
func AnswerFactsOf(a kube.Answer) *AnswerFacts {
	f := &AnswerFacts{
		Code: a.Code, Reason: string(a.Reason), Message: a.Message, AuditID: a.AuditID,
		Failure: a.Failure, RetryAfterSeconds: a.RetryAfter.Seconds(), ResourceVersion: a.ResourceVersion,
		Refusal: refusalOf(a),
	}
	if len(a.Causes) > 0 {
		f.Cause = a.Causes[0].Message
	}
	return f
}

// AnswerFacts are what a server answered, cleaned and shortened for the
// journal.
type AnswerFacts struct {
	Code              int     `json:"code"`
	Reason            string  `json:"reason,omitempty"`
	Message           string  `json:"message,omitempty"`
	Cause             string  `json:"cause,omitempty"` // message of the first cause
	RetryAfterSeconds float64 `json:"retryAfterSeconds,omitempty"`
	AuditID           string  `json:"auditID,omitempty"`
	Failure           string  `json:"failure,omitempty"`
	ResourceVersion   string  `json:"resourceVersion,omitempty"`
	Refusal           Refusal `json:"refusal,omitempty"`  // who refused it, "" if accepted or the pod is gone
	Look              bool    `json:"liveRead,omitempty"` // who has the pod's name must be asked, or asked again
}

// Words are what a person should read of the answer.
func (a *AnswerFacts) Words() string {
	switch {
	case a.Code == 0:
		return a.Failure
	case a.Cause != "":
		return a.Message + " " + a.Cause
	}
	return a.Message
}

// AnswerWords are what a person should read of an answer.
func AnswerWords(a kube.Answer) string {
	switch {
	case a.Code == 0:
		return a.Failure
	case len(a.Causes) > 0 && a.Causes[0].Message != "" && a.Causes[0].Type != "UnexpectedServerResponse":
		return a.Message + " " + a.Causes[0].Message
	}
	return a.Message
}

// Class is the class of the answer, "" for none.
func (a *AnswerFacts) Class() kube.AnswerClass {
	if a == nil {
		return ""
	}
	return kube.Answer{Code: a.Code, Reason: metav1.StatusReason(a.Reason)}.Class()
}

// MayBeDone reports whether the request may have had its effect although the answer does not
// say so: the connection broke, or a server failed. Who refused a request by name did not do it.
// It is false without an answer.
func (a *AnswerFacts) MayBeDone() bool {
	return a != nil && a.Refusal == RefusedByFailure && (a.Code == 0 || a.Code >= http.StatusInternalServerError)
}

// RetryAfter is for how long the server asked to wait.
func (a *AnswerFacts) RetryAfter() time.Duration {
	return time.Duration(a.RetryAfterSeconds * float64(time.Second))
}
