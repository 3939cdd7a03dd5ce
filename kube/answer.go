package kube

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Answer is what came back for one request, as plain values, so that the rules
// about it need no client. It is filled for refusals as for successes.
type Answer struct {
	Code       int                 // HTTP status, 0 if no answer came
	Reason     metav1.StatusReason // metav1.Status.reason
	Message    string
	Causes     []Cause
	RetryAfter time.Duration // 0 if the header was missing
	// FlowControl tells that API priority and fairness handled the request
	// (X-Kubernetes-PF-FlowSchema-UID), as a hint that a 429 is its work.
	FlowControl bool
	AuditID     string
	ServerTime  time.Time // Date header, zero if none
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
	Field   string
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
