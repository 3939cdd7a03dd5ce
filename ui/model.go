package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/table"
)

// The pages.
const (
	pageNodes    keys.Page = "nodes"
	pagePods     keys.Page = "pods"
	pagePlan     keys.Page = "plan"
	pageOptions  keys.Page = "options"
	pageRun      keys.Page = "run"
	pagePod      keys.Page = "pod"
	pageLadder   keys.Page = "ladder"
	pageHelp     keys.Page = "help"
	pageMessages keys.Page = "messages"
	pageFindings keys.Page = "findings"
)

// Model is the one tea.Model of the program.
type Model struct {
	ctx  context.Context
	d    Deps
	arm  arms
	keys *keys.Registry[*Model]

	// What is projected, replaced whole.
	snap *kube.Snapshot
	run  drain.Run
	last *drain.State // of the run
	over bool         // the run is done, whatever its state says
	now  time.Time

	width, height int
	dark          bool
	painter       *paint.Painter
	lay           Layout

	page    keys.Page
	back    []keys.Page
	nodes   nodesPage
	plan    planPage // the plan of the marked or selected nodes
	pods    planPage // the plan of one node, as its list of pods
	opts    optionsPage
	runs    runPage
	pod     podPage
	ladder  ladderPage
	text    textPage
	marks   table.Marks
	options plan.Options
	rights  rights

	filtering bool
	dialogs   []*openDialog
	toast     *toast
	log       []message
	starting  bool // a run is being started
	cordoning map[string]bool
	leftovers leftovers
	confirmed plan.Plan       // what the operator confirmed for the run
	owed      drain.Run       // a run whose question on the cordon is confirmed already
	asked     *drain.Question // the question that was put before the operator
	leaving   bool            // quits when the run has ended
	interrupt bool            // Ctrl+C was pressed once
	left      Left

	ticking  bool
	tickTurn uint64
	cmds     []tea.Cmd
	planTurn uint64 // newest plan asked for
	planOpen bool   // a plan was shown, or would be gone back to, after the last message
}

// openDialog is a dialog with what its answer does.
type openDialog struct {
	*dialog.Dialog
	answer func(dialog.Answer)
	// stale, where set, tells that the question is not asked any more.
	stale func() bool
}

func newModel(ctx context.Context, d Deps) (*Model, error) {
	d = d.withDefaults()
	m := &Model{
		ctx: ctx, d: d, snap: d.Source.Snapshot(), now: d.Now(), dark: true, page: pageNodes, options: d.Options,
		cordoning: map[string]bool{},
	}
	m.arm = liveArms(m)
	registry, err := keys.New(actions())
	if err != nil {
		return nil, err
	}
	m.keys = registry
	m.repaint()
	for _, name := range d.Marked {
		m.marks.Add(name)
	}
	m.nodes.list.sort, m.plan.list.sort, m.pods.list.sort, m.runs.list.sort = "node", "fate", "fate", "trouble"
	m.nodes.previews = map[string]previewed{}
	m.rebuildNodes()
	if d.Attach != nil {
		m.attach(d.Attach)
	}
	m.settle()
	return m, nil
}

func (m *Model) repaint() {
	m.painter = paint.NewPainter(m.d.Theme, m.dark, m.d.NoColor, m.d.ASCII)
}

// queue sends a command off when the present Update is over.
func (m *Model) queue(cmd tea.Cmd) {
	if cmd != nil {
		m.cmds = append(m.cmds, cmd)
	}
}

// flush is what Update returns.
func (m *Model) flush() tea.Cmd {
	cmds := m.cmds
	m.cmds = nil
	return tea.Batch(cmds...)
}

// Init asks for the background of the terminal and arms the two commands that
// bring news.
func (m *Model) Init() tea.Cmd {
	m.queue(tea.RequestBackgroundColor)
	m.queue(m.arm.cluster())
	m.settle()
	return m.flush()
}

// show shows a page and remembers the way back.
func (m *Model) show(p keys.Page) {
	m.filtering = false
	if m.page == p {
		return
	}
	for i, b := range m.back {
		if b == p { // going to a page that we came from is going back
			m.page, m.back = p, m.back[:i]
			return
		}
	}
	m.back = append(m.back, m.page)
	m.page = p
}

// goBack leaves a page for the one we came from.
func (m *Model) goBack() {
	if n := len(m.back); n > 0 {
		m.page, m.back = m.back[n-1], m.back[:n-1]
		return
	}
	m.page = pageNodes
}

// live tells whether a run is going on.
func (m *Model) live() bool { return m.last != nil && m.last.Outcome == "" && !m.over }

// current is the table of the page, nil where it has none.
func (m *Model) current() *list {
	switch m.page {
	case pageNodes:
		return &m.nodes.list
	case pagePods:
		return &m.pods.list
	case pagePlan:
		return &m.plan.list
	case pageOptions:
		return &m.opts.list
	case pageRun:
		return &m.runs.list
	case pageLadder:
		return &m.ladder.list
	}
	return nil
}

// rebuild orders and filters the rows of the page anew.
func (m *Model) rebuild() {
	switch m.page {
	case pageNodes:
		m.rebuildNodes()
	case pagePods:
		m.pods.rebuild()
	case pagePlan:
		m.plan.rebuild()
	case pageRun:
		m.rebuildRun()
	case pageLadder:
		m.rebuildLadder()
	}
}
