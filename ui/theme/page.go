package theme

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/table"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// Page chooses the theme: the whole frame has the look of the selected one while the page is shown.
type Page struct {
	shell   frame.Shell
	program Program
	list    frame.List
	loaded  []file
	painter *paint.Painter // of the selected one, nil for that of the program
	painted string         // which one that is
}

// Program is what the page has to know of the program, and may do to it.
type Program struct {
	Dir            string // of the operator's own themes, "" for none
	NoColor, ASCII bool
	// Now is the theme in use, and whether the terminal is dark.
	Now func() (theme themes.Theme, dark bool)
	// Keep makes a theme the one in use.
	Keep func(themes.Theme)
}

// New makes the page.
func New(shell frame.Shell, program Program) *Page { return &Page{shell: shell, program: program} }

// Painter paints with the selected theme, nil where there is none: then the frame is painted as ever.
func (p *Page) Painter() *paint.Painter { return p.painter }

// file is a theme, or why it cannot be had.
type file struct {
	name  string
	theme themes.Theme
	err   error
}

// loadedMsg brings the themes that can be chosen.
type loadedMsg []file

// List makes it a page with a table.
func (p *Page) List() *frame.List { return &p.list }

// Sorts are none: the themes have an order.
func (p *Page) Sorts() []frame.Sort { return nil }

// Opened reads the themes, also those that the operator wrote meanwhile.
func (p *Page) Opened(frame.Ref) {
	p.list, p.loaded, p.painter = frame.List{}, nil, nil
	dir := p.program.Dir
	p.shell.Go("the themes", func(context.Context) tea.Msg {
		var all loadedMsg
		for _, name := range themes.Names(dir) {
			theme, err := themes.Load(name, dir)
			all = append(all, file{name, theme, err})
		}
		return all
	})
}

// Update takes the themes.
func (p *Page) Update(msg tea.Msg) {
	if all, ok := msg.(loadedMsg); ok {
		p.loaded = all
		p.Rebuild()
		p.list.Table.Select(p.inUse())
	}
}

// Rebuild filters the themes; they have an order of their own.
func (p *Page) Rebuild() {
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

// inUse is the name of the theme in use.
func (p *Page) inUse() string {
	theme, _ := p.program.Now()
	return theme.Name()
}

// selected is the theme under the cursor, nil for none.
func (p *Page) selected() *file {
	for i := range p.loaded {
		if p.loaded[i].name == p.list.Table.Cursor() {
			return &p.loaded[i]
		}
	}
	return nil
}

// Actions keep what is chosen.
func (p *Page) Actions() []keys.Action {
	return []keys.Action{{ID: "keeptheme", Keys: []string{"enter"}, Title: "keep", Group: "Program",
		Help: "keep the theme, also for the next start", Enabled: p.canKeep, Do: p.keep}}
}

func (p *Page) canKeep() (bool, string) {
	f := p.selected()
	if f == nil {
		return p.list.HasRow()
	}
	return f.err == nil, "this theme cannot be read"
}

func (p *Page) keep() {
	f := p.selected()
	p.program.Keep(f.theme)
	p.shell.Back()
}

// Layout fits the columns and paints with the selected theme from now on.
func (p *Page) Layout(lay frame.Layout) {
	p.list.Layout(lay, []table.Column{
		{ID: "name", Title: "THEME", Width: 20, Min: 14},
		{ID: "says", Title: "", Width: 60, Min: 20, Grow: true},
	}, nil)
	f := p.selected()
	if f == nil || f.err != nil {
		p.painter = nil
		return
	}
	_, dark := p.program.Now()
	if want := fmt.Sprint(f.name, dark); p.painter == nil || p.painted != want {
		p.painter, p.painted = paint.NewPainter(f.theme, dark, p.program.NoColor, p.program.ASCII), want
	}
}

// View is the themes, and what each kind of thing looks like.
func (p *Page) View() frame.View {
	v := frame.View{Left: paint.L(themes.Title, "Themes"), Head: append(sample(p.shell.Session().Width-2), nil),
		Empty: paint.L(themes.Busy, "Reading"+paint.Ellipsis)}
	if p.list.Filter != "" {
		v.Empty = paint.L(themes.Muted, "No theme matches "+format.Quote(p.list.Filter)+".")
	}
	if p.program.NoColor {
		v.Right = paint.L(themes.Warning, "without colours: themes differ only in weight")
	}
	v.Mark = func(key string) string {
		if key == p.inUse() {
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
