package journal

import (
	"time"
)

// LongestGap is how long a replay shows a state in which nothing happens: hours
// of waiting for a budget are no film.
const LongestGap = 2 * time.Second

// The speeds of a replay.
const (
	slowest = 1. / 8
	fastest = 1 << 12
)

// playhead is where a replay was at one moment of our clock. It is a value; what follows
// from it at a later moment is worked out from the times of the events alone.
type playhead struct {
	at     time.Duration // after the first event
	since  time.Time     // our clock, when it was there
	speed  float64
	paused bool
}

// wait is how long it takes from at to the event at next, on our clock.
func (h playhead) wait(next time.Duration) time.Duration {
	gap := float64(next-h.at) / h.speed
	return time.Duration(max(0, min(gap, float64(LongestGap))))
}

// on is the head at that moment: the events at these times after the first are played one
// by one, of which the first so many were played before.
func (h playhead) on(now time.Time, times []time.Duration, played int) (playhead, int) {
	for !h.paused && played < len(times) {
		wait := h.wait(times[played])
		if now.Sub(h.since) < wait {
			break
		}
		h.at, h.since = max(h.at, times[played]), h.since.Add(wait)
		for played < len(times) && times[played] <= h.at {
			played++
		}
	}
	return h, played
}

// by is the time that is shown at that moment, while the next event is the one at next. It
// never runs ahead of that.
func (h playhead) by(now time.Time, next time.Duration) time.Duration {
	gone := now.Sub(h.since)
	switch {
	case h.paused || next <= h.at || gone <= 0:
		return h.at
	case gone >= h.wait(next):
		return next
	}
	return h.at + time.Duration(float64(gone)*h.speed)
}

// playedAt is how many of the events at these times have happened at that time.
func playedAt(times []time.Duration, at time.Duration) int {
	played := 0
	for played < len(times) && times[played] <= at {
		played++
	}
	return played
}

// nextMoment is the moment after at, the one before it for a step back: the end or the start
// where there is none.
func nextMoment(moments []time.Duration, at time.Duration, back bool, end time.Duration) time.Duration {
	if back {
		for i := len(moments) - 1; i >= 0; i-- {
			if moments[i] < at {
				return moments[i]
			}
		}
		return 0
	}
	for _, m := range moments {
		if m > at {
			return m
		}
	}
	return end
}
