package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// rightsAge is for how long the server's word on our rights is taken.
const rightsAge = time.Minute

// rights is what the server said to the rights that a drain under the present
// options needs.
type rights struct {
	options string // for which options, "" where nobody asked
	asked   time.Time
	known   bool
	access  preflight.Access
	err     error
}

type accessMsg struct {
	options string
	access  preflight.Access
	err     error
}

// askRights asks for them where a plan is on the screen: before it is offered.
func (m *Model) askRights() {
	key := optionsKey(m.options)
	if m.d.DrainAccess == nil || m.d.ReadOnly || m.page != pagePlan || m.rights.options == key && m.now.Sub(m.rights.asked) < rightsAge {
		return
	}
	if m.rights.options != key {
		m.rights = rights{}
	}
	m.rights.options, m.rights.asked = key, m.now
	ctx, o, ask := m.ctx, m.options, m.d.DrainAccess
	m.queue(m.d.Crash.guard("the question for our rights", func() tea.Msg {
		access, err := ask(ctx, o)
		return accessMsg{key, access, err}
	}))
}

func (m *Model) takeDrainRights(msg accessMsg) {
	if msg.options == m.rights.options {
		m.rights.known, m.rights.access, m.rights.err = true, msg.access, msg.err
	}
}

// mayDrain tells whether the server lets us do what a drain needs.
func (m *Model) mayDrain() (bool, string) {
	switch {
	case m.d.DrainAccess == nil || m.d.ReadOnly:
	case !m.rights.known || m.rights.options != optionsKey(m.options):
		return false, "our rights are being asked for"
	case len(m.rights.access.Missing) > 0:
		return false, m.rights.access.Words() + ": the drain is switched off (docs/rbac.md)"
	}
	return true, ""
}

// rightsLine says what is missing, nil where nothing is.
func (m *Model) rightsLine() paint.Line {
	switch {
	case m.rights.options != optionsKey(m.options):
	case len(m.rights.access.Missing) > 0:
		return paint.L(themes.Bad, paint.Bad+" "+m.rights.access.Words()+": the drain is switched off")
	case m.rights.err != nil:
		return paint.L(themes.Warning, paint.Unknown+" whether we may drain is not known: "+clean(m.rights.err.Error()))
	}
	return nil
}
