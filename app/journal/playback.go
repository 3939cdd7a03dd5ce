package journal

import (
	"context"
	"sync"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Playing is what a playback has to know of the events E and of their state S.
type Playing[E, S any] struct {
	Fold    func(before *S, events ...E) *S
	Of      func(E) (seq uint64, at time.Time)
	Matters func([]E) []int // which of them one wants to skip to
}

// stopEvery is after how many events a playback keeps the state, so that it need not fold
// all of them again to go back.
const stopEvery = 1000

// playGap is how often at most a playback shows a new state: many events are one.
const playGap = 20 * time.Millisecond

// Playback plays the events of a journal: the state of each moment, with no cluster.
type Playback[E, S any] struct {
	Playing[E, S]
	all     []E
	times   []time.Duration // of all, after the first; never falling
	moments []time.Duration // of those that matter
	done    chan struct{}
	turned  chan struct{} // of capacity one: the operator moved it
	group   kube.Group

	mu       sync.Mutex
	head     playhead
	played   int
	state    *S
	stops    []*S // after each stopEvery events, as far as they were needed
	watchers live.Watchers
}

var _ live.Player = (*Playback[int, int])(nil)

// Begin plays the events, of which there is at least one, so many times as fast as it was,
// until the context ends; with a speed of zero it begins at the end.
func (p *Playback[E, S]) Begin(ctx context.Context, events []E, speed float64, of Playing[E, S]) {
	p.open(events, of)
	p.head.speed = min(max(speed, slowest), fastest)
	if speed <= 0 {
		p.head.speed = 1
		p.move(p.end())
	}
	p.group.Go("replay", func() {
		defer close(p.done)
		p.own(ctx)
	})
}

// End shows the end of the events, and is done.
func (p *Playback[E, S]) End(events []E, of Playing[E, S]) {
	p.open(events, of)
	p.head.speed = 1
	p.move(p.end())
	close(p.done)
}

func (p *Playback[E, S]) open(events []E, of Playing[E, S]) {
	p.Playing, p.all, p.done, p.turned = of, events, make(chan struct{}), make(chan struct{}, 1)
	_, first := of.Of(events[0])
	last := time.Duration(0)
	for _, e := range events {
		_, at := of.Of(e)
		last = max(last, at.Sub(first))
		p.times = append(p.times, last)
	}
	for _, i := range of.Matters(events) {
		p.moments = append(p.moments, p.times[i])
	}
	p.move(0)
}

// own plays what is due, until the context ends.
func (p *Playback[E, S]) own(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.turned:
		case <-timer.C:
		}
		if wait, more := p.playDue(); more {
			timer.Reset(max(wait, playGap))
		} else {
			timer.Stop()
		}
	}
}

// playDue plays what is due, and tells how long the next event is away; false where it does
// not come by itself.
func (p *Playback[E, S]) playDue() (wait time.Duration, more bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	head, played := p.head.on(now, p.times, p.played)
	if p.head = head; played != p.played {
		p.show(played)
		p.watchers.Signal()
	}
	if head.paused || played == len(p.times) {
		return 0, false
	}
	return head.wait(p.times[played]) - now.Sub(head.since), true
}

// move shows that time; what follows is played from there.
func (p *Playback[E, S]) move(to time.Duration) {
	p.head.at, p.head.since = min(max(to, 0), p.end()), time.Now()
	p.show(playedAt(p.times, p.head.at))
}

// show makes the state that of the first so many events.
func (p *Playback[E, S]) show(played int) {
	before, from := p.state, p.played
	if before == nil || played < from || played-from > stopEvery {
		before, from = p.stop(played / stopEvery)
	}
	if played != p.played || p.state == nil {
		p.state = p.Fold(before, p.all[from:played]...)
	}
	p.played = played
}

// stop is the state after so many times stopEvery events.
func (p *Playback[E, S]) stop(count int) (state *S, after int) {
	for at := len(p.stops); at < count; at++ {
		if at > 0 {
			state = p.stops[at-1]
		}
		p.stops = append(p.stops, p.Fold(state, p.all[at*stopEvery:(at+1)*stopEvery]...))
	}
	if count == 0 {
		return nil, 0
	}
	return p.stops[count-1], count * stopEvery
}

func (p *Playback[E, S]) end() time.Duration { return p.times[len(p.times)-1] }

// at is the time that is shown at this moment.
func (p *Playback[E, S]) at() time.Duration {
	if p.played == len(p.times) {
		return p.end()
	}
	return p.head.by(time.Now(), p.times[p.played])
}

// turn changes the head from where it is now.
func (p *Playback[E, S]) turn(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.move(p.at())
	change()
	p.watchers.Signal()
	live.Signal(p.turned)
}

// Pause stops the replay, or lets it go on: from the start where it is at its end.
func (p *Playback[E, S]) Pause() {
	p.turn(func() {
		if p.played == len(p.times) {
			p.head.paused = false
			p.move(0)
			return
		}
		p.head.paused = !p.head.paused
	})
}

// Accelerate makes it so many times as fast as it is.
func (p *Playback[E, S]) Accelerate(times float64) {
	p.turn(func() { p.head.speed = min(max(p.head.speed*times, slowest), fastest) })
}

// Skip moves it by so much of the run's own time.
func (p *Playback[E, S]) Skip(by time.Duration) { p.turn(func() { p.move(p.head.at + by) }) }

// SkipTo moves it to that time after the start.
func (p *Playback[E, S]) SkipTo(at time.Duration) { p.turn(func() { p.move(at) }) }

// SkipEvents moves it to the next event that matters, or with -1 to the one before. Unless it
// is paused, that is one that was not reached just now: else it could not be left behind.
func (p *Playback[E, S]) SkipEvents(by int) {
	p.turn(func() {
		from := p.head.at
		if by < 0 && !p.head.paused {
			from -= time.Duration(float64(time.Second) * p.head.speed)
		}
		p.move(nextMoment(p.moments, from, by < 0, p.end()))
	})
}

// Position is where the replay is.
func (p *Playback[E, S]) Position() live.Position {
	p.mu.Lock()
	defer p.mu.Unlock()
	return live.Position{At: p.at(), Of: p.end(), Speed: p.head.speed, Paused: p.head.paused,
		Ended: p.played == len(p.times)}
}

// State is the state at this moment of the replay.
func (p *Playback[E, S]) State() *S {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state
}

// Events are those after the one of that number, as far as they were played.
func (p *Playback[E, S]) Events(after uint64) []E {
	p.mu.Lock()
	defer p.mu.Unlock()
	for from, e := range p.all[:p.played] {
		if seq, _ := p.Of(e); seq > after {
			return p.all[from:p.played:p.played]
		}
	}
	return nil
}

// Whole are all events, also those that were not played yet.
func (p *Playback[E, S]) Whole() []E { return p.all }

// Now is what the clock showed at this moment. It stands still while the replay is paused
// or over, and never runs ahead of the next event.
func (p *Playback[E, S]) Now() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, first := p.Of(p.all[0])
	return first.Add(p.at())
}

// Changed is as that of a live run.
func (p *Playback[E, S]) Changed(ctx context.Context) <-chan struct{} { return p.watchers.Changed(ctx) }

// Done is closed when nothing is played any longer: at the end of the context.
func (p *Playback[E, S]) Done() <-chan struct{} { return p.done }
