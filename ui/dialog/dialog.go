package dialog

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// How long the keyboard must be quiet before a dialog that opened by itself
// takes a key, and how long it waits for that at most.
const (
	Quiet    = 425 * time.Millisecond
	MaxQuiet = 1500 * time.Millisecond
)

// Button is one answer.
type Button struct {
	Label  string
	Value  string
	Key    string // a key that answers at once, "" for none
	Danger bool
}

// The values of the usual buttons.
const (
	Cancel = "cancel"
	Accept = "accept"
)

// Dialog is one question.
type Dialog struct {
	ID    string
	Title string
	Body  []paint.Line
	// Word, where set, must be typed before any button but the first works.
	Word string
	// Editing makes it a text field: Enter answers with the text.
	Editing bool
	// Check tells what is wrong with an edited text, "" if nothing is.
	Check func(text string) string
	// Command is the same for a shell, "" where there is none; copyKey copies it.
	Command string
	Copied  bool
	Buttons []Button // the first one is the safe one
	Focus   int
	Text    string // what was typed
	Problem string // why the last Enter did nothing
	Auto    bool   // it opened by itself
	Opened  time.Time
	quiet   time.Time // until then keys are ignored
	scroll  int
}

// copyKey copies the command of a dialog; all plain keys may be answers or text.
const copyKey = "ctrl+y"

// Copies reports whether the key copies the command, which answers nothing.
func (d *Dialog) Copies(key string) bool { return key == copyKey && d.Command != "" }

// Answer is what became of a dialog.
type Answer struct {
	Value string // of the button
	Text  string // what was typed
}

// Confirm asks for a plain yes. The focus is on Cancel.
func Confirm(id, title, label string, danger bool, body ...paint.Line) *Dialog {
	return &Dialog{ID: id, Title: title, Body: body, Buttons: []Button{
		{Label: "Cancel", Value: Cancel, Key: "n"},
		{Label: label, Value: Accept, Key: "y", Danger: danger},
	}}
}

// Typed asks for a text to be typed. Nothing but the exact text and Enter accepts.
func Typed(id, title, word, label string, body ...paint.Line) *Dialog {
	return &Dialog{ID: id, Title: title, Body: body, Word: word, Buttons: []Button{
		{Label: "Cancel", Value: Cancel},
		{Label: label, Value: Accept, Danger: true},
	}}
}

// Edit asks for a text.
func Edit(id, title, text string, check func(string) string, body ...paint.Line) *Dialog {
	return &Dialog{ID: id, Title: title, Body: body, Text: text, Editing: true, Check: check, Buttons: []Button{
		{Label: "Cancel", Value: Cancel},
		{Label: "Set", Value: Accept},
	}}
}

// Open starts the dialog's time.
func (d *Dialog) Open(now time.Time) {
	d.Opened = now
	if d.Auto {
		d.quiet = now.Add(Quiet)
	}
}

// Deaf reports whether the dialog ignores keys for now.
func (d *Dialog) Deaf(now time.Time) bool { return d.Auto && now.Before(d.quiet) }

// Key hands the dialog a key; text is what it would type. The answer is nil
// while there is none.
func (d *Dialog) Key(key, text string, now time.Time) *Answer {
	if d.Deaf(now) {
		d.quiet = now.Add(Quiet)
		if limit := d.Opened.Add(MaxQuiet); d.quiet.After(limit) {
			d.quiet = limit
		}
		return nil
	}
	switch key {
	case "esc":
		return &Answer{Value: Cancel}
	case "enter":
		return d.enter()
	case "tab", "right":
		d.Focus = (d.Focus + 1) % len(d.Buttons)
		return nil
	case "shift+tab", "left":
		d.Focus = (d.Focus + len(d.Buttons) - 1) % len(d.Buttons)
		return nil
	case "up", "pgup":
		d.scroll = max(0, d.scroll-1)
		return nil
	case "down", "pgdown":
		d.scroll++
		return nil
	}
	if d.takesText() {
		d.edit(key, text)
		return nil
	}
	for _, b := range d.Buttons {
		if b.Key != "" && b.Key == key {
			return &Answer{Value: b.Value}
		}
	}
	return nil
}

// Paste types a text, without its line ends.
func (d *Dialog) Paste(text string, now time.Time) {
	if d.takesText() && !d.Deaf(now) {
		d.edit("", text)
	}
}

func (d *Dialog) takesText() bool { return d.Word != "" || d.Editing }

// maxText bounds what can be typed.
const maxText = 256

func (d *Dialog) edit(key, text string) {
	d.Problem = ""
	d.Text = EditLine(d.Text, key, text, maxText)
}

// enter presses the button with the focus. In a field, Enter accepts if the
// text is right and otherwise does nothing but say so.
func (d *Dialog) enter() *Answer {
	if !d.takesText() {
		return &Answer{Value: d.Buttons[d.Focus].Value}
	}
	if d.Focus == 0 && d.Text == "" {
		return &Answer{Value: Cancel}
	}
	switch {
	case d.Word != "" && d.Text != d.Word:
		d.Problem = "that is not “" + d.Word + "”: nothing was done"
		return nil
	case d.Editing && d.Check != nil:
		if d.Problem = d.Check(d.Text); d.Problem != "" {
			return nil
		}
	}
	return &Answer{Value: Accept, Text: d.Text}
}
