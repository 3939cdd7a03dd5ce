package attempt

import (
	"net/http"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Attempt is how far the run is with what it asks the server for about one object: a
// pod, a node, a Lease, a temporary budget or what a remedy changed.
type Attempt struct {
	InFlight uint64       // id of the write that is out, 0 if none
	Tries    int          // in a row that failed; of a pod, those that no budget refused
	Last     *AnswerFacts // the last answer, nil for none

	Next  time.Time // nothing is sent before; zero is at once
	tried string    // resourceVersion of the object as the last write knew it, where it names one
}

// sent notes that a write is out.
func (a *Attempt) Sent(f *ActionFacts) { a.InFlight, a.Next, a.tried = f.ID, time.Time{}, f.Version }

// answered notes what came back for it.
func (a *Attempt) Answered(f *AnswerFacts) { a.InFlight, a.Last = 0, f }

// failed notes that the next try comes not before that moment.
func (a *Attempt) Failed(next time.Time) { a.Tries, a.Next = a.Tries+1, next }

// resume leaves the tries of another process behind: what it was not answered is in
// doubt, and there is no reason to wait.
func (a *Attempt) Resume() { a.InFlight, a.Tries, a.Next, a.tried = 0, 0, time.Time{}, "" }

// pause is how long after one more failure the next try is due.
func (a *Attempt) Pause(answer kube.Answer) time.Duration {
	return max(BackOff(a.Tries+1), answer.RetryAfter)
}

// outdated tells whether the last try met a conflict, and the object has been seen to
// change since: there is nothing more to wait for.
func (a *Attempt) Outdated(shown string) bool {
	return a.InFlight == 0 && a.Last.Class() == kube.AnswerConflict && a.tried != shown
}

// class is the class of the answer, "" for none.
func (a *AnswerFacts) Class() kube.AnswerClass {
	if a == nil {
		return ""
	}
	return kube.Answer{Code: a.Code, Message: a.Message}.Class()
}

// doubtful tells whether the last of the requests may have been done without being seen.
func (a *Attempt) Doubtful() bool {
	return a.InFlight != 0 || a.Last == nil || a.Last.Code == 0 || a.Last.Code == http.StatusGatewayTimeout ||
		a.Last.Class() == kube.AnswerDone
}
