package report

import "github.com/kdrain-tui/kdrain-tui/drain"

// undone tells what a rollback took back, and how it ended.
func (h *history) undone(e drain.Event) {
	if e.Outcome == "" {
		h.log(e, "rolled back: "+e.Message)
		return
	}
	h.log(e, "rollback ended: "+string(e.Outcome)+after(e.Message))
}
