package attempt

import (
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

// Sent notes that a write is out.
func (a *Attempt) Sent(f *ActionFacts) { a.InFlight, a.Next, a.tried = f.ID, time.Time{}, f.Version }

// Answered notes what came back for it.
func (a *Attempt) Answered(f *AnswerFacts) { a.InFlight, a.Last = 0, f }

// Failed notes that the next try comes not before that moment.
func (a *Attempt) Failed(next time.Time) { a.Tries, a.Next = a.Tries+1, next }

// Resume leaves the tries of another process behind: what it was not answered is in
// doubt, and there is no reason to wait.
func (a *Attempt) Resume() { a.InFlight, a.Tries, a.Next, a.tried = 0, 0, time.Time{}, "" }

// Pause is how long after one more failure the next try is due; the server may ask for more.
func (a *Attempt) Pause(retryAfter time.Duration) time.Duration {
	return max(backOff(a.Tries+1), retryAfter)
}

// LastWas reports whether the last try was that one.
func (a *Attempt) LastWas(version string) bool { return a.tried == version }

// Outdated reports whether the last try met a conflict, and the object has been seen to
// change since: there is nothing more to wait for.
func (a *Attempt) Outdated(shown string) bool {
	return a.InFlight == 0 && a.Last.Class() == kube.AnswerConflict && a.tried != shown
}

// Doubtful reports whether the last of the requests may have been done without being seen.
func (a *Attempt) Doubtful() bool {
	return a.InFlight != 0 || a.Last == nil || a.Last.Class() == kube.AnswerDone || a.Last.MayBeDone()
}

// Waits reports whether nothing is to be sent now: an answer is out, or the pause until Next is
// not over.
func (a *Attempt) Waits(now time.Time) bool { return a.InFlight != 0 || a.Next.After(now) }

// Elapsed is how long ago something was by the clock that counts more: a machine
// that slept has a monotonic clock that did not.
func Elapsed(since, now time.Time) time.Duration {
	return max(now.Sub(since), now.Round(0).Sub(since.Round(0)))
}
