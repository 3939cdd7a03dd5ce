package attempt

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// The pause after a failed request: RetryFirst after the first in a row, doubled with each
// further one up to RetryMost.
const (
	RetryFirst = 500 * time.Millisecond
	RetryMost  = 15 * time.Second
)

// backOff is the pause after that many failures in a row.
func backOff(failures int) time.Duration {
	return Doubled(RetryFirst, RetryMost, failures)
}

// Doubled is the pause after that many tries in a row: first, then twice as long
// each time, up to most.
func Doubled(first, most time.Duration, tries int) time.Duration {
	for range min(max(tries-1, 0), 10) {
		first *= 2
	}
	return min(first, most)
}

// RemoveTries is how often something that the run made is asked to be taken away
// before the run ends without that and says that it is still there.
const RemoveTries = 4

// MayBeDone reports whether a request may have had its effect although no answer, or none
// that says so, came back.
func MayBeDone(a kube.Answer) bool { return !a.Unsent && AnswerFactsOf(a).MayBeDone() }

// StartTime is how long an API server that has just started may refuse what it allows a
// moment later: its authorizer answers from a cache that is still filling. Within it, a missing right is asked
// for again instead of being believed; what a drain needs was allowed when the run began (the faces check it).
const StartTime = 10 * time.Second
