package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

func TestAlertOfASetting(t *testing.T) {
	for _, c := range []struct {
		setting, term, vte string
		want               Alert
	}{
		{"off", "xterm", "", ""}, {"", "xterm", "", ""}, {"bell", "foot", "", alertBell}, {"osc", "xterm-kitty", "", alertOSC9},
		{"osc", "foot-extra", "", alertOSC777}, {"osc", "xterm-256color", "7600", alertOSC777}, {"osc", "rxvt-unicode", "", alertOSC777},
	} {
		env := map[string]string{"TERM": c.term, "VTE_VERSION": c.vte}
		if got := AlertOf(c.setting, func(name string) string { return env[name] }); got != c.want {
			t.Errorf("%+v is %q", c, got)
		}
	}
}

// Nothing of a cluster ends the sequence, or begins another one.
func TestAlertsAreClean(t *testing.T) {
	hostile := "a\x1b\\\x1b]0;owned\x07;b\x9c\a\n" + strings.Repeat("ü", 500)
	for alert, begins := range map[Alert]string{alertBell: "\a", alertOSC9: "\x1b]9;a", alertOSC777: "\x1b]777;notify;kdrain-tui;a"} {
		got := alert.sequence(hostile)
		inside := strings.TrimSuffix(strings.TrimPrefix(got, begins), "\x1b\\")
		if !strings.HasPrefix(got, begins) || strings.ContainsAny(inside, "\x1b\a\n\u009c") || strings.Contains(inside, "owned") || len([]rune(inside)) > mostOfAlert ||
			alert == alertOSC777 && strings.Contains(inside, ";") {
			t.Errorf("%s: %q", alert, got)
		}
	}
}

func TestTheTerminalCalls(t *testing.T) {
	first := askingState(plan.Plan{Nodes: []plan.Node{{Name: "worker-1"}}})
	first.Updated = moment
	m := &model{d: Deps{Alert: alertOSC9}, s: &frame.Session{}}
	ended := *first
	ended.Question, ended.Outcome = nil, drain.OutcomeDone
	for _, step := range []struct {
		state *drain.State
		after time.Duration
		want  string
	}{
		{first, 0, ""}, {first, 14 * time.Second, ""}, {first, 15 * time.Second, "run k7f3: it waits for a confirmation of the phase cordon"},
		{first, time.Hour, ""}, {&ended, time.Hour, "run k7f3: ended: done, 0 of 0 pods gone"}, {&ended, 2 * time.Hour, ""},
	} {
		m.s.State, m.s.Now = step.state, moment.Add(step.after)
		if got := m.alarm.news(&m.d, m.s); got != step.want {
			t.Errorf("after %s: %q, want %q", step.after, got, step.want)
		}
	}
	for _, silent := range []Deps{{}, {Alert: alertBell, Replay: true}} {
		var a alarm
		session := &frame.Session{State: first, Now: moment}
		a.news(&silent, session)
		if session.State = &ended; a.news(&silent, session) != "" {
			t.Errorf("%+v is not silent", silent)
		}
	}
}

// What is due is written to the terminal once, whatever message it comes with.
func TestTheBellIsWritten(t *testing.T) {
	d := drive(t, company(), 100, 30, func(deps *Deps) { deps.Alert = alertBell })
	first := askingState(plan.Plan{})
	ended := *first
	ended.Question, ended.Outcome = nil, drain.OutcomeDone
	rung := 0
	for _, state := range []*drain.State{first, &ended, &ended} {
		d.m.s.State = state
		_, cmd := d.m.Update(tickMsg{})
		rung += bells(cmd)
	}
	if rung != 1 {
		t.Errorf("it rang %d times", rung)
	}
}

func bells(cmd tea.Cmd) (count int) {
	if cmd == nil {
		return 0
	}
	switch msg := cmd().(type) {
	case tea.RawMsg:
		if msg.Msg == "\a" {
			count++
		}
	case tea.BatchMsg:
		for _, c := range msg {
			count += bells(c)
		}
	}
	return count
}
