package kube

import (
	"time"

	"k8s.io/apimachinery/pkg/watch"
)

// settleTime is how long a watch that goes on after an outage has to be open
// before what we hold counts as live again. What was missed comes at its very
// beginning, as does the word that it is too old to be told (410, a new list
// follows); but nothing says when that was all.
const settleTime = 500 * time.Millisecond

// settle lets a watch that was opened again be live after a while, unless it ends
// before.
func (f *feed) settle(w watch.Interface) watch.Interface {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.unsettleLocked()
	var timer *time.Timer
	timer = time.AfterFunc(settleTime, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.settling == timer {
			f.settling = nil
			f.live("")
		}
	})
	f.settling = timer
	return &reopened{Interface: w, feed: f, timer: timer}
}

// unsettleLocked forgets a watch that was about to be live.
func (f *feed) unsettleLocked() {
	if f.settling != nil {
		f.settling.Stop()
		f.settling = nil
	}
}

// reopened is a watch that goes on where an earlier one stopped.
type reopened struct {
	watch.Interface
	feed  *feed
	timer *time.Timer
}

// Stop ends the watch; what it has not told by then is not known.
func (r *reopened) Stop() {
	r.feed.mu.Lock()
	if r.feed.settling == r.timer {
		r.feed.unsettleLocked()
	}
	r.feed.mu.Unlock()
	r.Interface.Stop()
}
