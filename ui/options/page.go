package options

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/table"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// Page is the list of flags of a drain.
type Page struct {
	shell frame.Shell
	s     *frame.Session
	list  frame.List
	first map[string]bool // flags that are the first of their group on the page
}

// New makes the page.
func New(shell frame.Shell) *Page { return &Page{shell: shell, s: shell.Session()} }

// List makes it a page with a table.
func (m *Page) List() *frame.List { return &m.list }

// Rebuild filters the options and finds the first of each group.
func (m *Page) Rebuild() {
	match := m.list.Match()
	var flags []string
	all, group := optionsOf(m.s.Options), ""
	m.first = map[string]bool{}
	for _, o := range all {
		if !match.Keeps(nil, func(has func(string) bool) bool {
			return has("--"+o.Flag) || has(o.Help) || has(o.Group)
		}) {
			continue
		}
		if o.Group != group {
			group, m.first[o.Flag] = o.Group, true
		}
		flags = append(flags, o.Flag)
	}
	m.list.Total = len(all)
	m.list.Table.SetKeys(flags)
}

// above is the title over the first option of a group.
func (m *Page) above(key string) []paint.Line {
	if !m.first[key] {
		return nil
	}
	return []paint.Line{paint.L(themes.Title, find(optionsOf(m.s.Options), key).Group)}
}

// height is that of a row with the title over it.
func (m *Page) height(key string) int {
	if m.first[key] {
		return 2
	}
	return 1
}

// Sorts are none: the order has a meaning.
func (m *Page) Sorts() []frame.Sort { return nil }

// Update has nothing to do.
func (m *Page) Update(tea.Msg) {}

// Actions are what keys do on the options.
func (m *Page) Actions() []keys.Action {
	const group = "Options"
	return []keys.Action{
		{ID: "change", Keys: []string{"space", "enter"}, Title: "change", Help: "switch the option, or type its value", Group: group, Do: m.changeOption},
		{ID: "resetoption", Keys: []string{"0"}, Title: "default", Group: group,
			Help: "set the option back to its default",
			Enabled: func() (bool, string) {
				o := find(optionsOf(m.s.Options), m.list.Table.Cursor())
				return o != nil && o.Changed && o.Fixed == "", "it is as it is by default"
			}, Do: m.resetOption},
		{ID: "done", Keys: []string{"o"}, Title: "back", Help: "back to the plan", Group: group, Do: m.shell.Back},
	}
}

// oursMark stands behind flags that kubectl does not have.
const oursMark = " (ours)"

func find(options []option, flag string) *option {
	i := slices.IndexFunc(options, func(o option) bool { return o.Flag == flag })
	if i < 0 {
		return nil
	}
	return &options[i]
}

// Layout brings the rows and fits the columns.
func (m *Page) Layout(lay frame.Layout) {
	m.Rebuild()
	m.list.Layout(lay, []table.Column{
		{ID: "flag", Title: "OPTION", Width: 31, Min: 30},
		{ID: "value", Title: "VALUE", Width: 14, Min: 8},
		{ID: "help", Title: "WHAT IT DOES", Width: 60, Min: 30, Grow: true, Max: 160},
	}, m.height)
}

// View is the options.
func (m *Page) View() frame.View {
	v, options := frame.View{}, optionsOf(m.s.Options)
	v.Left = paint.L(themes.Title, "Options of the drain").Add(themes.Muted, "  kubectl's names, defaults and meaning")
	v.Right = paint.L(themes.Muted, paint.Marked+" changed")
	v.Empty = paint.L(themes.Muted, "No option matches "+format.Quote(m.list.Filter)+".")
	v.Above = m.above
	v.Mark = func(key string) string {
		if o := find(options, key); o != nil && o.Changed {
			return paint.Marked
		}
		return ""
	}
	v.Cell = func(key, column string, width int) paint.Line {
		o := find(options, key)
		if o == nil {
			return nil
		}
		switch column {
		case "flag":
			l := paint.L(themes.Text, "--"+o.Flag)
			if o.Ours && l.Width()+len(oursMark) <= width {
				l = l.Add(themes.Muted, oursMark)
			}
			return l
		case "value":
			return optionValue(o)
		}
		return paint.L(themes.Muted, paint.Truncate(o.Help, width))
	}
	o := find(options, m.list.Table.Cursor())
	if o != nil {
		v.Subject, v.Detail = "--"+o.Flag, paint.T(wording.FirstUpper(o.Help)+". ")
		switch {
		case o.Fixed != "":
			v.Detail = v.Detail.Add(themes.Muted, "It is "+o.Fixed+".")
		case o.Ours:
			v.Detail = v.Detail.Add(themes.Muted, "kubectl has no such flag.")
		default:
			v.Detail = v.Detail.Add(themes.Muted, "As a command: ").
				Add(themes.Text, wording.DrainLine(m.s.Target(), m.shell.Targets(), m.s.Options))
		}
	}
	return v
}

func optionValue(o *option) paint.Line {
	switch {
	case !o.Switch && o.Value == "":
		return paint.L(themes.Muted, "-")
	case !o.Switch:
		return paint.L(themes.Text, o.Value)
	case !o.On:
		return paint.L(themes.Muted, paint.Hollow+" off")
	case o.Risky:
		return paint.L(themes.Warning, paint.Ready+" on")
	}
	return paint.L(themes.Good, paint.Ready+" on")
}

// resetOption sets the selected option back to its default.
func (m *Page) resetOption() {
	o := find(optionsOf(m.s.Options), m.list.Table.Cursor())
	if changed, err := o.Set(m.s.Options, o.initial); err != nil {
		m.shell.Refuse(err.Error())
	} else {
		m.shell.SetOptions(changed)
	}
}

// changeOption switches the selected option, or opens a field for its text.
func (m *Page) changeOption() {
	o := find(optionsOf(m.s.Options), m.list.Table.Cursor())
	if o == nil {
		return
	}
	if o.Fixed != "" {
		m.shell.Refuse("--" + o.Flag + " is " + o.Fixed)
		return
	}
	if o.Switch {
		if changed, err := o.Toggle(m.s.Options); err != nil {
			m.shell.Refuse(err.Error())
		} else {
			m.shell.SetOptions(changed)
		}
		return
	}
	check := func(text string) string {
		if _, err := o.Set(m.s.Options, text); err != nil {
			return err.Error()
		}
		return ""
	}
	m.shell.Ask(dialog.Edit("option", "--"+o.Flag, o.Value, check, paint.T(wording.FirstUpper(o.Help)+".")),
		func(a dialog.Answer) {
			if a.Value != dialog.Accept {
				return
			}
			if changed, err := o.Set(m.s.Options, a.Text); err == nil {
				m.shell.SetOptions(changed)
			}
		})
}
