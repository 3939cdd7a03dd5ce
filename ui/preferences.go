package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"
)

// Preferences keep what the operator chose for the next start.
type Preferences interface {
	KeepTheme(name string) error
	// KeepUsual remembers whether the usual flags are accepted in a context.
	KeepUsual(context string, accepted bool) error
}

// forgotten tells why something could not be remembered.
type forgotten struct{ err error }

// remember keeps a choice, outside of the event loop.
func (h *shell) remember(keep func(Preferences) error) {
	kept := h.m.d.Preferences
	if kept == nil {
		return
	}
	h.Go("what to remember", func(context.Context) tea.Msg { return forgotten{keep(kept)} })
}

// rememberUsual keeps whether the usual flags are accepted here.
func (h *shell) rememberUsual(accepted bool) {
	if in := h.m.s.Identity.Context; in != "" {
		h.remember(func(kept Preferences) error { return kept.KeepUsual(in, accepted) })
	}
}
