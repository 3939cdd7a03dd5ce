package main

import (
	"context"
	"time"
)

// beat is how often the pulse is felt.
const beat = 50 * time.Millisecond

// pulse is how the machine does while a run is recorded: on a busy one, everybody
// hears of everything later, and the judge allows for it.
type pulse struct {
	stop  context.CancelFunc
	worst chan time.Duration
}

// feel begins to measure how late we wake up and how long the server takes to
// answer a small question. One that it does not answer at all is no measure.
func feel(ctx context.Context, ask func(context.Context) error) *pulse {
	ctx, stop := context.WithCancel(ctx)
	p := &pulse{stop: stop, worst: make(chan time.Duration, 1)}
	go func() {
		var worst time.Duration
		for ctx.Err() == nil {
			slept := time.Now()
			time.Sleep(beat)
			asked := time.Now()
			worst = max(worst, asked.Sub(slept)-beat)
			if ask(ctx) == nil {
				worst = max(worst, time.Since(asked))
			}
		}
		p.worst <- worst
	}()
	return p
}

// end is the longest that anybody had to wait.
func (p *pulse) end() time.Duration {
	p.stop()
	return <-p.worst
}

// allowed is a bound of a quiet machine on this one: what is seen can come late,
// what follows from it as well, and what is heard of that.
func (e *evidence) allowed(quiet time.Duration) time.Duration { return quiet + 3*e.stall }

// polled is how old what the run knows may be where it may not watch.
const polled = 15 * time.Second

// seen is allowed for what the run says of the cluster.
func (e *evidence) seen(quiet time.Duration) time.Duration {
	if e.world.As == withoutWatch {
		quiet += polled
	}
	return e.allowed(quiet)
}
