package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// textPage is what the pages of the program itself have in common: they only scroll.
type textPage struct{ scroll frame.Scroll }

func (p *textPage) Opened(frame.Ref)       { p.scroll.Top = 0 }
func (p *textPage) Scroll() *frame.Scroll  { return &p.scroll }
func (p *textPage) Update(tea.Msg)         {}
func (p *textPage) Layout(frame.Layout)    {}
func (p *textPage) Actions() []keys.Action { return nil }

// helpPage is all keys; those of the page behind it stand out.
type helpPage struct {
	textPage
	s      *frame.Session
	keys   *keys.Registry
	behind func() keys.Page
}

func (p *helpPage) View() frame.View {
	var lines []paint.Line
	here := p.behind()
	for _, g := range p.keys.Groups() {
		title := paint.L(themes.Title, g)
		if len(lines) > 0 {
			lines = append(lines, nil)
		}
		lines = append(lines, title)
		for i := range p.keys.Help {
			if a := &p.keys.Help[i]; a.Group == g {
				lines = append(lines, p.helpOf(a, here)...)
			}
		}
	}
	return frame.View{Left: paint.L(themes.Title, "Keys"), Text: append(lines, nil,
		paint.L(themes.Muted, "A capital letter changes the cluster or a run, and always asks first. Nothing else ever does."),
		paint.L(themes.Muted, "Estimates carry a ~; text of the server is in quotation marks."))}
}

// helpOf is one action, in as many lines as its sentence needs; those of other
// pages are dim.
func (p *helpPage) helpOf(a *keys.Action, here keys.Page) []paint.Line {
	const keysWidth = 20
	token := themes.Muted
	if slices.Contains(a.Pages, here) {
		token = themes.Text
	}
	does := paint.L(token, a.Help)
	if a.Writes && p.s.ReadOnly {
		does = does.Add(themes.Warning, " (read only: off)")
	}
	var lines []paint.Line
	for i, l := range paint.Wrap(does, max(20, p.s.Width-keysWidth-1)) {
		head := paint.Line{paint.Blank(keysWidth)}
		if i == 0 {
			head = paint.L(themes.Key, "  "+a.Labels()).Fit(keysWidth)
		}
		lines = append(lines, append(head, l...))
	}
	return lines
}

// messagesPage is everything the program said.
type messagesPage struct {
	textPage
	s   *frame.Session
	log *notices
}

func (p *messagesPage) View() frame.View {
	v := frame.View{Left: paint.L(themes.Title, "Messages").Add(themes.Muted, "  newest first")}
	if len(p.log.log) == 0 {
		v.Text = []paint.Line{paint.L(themes.Muted, "There are no messages yet.")}
	}
	for _, n := range slices.Backward(p.log.log) {
		for j, l := range paint.Wrap(paint.L(n.token, n.text), max(20, p.s.Width-13)) {
			stamp := paint.L(themes.Muted, n.at.Format("15:04:05")+"  ")
			if j > 0 {
				stamp = paint.Line{paint.Blank(10)}
			}
			v.Text = append(v.Text, append(stamp, l...))
		}
	}
	return v
}
