package ui

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
	"github.com/kdrain-tui/kdrain-tui/ui/page"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/table"
)

// optionsPage is the list of flags of a drain.
type optionsPage struct{ list list }

// oursMark stands behind flags that kubectl does not have.
const oursMark = " (ours)"

func option(options []page.Option, flag string) *page.Option {
	i := slices.IndexFunc(options, func(o page.Option) bool { return o.Flag == flag })
	if i < 0 {
		return nil
	}
	return &options[i]
}

func (m *Model) settleOptions() {
	var flags []string
	for _, o := range page.Options(m.options) {
		flags = append(flags, o.Flag)
	}
	m.opts.list.table.SetKeys(flags)
	m.opts.list.settle(m.lay, []table.Column{
		{ID: "flag", Title: "OPTION", Width: 31, Min: 30},
		{ID: "value", Title: "VALUE", Width: 14, Min: 8},
		{ID: "help", Title: "WHAT IT DOES", Width: 60, Min: 30, Grow: true, Max: 160},
	}, nil)
}

func (m *Model) viewOptions() pageView {
	v, options := pageView{list: &m.opts.list}, page.Options(m.options)
	v.left = paint.L(themes.Title, "Options of the drain").Add(themes.Muted, "  kubectl's names, defaults and meaning")
	v.cell = func(key, column string, width int) paint.Line {
		o := option(options, key)
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
	o := option(options, m.opts.list.table.Cursor())
	if o != nil {
		v.subject, v.detail = "--"+o.Flag, paint.T(page.FirstUpper(o.Help)+". ")
		switch {
		case o.Fixed != "":
			v.detail = v.detail.Add(themes.Muted, "It is "+o.Fixed+".")
		case o.Ours:
			v.detail = v.detail.Add(themes.Muted, "kubectl has no such flag.")
		default:
			v.detail = v.detail.Add(themes.Muted, "As kubectl: ").
				Add(themes.Text, page.Kubectl(m.target(), m.nodesMeant(), m.options))
		}
	}
	return v
}

func optionValue(o *page.Option) paint.Line {
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

// changeOption switches the selected option, or opens a field for its text.
func (m *Model) changeOption() {
	o := option(page.Options(m.options), m.opts.list.table.Cursor())
	if o == nil {
		return
	}
	if o.Fixed != "" {
		m.refuse("--" + o.Flag + " is " + o.Fixed)
		return
	}
	if o.Switch {
		if changed, err := o.Toggle(m.options); err != nil {
			m.refuse(err.Error())
		} else {
			m.setOptions(changed)
		}
		return
	}
	check := func(text string) string {
		if _, err := o.Set(m.options, text); err != nil {
			return err.Error()
		}
		return ""
	}
	m.open(dialog.Edit("option", "--"+o.Flag, o.Value, check, paint.T(page.FirstUpper(o.Help)+".")), func(a dialog.Answer) {
		if a.Value != dialog.Accept {
			return
		}
		if changed, err := o.Set(m.options, a.Text); err == nil {
			m.options = changed
			m.replan()
		}
	})
}

// setOptions changes what a drain may do, and plans anew.
func (m *Model) setOptions(o plan.Options) {
	m.options = o
	m.replan()
}

// leavePlan takes the options that can lose data or override a protection back to what
// they were at the start: they were set for one plan, and the next one does not have
// them unless somebody sets them again.
func (m *Model) leavePlan() {
	o, changed := page.WithoutDanger(m.options, m.d.Options)
	if len(changed) == 0 {
		return
	}
	m.setOptions(o)
	m.say("off again for the next plan: " + page.List(changed, 3))
}

// endOfPlan notes that the operator left a plan.
func (m *Model) endOfPlan() {
	open := m.onPath(pagePlan) || m.starting
	if m.planOpen && !open {
		m.leavePlan()
	}
	m.planOpen = open
}
