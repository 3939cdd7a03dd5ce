package ui

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// toastTime is how long a word about something that went well stays. Failures
// stay until they are dismissed, and in the messages.
const toastTime = 5 * time.Second

// message is something the program told the operator.
type message struct {
	at    time.Time
	token paint.Token
	text  string
}

// toast is the message in the lower rule.
type toast struct {
	message
	until time.Time // zero: until dismissed
}

const keptMessages = 200

// say puts a word into the lower rule for a while.
func (m *Model) say(text string) { m.tell(themes.Toast, text, m.now.Add(toastTime)) }

// refuse says why a key does nothing now.
func (m *Model) refuse(why string) { m.tell(themes.Warning, why, m.now.Add(toastTime)) }

// fail puts a failure there until it is dismissed.
func (m *Model) fail(text string) { m.tell(themes.Bad, paint.Bad+" "+text, time.Time{}) }

func (m *Model) tell(token paint.Token, text string, until time.Time) {
	msg := message{at: m.now, token: token, text: text}
	if m.log = append(m.log, msg); len(m.log) > keptMessages {
		m.log = m.log[1:]
	}
	m.toast = &toast{message: msg, until: until}
}

// dismiss takes a failure away; false if there is none.
func (m *Model) dismiss() bool {
	had := m.toast != nil && m.toast.until.IsZero()
	m.toast = nil
	return had
}

func (m *Model) expireToast() {
	if t := m.toast; t != nil && !t.until.IsZero() && !m.now.Before(t.until) {
		m.toast = nil
	}
}
