//go:build panictest

package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Built with the tag panictest, for the end-to-end tests of what becomes of the
// terminal, three keys panic.
func init() {
	var group kube.Group
	rehearse = func(m *model, key string) {
		switch key {
		case "f10":
			panic("rehearsed in Update")
		case "f11":
			m.queue(m.d.Crash.guard("a command", func() tea.Msg { panic("rehearsed in a command") }))
		case "f12":
			group.Go("a goroutine", func() { panic("rehearsed in a goroutine") })
		}
	}
}
