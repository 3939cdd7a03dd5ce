package live

import "time"

// Player is a run or a roll that is played from its journal. It is moved in time; what is
// played has happened, and does not change.
type Player interface {
	// Now is what the clock showed at this moment of the replay.
	Now() time.Time
	// Position is where the replay is.
	Position() Position
	// Pause stops it, or lets it go on: from the start where it is at its end.
	Pause()
	// Accelerate makes it so many times as fast as it is.
	Accelerate(times float64)
	// Skip moves it by so much of the run's own time, SkipTo to that time after the start.
	Skip(by time.Duration)
	SkipTo(at time.Duration)
	// SkipEvents moves it to the next event that matters, or with -1 to the one before.
	SkipEvents(by int)
}

// Position is where a replay is.
type Position struct {
	At, Of time.Duration // since the first event; of the last event
	Speed  float64       // how many times as fast as it was
	Paused bool
	Ended  bool // all is played
}
