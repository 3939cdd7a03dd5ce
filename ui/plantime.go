package ui

import (
	"fmt"
	"hash/fnv"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/page"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// forecastEvery is how often at most the time of a plan is estimated anew: that
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
	pods     bool // for the pods page
	key      uint64
	estimate plan.Estimate
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
	io.WriteString(h, optionsKey(plan.Options))
	t.key = h.Sum64()
}

// due tells whether the estimate is of another plan than the one that is shown.
func (p *planPage) due() bool {
	return p.has && p.part == "" && p.err == nil && p.time.key != p.time.known
}

// reckonTime has the time of the plan on the screen estimated, where it is not
// known: outside of Update, one at a time.
func (m *Model) reckonTime() {
	p := m.planOfPage()
	if p == nil || !p.due() || p.time.coming != 0 || m.now.Sub(p.time.asked) < forecastEvery {
		return
	}
	p.time.coming, p.time.asked = p.time.key, m.now
	msg := forecastMsg{pods: p == &m.pods, key: p.time.key}
	snap, plan, now, forecast := m.snap, p.plan, m.now, m.d.Forecast
	m.queue(m.d.Crash.guard("the estimate of the plan's time", func() tea.Msg {
		msg.estimate = forecast(snap, plan, now)
		return msg
	}))
}

// timeOwed tells whether an estimate is to be made soon.
func (m *Model) timeOwed() bool {
	p := m.planOfPage()
	return p != nil && p.due()
}

func (m *Model) takeForecast(msg forecastMsg) {
	p := &m.plan
	if msg.pods {
		p = &m.pods
	}
	if msg.key != p.time.coming {
		return // of a plan that was left, or of other options
	}
	p.time.coming = 0
	p.time.known, p.time.estimate = msg.key, &msg.estimate
}

// planWhen is the part of a plan's head about its order, its time and the room
// in the cluster, in as many lines as the screen has to spare.
func (m *Model) planWhen(p *planPage) []paint.Line {
	width := m.width - 2
	var lines []paint.Line
	if waves := page.PlanWaves(p.plan); waves != nil {
		wrapped := paint.Wrap(waves, width)
		if m.height < 30 || len(wrapped) > 2 {
			wrapped = []paint.Line{waves}
		}
		lines = append(lines, wrapped...)
	}
	took := page.PlanTime(p.time.estimate, m.now)
	bars := m.height >= 30
	room := page.PlanRoom(p.plan, width, bars)
	if one := append(append(paint.Line{}, took...).Add(themes.Muted, "   "), paint.Join(paint.S(themes.Muted, ""), room...)...); !bars && room != nil && took != nil && one.Width() <= width {
		return append(lines, one)
	}
	if took != nil {
		lines = append(lines, took)
	}
	if bars {
		lines = append(lines, room...)
	}
	return lines
}
