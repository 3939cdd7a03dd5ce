package ui

import (
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

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
