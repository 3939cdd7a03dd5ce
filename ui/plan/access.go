package plan

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// rightsAge is for how long the server's word on our rights is taken.
const rightsAge = time.Minute

// rights is what the server said to the rights that a drain under the present
// options needs.
type rights struct {
	options string // for which options, "" where they were not asked for
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
func (m *Page) askRights() {
	key := m.s.Flags
	if m.s.Cluster == nil || m.s.ReadOnly || m.kind != frame.Plan ||
		m.rights.options == key && m.s.Now.Sub(m.rights.asked) < rightsAge {
		return
	}
	if m.rights.options != key {
		m.rights = rights{}
	}
	m.rights.options, m.rights.asked = key, m.s.Now
	o, cluster := m.s.Options, m.s.Cluster
	m.shell.Go("the question for our rights", func(ctx context.Context) tea.Msg {
		access, err := cluster.Access(ctx, o)
		return accessMsg{key, access, err}
	})
}

func (m *Page) onDrainRights(msg accessMsg) {
	if msg.options == m.rights.options {
		m.rights.known, m.rights.access, m.rights.err = true, msg.access, msg.err
	}
}

// mayDrain reports whether the server lets us do what a drain needs.
func (m *Page) mayDrain() (bool, string) {
	switch {
	case m.s.Cluster == nil || m.s.ReadOnly:
	case !m.rights.known || m.rights.options != m.s.Flags:
		return false, "our rights are being asked for"
	case len(m.rights.access.Missing) > 0:
		return false, m.rights.access.Words() + ": the drain is switched off (docs/rbac.md)"
	}
	return true, ""
}

// rightsLine says what is missing, nil where nothing is.
func (m *Page) rightsLine() paint.Line {
	switch {
	case m.rights.options != m.s.Flags:
	case len(m.rights.access.Missing) > 0:
		return paint.L(themes.Bad, paint.Bad+" "+m.rights.access.Words()+": the drain is switched off")
	case m.rights.err != nil:
		return paint.L(themes.Warning, paint.Unknown+" whether we may drain is not known: "+
			wording.Clean(m.rights.err.Error()))
	}
	return nil
}
