package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
)

// Update takes one message. It changes the model and nothing else: whatever
// waits, reads or writes is a command.
func (m *Model) Update(msg tea.Msg) (model tea.Model, cmd tea.Cmd) {
	defer m.d.Crash.recover("Update")
	m.now = m.d.Now()
	m.expireToast()
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		m.dark = msg.IsDark()
		m.repaint()
	case tea.KeyPressMsg:
		m.press(msg)
	case tea.PasteMsg:
		m.paste(msg.Content)
	case snapshotMsg:
		m.takeSnapshot(msg)
	case runMsg:
		m.takeRun(msg)
	case tickMsg:
		if msg.turn == m.tickTurn {
			m.ticking = false
		}
	case previewMsg:
		m.takePreviews(msg)
	case costsMsg:
		m.takeCosts(msg)
	case planMsg:
		m.takePlan(msg)
	case forecastMsg:
		m.takeForecast(msg)
	case accessMsg:
		m.takeDrainRights(msg)
	case checkedMsg:
		m.takeChecked(msg)
	case startedMsg:
		m.takeStarted(msg)
	case rightsMsg:
		m.takeRights(msg)
	case podMsg:
		m.takePod(msg)
	case cordonedMsg:
		m.takeCordoned(msg)
	case leftoversMsg:
		m.takeLeftovers(msg)
	case removedMsg:
		m.takeRemoved(msg)
	}
	m.closeStale()
	m.endOfPlan()
	m.reckonTime()
	m.askRights()
	m.settle()
	m.animate()
	return m, m.flush()
}

// rehearse is a panic on demand in a build with the tag panictest, else nothing.
var rehearse = func(m *Model, key string) {}

// press routes a key: Ctrl+C first, then the dialog, the filter, the page.
func (m *Model) press(msg tea.KeyPressMsg) {
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
	if n := len(m.dialogs); n > 0 {
		m.pressDialog(m.dialogs[n-1], key, msg.Text)
		return
	}
	m.interrupt = false
	if m.filtering {
		m.pressFilter(key, msg.Text)
		return
	}
	action := m.keys.Find(m.page, key)
	if action == nil {
		return
	}
	if action.Writes && m.d.ReadOnly {
		m.refuse("read only: " + action.Title + " is switched off")
		return
	}
	if action.Enabled != nil {
		if ok, why := action.Enabled(m); !ok {
			m.refuse(why)
			return
		}
	}
	action.Do(m)
}

// pressTooSmall is the little that works while nothing can be seen.
func (m *Model) pressTooSmall(key string) {
	if key == "q" {
		m.askToQuit()
	}
}

func (m *Model) pressDialog(d *openDialog, key, text string) {
	if m.lay.TooSmall && key != "esc" {
		return // nobody answers what cannot be seen
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
		m.answer(d, *a)
	}
}

// answer closes a dialog and does what was said.
func (m *Model) answer(d *openDialog, a dialog.Answer) {
	m.closeDialog(d)
	d.answer(a)
}

func (m *Model) paste(text string) {
	switch n := len(m.dialogs); {
	case m.lay.TooSmall:
	case n > 0:
		m.dialogs[n-1].Paste(text, m.now)
	case m.filtering:
		m.editFilter(m.current().filter + text)
	}
}

// open puts a dialog over the page.
func (m *Model) open(d *dialog.Dialog, answer func(dialog.Answer)) *openDialog {
	d.Open(m.now)
	o := &openDialog{Dialog: d, answer: answer}
	m.dialogs = append(m.dialogs, o)
	return o
}

// isOpen tells whether a dialog is on the stack.
func (m *Model) isOpen(id string) bool {
	for _, d := range m.dialogs {
		if d.ID == id {
			return true
		}
	}
	return false
}

func (m *Model) closeDialog(d *openDialog) {
	for i, o := range m.dialogs {
		if o == d {
			m.dialogs = append(m.dialogs[:i], m.dialogs[i+1:]...)
			return
		}
	}
}

// closeStale takes away dialogs whose question is not asked any more.
func (m *Model) closeStale() {
	for i := len(m.dialogs) - 1; i >= 0; i-- {
		if d := m.dialogs[i]; d.stale != nil && d.stale() {
			m.closeDialog(d)
			if d.ID == quitDialog {
				m.interrupt = false // the next Ctrl+C asks anew
			}
		}
	}
}

// pressFilter edits the filter: while it has the keys, no key is an action.
func (m *Model) pressFilter(key, text string) {
	l := m.current()
	switch key {
	case "enter":
		m.filtering = false
	case "esc":
		m.filtering = false
		m.editFilter("")
	case "up", "down", "pgup", "pgdown":
		m.filtering = false
		if a := m.keys.Find(m.page, key); a != nil {
			a.Do(m)
		}
	default:
		if key == "backspace" && l.filter == "" {
			m.filtering = false
			return
		}
		m.editFilter(dialog.EditLine(l.filter, key, text, maxFilter))
	}
}

const maxFilter = 80

func (m *Model) editFilter(text string) {
	l := m.current()
	if l == nil || len(text) > maxFilter {
		return
	}
	l.filter = clean(text)
	m.rebuild()
}

func (m *Model) takeSnapshot(msg snapshotMsg) {
	m.queue(m.arm.cluster())
	m.snap = msg.snap
	m.lookForLeftovers()
	m.rebuildNodes()
	m.replan()
}
