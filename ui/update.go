package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// Update takes one message. It changes the model and nothing else: whatever
// waits, reads or writes is a command.
func (m *model) Update(msg tea.Msg) (model tea.Model, cmd tea.Cmd) {
	defer m.d.Crash.recover("Update")
	m.now = m.d.Now()
	if m.position == nil {
		m.s.Now = m.now
	}
	m.notices.expire(m.now)
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.s.Width, m.s.Height = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		m.dark = msg.IsDark()
		m.repaint()
	case tea.KeyPressMsg:
		m.press(msg)
	case tea.MouseMsg:
		pointing{m}.take(msg)
	case tea.PasteMsg:
		m.paste(msg.Content)
	case snapshotMsg:
		m.s.See(msg.snap)
		m.queue(m.arm.cluster())
		m.tell(frame.NewSnapshot{})
	case forgotten:
		if msg.err != nil {
			m.notices.warn(wording.Clean(msg.err.Error()), m.now)
		}
	case runMsg:
		following{m}.onRun(msg)
	case rollMsg:
		rolling{m}.onRoll(msg)
	case tickMsg:
		if msg.turn == m.tickTurn {
			m.ticking = false
		}
	default:
		m.tell(msg) // an answer to what a page asked for
	}
	replaying{m}.look()
	if text := m.alarm.news(&m.d, m.s); text != "" {
		m.queue(tea.Raw(m.d.Alert.sequence(text)))
	}
	m.closeStale()
	m.endOfPlan()
	m.layout()
	m.animate()
	return m, m.flush()
}

// following is what the frame does about news of a run.
type following struct{ *model }

// onRun takes news of the run that is watched.
func (m following) onRun(msg runMsg) {
	if msg.run != m.s.Run {
		return // a run that was left
	}
	r, foreign := msg.run.(live.Foreign)
	if _, played := msg.run.(live.Player); !played || !m.d.Replay { // else it is looked at below
		m.take(msg.state, msg.over || foreign && r.Unattended())
	}
	if foreign {
		for _, why := range r.Refusals() {
			m.notices.fail(wording.Clean(why), m.now)
		}
	}
	if !msg.over { // one that has ended may still take a step of its nodes
		m.queue(m.arm.run(m.s.Run))
	} else if step, ok := msg.run.(interface{ Failure() error }); ok && step.Failure() != nil {
		m.notices.fail(wording.Clean(step.Failure().Error()), m.now)
	}
}

// take makes a state of the run the newest.
func (m following) take(state *drain.State, over bool) {
	wasLive := m.s.Live()
	if before := m.s.State; before != nil && before.Run.ID == state.Run.ID { // else the report has them
		m.warnOf(before.Warnings, state.Warnings)
	}
	m.s.Take(state, over)
	m.tell(frame.NewState{})
	if wasLive && !m.s.Live() && !m.s.OfRoll() { // the board tells what becomes of a batch
		m.ended()
	}
}

// warnOf tells what failed beside the run or the roll since those warnings.
func (m *model) warnOf(before, now []string) {
	for _, text := range now[min(len(before), len(now)):] {
		m.notices.warn(wording.Clean(text), m.now)
	}
}

// ended is the moment a run reached its result: it comes to the front and
// stays there.
func (m *model) ended() {
	if m.leaving {
		m.quit(LeftByOperator)
		return
	}
	shell := shell{m}
	shell.leavePlan()
	word := string(m.s.State.Outcome)
	if word == "" {
		word = "without a result"
	}
	said := "The run has ended: " + word + "."
	if m.s.State.Outcome == "" {
		resume := m.s.State.Run.Target().Line("kdrain-tui resume "+m.s.State.Run.ID) + " continues it."
		switch {
		case m.s.State.Suspended:
			said = "The run is suspended; " + resume
		case m.s.Foreign:
			said = "The process of the run has ended before the run; " + resume
		}
	}
	if m.d.Replay {
		shell.Say("The replay is over; the run ended: " + word + ".")
		return
	}
	if m.path.page != frame.Run {
		said += " w shows it."
	}
	shell.Say(said)
	if !m.filtering && len(m.dialogs) == 0 { // else keys on their way would land on another page
		m.show(frame.Run)
	}
}

// endOfPlan notes that the operator left a plan.
func (m *model) endOfPlan() {
	open := m.path.has(frame.Plan) || m.path.has(frame.NewRoll) || m.s.Starting
	if m.planOpen && !open {
		(&shell{m}).leavePlan()
	}
	m.planOpen = open
}

// rehearse is a panic on demand in a build with the tag panictest, else nothing.
var rehearse = func(m *model, key string) {}

// press routes a key: Ctrl+C first, then the dialog, the filter, the page.
func (m *model) press(msg tea.KeyPressMsg) {
	key := msg.String()
	rehearse(m, key)
	if key == "ctrl+c" {
		m.interrupted()
		return
	}
	if m.lay.TooSmall && len(m.dialogs) == 0 {
		m.pressTooSmall(key)
		return
	}
	if d := m.dialogs.top(); d != nil {
		m.pressDialog(d, key, msg.Text)
		return
	}
	m.interrupt = false
	if m.filtering {
		m.pressFilter(key, msg.Text)
		return
	}
	action := m.keys.Find(m.path.page, key)
	if action == nil {
		return
	}
	act(m, action)
}

// pressTooSmall is the little that works while nothing can be seen.
func (m *model) pressTooSmall(key string) {
	if key == "q" {
		m.askToQuit()
	}
}

func (m *model) pressDialog(d *frame.Question, key, text string) {
	if m.lay.TooSmall && key != "esc" {
		return // what cannot be seen cannot be answered
	}
	if d.ID != quitDialog {
		m.interrupt = false
	}
	if d.Copies(key) {
		d.Copied = true
		m.queue(tea.SetClipboard(d.Command))
		return
	}
	if a := d.Key(key, text, m.now); a != nil {
		m.dialogs.answer(d, *a)
	}
}

func (m *model) paste(text string) {
	switch d := m.dialogs.top(); {
	case m.lay.TooSmall:
	case d != nil:
		d.Paste(text, m.now)
	case m.filtering:
		m.editFilter(*search{m}.text() + text)
	}
}

// closeStale takes away dialogs whose question is not asked any longer.
func (m *model) closeStale() {
	for _, d := range m.dialogs.stale() {
		m.dialogs.close(d)
		if d.ID == quitDialog {
			m.interrupt = false // the next Ctrl+C asks again
		}
	}
}

// pressFilter edits the filter: while it has the keys, no key is an action.
func (m *model) pressFilter(key, text string) {
	query := search{m}.text()
	switch key {
	case "enter":
		m.filtering = false
		if p, ok := m.page().(*palette); ok { // one who has typed a name has chosen
			p.choose()
		}
	case "esc":
		m.filtering = false
		m.editFilter("")
		if _, ok := m.page().(*palette); ok {
			m.goBack()
		}
	case "up", "down", "pgup", "pgdown":
		m.filtering = false
		if a := m.keys.Find(m.path.page, key); a != nil {
			a.Do()
		}
	default:
		if key == "backspace" && *query == "" {
			m.filtering = false
			return
		}
		m.editFilter(dialog.EditLine(*query, key, text, maxFilter))
	}
}

const maxFilter = 80

func (m *model) editFilter(text string) {
	query := search{m}.text()
	if query == nil || len(text) > maxFilter {
		return
	}
	*query = wording.Clean(text)
	search{m}.take()
}
