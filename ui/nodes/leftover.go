package nodes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// Temporary budgets that a run left behind are found when the dashboard opens. A
// line on the first page says so; a key lists them and offers to remove them.

// leftoversEvery is how long a look at what was found is good for: whether a run
// lives on another machine shows by its Lease meanwhile.
const leftoversEvery = 30 * time.Second

type leftovers struct {
	lookedAt time.Time
	looking  bool
	found    []tempbudget.Leftover
}

type leftoversMsg struct{ found []tempbudget.Leftover }

type removedMsg struct {
	removed int
	err     error
}

// lookForLeftovers looks once the budgets are known, and again while there are any.
func (m *Page) lookForLeftovers() {
	l := &m.leftovers
	known := !l.lookedAt.IsZero() && (len(l.found) == 0 || m.s.Now.Sub(l.lookedAt) < leftoversEvery)
	if m.s.Cluster == nil || l.looking || known || !m.s.Snap.Trusted(kube.KindBudgets) {
		return
	}
	l.looking, l.lookedAt = true, m.s.Now
	snap, cluster, now := m.s.Snap, m.s.Cluster, m.s.Now
	m.shell.Go("the search for budgets left behind", func(ctx context.Context) tea.Msg {
		return leftoversMsg{cluster.Leftovers(snap, now)}
	})
}

func (m *Page) onLeftovers(msg leftoversMsg) {
	m.leftovers.looking, m.leftovers.found = false, msg.found
}

// leftBehind are the budgets that are still there, those to be removed and those
// whose run may be live on another machine.
func (m *Page) leftBehind() (dead, maybe []tempbudget.Leftover) {
	for _, l := range m.leftovers.found {
		live := m.s.Snap.BudgetNamed(l.Namespace, l.Name)
		switch {
		case live == nil || live.UID != l.UID:
		case l.MayLive:
			maybe = append(maybe, l)
		default:
			dead = append(dead, l)
		}
	}
	return dead, maybe
}

// leftoversNotice is the line on the first page, nil where nothing was left.
func (m *Page) leftoversNotice() paint.Line {
	dead, _ := m.leftBehind()
	if len(dead) == 0 {
		return nil
	}
	words := format.Count(len(dead), "temporary budget")
	words += map[bool]string{true: " of an ended run is still there.",
		false: " of ended runs are still there."}[len(dead) == 1]
	line := paint.L(themes.Warning, paint.Warn+" "+words)
	if m.s.ReadOnly {
		return line
	}
	return line.Add(themes.Key, " B").Add(themes.Muted, map[bool]string{true: " removes it",
		false: " removes them"}[len(dead) == 1])
}

func (m *Page) hasLeftovers() (bool, string) {
	dead, maybe := m.leftBehind()
	switch {
	case m.s.Cluster == nil:
		return false, "budgets cannot be removed here"
	case len(dead) == 0 && len(maybe) > 0:
		return false, maybe[0].Sentence(m.s.Now)
	case len(dead) == 0:
		return false, "no temporary budget was left behind"
	}
	return true, ""
}

const leftoversListed = 8

func (m *Page) askToRemoveLeftovers() {
	dead, maybe := m.leftBehind()
	title := "Remove " + format.Count(len(dead), "temporary budget") + "?"
	body := []paint.Line{paint.T("Ended runs left them behind. They block evictions, and nothing else removes them."),
		nil}
	list := func(token paint.Token, left []tempbudget.Leftover) {
		for i, l := range left {
			if i == leftoversListed {
				body = append(body, paint.L(themes.Muted, "and "+format.Count(len(left)-i, "more budget")))
				break
			}
			body = append(body, paint.L(token, wording.Clean(l.Sentence(m.s.Now))))
		}
	}
	list(themes.Accent, dead)
	if len(maybe) > 0 {
		body = append(body, nil, paint.L(themes.Muted, "Not removed:"))
		list(themes.Muted, maybe)
	}
	d := dialog.Confirm("leftovers", title, "remove", true, body...)
	commands := make([]string, len(dead))
	for i, l := range dead {
		commands[i] = kubectlDeleteBudget(m.s.Target(), l.Namespace, l.Name)
	}
	d.Command = strings.Join(commands, "\n")
	m.shell.Ask(d, func(a dialog.Answer) {
		if a.Value == dialog.Accept {
			m.removeLeftovers(dead)
		}
	})
}

// removeLeftovers removes exactly those that were listed, by UID; one whose run
// was resumed here meanwhile is in use again.
func (m *Page) removeLeftovers(list []tempbudget.Leftover) {
	cluster := m.s.Cluster
	list = slices.Clone(list)
	m.shell.Go("the removal of budgets", func(ctx context.Context) tea.Msg {
		msg := removedMsg{}
		for _, l := range list {
			if err := cluster.RemoveLeftover(ctx, l); err != nil {
				msg.err = errors.Join(msg.err, fmt.Errorf("%s/%s: %w", l.Namespace, l.Name, err))
				continue
			}
			msg.removed++
		}
		return msg
	})
}

func (m *Page) takeRemoved(msg removedMsg) {
	if msg.err != nil {
		m.shell.Fail("Not all removed: " + wording.Clean(msg.err.Error()))
		return
	}
	m.shell.Say("Removed " + format.Count(msg.removed, "temporary budget") + ".")
}
