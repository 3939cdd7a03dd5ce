package control

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

const (
	// tailEvery is how often the journal of another process is looked at: a file tells no
	// one that it grew, and a screen shows ten changes a second.
	tailEvery = 100 * time.Millisecond
	// aliveEvery is how often it is checked whether that process still holds its journal,
	// and, while nothing is written, whether it can write.
	aliveEvery = 2 * time.Second
)

// Foreign is what a run and a roll of another process have in common: whoever shows one is told
// of changes, commands go to its socket, and what was not taken is kept to be shown.
type Foreign struct {
	live.Watchers
	group      kube.Group
	mu         sync.Mutex
	refusals   []string
	unattended bool
}

// Tail calls read as the journal grows, until read says that it is over or the context ends. Another process may go
// on with what the first one left. lives is called now and then while a process holds the journal.
func (f *Foreign) Tail(ctx context.Context, path string, read func() (over bool, err error), lives func()) {
	look, alive := time.NewTicker(tailEvery), time.NewTicker(aliveEvery)
	defer look.Stop()
	defer alive.Stop()
	for {
		unattended := f.Unattended()
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		case <-alive.C:
			is, err := journal.Live(path)
			if unattended = !is && err == nil; !unattended {
				lives()
			}
		}
		over, err := read() // what it wrote last is read before its end counts
		if err != nil {
			f.Refuse(err.Error())
		}
		if err != nil || over {
			return
		}
		f.attend(unattended)
	}
}

// Unattended reports whether the process has left its journal without an end, and no other one has taken it.
func (f *Foreign) Unattended() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.unattended
}

func (f *Foreign) attend(unattended bool) {
	f.mu.Lock()
	changed := f.unattended != unattended
	f.unattended = unattended
	f.mu.Unlock()
	if changed {
		f.Signal()
	}
}

// Go runs a goroutine that Wait waits for.
func (f *Foreign) Go(name string, run func()) { f.group.Go(name, run) }

// Wait returns when its goroutines have ended.
func (f *Foreign) Wait() { f.group.Wait() }

// Hand gives a request to the process of the run.
func (f *Foreign) Hand(dir string, r Request) {
	f.Go("a command to "+r.Run, func() {
		switch a, err := Ask(dir, r); {
		case err != nil:
			f.Refuse(fmt.Sprintf("%s was not taken: %v", r.Verb, err))
		case !a.OK:
			f.Refuse(fmt.Sprintf("%s was not taken: %s", r.Verb, a.Error))
		}
	})
}

// Refusals are what was not taken since the last call.
func (f *Foreign) Refusals() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	said := f.refusals
	f.refusals = nil
	return said
}

// Refuse notes what was not taken.
func (f *Foreign) Refuse(why string) {
	f.mu.Lock()
	f.refusals = append(f.refusals, why)
	f.mu.Unlock()
	f.Signal()
}
