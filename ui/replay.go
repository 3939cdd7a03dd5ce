package ui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// replayGroup is that of the actions that move a replay.
const replayGroup = "Replay"

// skip is how far a key moves a replay.
const skip = 5 * time.Second

// replaying is what the frame does about what is played from a journal.
type replaying struct{ *model }

// player is what is played on the page that is shown, nil for nothing.
func (m replaying) player() live.Player {
	if !m.d.Replay {
		return nil
	}
	if p, ok := m.s.Run.(live.Player); ok && (m.s.Roll == nil || m.path.has(frame.Run)) {
		return p
	}
	if p, ok := m.s.Roll.(live.Player); ok {
		return p
	}
	return nil
}

// look takes what is played as it is at this moment: its state, its clock and its position
// belong together.
func (m replaying) look() {
	p := m.player()
	if p == nil {
		return
	}
	at := p.Position()
	m.position = &at
	m.s.Now = p.Now()
	switch p := p.(type) {
	case live.Run:
		if state := p.State(); state != m.s.State || at.Ended != m.s.Over {
			following(m).take(state, at.Ended)
		}
	case live.Roll:
		if state := p.State(); state != m.s.RollState || at.Ended != m.s.RollOver {
			rolling(m).take(state, at.Ended)
		}
	}
}

// plays reports whether the clock of a replay runs.
func (m replaying) plays() bool { return m.position != nil && !m.position.Paused && !m.position.Ended }

// actions move a replay in time.
func (m replaying) actions() []keys.Action {
	everywhere := []keys.Page{frame.Run, frame.Checks, frame.Events, frame.Timeline, frame.Roll}
	skips := slices.DeleteFunc(slices.Clone(everywhere), func(p keys.Page) bool { return p == frame.Timeline })
	act := func(id, key, title, help string, pages []keys.Page, do func(live.Player)) keys.Action {
		return keys.Action{ID: id, Keys: []string{key}, Title: title, Help: help, Group: replayGroup, Pages: pages,
			Enabled: m.isReplay, Do: func() { do(m.player()) }}
	}
	pause := act("replaypause", "space", "pause", "in a replay: pause or continue; from the start where it has ended",
		everywhere, live.Player.Pause)
	pause.TitleNow = m.pauseTitle
	return []keys.Action{pause,
		act("replayback", "left", "-5 s", "in a replay: five seconds back", skips,
			func(p live.Player) { p.Skip(-skip) }),
		act("replayforward", "right", "+5 s", "in a replay: five seconds on", skips,
			func(p live.Player) { p.Skip(skip) }),
		act("replaynext", "]", "next event", "in a replay: to the next event that matters", skips,
			func(p live.Player) { p.SkipEvents(1) }),
		act("replaybefore", "[", "before", "in a replay: to the event that matters before", skips,
			func(p live.Player) { p.SkipEvents(-1) }),
		act("replayfaster", "+", "faster", "in a replay: twice as fast", everywhere,
			func(p live.Player) { p.Accelerate(2) }),
		act("replayslower", "-", "slower", "in a replay: half as fast", everywhere,
			func(p live.Player) { p.Accelerate(0.5) }),
		act("replayend", "0", "end", "in a replay: to the end", skips,
			func(p live.Player) { p.SkipTo(p.Position().Of) }),
	}
}

func (m replaying) isReplay() (bool, string) { return m.player() != nil, "this is not a replay" }

func (m replaying) pauseTitle() string {
	switch {
	case m.position == nil:
		return "pause"
	case m.position.Ended:
		return "again"
	case m.position.Paused:
		return "play"
	}
	return "pause"
}

// positionRule is the upper rule as a bar of how much is played, with the time and the speed;
// nil is a replay that is not known to move.
func positionRule(p *live.Position, width int) paint.Line {
	said := paint.L(themes.Warning, " REPLAY")
	if p == nil {
		return append(paint.Rule(themes.Rule, width-said.Width()), said...)
	}
	switch {
	case p.Ended:
		said = said.Add(themes.Muted, " end ")
	case p.Paused:
		said = said.Add(themes.Warning, " "+paint.Wait+" paused ")
	default:
		said = said.Add(themes.Busy, " "+paint.Play+" ")
	}
	said = said.Add(themes.Text, format.Clock(p.At)).
		Add(themes.Muted, " of "+format.Clock(p.Of)+paint.Dot+strconv.FormatFloat(p.Speed, 'g', 4, 64)+"x")
	room := max(width-said.Width(), 0)
	played := room
	if p.Of > 0 && !p.Ended {
		played = max(0, min(int(float64(room)*float64(p.At)/float64(p.Of)), room-1))
	}
	l := paint.L(themes.Busy, strings.Repeat(paint.Heavy, played))
	return append(append(l, paint.Rule(themes.Rule, room-played)...), said...)
}
