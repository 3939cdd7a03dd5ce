package ui

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/theme"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// shell is what the pages may ask of the model.
type shell struct{ m *model }

var _ frame.Shell = (*shell)(nil)

func (h *shell) Session() *frame.Session { return h.m.s }

func (h *shell) Open(ref frame.Ref) {
	if p, ok := h.m.pages[ref.Page].(frame.Opener); ok {
		p.Opened(ref)
	}
	h.m.show(ref.Page)
}

func (h *shell) Back() { h.m.goBack() }

func (h *shell) OnPath(p keys.Page) bool { return h.m.path.has(p) }

func (h *shell) Targets() []string {
	for _, kind := range slices.Backward(append(slices.Clone(h.m.path.back), h.m.path.page)) {
		if p, ok := h.m.pages[kind].(frame.Targeter); ok {
			return p.Targets()
		}
	}
	return nil
}

// Ask opens a question. In a protected context every yes is typed, but for what only
// stops a run.
func (h *shell) Ask(d *dialog.Dialog, answer func(dialog.Answer)) *frame.Question {
	accepts := slices.ContainsFunc(d.Buttons, func(b dialog.Button) bool { return b.Value == dialog.Accept })
	if accepts && d.Word == "" && !d.Editing && !slices.Contains(stopping, d.ID) {
		d.Word = h.m.d.Protected
	}
	return h.m.dialogs.open(d, h.m.now, answer)
}

// stopping are the questions before a run sends less: they never wait for a typed text.
var stopping = []string{"suspend", "abort"}

func (h *shell) Asking(id string) bool { return h.m.dialogs.has(id) }

func (h *shell) Say(text string)   { h.m.notices.say(text, h.m.now) }
func (h *shell) Refuse(why string) { h.m.notices.refuse(why, h.m.now) }
func (h *shell) Fail(text string)  { h.m.notices.fail(text, h.m.now) }

// ShowCommand shows the command too: whether a terminal took it is never known.
func (h *shell) ShowCommand(command string) {
	h.Do(tea.SetClipboard(command))
	title := "As a command"
	if strings.HasPrefix(command, "kubectl ") {
		title = "As kubectl"
	}
	h.Ask(&dialog.Dialog{ID: "kubectl", Title: title, Body: []paint.Line{
		paint.T(command), nil, paint.L(themes.Muted, "Copied, if your terminal allows that (OSC 52)."),
	}, Buttons: []dialog.Button{{Label: "Close", Value: dialog.Cancel, Key: "y"}}}, func(dialog.Answer) {})
}

func (h *shell) SetOptions(o plan.Options) {
	if usual := o.HasUsual(); usual != h.m.s.Options.HasUsual() {
		h.rememberUsual(usual)
	}
	h.m.setOptions(o)
	h.m.tell(frame.NewOptions{})
}

func (h *shell) Start(r live.Run, confirmed plan.Plan) { h.m.attach(r, &confirmed) }

// Attach shows a run again that this process works on once more.
func (h *shell) Attach(r live.Run) { h.m.attach(r, nil) }

// StartRoll shows a roll that was begun here.
func (h *shell) StartRoll(r live.Roll) {
	rolling{h.m}.attachRoll(r)
	h.m.tell(frame.RollBegun{})
}

// Show shows what this process does not work on; the way back stays, and the last run of this program
// is still the one that its end is about.
func (h *shell) Show(r live.Run, roll live.Roll) {
	if r != nil && roll != nil { // a batch of that roll, which stays
		h.m.watch(r)
		h.m.tell(frame.NewRun{})
		h.m.show(frame.Run)
		return
	}
	way, lastRun, lastRoll := h.m.path, h.m.lastRun, h.m.lastRoll
	page := frame.Run
	if roll != nil {
		page = frame.Roll
		rolling{h.m}.attachRoll(roll)
	} else {
		h.m.attach(r, nil)
	}
	h.m.path, h.m.lastRun, h.m.lastRoll = way, lastRun, lastRoll
	h.m.show(page)
}

func (h *shell) Go(where string, fn func(context.Context) tea.Msg) {
	ctx := h.m.ctx
	h.m.queue(h.m.d.Crash.guard(where, func() tea.Msg { return fn(ctx) }))
}

func (h *shell) Do(cmd tea.Cmd) { h.m.queue(cmd) }

// leavePlan takes the options that can lose data or override a protection back to what
// they were at the start: they were set for one plan, and the next one does not have
// them unless somebody sets them again.
func (h *shell) leavePlan() {
	o, changed := wording.WithoutDanger(h.m.s.Options, h.m.d.Options)
	if len(changed) == 0 {
		return
	}
	h.SetOptions(o)
	h.Say("off again for the next plan: " + format.List(changed, 3))
}

// forgotten tells why something could not be remembered.
type forgotten struct{ err error }

// themes is what the page that chooses a theme has to know.
func (h *shell) themes() theme.Program {
	return theme.Program{
		Dir: h.m.d.ThemesDir, NoColor: h.m.d.NoColor, ASCII: h.m.d.ASCII,
		Now: func() (themes.Theme, bool) { return h.m.d.Theme, h.m.dark },
		Keep: func(chosen themes.Theme) {
			h.m.d.Theme = chosen
			h.m.repaint()
			h.remember(func(kept Preferences) error { return kept.KeepTheme(chosen.Name()) })
		},
	}
}

// remember keeps a choice, outside of the event loop.
func (h *shell) remember(keep func(Preferences) error) {
	kept := h.m.d.Preferences
	if kept == nil {
		return
	}
	h.Go("what to remember", func(context.Context) tea.Msg { return forgotten{keep(kept)} })
}

// rememberUsual keeps whether the usual flags are accepted on this cluster; of a protected context nothing is kept.
func (h *shell) rememberUsual(accepted bool) {
	if on := h.m.s.Identity.Cluster; on != "" && h.m.d.Protected == "" {
		h.remember(func(kept Preferences) error { return kept.KeepUsual(on, accepted) })
	}
}
