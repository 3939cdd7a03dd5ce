package ui

import (
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
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

// dialogs are those over the page, the last one on top.
type dialogs []*frame.Question

func (d *dialogs) open(one *dialog.Dialog, now time.Time, answer func(dialog.Answer)) *frame.Question {
	one.Open(now)
	q := &frame.Question{Dialog: one, Answer: answer}
	*d = append(*d, q)
	return q
}

// top is the one that has the keys, nil for none.
func (d dialogs) top() *frame.Question {
	if len(d) == 0 {
		return nil
	}
	return d[len(d)-1]
}

func (d dialogs) has(id string) bool {
	return slices.ContainsFunc(d, func(q *frame.Question) bool { return q.ID == id })
}

func (d *dialogs) close(q *frame.Question) {
	*d = slices.DeleteFunc(*d, func(o *frame.Question) bool { return o == q })
}

// answer closes a dialog and does what was said.
func (d *dialogs) answer(q *frame.Question, a dialog.Answer) {
	d.close(q)
	q.Answer(a)
}

// stale are those whose question is not asked any longer.
func (d dialogs) stale() []*frame.Question {
	return slices.DeleteFunc(slices.Clone(d), func(q *frame.Question) bool { return q.Stale == nil || !q.Stale() })
}
