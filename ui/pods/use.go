package pods

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// What pods use is read while the page is shown: it is one list, which of very many pods is too much to ask
// for again and again. Of those it is read where one namespace is shown.
const (
	useEvery = 30 * time.Second
	useTime  = 20 * time.Second
	useMost  = 5000 // pods
)

// use is what pods use, as far as it was read.
type use struct {
	of     map[string]kube.Usage // by namespace and name
	within string                // the namespace that was read, "" for all
	reads  int
	asking bool
	at     time.Time // when it was asked for last
	asked  string    // for which namespace
}

// usage is the answer to a question for use.
type usage struct {
	of     map[string]kube.Usage // nil where it could not be read
	within string
}

// known reports whether there is something to show.
func (u *use) known() bool { return len(u.of) > 0 }

// due reports whether it is time to read.
func (u *use) due(m *Page) bool {
	switch {
	case m.s.Cluster == nil || m.found == nil || u.asking || m.s.Snap.Sync(kube.KindUsage).Count == 0:
		return false
	case m.namespace == "" && m.s.Snap.Sync(kube.KindPods).Count > useMost:
		return false
	}
	return u.at.IsZero() || u.asked != m.namespace || m.s.Now.Sub(u.at) >= useEvery
}

// ask reads what the pods use, beside the event loop. That it cannot be read is told nowhere: the metrics API
// is an extra.
func (u *use) ask(m *Page) {
	if !u.due(m) {
		return
	}
	u.asking, u.at, u.asked = true, m.s.Now, m.namespace
	cluster, within := m.s.Cluster, m.namespace
	m.shell.Go("what pods use", func(ctx context.Context) tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, useTime)
		defer cancel()
		of, err := cluster.PodUsage(ctx, within)
		if err != nil {
			return &usage{within: within}
		}
		return &usage{of, within}
	})
}

func (u *use) take(msg *usage, now time.Time) {
	u.asking, u.at = false, now
	if msg.of == nil && u.of == nil {
		return
	}
	u.of, u.within = msg.of, msg.within
	u.reads++
}
