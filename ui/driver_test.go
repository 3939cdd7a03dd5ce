package ui

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
)

// driver runs the whole model without a terminal: it sends messages, runs the
// commands that come back at once, and looks at the frame.
type driver struct {
	t       testing.TB
	m       *model
	w       world
	now     time.Time
	quit    bool
	started []plan.Plan
	*paperCluster
	run *fakeRun
}

func drive(t testing.TB, w world, width, height int, change ...func(*Deps)) *driver {
	t.Helper()
	theme, err := themes.Load("default", "")
	if err != nil {
		t.Fatal(err)
	}
	d := &driver{t: t, w: w, now: moment}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	now := func() time.Time { return d.now }
	d.paperCluster = newPaperCluster(w, now)
	d.start = func(p plan.Plan) (live.Run, error) {
		d.started = append(d.started, p)
		d.run = newFakeRun(askingState(p))
		return d.run, nil
	}
	deps := Deps{
		Source: w, Cluster: d.paperCluster, Identity: Identity{Context: "prod-eu-1", Cluster: "5f0e", Server: "https://prod-eu-1.example:6443", User: "ada"}, Options: plan.DefaultOptions(), Theme: theme,
		Now: now,
	}
	for _, c := range change {
		c(&deps)
	}
	m, err := newModel(ctx, deps)
	if err != nil {
		t.Fatal(err)
	}
	d.m = m
	m.cmds = nil // what waits for news of an attached run
	m.arm = arms{
		cluster: func() tea.Cmd { return nil },
		run:     func(live.Run) tea.Cmd { return nil },
		roll:    func(live.Roll) tea.Cmd { return nil },
		tick:    func(time.Duration, uint64) tea.Cmd { return nil },
	}
	d.exec(m.Init())
	d.send(tea.WindowSizeMsg{Width: width, Height: height})
	return d
}

// askingState is a run that asks for the cordon it was started with.
func askingState(p plan.Plan) *drain.State {
	s := &drain.State{
		Run: drain.RunFacts{ID: "k7f3", Context: "prod-eu-1", Options: p.Options}, Started: moment, Phase: drain.PhaseCordon,
		Phases:   map[drain.Phase]drain.PhaseStatus{drain.PhaseCheck: drain.PhaseDone, drain.PhaseCordon: drain.PhaseAsks},
		Question: &drain.Question{Phase: drain.PhaseCordon, Since: moment},
	}
	for _, n := range p.Nodes {
		s.Nodes = append(s.Nodes, &drain.NodeRun{NodeFacts: drain.NodeFacts{Name: n.Name, UID: n.UID}, State: drain.NodeWaiting})
		for _, pod := range n.Pods {
			s.Pods = append(s.Pods, &eviction.Record{State: eviction.Planned,
				Facts: eviction.Facts{Node: n.Name, Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID, Owner: pod.Owner, Action: pod.Action}})
		}
	}
	return s
}

func (d *driver) send(msg tea.Msg) {
	d.t.Helper()
	_, cmd := d.m.Update(msg)
	d.exec(cmd)
}

func (d *driver) exec(cmd tea.Cmd) {
	d.t.Helper()
	if cmd == nil || d.quit {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.QuitMsg:
		d.quit = true
	case tea.BatchMsg:
		for _, c := range msg {
			d.exec(c)
		}
	default:
		d.send(msg)
	}
}

// keys presses keys, named as the registry names them.
func (d *driver) keys(names ...string) {
	d.t.Helper()
	for _, name := range names {
		d.send(keyPress(name))
	}
}

// typed presses one key per character.
func (d *driver) typed(text string) {
	d.t.Helper()
	for _, r := range text {
		d.keys(string(r))
	}
}

func keyPress(name string) tea.KeyPressMsg {
	special := map[string]tea.Key{
		"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "space": {Code: tea.KeySpace, Text: " "}, "tab": {Code: tea.KeyTab},
		"shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "left": {Code: tea.KeyLeft},
		"right": {Code: tea.KeyRight}, "pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown}, "home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd},
		"backspace": {Code: tea.KeyBackspace},
	}
	if k, ok := special[name]; ok {
		return tea.KeyPressMsg(k)
	}
	if c, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: rune(c[0]), Mod: tea.ModCtrl}
	}
	r := []rune(name)[0]
	return tea.KeyPressMsg{Code: r, Text: name}
}

// refresh brings the newest snapshot, as the bridge would.
func (d *driver) refresh() {
	d.t.Helper()
	d.send(snapshotMsg{d.w.Snapshot()})
}

// change changes the run and brings its state, as the bridge would.
func (d *driver) change(change func(*drain.State)) {
	d.t.Helper()
	d.send(runMsg{d.m.s.Run, d.run.set(change), false})
}

// quiet lets the grace of a dialog pass.
func (d *driver) quiet() {
	d.now = d.now.Add(dialog.MaxQuiet + time.Millisecond)
	d.send(tickMsg{d.m.tickTurn})
}

func (d *driver) frame() string { return ansi.Strip(d.m.View().Content) }

func (d *driver) shows(texts ...string) {
	d.t.Helper()
	frame := d.frame()
	for _, text := range texts {
		if !strings.Contains(frame, text) {
			d.t.Errorf("the frame does not show %q:\n%s", text, frame)
		}
	}
}

// usual are options that let ordinary nodes be drained.
func usual(d *Deps) { d.Options.IgnoreDaemonSets, d.Options.DeleteEmptyDirData = true, true }

// list is the table of a page.
func (d *driver) list(p keys.Page) *frame.List { return d.m.pages[p].(frame.Lister).List() }

// marked are the rows that bear a mark on the list of nodes.
func (d *driver) marked() []string {
	v := d.m.pages[frame.Nodes].View()
	return slices.DeleteFunc(slices.Clone(d.list(frame.Nodes).Table.Keys()), func(k string) bool { return v.Mark(k) == "" })
}
