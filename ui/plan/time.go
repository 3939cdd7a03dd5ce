package plan

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// forecastEvery is how often at most the time of a plan is estimated again: that
// takes some tens of milliseconds, and the cluster never stands still.
const forecastEvery = 2 * time.Second

// planTime is the estimate of a plan page and the plan that it belongs to.
type planTime struct {
	estimate *plan.Estimate // nil until there is one
	key      uint64         // of the plan that is shown
	known    uint64         // of the plan that estimate is about
	asked    time.Time      // when one was last asked for
	coming   uint64         // of the plan whose estimate is being made, 0 for none
}

// forecastMsg brings the estimate of a plan.
type forecastMsg struct {
	page     keys.Page
	key      uint64
	estimate plan.Estimate
}

// now is the estimate of the plan that is shown, nil while none is known.
func (t *planTime) now() *plan.Estimate {
	if t.known != t.key {
		return nil
	}
	return t.estimate
}

// of notes the plan that is shown now.
func (t *planTime) of(plan plan.Plan) {
	h := fnv.New64a()
	for _, n := range plan.Nodes {
		fmt.Fprintf(h, "%s %t;", n.UID, n.Ready)
		for i := range n.Pods {
			p := &n.Pods[i]
			io.WriteString(h, string(p.UID)+string(p.Action))
			if p.Budget != nil {
				io.WriteString(h, string(p.Budget.Verdict))
				for _, b := range p.Budget.Budgets {
					fmt.Fprint(h, b.Present, b.Allowed, b.Needed)
				}
			}
		}
	}
	io.WriteString(h, wording.OptionWords(plan.Options))
	t.key = h.Sum64()
}

// due reports whether the estimate is of another plan than the one that is shown.
func (m *Page) due() bool {
	return m.has && m.part == "" && m.err == nil && m.time.key != m.time.known
}

// reckonTime has the time of the plan on the screen estimated, where it is not
// known: outside of Update, one at a time.
func (m *Page) reckonTime() {
	if !m.due() || m.time.coming != 0 || m.s.Now.Sub(m.time.asked) < forecastEvery {
		return
	}
	m.time.coming, m.time.asked = m.time.key, m.s.Now
	msg := forecastMsg{page: m.kind, key: m.time.key}
	snap, plan, now, cluster := m.s.Snap, m.plan, m.s.Now, m.s.Cluster
	m.shell.Go("the estimate of the plan's time", func(ctx context.Context) tea.Msg {
		msg.estimate = cluster.Forecast(snap, plan, now)
		return msg
	})
}

// Waits reports whether an estimate is to be made soon.
func (m *Page) Waits() bool { return m.due() }

func (m *Page) onForecast(msg forecastMsg) {
	if msg.page != m.kind || msg.key != m.time.coming {
		return // of a plan that was left, or of other options
	}
	m.time.coming = 0
	m.time.known, m.time.estimate = msg.key, &msg.estimate
}

// From these many lines a screen has room for more than the most important of a plan's head, and from those
// for the order of nodes.
const tall, middling = 30, 20

// planWhen is the part of a plan's head about its order, its time and the room
// in the cluster, in as many lines as the screen has to spare.
func (m *Page) planWhen() []paint.Line {
	width := m.s.Width - 2
	shown := m.plan
	if e := m.time.now(); e != nil {
		shown = shown.WithEstimate(*e)
	}
	waves, took, order := planWaves(shown), timeLine(m.time.estimate, m.s.Now), order{m}.line()
	if m.s.Height >= tall {
		lines := append(few(order, width, 3), few(waves, width, 2)...)
		return append(append(lines, few(took, width, 1)...), planRoom(m.plan, width, true)...)
	}
	if room := planRoom(m.plan, width, false); room != nil && took != nil {
		one := append(append(paint.Line{}, took...).Add(themes.Muted, "   "),
			paint.Join(paint.S(themes.Muted, ""), room...)...)
		if one.Width() <= width {
			took = one
		}
	}
	if m.s.Height < middling {
		order = nil
	}
	return slices.Concat(few(waves, width, 1), few(took, width, 1), few(order, width, 1))
}

// few are the lines that a line is wrapped into, or it alone, cut, where these are more than so many.
func few(l paint.Line, width, most int) []paint.Line {
	if l.Width() == 0 {
		return nil
	}
	if wrapped := paint.Wrap(l, width); len(wrapped) <= most {
		return wrapped
	}
	return []paint.Line{l.Fit(width)}
}
