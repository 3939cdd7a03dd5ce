package kube

import (
	"time"
)

const (
	// rightsDoubt is how long a server may refuse what it allowed before until it
	// is believed: one that just started does not know the rights of anybody, and
	// behind a load balancer we meet it while others go on to serve us.
	rightsDoubt = 15 * time.Second
	// refusalsDoubted is how often it must have refused by then, at least.
	refusalsDoubted = 4
)

// right is what we know of one thing that the server lets us do or not.
type right struct {
	granted, refused bool // its last word that we believed; neither: never asked
	since            time.Time
	refusals         int // in a row, the first of them at since
}

// grant notes that it was allowed just now.
func (r *right) grant() { *r = right{granted: true} }

// refuse notes that it was refused just now and tells whether to believe it.
// Doubtful is a server of which we do not know whether it knows our rights.
func (r *right) refuse(now time.Time, doubtful bool) (believed bool) {
	if r.refusals == 0 {
		r.since = now
	}
	r.refusals++
	doubtful = r.granted || doubtful && !r.refused
	if doubtful && (r.refusals < refusalsDoubted || now.Sub(r.since) < rightsDoubt) {
		return false
	}
	r.granted, r.refused = false, true
	return true
}

// interrupt is said when the server goes away: what it refused before says
// nothing of the one that comes back.
func (r *right) interrupt() { r.refusals = 0 }

// retries are the pauses between the tries of something that is refused: the
// last one is the pause of all that follow.
type retries struct {
	pauses []time.Duration
	tried  int
	next   time.Time
}

// later puts the next try off.
func (r *retries) later(now time.Time) {
	r.next = now.Add(r.pauses[min(r.tried, len(r.pauses)-1)])
	r.tried++
}

// due tells whether it is time, as it is at first.
func (r *retries) due(now time.Time) bool { return !now.Before(r.next) }

// again begins with the shortest pause, and at once.
func (r *retries) again() { r.tried, r.next = 0, time.Time{} }

func watchRetries() retries {
	return retries{pauses: []time.Duration{30 * time.Second, time.Minute}}
}
