package ui

import (
	"strings"

	rules "github.com/kdrain-tui/kdrain-tui/drain/notice"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// Alert is how the terminal calls an operator who looks elsewhere.
type Alert string

// The alerts; "" is none.
const (
	alertBell   Alert = "bell"
	alertOSC9   Alert = "osc9"   // iTerm2, kitty, WezTerm, Windows Terminal and others
	alertOSC777 Alert = "osc777" // urxvt, foot, and the terminals on VTE
)

// AlertOf is the alert of the setting notifications on the terminal of the environment. Some terminals
// know both sequences, so only one is sent.
func AlertOf(setting string, getenv func(string) string) Alert {
	kind := getenv("TERM")
	switch {
	case setting == "bell":
		return alertBell
	case setting != "osc":
		return ""
	case strings.HasPrefix(kind, "rxvt"), strings.HasPrefix(kind, "foot"), getenv("VTE_VERSION") != "":
		return alertOSC777
	}
	return alertOSC9
}

// mostOfAlert bounds a notification of the terminal, in characters.
const mostOfAlert = 160

// sequence is what is written to the terminal.
func (a Alert) sequence(text string) string {
	text = kube.Clean(text)
	if runes := []rune(text); len(runes) > mostOfAlert {
		text = string(runes[:mostOfAlert-1]) + "…"
	}
	switch a {
	case alertBell:
		return "\a"
	case alertOSC9:
		return "\x1b]9;" + text + "\x1b\\"
	case alertOSC777: // a semicolon would begin a further field
		return "\x1b]777;notify;kdrain-tui;" + strings.ReplaceAll(text, ";", ",") + "\x1b\\"
	}
	return ""
}

// alarm is what the terminal was told of a run.
type alarm struct {
	run   string
	watch *rules.Watch
}

// news is what to call the operator for: the run needs one, or is over. It is the last of what is to be told.
func (a *alarm) news(d *Deps, s *frame.Session) (text string) {
	if d.Alert == "" || s.State == nil || d.Replay {
		return ""
	}
	if id := s.State.Run.ID; a.run != id {
		*a = alarm{id, rules.NewWatch(s.State, d.AlertBlockedAfter)}
	}
	due, _ := a.watch.See(s.State, s.Now)
	for _, n := range due {
		if n.Kind != rules.PhaseEnded {
			text = n.Message
		}
	}
	return text
}
