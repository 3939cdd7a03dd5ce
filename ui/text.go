package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// textPage is what the pages of the program itself have in common: they only scroll.
type textPage struct{ scroll frame.Scroll }

func (p *textPage) Opened(frame.Ref)       { p.scroll = frame.Scroll{} }
func (p *textPage) Scroll() *frame.Scroll  { return &p.scroll }
func (p *textPage) Update(tea.Msg)         {}
func (p *textPage) Layout(frame.Layout)    {}
func (p *textPage) Actions() []keys.Action { return nil }

// helpPage is all keys, first those of the page behind it.
type helpPage struct {
	textPage
	s      *frame.Session
	keys   *keys.Registry
	behind func() keys.Page
}

func (p *helpPage) View() frame.View {
	here := p.behind()
	works := func(a *keys.Action) bool { return slices.Contains(a.Pages, here) }
	lines := p.section("Here", here, works)
	for _, g := range p.keys.Groups() {
		lines = append(lines, p.section(g, here, func(a *keys.Action) bool { return a.Group == g && !works(a) })...)
	}
	return frame.View{Left: paint.L(themes.Title, "Keys"), Text: append(lines,
		paint.L(themes.Muted, "What changes the cluster or a run is a capital letter, and asks first; pause, continue and retry act at once."),
		paint.L(themes.Muted, "Estimates carry a ~; text of the server is in quotation marks."))}
}

// section is a title with the actions that are chosen, nothing without any: in columns, as many as the page is wide
// for, each read from its top to its end.
func (p *helpPage) section(title string, here keys.Page, chosen func(*keys.Action) bool) []paint.Line {
	const narrowest, between = 56, 2
	columns := max(1, (p.s.Width-1+between)/(narrowest+between))
	width := (p.s.Width - 1 + between) / columns
	var lines [][]paint.Line // of each action
	total := 0
	for i := range p.keys.Help {
		if a := &p.keys.Help[i]; chosen(a) {
			lines = append(lines, p.helpOf(a, here, width-between))
			total += len(lines[len(lines)-1])
		}
	}
	if lines == nil {
		return nil
	}
	height := (total + columns - 1) / columns
	var text []paint.Line
	at, column := 0, 0
	for _, action := range lines {
		if at >= height {
			at, column = 0, column+1
		}
		for _, l := range action {
			if at == len(text) {
				text = append(text, nil)
			}
			text[at] = append(text[at].Fit(column*width), l...)
			at++
		}
	}
	return append(append([]paint.Line{paint.L(themes.Title, title)}, text...), nil)
}

// helpOf is one action, in as many lines as its sentence needs; those of other pages are
// dim, and say of which.
func (p *helpPage) helpOf(a *keys.Action, here keys.Page, width int) []paint.Line {
	const keysWidth = 16
	does := paint.L(themes.Text, a.Help)
	if !slices.Contains(a.Pages, here) {
		var pages []string
		for _, page := range a.Pages {
			pages = append(pages, string(page))
		}
		does = paint.L(themes.Muted, a.Help+" ("+strings.Join(pages, ", ")+")")
	}
	if a.Writes && p.s.ReadOnly {
		does = does.Add(themes.Warning, " (read only: off)")
	}
	var lines []paint.Line
	for i, l := range paint.Wrap(does, max(20, width-keysWidth)) {
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

// textPages are those of text, in which / finds a text.
var textPages = []keys.Page{frame.Findings, frame.Pod, frame.Checks, frame.Help, frame.Messages}

// search is what / looks for: in the rows of a list, or in the lines of a text.
type search struct{ *model }

// text is what / edits on the page that is shown, nil where it has none.
func (m search) text() *string {
	if l := m.list(); l != nil {
		return &l.Filter
	}
	if p, ok := m.page().(frame.Scroller); ok {
		return &p.Scroll().Find
	}
	return nil
}

// take has the page show what is looked for now.
func (m search) take() {
	if m.list() != nil {
		m.rebuild()
		return
	}
	m.to(0)
}

// to scrolls a text to the first line with what is looked for, from so many lines after the last one on.
func (m search) to(after int) {
	v, scroll := m.page().View(), m.page().(frame.Scroller).Scroll()
	scroll.Seek(v.Text, scroll.Hit+after, m.textHeight(v))
}

// count is how many lines have what is looked for.
func (m search) count() int {
	n, match := 0, m.page().(frame.Scroller).Scroll().Match()
	for _, l := range m.page().View().Text {
		if match.In(l) {
			n++
		}
	}
	return n
}

// actions find a text in a page of text.
func (m search) actions() []keys.Action {
	return []keys.Action{
		{ID: "findtext", Keys: []string{"/"}, Title: "search", Group: "Lists", Pages: textPages,
			Help: "find a text in the page; ~ regular expression", Do: func() { m.filtering = true }},
		{ID: "findnext", Keys: []string{"n"}, Title: "next match", TitleNow: m.nextTitle, Group: "Lists",
			Pages: textPages, Help: "to the next line with what was looked for",
			Enabled: func() (bool, string) { return *m.text() != "", "nothing is looked for: / finds a text" },
			Do:      func() { m.to(1) }},
	}
}

func (m search) nextTitle() string {
	if m.list() == nil && *m.text() != "" {
		return "next match"
	}
	return ""
}
