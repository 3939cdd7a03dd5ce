package roll

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/table"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// Setup is the page on which a roll is put together: its flags, and the batches that they make.
type Setup struct {
	shell   frame.Shell
	s       *frame.Session
	list    frame.List
	nodes   []string
	options roll.Options
	busy    bool // the plan is being made, or the roll begun
}

// NewSetup makes the page.
func NewSetup(shell frame.Shell) *Setup {
	return &Setup{shell: shell, s: shell.Session(), options: roll.DefaultOptions()}
}

// List makes it a page with a table.
func (m *Setup) List() *frame.List { return &m.list }

// Rebuild has nothing to do: the flags are always the same.
func (m *Setup) Rebuild() {}

// Sorts are none: the order has a meaning.
func (m *Setup) Sorts() []frame.Sort { return nil }

// Targets are the nodes of the roll.
func (m *Setup) Targets() []string { return m.nodes }

// Opened takes the nodes; the flags stay as they were set for the last roll.
func (m *Setup) Opened(ref frame.Ref) {
	if len(ref.Nodes) > 0 {
		m.nodes = ref.Nodes
	}
}

// Update takes the answers to what the page asked for.
func (m *Setup) Update(msg tea.Msg) {
	switch msg := msg.(type) {
	case plannedMsg:
		m.onPlanned(msg)
	case begunMsg:
		m.onBegun(msg)
	}
}

// Actions are what keys do on the page.
func (m *Setup) Actions() []keys.Action {
	const group = "Roll"
	return []keys.Action{
		{ID: "rollchange", Keys: []string{"space", "enter"}, Title: "change", Group: group,
			Help: "switch the flag of the roll, or type its value", Do: m.change},
		{ID: "rollbegin", Keys: []string{"M"}, Title: "begin", Group: group, Writes: true, Enabled: m.canBegin,
			Help: "begin the roll, after its plan was made and a typed confirmation", Do: m.plan},
		{ID: "rolldrain", Keys: []string{"o"}, Title: "options of the drain", Group: group,
			Help: "the flags of the drains of a roll", Do: func() { m.shell.Open(frame.Ref{Page: frame.Options}) }},
	}
}

// Layout brings the rows and fits the columns.
func (m *Setup) Layout(lay frame.Layout) {
	var flags []string
	for _, o := range optionsOf(m.options) {
		flags = append(flags, o.flag)
	}
	m.list.Table.SetKeys(flags)
	m.list.Layout(lay, []table.Column{
		{ID: "flag", Title: "FLAG", Width: 17},
		{ID: "value", Title: "VALUE", Width: 24, Min: 16, Grow: true, Max: 60},
		{ID: "help", Title: "WHAT IT IS", Width: 60, Min: 30, Grow: true, Max: 120},
	}, nil)
}

// batches are those that the flags make of the nodes as they are now.
func (m *Setup) batches() []roll.Batch {
	var nodes []*kube.Node
	for _, name := range m.nodes {
		if n := m.s.Snap.Node(name); n != nil {
			nodes = append(nodes, n)
		}
	}
	return roll.Batches(nodes, m.options)
}

// View is the flags, below the batches.
func (m *Setup) View() frame.View {
	v := frame.View{Left: paint.L(themes.Title, "New roll").Add(themes.Text, "  ").
		Add(themes.Accent, format.List(m.nodes, 4)).Add(themes.Muted, paint.Dot+m.s.Identity.Context),
		Right: paint.L(themes.Muted, "nothing is begun yet")}
	if m.busy {
		v.Right = paint.L(themes.Busy, paint.Asked+" at work")
	}
	if n := wording.Notice(m.s.Snap, m.s.Now); n != nil {
		v.Head = append(v.Head, n)
	}
	v.Head = append(v.Head, m.batchLines(max(2, m.s.Height/5))...)
	v.Head = append(v.Head, paint.L(themes.Muted, "each drain: ").Add(themes.Text, m.s.Flags), nil)
	options := optionsOf(m.options)
	find := func(flag string) *option {
		if i := slices.IndexFunc(options, func(o option) bool { return o.flag == flag }); i >= 0 {
			return &options[i]
		}
		return nil
	}
	v.Cell = func(key, column string, width int) paint.Line {
		o := find(key)
		switch {
		case o == nil:
			return nil
		case column == "flag":
			return paint.L(themes.Text, "--"+o.flag)
		case column == "value":
			return value(o, width)
		}
		return paint.L(themes.Muted, paint.Truncate(o.help, width))
	}
	if o := find(m.list.Table.Cursor()); o != nil {
		v.Subject, v.Detail = "--"+o.flag, paint.T(wording.FirstUpper(o.help)+".")
		if !o.switches && o.value != "" {
			v.Detail = v.Detail.Add(themes.Muted, " Now: ").Add(themes.Text, o.value)
		}
	}
	return v
}

func value(o *option, width int) paint.Line {
	switch {
	case o.switches && o.on:
		return paint.L(themes.Good, paint.Ready+" on")
	case o.switches:
		return paint.L(themes.Muted, paint.Hollow+" off")
	case o.value == "" && o.flag == "work":
		return paint.L(themes.Info, "by you: it asks")
	case o.value == "":
		return paint.L(themes.Muted, "-")
	}
	return paint.L(themes.Text, paint.Truncate(o.value, width))
}

// batchLines say in which batches the nodes are maintained.
func (m *Setup) batchLines(most int) []paint.Line {
	all := m.batches()
	text := format.Count(len(m.nodes), "node") + " in " + batches(len(all))
	if m.options.By != "" {
		text += ", never two values of " + m.options.By + " at once"
	}
	lines := []paint.Line{paint.T(text + ".")}
	for i, b := range all {
		if i+1 == most && len(all) > most {
			return append(lines, paint.L(themes.Muted, fmt.Sprintf("   and %s more", batches(len(all)-i))))
		}
		l := paint.L(themes.Muted, fmt.Sprintf("%4d  ", i+1)).Add(themes.Accent, format.List(b.Nodes, 6))
		if b.Value != "" {
			l = l.Add(themes.Muted, "  "+b.Value)
		}
		lines = append(lines, l)
	}
	return lines
}

// change switches the selected flag, or opens a field for its text.
func (m *Setup) change() {
	options := optionsOf(m.options)
	i := slices.IndexFunc(options, func(o option) bool { return o.flag == m.list.Table.Cursor() })
	if i < 0 {
		return
	}
	o := options[i]
	take := func(text string) error {
		changed, err := set(m.options, o.flag, text)
		if err == nil {
			m.options = changed
		}
		return err
	}
	if o.switches {
		if err := take(fmt.Sprint(!o.on)); err != nil {
			m.shell.Refuse(err.Error())
		}
		return
	}
	check := func(text string) string {
		if _, err := set(m.options, o.flag, text); err != nil {
			return strings.TrimPrefix(err.Error(), fmt.Sprintf("--%s=%q: ", o.flag, text))
		}
		return ""
	}
	m.shell.Ask(dialog.Edit("roll option", "--"+o.flag, o.value, check, paint.T(wording.FirstUpper(o.help)+".")),
		func(a dialog.Answer) {
			if a.Value == dialog.Accept {
				_ = take(a.Text) // it was checked
			}
		})
}
