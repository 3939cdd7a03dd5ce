package ui

import (
	"slices"
	"strings"
	"unicode"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// textPage is a page that only scrolls.
type textPage struct{ top int }

func (t *textPage) scroll(by, lines, height int) {
	t.top = max(0, min(t.top+by, lines-height))
}

// scroller is where the page of text that is shown was scrolled to.
func (m *Model) scroller() *textPage {
	if m.page == pagePod {
		return &m.pod.textPage
	}
	return &m.text
}

// textLines are the lines of a pod, of the help, of the messages or of the findings.
func (m *Model) textLines() []paint.Line {
	switch m.page {
	case pagePod:
		return m.podLines()
	case pageMessages:
		return m.messageLines()
	case pageFindings:
		return m.findingLines()
	}
	return m.helpLines()
}

func (m *Model) helpLines() []paint.Line {
	var lines []paint.Line
	here := pageNodes
	if n := len(m.back); n > 0 {
		here = m.back[n-1]
	}
	for _, g := range m.keys.Groups() {
		title := paint.L(themes.Title, g)
		if len(lines) > 0 {
			lines = append(lines, nil)
		}
		lines = append(lines, title)
		for i := range m.keys.Actions {
			if a := &m.keys.Actions[i]; a.Group == g {
				lines = append(lines, m.helpOf(a, here)...)
			}
		}
	}
	return append(lines, nil,
		paint.L(themes.Muted, "A capital letter changes the cluster or a run, and always asks first. Nothing else ever does."),
		paint.L(themes.Muted, "What is estimated carries a ~, what a server said stands between quotation marks."))
}

// helpOf is one action, in as many lines as its sentence needs; those of other
// pages are dim.
func (m *Model) helpOf(a *keys.Action[*Model], here keys.Page) []paint.Line {
	const keysWidth = 20
	token := themes.Muted
	if slices.Contains(a.Pages, here) {
		token = themes.Text
	}
	does := paint.L(token, a.Help)
	if a.Writes && m.d.ReadOnly {
		does = does.Add(themes.Warning, " (read only: off)")
	}
	var lines []paint.Line
	for i, l := range paint.Wrap(does, max(20, m.width-keysWidth-1)) {
		head := paint.Line{paint.Blank(keysWidth)}
		if i == 0 {
			head = paint.L(themes.Key, "  "+a.Labels()).Fit(keysWidth)
		}
		lines = append(lines, append(head, l...))
	}
	return lines
}

func (m *Model) messageLines() []paint.Line {
	if len(m.log) == 0 {
		return []paint.Line{paint.L(themes.Muted, "Nothing has been said yet.")}
	}
	var lines []paint.Line
	for i := len(m.log) - 1; i >= 0; i-- {
		msg := m.log[i]
		for j, l := range paint.Wrap(paint.L(msg.token, msg.text), max(20, m.width-13)) {
			stamp := paint.L(themes.Muted, msg.at.Format("15:04:05")+"  ")
			if j > 0 {
				stamp = paint.Line{paint.Blank(10)}
			}
			lines = append(lines, append(stamp, l...))
		}
	}
	return lines
}

func (m *Model) viewText() pageView {
	v := pageView{text: m.textLines()}
	v.left = paint.L(themes.Title, "Keys")
	switch m.page {
	case pageFindings:
		v.left = m.findingsTitle()
	case pageMessages:
		v.left = paint.L(themes.Title, "Messages").Add(themes.Muted, "  newest first")
	}
	return v
}

// textHeight is the number of lines that a page of text shows.
func (m *Model) textHeight() int {
	head := 0
	if m.page == pagePod {
		head = len(m.podHead())
	}
	return max(1, m.height-4-head)
}

// clean takes everything out of typed or pasted text that is not text.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, kube.Clean(s))
}
