package ui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/table"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// themePage chooses the theme: the whole frame has the look of the selected one while the page is shown.
type themePage struct {
	m       *model
	list    frame.List
	loaded  []themeFile
	painter *paint.Painter // of the selected one, nil for that of the program
	painted string         // which one that is
}

// themeFile is a theme, or why it cannot be had.
type themeFile struct {
	name  string
	theme themes.Theme
	err   error
}

// themesMsg brings the themes that can be chosen.
type themesMsg []themeFile

func (p *themePage) List() *frame.List   { return &p.list }
func (p *themePage) Sorts() []frame.Sort { return nil }

// Opened reads the themes, also those that the operator wrote meanwhile.
func (p *themePage) Opened(frame.Ref) {
	p.list, p.loaded, p.painter = frame.List{}, nil, nil
	dir := p.m.d.ThemesDir
	(&shell{p.m}).Go("the themes", func(context.Context) tea.Msg {
		var all themesMsg
		for _, name := range themes.Names(dir) {
			theme, err := themes.Load(name, dir)
			all = append(all, themeFile{name, theme, err})
		}
		return all
	})
}

// Update takes the themes.
func (p *themePage) Update(msg tea.Msg) {
	if all, ok := msg.(themesMsg); ok {
		p.loaded = all
		p.Rebuild()
		p.list.Table.Select(p.m.d.Theme.Name())
	}
}

// Rebuild filters the themes; they have an order of their own.
func (p *themePage) Rebuild() {
	match := p.list.Match()
	var shown []string
	for _, f := range p.loaded {
		if match.Keeps(nil, func(has func(string) bool) bool { return has(f.name) || has(f.theme.Description()) }) {
			shown = append(shown, f.name)
		}
	}
	p.list.Total = len(p.loaded)
	p.list.Table.SetKeys(shown)
}

// selected is the theme under the cursor, nil for none.
func (p *themePage) selected() *themeFile {
	for i := range p.loaded {
		if p.loaded[i].name == p.list.Table.Cursor() {
			return &p.loaded[i]
		}
	}
	return nil
}

// Actions keep what is chosen.
func (p *themePage) Actions() []keys.Action {
	return []keys.Action{{ID: "keeptheme", Keys: []string{"enter"}, Title: "keep", Group: "Program",
		Help: "keep the theme, also for the next start", Enabled: p.canKeep, Do: p.keep}}
}

func (p *themePage) canKeep() (bool, string) {
	f := p.selected()
	if f == nil {
		return p.list.HasRow()
	}
	return f.err == nil, "this theme cannot be read"
}

func (p *themePage) keep() {
	f := p.selected()
	p.m.d.Theme = f.theme
	p.m.repaint()
	p.m.goBack()
	(&shell{p.m}).remember(func(kept Preferences) error { return kept.KeepTheme(f.name) })
}

// Layout fits the columns and paints with the selected theme from now on.
func (p *themePage) Layout(lay frame.Layout) {
	p.list.Layout(lay, []table.Column{
		{ID: "name", Title: "THEME", Width: 20, Min: 14},
		{ID: "says", Title: "", Width: 60, Min: 20, Grow: true},
	}, nil)
	f := p.selected()
	if f == nil || f.err != nil {
		p.painter = nil
		return
	}
	if want := fmt.Sprint(f.name, p.m.dark); p.painter == nil || p.painted != want {
		p.painter, p.painted = paint.NewPainter(f.theme, p.m.dark, p.m.d.NoColor, p.m.d.ASCII), want
	}
}

// View is the themes, and what each kind of thing looks like.
func (p *themePage) View() frame.View {
	v := frame.View{Left: paint.L(themes.Title, "Themes"), Head: append(sample(p.m.s.Width-2), nil),
		Empty: paint.L(themes.Busy, "Reading"+paint.Ellipsis)}
	if p.list.Filter != "" {
		v.Empty = paint.L(themes.Muted, "No theme matches "+wording.Quote(p.list.Filter)+".")
	}
	if p.m.d.NoColor {
		v.Right = paint.L(themes.Warning, "without colours: themes differ only in weight")
	}
	v.Mark = func(key string) string {
		if key == p.m.d.Theme.Name() {
			return paint.Marked
		}
		return ""
	}
	v.Cell = func(key, column string, width int) paint.Line {
		for _, f := range p.loaded {
			switch {
			case f.name != key:
			case column == "name":
				return paint.L(themes.Text, paint.Truncate(f.name, width))
			case f.err != nil:
				return paint.L(themes.Bad, paint.Truncate(paint.Bad+" "+wording.Clean(f.err.Error()), width))
			default:
				return paint.L(themes.Muted, paint.Truncate(wording.Clean(f.theme.Description()), width))
			}
		}
		return nil
	}
	if f := p.selected(); f != nil {
		v.Subject, v.Detail = f.name, paint.T(wording.Clean(f.theme.Description()))
		if f.err != nil {
			v.Detail = paint.L(themes.Bad, wording.Clean(f.err.Error()))
		}
	}
	return v
}

// sample has each kind of thing once, in lines of that width.
func sample(width int) []paint.Line {
	l := paint.L(themes.Good, paint.Good+" moves").Add(themes.Muted, "   ").
		Add(themes.Warning, paint.Wait+" waits").Add(themes.Muted, "   ").
		Add(themes.Bad, paint.Bad+" refused").Add(themes.Muted, "   ").
		Add(themes.Busy, paint.Play+" draining").Add(themes.Muted, "   ").
		Add(themes.Info, paint.Stay+" stays").Add(themes.Muted, "   ").
		Add(themes.Marked, paint.Marked+" marked").Add(themes.Muted, "   ").
		Add(themes.Estimate, paint.About+"1:40").Add(themes.Muted, "   muted   ").
		Add(themes.Accent, "accent").Add(themes.Muted, "   ").
		Add(themes.Danger, " y  Force delete ").Add(themes.Muted, "   ").
		Add(themes.BarFull, "▇▇▇▇").Add(themes.BarWarning, "▇▇").Add(themes.BarEmpty, "▁▁")
	return paint.Wrap(l, width)
}
