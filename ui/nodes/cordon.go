package nodes

import (
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/confirm"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// askToSetCordon asks before it cordons or uncordons; it names every node, also
// those that a filter hides.
func (m *Page) askToSetCordon(unschedulable bool) {
	c := confirm.Cordon{Nodes: m.toSetCordon(unschedulable), Unschedulable: unschedulable}
	if rest := len(m.Targets()) - len(c.Nodes); rest > 0 {
		c.Notes = []paint.Line{paint.L(themes.Muted, format.Plural(rest, "other needs", "others need")+" no change.")}
	}
	c.Begins = func() {
		for _, n := range c.Nodes {
			m.cordoning[n] = true
		}
	}
	c.Ask(m.shell)
}

// onCordonSet says what became of a cordon, whichever page it was confirmed on.
func (m *Page) onCordonSet(msg confirm.CordonSet) {
	for _, n := range msg.Nodes {
		delete(m.cordoning, n)
	}
	word := map[bool]string{true: "Cordoned", false: "Uncordoned"}[msg.Unschedulable]
	if msg.Err != nil {
		m.shell.Fail("Not all " + strings.ToLower(word) + ": " + wording.Clean(msg.Err.Error()))
		return
	}
	undo := map[bool]string{true: " U undoes it.", false: ""}[msg.Unschedulable]
	m.shell.Say(word + " " + format.List(msg.Nodes, 4) + "." + undo)
}
