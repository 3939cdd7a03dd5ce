package ui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/ui/budgets"
	"github.com/kdrain-tui/kdrain-tui/ui/clustermap"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/history"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/node"
	"github.com/kdrain-tui/kdrain-tui/ui/nodes"
	"github.com/kdrain-tui/kdrain-tui/ui/options"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	planpage "github.com/kdrain-tui/kdrain-tui/ui/plan"
	"github.com/kdrain-tui/kdrain-tui/ui/pod"
	"github.com/kdrain-tui/kdrain-tui/ui/pods"
	"github.com/kdrain-tui/kdrain-tui/ui/roll"
	"github.com/kdrain-tui/kdrain-tui/ui/run"
	"github.com/kdrain-tui/kdrain-tui/ui/runs"
	"github.com/kdrain-tui/kdrain-tui/ui/theme"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// model is the one tea.Model of the program: the frame around the pages.
type model struct {
	ctx  context.Context
	d    Deps
	s    *frame.Session // what all pages see
	now  time.Time      // our clock; that of the session is of then in a replay
	arm  arms
	keys *keys.Registry

	pages map[keys.Page]frame.Page
	path  path

	dark    bool
	painter *paint.Painter
	badge   paint.Line // of the options of the next plan
	ran     paint.Line // of those of the run
	rolled  paint.Line // of those of the roll
	lay     frame.Layout

	filtering bool
	dialogs   dialogs
	notices   notices
	alarm     alarm
	leaving   bool // quits when the run has ended
	interrupt bool // Ctrl+C was pressed once
	left      Left
	next      string    // the context to go on in
	lastRun   live.Run  // that was on the screen and is not just shown again, unless lastRoll came after it
	lastRoll  live.Roll // as lastRun

	ticking  bool
	tickTurn uint64
	cmds     []tea.Cmd
	planOpen bool           // a plan was shown, or would be gone back to, after the last message
	position *live.Position // of the replay that is shown, nil for none
}

func newModel(ctx context.Context, d Deps) (*model, error) {
	d = d.withDefaults()
	m := &model{ctx: ctx, d: d, dark: true, path: path{page: frame.Nodes}}
	m.s = &frame.Session{
		Cluster: d.Cluster, Runs: d.Runs, Clock: d.Now, Identity: d.Identity, ReadOnly: d.ReadOnly, Replay: d.Replay,
		Now: d.Now(),
	}
	m.now = m.s.Now
	m.s.See(d.Source.Snapshot())
	m.setOptions(d.Options)
	m.arm = liveArms(m)
	if err := m.makePages(); err != nil {
		return nil, err
	}
	m.repaint()
	if d.Attach != nil {
		m.attach(d.Attach, nil)
	}
	if d.AttachRoll != nil {
		rolling{m}.attachRoll(d.AttachRoll)
	}
	for _, note := range d.Notes {
		m.notices.warn(wording.Clean(note), m.now)
	}
	replaying{m}.look()
	m.layout()
	return m, nil
}

// makePages makes every page, once, and the registry of what keys do on them.
func (m *model) makePages() error {
	shell := &shell{m}
	plans := []*planpage.Page{planpage.New(shell, frame.Plan), planpage.New(shell, frame.Pods)}
	events, timeline := history.New(shell)
	help := &helpPage{s: m.s, behind: func() keys.Page { return m.path.before(frame.Nodes) }}
	pages := []struct {
		kind keys.Page
		page frame.Page
	}{
		{frame.Nodes, nodes.New(shell, m.d.Marked, m.d.LabelColumns)}, {frame.Plan, plans[0]}, {frame.Pods, plans[1]},
		{frame.AllPods, pods.New(shell)}, {frame.Node, node.New(shell)}, {frame.Findings, planpage.NewFindings(shell, plans...)}, {frame.Options, options.New(shell)},
		{frame.Run, run.New(shell)}, {frame.Remedies, run.NewRemedies(shell)}, {frame.Checks,
			run.NewChecks(shell)}, {frame.Events, events}, {frame.Timeline, timeline}, {frame.Budgets, budgets.New(shell)}, {frame.Map, clustermap.New(shell)},
		{frame.Pod, pod.New(shell)},
		{frame.Roll, roll.New(shell)}, {frame.NewRoll, roll.NewSetup(shell)}, {frame.History, runs.New(shell)},
		{frame.Palette, &palette{m: m}}, {frame.Themes, theme.New(shell, shell.themes())},
		{frame.Help, help}, {frame.Messages, &messagesPage{s: m.s, log: &m.notices}},
	}
	m.pages = map[keys.Page]frame.Page{}
	ours := actions{shell}
	all := slices.Concat(ours.nodeActions(), ours.listActions())
	for _, p := range pages {
		m.pages[p.kind] = p.page
		for _, a := range p.page.Actions() {
			a.Pages = []keys.Page{p.kind}
			all = append(all, a)
		}
	}
	all = slices.Concat(all, ours.planActions(), replaying{m}.actions(), search{m}.actions(), ours.lookActions(),
		ours.programActions(), ours.moveActions())
	var err error
	m.keys, err = keys.New(groups, all)
	help.keys = m.keys
	return err
}

// setOptions sets the options of the next plan, and what every frame says of them.
func (m *model) setOptions(o plan.Options) {
	m.s.Options, m.s.Flags, m.badge = o, wording.OptionWords(o), wording.Badge(o)
}

func (m *model) repaint() {
	m.painter = paint.NewPainter(m.d.Theme, m.dark, m.d.NoColor, m.d.ASCII)
}

// queue sends a command off when the present Update is over.
func (m *model) queue(cmd tea.Cmd) {
	if cmd != nil {
		m.cmds = append(m.cmds, cmd)
	}
}

// flush is what Update returns.
func (m *model) flush() tea.Cmd {
	cmds := m.cmds
	m.cmds = nil
	return tea.Batch(cmds...)
}

// Init asks for the background of the terminal and arms the two commands that
// bring news.
func (m *model) Init() tea.Cmd {
	m.queue(tea.RequestBackgroundColor)
	m.queue(m.arm.cluster())
	m.layout()
	return m.flush()
}

// page is the one that is shown.
func (m *model) page() frame.Page { return m.pages[m.path.page] }

// list is its table, nil where it has none.
func (m *model) list() *frame.List {
	if l, ok := m.page().(frame.Lister); ok {
		return l.List()
	}
	return nil
}

// rebuild orders and filters the rows of the page.
func (m *model) rebuild() {
	if l, ok := m.page().(frame.Lister); ok {
		l.Rebuild()
	}
}

// tell hands a message to every page, in the order of their names.
func (m *model) tell(msg tea.Msg) {
	for _, kind := range allPages {
		m.pages[kind].Update(msg)
	}
}

// show shows a page and remembers the way back.
func (m *model) show(p keys.Page) {
	m.filtering = false
	m.path.show(p)
}

// goBack shows the page that we came from.
func (m *model) goBack() {
	m.path.goBack()
	m.rebuild()
}

// attach watches a run from now on; confirmed is the plan that it was started with here.
func (m *model) attach(r live.Run, confirmed *plan.Plan) {
	m.s.Roll, m.s.RollState = nil, nil
	m.lastRun, m.lastRoll = r, nil
	m.watch(r)
	_, m.s.Foreign = r.(live.Foreign)
	rolling{m}.reach(frame.Run, m.s.State.Run.ID)
	m.tell(frame.NewRun{Confirmed: confirmed})
}

// watch makes a run the one that pages are about.
func (m *model) watch(r live.Run) {
	m.queue(m.arm.run(r)) // before the first look, so that nothing falls between
	m.s.Run = r
	m.s.Take(r.State(), false)
	m.ran = wording.Badge(m.s.State.Run.Options)
}

// path is the page that is shown, and the way back.
type path struct {
	page keys.Page
	back []keys.Page
}

func (p *path) show(page keys.Page) {
	if p.page == page {
		return
	}
	if i := slices.Index(p.back, page); i >= 0 { // going to a page that we came from is going back
		p.page, p.back = page, p.back[:i]
		return
	}
	p.page, p.back = page, append(p.back, p.page)
}

func (p *path) goBack() {
	p.page = p.before(frame.Nodes)
	p.back = p.back[:max(0, len(p.back)-1)]
}

// before is the page that we came from, or another where we came from none.
func (p *path) before(or keys.Page) keys.Page {
	if n := len(p.back); n > 0 {
		return p.back[n-1]
	}
	return or
}

// has reports whether a page is shown or will be gone back to.
func (p *path) has(page keys.Page) bool { return p.page == page || slices.Contains(p.back, page) }
