package journal

import (
	"context"
	"sync"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// LongestGap is how long a replay shows a state in which nothing happens: hours
// of waiting for a budget are no film.
const LongestGap = 2 * time.Second

// Playing is what a playback has to know of the events E and of their state S.
type Playing[E, S any] struct {
	Fold    func(before *S, events ...E) *S
	Of      func(E) (seq uint64, at time.Time)
	Updated func(*S) time.Time // the time of the last event
}

// Playback plays the events of a journal: the state of each moment, in order, with no cluster.
type Playback[E, S any] struct {
	Playing[E, S]
	speed float64
	all   []E
	done  chan struct{}
	group kube.Group

	mu       sync.Mutex
	played   int
	state    *S
	at       time.Time // our clock, when the last event was played
	watchers live.Watchers
}

// Begin plays at once, so many times as fast as it was; zero shows the end. It ends with the
// events, of which there is at least one, or with the context.
func (p *Playback[E, S]) Begin(ctx context.Context, events []E, speed float64, of Playing[E, S]) {
	p.Playing, p.speed, p.all, p.done, p.at, p.played = of, speed, events, make(chan struct{}), time.Now(), 1
	if speed <= 0 {
		p.played = len(events)
	}
	p.state = p.Fold(nil, events[:p.played]...)
	rest := events[p.played:]
	p.group.Go("replay", func() {
		defer close(p.done)
		for _, e := range rest {
			if !p.wait(ctx, e) {
				return
			}
			p.play(e)
		}
	})
}

// wait lets the time until the event pass; false means that the context ended.
func (p *Playback[E, S]) wait(ctx context.Context, e E) bool {
	_, at := p.Of(e)
	gap := time.Duration(float64(at.Sub(p.Updated(p.State()))) / p.speed)
	timer := time.NewTimer(min(gap, LongestGap))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

func (p *Playback[E, S]) play(e E) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state, p.at, p.played = p.Fold(p.state, e), time.Now(), p.played+1
	p.watchers.Signal()
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

// Now is what the clock showed at this moment. It stands still once the replay is over, and
// never runs ahead of the next event.
func (p *Playback[E, S]) Now() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	updated := p.Updated(p.state)
	select {
	case <-p.done:
		return updated
	default:
	}
	return updated.Add(min(time.Since(p.at), LongestGap))
}

// Changed is as that of a live run.
func (p *Playback[E, S]) Changed(ctx context.Context) <-chan struct{} { return p.watchers.Changed(ctx) }

// Done is closed when the last event was played.
func (p *Playback[E, S]) Done() <-chan struct{} { return p.done }
