package conn

import (
	"time"
)

const (
	// rightsDoubt is how long a server may refuse what it allowed before until it
	// is believed: one that just started does not know the rights of anybody, and
	// behind a load balancer we meet it while others go on to serve us.
	RightsDoubt = 15 * time.Second
	// refusalsDoubted is how often it must have refused by then, at least.
	refusalsDoubted = 4
)

// Right is what we know of one thing that the server lets us do or not.
type Right struct {
	Granted, refused bool // its last word that we believed; neither: never asked
	since            time.Time
	refusals         int // in a row, the first of them at since
}

// Grant notes that it was allowed just now.
func (r *Right) Grant() { *r = Right{Granted: true} }

// Refuse notes that it was refused just now and tells whether to believe it.
// Doubtful is a server of which we do not know whether it knows our rights.
func (r *Right) Refuse(now time.Time, doubtful bool) (believed bool) {
	if r.refusals == 0 {
		r.since = now
	}
	r.refusals++
	doubtful = r.Granted || doubtful && !r.refused
	if doubtful && (r.refusals < refusalsDoubted || now.Sub(r.since) < RightsDoubt) {
		return false
	}
	r.Granted, r.refused = false, true
	return true
}

// Interrupt is said when the server goes away: what it refused before says
// nothing of the one that comes back.
func (r *Right) Interrupt() { r.refusals = 0 }

// Retries are the pauses between the tries of something that is refused: the
// last one is the pause of all that follow.
type Retries struct {
	Pauses []time.Duration
	tried  int
	Next   time.Time
}

// Later puts the next try off.
func (r *Retries) Later(now time.Time) {
	r.Next = now.Add(r.Pauses[min(r.tried, len(r.Pauses)-1)])
	r.tried++
}

// Due tells whether it is time, as it is at first.
func (r *Retries) Due(now time.Time) bool { return !now.Before(r.Next) }

// Again begins with the shortest pause, and at once.
func (r *Retries) Again() { r.tried, r.Next = 0, time.Time{} }

func WatchRetries() Retries {
	return Retries{Pauses: []time.Duration{30 * time.Second, time.Minute}}
}
