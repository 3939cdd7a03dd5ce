package journal

import (
	"testing"
	"time"
)

func secs(all ...float64) (times []time.Duration) {
	for _, s := range all {
		times = append(times, time.Duration(s*float64(time.Second)))
	}
	return times
}

// Where a replay is follows from where it was, how fast it goes and the times of the events.
func TestPlayhead(t *testing.T) {
	began := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	events := secs(0, 1, 1, 3, 3600, 3601)
	for name, c := range map[string]struct {
		head   playhead
		played int
		after  float64 // seconds of our clock
		at     float64 // what is shown
		now    int     // how many are played
	}{
		"at first":                   {playhead{speed: 1}, 1, 0, 0, 1},
		"between two events":         {playhead{speed: 1}, 1, 0.4, 0.4, 1},
		"two events at one time":     {playhead{speed: 1}, 1, 1, 1, 3},
		"after them":                 {playhead{speed: 1}, 1, 1.5, 1.5, 3},
		"twice as fast":              {playhead{speed: 2}, 1, 1, 2, 3},
		"half as fast":               {playhead{speed: 0.5}, 1, 1, 0.5, 1},
		"an hour is cut":             {playhead{speed: 1}, 1, 4.9, 4.9, 4},
		"two seconds of it are seen": {playhead{speed: 1}, 1, 5, 3600, 5},
		"fast, much of it is seen":   {playhead{speed: 100}, 1, 1.53, 3 + 150, 4},
		"the end":                    {playhead{speed: 1}, 1, 60, 3601, 6},
		"paused":                     {playhead{speed: 1, paused: true, at: 2 * time.Second}, 3, 60, 2, 3},
		"from the middle of a gap":   {playhead{speed: 1, at: 1800 * time.Second}, 4, 1, 1801, 4},
		"our clock went back":        {playhead{speed: 1, at: 2 * time.Second}, 3, -5, 2, 3},
	} {
		c.head.since = began
		now := began.Add(time.Duration(c.after * float64(time.Second)))
		head, played := c.head.on(now, events, c.played)
		at := head.at
		if played < len(events) {
			at = head.by(now, events[played])
		}
		if want := secs(c.at)[0]; (at-want).Abs() > time.Microsecond || played != c.now {
			t.Errorf("%s: at %s with %d played, not %s with %d", name, at, played, want, c.now)
		}
	}
	if n := playedAt(events, secs(3)[0]); n != 4 {
		t.Errorf("%d events have happened after 3 s", n)
	}
}

func TestMomentsToSkipTo(t *testing.T) {
	moments, end := secs(0, 5, 9), secs(20)[0]
	for _, c := range []struct {
		at   float64
		back bool
		want float64
	}{{0, false, 5}, {4, false, 5}, {5, false, 9}, {9, false, 20}, {20, false, 20}, {20, true, 9}, {9, true, 5}, {6, true, 5}, {0, true, 0}} {
		if got := nextMoment(moments, secs(c.at)[0], c.back, end); got != secs(c.want)[0] {
			t.Errorf("from %g, back %t: %s", c.at, c.back, got)
		}
	}
}
