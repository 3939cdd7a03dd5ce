package dialog

import (
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// Box is a dialog laid out: its lines, its width, and where the terminal's
// cursor belongs.
type Box struct {
	Lines            []paint.Line
	Width            int
	CursorX, CursorY int
	// Cut tells that part of the body is hidden; the dialog scrolls.
	Cut bool
}

// A dialog is as wide as what it says, within these: sentences stay readable on a wide screen, and a command
// stays in one line where it can.
const (
	minWidth   = 44
	proseWidth = 76
	maxWidth   = 120
)

// width is that of the dialog in a frame of that width. It does not change while text is typed.
func (d *Dialog) width(frame int) int {
	want := max(minWidth, paint.Width(d.Title)+8, d.buttons().Width()+d.copyHint().Width()+4)
	for _, l := range d.Body {
		want = max(want, min(l.Width()+4, proseWidth))
	}
	for _, l := range d.command() {
		want = max(want, l.Width()+4)
	}
	return min(want, maxWidth, frame-4)
}

// Layout lays the dialog out for a frame of that size.
func (d *Dialog) Layout(width, height int, now time.Time) Box {
	w := d.width(width)
	inner := w - 4
	var body []paint.Line
	for _, l := range slices.Concat(d.Body, d.command()) {
		if l.Width() == 0 {
			body = append(body, nil)
			continue
		}
		body = append(body, paint.Wrap(l, inner)...)
	}
	foot := d.foot(inner, now)
	room := max(1, height-2-2-len(foot)-1)
	box := Box{Width: w, Cut: len(body) > room}
	body = d.visible(body, room)
	add := func(l paint.Line) {
		line := paint.Line{paint.S(themes.Rule, "│ ")}
		line = append(line, l.Fit(inner)...)
		box.Lines = append(box.Lines, append(line, paint.S(themes.Rule, " │")))
	}
	box.Lines = append(box.Lines, edge("╭", "╮", d.Title, w))
	for _, l := range body {
		add(l)
	}
	add(nil)
	box.CursorX, box.CursorY = 2, len(box.Lines)
	if d.takesText() {
		box.CursorX = 4 + min(paint.Width(d.Text), inner-3)
	} else {
		box.CursorX, box.CursorY = 2+d.focusAt(), len(box.Lines)+len(foot)-1
	}
	for _, l := range foot {
		add(l)
	}
	box.Lines = append(box.Lines, edge("╰", "╯", "", w))
	return box
}

// command are the lines with the command for a shell.
func (d *Dialog) command() []paint.Line {
	if d.Command == "" {
		return nil
	}
	lines := []paint.Line{nil}
	for command := range strings.SplitSeq(d.Command, "\n") {
		lines = append(lines, paint.L(themes.Muted, "as      ").Add(themes.Text, command))
	}
	return lines
}

// visible is the part of the body that has room.
func (d *Dialog) visible(body []paint.Line, room int) []paint.Line {
	d.scroll = min(d.scroll, max(0, len(body)-room))
	if len(body) <= room {
		return body
	}
	shown := append([]paint.Line(nil), body[d.scroll:d.scroll+room]...)
	if d.scroll+room < len(body) {
		shown[room-1] = paint.L(themes.Muted, "↓ more")
	}
	return shown
}

// foot is the field, the problem and the buttons.
func (d *Dialog) foot(width int, now time.Time) []paint.Line {
	var foot []paint.Line
	if d.takesText() {
		text := d.Text
		if over := paint.Width(text) - (width - 3); over > 0 {
			text = paint.T(text).Cut(over, paint.Width(text)).String()
		}
		foot = append(foot, paint.Line{paint.S(themes.Accent, "> "), paint.S(themes.Input, text),
			paint.S(themes.Muted, "_")})
		switch {
		case d.Problem != "":
			foot = append(foot, paint.L(themes.Bad, paint.Truncate(d.Problem, width)))
		case d.Word != "":
			foot = append(foot, paint.Line{paint.S(themes.Muted, "type "), paint.S(themes.Danger, d.Word),
				paint.S(themes.Muted, " and press Enter")})
		default:
			foot = append(foot, nil)
		}
	}
	if d.Deaf(now) {
		return append(foot, paint.L(themes.Muted, "one moment: keys count once the keyboard was quiet"))
	}
	buttons := d.buttons()
	if hint := d.copyHint(); hint != nil && buttons.Width()+hint.Width() <= width {
		buttons = append(buttons, hint...)
	}
	return append(foot, buttons)
}

// copyHint says how to copy the command; whether a terminal took it is never known.
func (d *Dialog) copyHint() paint.Line {
	switch {
	case d.Command == "":
		return nil
	case d.Copied:
		return paint.L(themes.Muted, "   copied, if your terminal allows that")
	}
	what := " copy the command"
	if strings.HasPrefix(d.Command, "kubectl ") {
		what = " copy as kubectl"
	}
	return paint.L(themes.Key, "   Ctrl+Y").Add(themes.Muted, what)
}

func (d *Dialog) buttons() paint.Line {
	var l paint.Line
	for i, b := range d.Buttons {
		if i > 0 {
			l = append(l, paint.Blank(3))
		}
		l = append(l, paint.Span{Text: d.label(i), Token: d.token(b, i), On: i == d.Focus && !d.takesText()})
	}
	return l
}

func (d *Dialog) token(b Button, i int) paint.Token {
	switch {
	case d.Word != "" && i > 0 && d.Text != d.Word:
		return themes.Muted
	case b.Danger:
		return themes.Bad
	}
	return themes.Text
}

func (d *Dialog) label(i int) string {
	b := d.Buttons[i]
	label := b.Label
	if b.Key != "" {
		label = b.Key + "  " + label
	}
	if d.takesText() {
		return map[bool]string{true: "esc  ", false: "enter  "}[i == 0] + b.Label
	}
	if i == d.Focus {
		return "[ " + label + " ]"
	}
	return "  " + label + "  "
}

func (d *Dialog) focusAt() int {
	at := 0
	for i := range d.Focus {
		at += paint.Width(d.label(i)) + 3
	}
	return at
}

func edge(left, right, title string, width int) paint.Line {
	l := paint.Line{paint.S(themes.Rule, left+paint.RuleCell)}
	if title != "" {
		l = l.Add(themes.Title, " "+paint.Truncate(title, width-8)+" ")
	}
	l = append(l, paint.Rule(themes.Rule, width-l.Width()-1)...)
	return l.Add(themes.Rule, right)
}
