package ui

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
)

// witness is what was on the screen when a key was pressed.
type witness struct {
	id, title, word, text, value string
	deaf, visible, interrupt     bool
	key                          string
}

func (d *driver) witness(key string) witness {
	w := witness{key: key, interrupt: d.m.interrupt}
	n := len(d.m.dialogs)
	if n == 0 {
		return w
	}
	top := d.m.dialogs[n-1]
	w.id, w.title, w.word, w.text, w.deaf = top.ID, top.Title, top.Word, top.Text, top.Deaf(d.now)
	w.value = top.Buttons[top.Focus].Value
	w.visible = strings.Contains(d.frame(), top.Title[:min(len(top.Title), 20)])
	return w
}

// accepts reports whether the key was the exact yes to a dialog that could be
// read: the letter on it, Enter on a button that had to be moved to, or the
// typed word and Enter.
func (w witness) accepts(ids ...string) bool {
	named := false
	for _, id := range ids {
		named = named || w.id == id
	}
	if !named || w.deaf || !w.visible {
		return false
	}
	if w.word != "" {
		return w.key == "enter" && w.text == w.word
	}
	return w.key == "y" || w.key == "enter" && w.value == dialog.Accept
}

// forced is the second Ctrl+C in a row.
func (w witness) forced() bool { return w.key == "ctrl+c" && w.interrupt }

// allowed reports whether an input may go to the run after that key.
func allowed(in drain.Input, w witness) bool {
	switch in := in.(type) {
	case drain.Confirm:
		if in.Phase == drain.PhaseCordon && w.accepts("cordon-and-start") {
			return true
		}
		return w.accepts("question") && in.Word == w.word
	case drain.Command:
		switch in.Kind {
		case drain.CommandAbort:
			return w.accepts("abort", quitDialog) || w.forced()
		case drain.CommandPause, drain.CommandRetry: // at once: they stop the run, or ask for what was confirmed
			return w.id == "" && w.key == map[drain.CommandKind]string{drain.CommandPause: "P", drain.CommandRetry: "R"}[in.Kind]
		case drain.CommandContinue:
			return in.Word == "" && w.id == "" && w.key == "P" || w.accepts("unrecorded") && in.Word == w.word
		case drain.CommandSuspend:
			leaves := w.id == quitDialog && w.visible && !w.deaf
			return leaves && (w.key == "s" || w.key == "enter" && w.value == suspendRun) || w.accepts(string(in.Kind))
		}
		return w.accepts(string(in.Kind))
	}
	return false
}

var randomKeys = strings.Fields("D D D C C C U U a o y y y n enter enter enter tab left right up down space space * - / esc esc esc q w P R S A L N e ? s b r 2 j k g G 1 x ctrl+c backspace home end")

// step presses one key and checks that whatever was written follows from it.
func (d *driver) step(key string) { d.follows(key, func() { d.keys(key) }) }

// stepMouse clicks or turns the wheel somewhere, often twice; whatever is written then is a mistake.
func (d *driver) stepMouse(r *rand.Rand) {
	mouse := tea.Mouse{X: r.IntN(d.m.s.Width+4) - 2, Y: r.IntN(d.m.s.Height+4) - 2, Button: tea.MouseLeft}
	if n := len(d.m.dialogs); n > 0 && r.IntN(2) == 0 { // on a button
		for y, line := range strings.Split(d.frame(), "\n") {
			label := d.m.dialogs[n-1].Buttons[len(d.m.dialogs[n-1].Buttons)-1].Label
			if at := strings.Index(line, " "+label); at >= 0 {
				mouse.X, mouse.Y = len([]rune(line[:at]))+2, y
			}
		}
	}
	for range 1 + r.IntN(3) {
		d.follows("mouse", func() {
			switch r.IntN(6) {
			case 0:
				mouse.Button = tea.MouseWheelDown
				d.send(tea.MouseWheelMsg(mouse))
			case 1:
				mouse.Button = tea.MouseWheelUp
				d.send(tea.MouseWheelMsg(mouse))
			default:
				mouse.Button = tea.MouseLeft
				d.send(tea.MouseClickMsg(mouse))
				d.send(tea.MouseReleaseMsg(mouse))
			}
		})
	}
}

// follows checks that whatever is written by an act follows from its key.
func (d *driver) follows(key string, act func()) {
	w := d.witness(key)
	started, cordons, sent := len(d.started), len(d.cordons), 0
	run := d.run
	if run != nil {
		sent = len(run.sent)
	}
	act()
	if len(d.started) > started && !w.accepts("cordon-and-start") {
		d.t.Fatalf("a run was started by %+v", w)
	}
	if len(d.cordons) > cordons && !w.accepts("set-cordon") {
		d.t.Fatalf("%v by %+v", d.cordons[cordons:], w)
	}
	if d.run != run {
		sent = 0
	}
	if d.run == nil {
		return
	}
	for _, in := range d.run.sent[sent:] {
		if !allowed(in, w) {
			d.t.Fatalf("%#v was sent by %+v", in, w)
		}
	}
}

func TestNothingIsWrittenWithoutTheExactConfirmation(t *testing.T) {
	totals := [3]int{}
	for seed := range uint64(24) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			d := randomWalk(t, seed, 600, usual)
			totals[0] += len(d.started)
			totals[1] += len(d.cordons)
			if d.run != nil {
				totals[2] += len(d.run.sent)
			}
		})
	}
	for i, n := range totals {
		if n == 0 {
			t.Errorf("the walks never wrote (%d): they prove nothing", i)
		}
	}
}

func TestReadOnlyWritesNothing(t *testing.T) {
	for seed := range uint64(10) {
		d := randomWalk(t, seed, 300, usual, func(d *Deps) { d.ReadOnly = true; d.Attach = newFakeRun(questionState()) })
		if n := len(d.started) + len(d.cordons) + len(d.m.s.Run.(*fakeRun).sent); n != 0 {
			t.Fatalf("seed %d: %d writes", seed, n)
		}
	}
}

func questionState() *drain.State {
	s := runState()
	s.Question = &drain.Question{Phase: drain.PhaseEvict, Word: "prod-eu-1", Since: moment}
	s.Phases[drain.PhaseEvict] = drain.PhaseAsks
	return s
}

// randomWalk presses keys as they come, clicks and turns the wheel, lets time pass and the cluster and the
// run change in between.
func randomWalk(t *testing.T, seed uint64, steps int, change ...func(*Deps)) *driver {
	r := rand.New(rand.NewPCG(seed, 1))
	d := drive(t, company(), 80+int(seed%60), 20+int(seed%30), append(change, withMouse)...)
	for i := 0; i < steps; i++ {
		d.quit = false
		d.now = d.now.Add(time.Duration(r.IntN(900)) * time.Millisecond)
		switch r.IntN(12) {
		case 0:
			d.w.pod("worker-a1", "web", fmt.Sprintf("new-%d", i), "front")
			d.refresh()
		case 1:
			if d.run != nil {
				d.change(func(s *drain.State) { randomQuestion(s, r, d.now) })
			}
		case 2:
			d.send(tea.WindowSizeMsg{Width: 40 + r.IntN(100), Height: 8 + r.IntN(40)})
		case 3:
			if n := len(d.m.dialogs); n > 0 && d.m.dialogs[n-1].Word != "" {
				for _, c := range d.m.dialogs[n-1].Word { // somebody who means it
					d.step(string(c))
				}
			}
		}
		if r.IntN(4) == 0 {
			d.stepMouse(r)
		} else {
			d.step(randomKeys[r.IntN(len(randomKeys))])
		}
	}
	return d
}

func randomQuestion(s *drain.State, r *rand.Rand, now time.Time) {
	switch r.IntN(5) {
	case 0:
		s.Question, s.Phase = nil, drain.PhaseEvict
	case 1:
		s.Question = &drain.Question{Phase: drain.PhaseEvict, Word: "prod-eu-1", Since: now}
	case 2:
		s.Question = &drain.Question{Phase: drain.PhaseVerify, Since: now}
	case 3:
		s.Outcome, s.Ended, s.Question = drain.OutcomeAborted, now, nil
	case 4:
		s.Question, s.Phase = &drain.Question{Phase: drain.PhaseGuard, Since: now}, drain.PhaseGuard
	}
}
