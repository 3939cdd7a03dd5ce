package live

import (
	"context"
	"time"
)

// Followed is what can be followed from its state of this moment to its end: a run or a roll.
type Followed struct {
	Changed func(context.Context) <-chan struct{}
	Done    <-chan struct{}
}

// Follow looks at once, at each change, when a look asks for it, and once more at the end;
// two looks are gap apart at least. It returns after the last look, or when the context ends.
func (f Followed) Follow(ctx context.Context, gap time.Duration, look func() (wake time.Time)) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	changed := f.Changed(ctx)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-f.Done:
			look()
			return
		default:
		}
		wake := look()
		timer.Reset(gap)
		select { // many changes are one look
		case <-timer.C:
		case <-f.Done:
			continue
		case <-ctx.Done():
			return
		}
		if !wake.IsZero() {
			timer.Reset(max(0, time.Until(wake)))
		}
		select {
		case <-changed:
		case <-timer.C:
		case <-f.Done:
		case <-ctx.Done():
			return
		}
	}
}
