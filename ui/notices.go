package ui

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// noticeTime is how long a notice stays, but for failures, which stay until they are
// dismissed. All are in the messages.
const noticeTime = 5 * time.Second

// notice is something the program told the operator.
type notice struct {
	at    time.Time
	until time.Time // zero: until dismissed
	token paint.Token
	text  string
}

const keptNotices = 200

// notices are what was told, and what of it stands in the lower rule.
type notices struct {
	log   []notice
	shown *notice
}

// say tells that something went well.
func (n *notices) say(text string, now time.Time) {
	n.add(notice{at: now, until: now.Add(noticeTime), token: themes.Toast, text: text})
}

// refuse says why a key does nothing now.
func (n *notices) refuse(why string, now time.Time) {
	n.add(notice{at: now, until: now.Add(noticeTime), token: themes.Warning, text: why})
}

// fail puts a failure there until it is dismissed.
func (n *notices) fail(text string, now time.Time) {
	n.add(notice{at: now, token: themes.Bad, text: paint.Bad + " " + text})
}

// warn puts a warning there until it is dismissed.
func (n *notices) warn(text string, now time.Time) {
	n.add(notice{at: now, token: themes.Warning, text: paint.Warn + " " + text})
}

func (n *notices) add(one notice) {
	if n.log = append(n.log, one); len(n.log) > keptNotices {
		n.log = n.log[1:]
	}
	n.shown = &one
}

// dismiss takes a failure away; false if there is none.
func (n *notices) dismiss() bool {
	had := n.shown != nil && n.shown.until.IsZero()
	n.shown = nil
	return had
}

// moves tells that the notice goes away by itself.
func (n *notices) moves() bool { return n.shown != nil && !n.shown.until.IsZero() }

func (n *notices) expire(now time.Time) {
	if n.moves() && !now.Before(n.shown.until) {
		n.shown = nil
	}
}
