package ui

import (
	"errors"
	"testing"
)

// What is said before a headless run begins stands on the screen too.
func TestWhatWasFoundBeforeItOpened(t *testing.T) {
	d := drive(t, company(), 100, 30, func(d *Deps) { d.Notes = []string{"the API server takes no evictions\x1b[2J"} })
	d.shows("▲ the API server takes no evictions")
	d.keys("esc")
	if len(d.m.notices.log) != 1 || d.m.notices.shown != nil {
		t.Error("it does not stay in the messages, or is not dismissed")
	}
}

// A run that ctl does not reach can be steered on the screen only, which is said.
func TestARunThatCtlDoesNotReach(t *testing.T) {
	d := drive(t, company(), 100, 30, attached(runState()), func(d *Deps) {
		paper(d).deaf = errors.New("the path of its socket is too long")
	})
	d.shows("▲ ctl does not reach this run: the path of its socket is too long")
}
