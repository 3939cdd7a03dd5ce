package run

import (
	"cmp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/replacement"
	"github.com/kdrain-tui/kdrain-tui/drain/report"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/confirm"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/table"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// Page shows a run while it lives, and its result until it is left.
type Page struct {
	shell frame.Shell
	s     *frame.Session
	lay   frame.Layout
	list  frame.List
	pods  map[string]*eviction.Record
	name  int

	report    report.Report // of a run that ended
	result    report.Result // as the cluster is now
	resultDue bool
	confirmed plan.Plan       // what the operator confirmed for the run
	owed      bool            // its question on the cordon is confirmed already
	asked     *drain.Question // the question that was put before the operator

	counts   map[string]nodeCounts // by node
	turn     string                // what nodes that have not begun wait for
	sections []*section            // of the list, where it is grouped
	first    map[string]*section   // by the key of their first row
	of       map[string]*section   // by the keys of their rows
	unfolded map[string]bool
	later    map[kube.UID]replacement.Record // of a run that ended, by moved pod: see arrivals
	choices  []choice                        // for the selected pod
	checks   checks                          // whether the drained nodes are safe to power off, of a run that ended
	eta      eta
	room     room // for the pod that holds the selected one
	seeking  bool // it is being worked out
	soughtAt time.Time
}

// New makes the page.
func New(shell frame.Shell) *Page {
	return &Page{shell: shell, s: shell.Session(), list: frame.List{Sort: "trouble"}, unfolded: map[string]bool{},
		later: map[kube.UID]replacement.Record{}}
}

// List makes it a page with a table.
func (m *Page) List() *frame.List { return &m.list }

// Sorts are the columns to sort by.
func (m *Page) Sorts() []frame.Sort {
	return []frame.Sort{{ID: "trouble", Title: "trouble"}, {ID: "pod", Title: "pod"}, {ID: "node", Title: "node"},
		{ID: "for", Title: "time"}}
}

// Update takes news of the run, and brings its questions before the operator.
func (m *Page) Update(msg tea.Msg) {
	switch msg := msg.(type) {
	case frame.NewRun:
		lay := m.lay
		*m = *New(m.shell)
		m.lay = lay
		if msg.Confirmed != nil {
			m.confirmed, m.owed = *msg.Confirmed, true
		}
		m.Rebuild()
		m.question()
	case frame.NewState:
		m.list.Stale = true
		if m.s.Live() {
			m.question()
		}
	case frame.NewSnapshot:
		m.list.Stale, m.resultDue = m.list.Stale || awaits(m.s, m.pods), true
	case reportMsg:
		m.onReport(msg)
	case etaMsg:
		m.eta.take(msg, m.s.Run)
	case roomMsg:
		chooser{m}.onRoom(msg)
	case stepMsg:
		leaver{m}.onStep(msg)
	case confirm.Checked:
		if msg.Question != nil {
			m.onChecked(msg)
		}
	}
}

// Rebuild filters and sorts the pods of the run.
func (m *Page) Rebuild() {
	if m.s.State == nil {
		return
	}
	state := arrivals(m.s, m.later)
	if state.Outcome != "" {
		m.report, m.resultDue = report.OfState(state), true
	}
	m.counts = countNodes(state, m.s.NodeProgress)
	l := &m.list
	match := l.Match()
	m.pods = make(map[string]*eviction.Record, len(state.Pods))
	m.name, l.Total = 0, len(state.Pods)
	var shown []*eviction.Record
	for _, p := range state.Pods {
		m.pods[string(p.UID)] = p
		if state.Outcome != "" && p.Action == plan.ActionSkip {
			l.Total-- // a result is about what was the run's job
			continue
		}
		m.name = max(m.name, paint.Width(p.Namespace)+1+paint.Width(p.Name))
		if match.All() || match.Keeps(nil, textsOf(p)) {
			shown = append(shown, p)
		}
	}
	slices.SortStableFunc(shown, compareRunning(l.Sort))
	if l.Reverse {
		slices.Reverse(shown)
	}
	var keys []string
	m.sections, m.first, m.of = nil, nil, nil
	if (outline{m}).grouped() {
		keys = outline{m}.arrange(shown)
	} else {
		for _, p := range shown {
			keys = append(keys, string(p.UID))
		}
	}
	l.Table.SetKeys(keys)
	if !l.Touched { // the pod that most needs a look, until the operator chose one
		l.Table.First()
	}
}

// textsOf hands out what a filter finds a pod of a run by.
func textsOf(p *eviction.Record) func(has func(string) bool) bool {
	return func(has func(string) bool) bool {
		return has(p.Namespace+"/"+p.Name) || has(p.Node) || has(p.Owner) || has(wording.PodState(p).String()) ||
			p.Wait != nil && p.Wait.Budget != nil && has(p.Wait.Budget.Name)
	}
}

func compareRunning(by string) func(a, b *eviction.Record) int {
	return func(a, b *eviction.Record) int {
		first := 0
		switch by {
		case "pod":
			first = cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
		case "node":
			first = strings.Compare(a.Node, b.Node)
		case "for":
			first = a.Since.Compare(b.Since)
		}
		return cmp.Or(first, wording.CompareTrouble(a, b))
	}
}

// Layout fits the columns, and works out what would help the selected pod.
func (m *Page) Layout(lay frame.Layout) {
	m.lay, m.choices = lay, nil
	if m.s.State != nil {
		m.turn = turnWord(m.s.State, m.s.Now)
		before := m.checks.at
		m.checks.judge(m.s)
		m.resultDue = m.resultDue || m.checks.at != before
		m.reckonETA()
		chooser{m}.findRoom()
		m.choices = chooser{m}.makeChoices()
	}
	node := 0
	if m.s.State != nil && len(m.s.State.Nodes) > 1 {
		for _, n := range m.s.State.Nodes {
			node = max(node, paint.Width(n.Name))
		}
	}
	least, waits := min(max(25, m.s.Width*2/5), 48), "WAITS FOR" // which has a line of its own where it must
	if m.s.State != nil && m.s.State.Outcome != "" {
		waits = "OUTCOME"
	}
	if node > 0 { // whose pod it is comes before the end of its name
		least = max(23, m.s.Width*3/10)
	}
	columns := []table.Column{
		{ID: "pod", Title: "POD", Width: min(max(m.name, 3), 48), Min: min(max(m.name, 3), least), Grow: true, Max: max(m.name, 3)},
		{ID: "state", Title: "STATE", Width: 12},
		{ID: "for", Title: "FOR", Width: 6, Right: true},
		{ID: "tries", Title: "TRIES", Width: 5, Right: true, Drop: 2},
		{ID: "node", Title: "NODE", Width: min(node, 20), Min: min(node, 10), Drop: 1},
		{ID: "waits", Title: waits, Width: 66, Min: min(20, m.s.Width/3-10), Grow: true, Max: 110},
	}
	if node == 0 {
		columns = slices.Delete(columns, 4, 5)
	}
	m.list.Widths = table.Fit(columns, m.lay.Columns())
	m.list.Columns = columns
	m.list.Layout(lay, columns, m.runRowHeight)
}

// runRowHeight is two where what a pod waits for has no room beside it: then
// it stands on a line of its own rather than being cut.
func (m *Page) runRowHeight(key string) int {
	if m.continued(key) {
		return 2
	}
	return 1 + len(outline{m}.above(key))
}

func (m *Page) continued(key string) bool {
	p := m.pods[key]
	if p == nil || p.State.Final() || p.Wait == nil || !heldByBudget(p.Wait) || (outline{m}).grouped() {
		return false
	}
	return !blockedFits(p.Wait, m.list.Width("waits"))
}

func heldByBudget(w *waits.Wait) bool {
	return w.For == waits.ForBudget && (w.Budget != nil || w.UnhealthyPod != nil)
}

// Waits reports whether the checklist of the result is to be judged again soon.
func (m *Page) Waits() bool { return m.checks.due(m.s) }

// View is the run, or its result.
func (m *Page) View() frame.View {
	if m.s.State == nil {
		return frame.View{Left: paint.L(themes.Title, "Run"), Empty: paint.L(themes.Muted, "There is no run.")}
	}
	v := frame.View{}
	v.Left, v.Right = runTitle(m.s.State, m.s.Now)
	v.Right = paint.Join(paint.S(themes.Muted, paint.Dot), v.Right, m.eta.words(m.s))
	switch {
	case m.s.Replay && m.s.Roll != nil:
		v.Left = v.Left.Add(themes.Text, "  ").Add(themes.Muted, "of roll "+m.s.RollState.Facts.Run.ID)
	case m.s.OfRoll():
		v.Left = v.Left.Add(themes.Text, "  ").Add(themes.Muted, "batch of roll "+m.s.RollState.Facts.Run.ID)
	case m.s.Foreign && m.s.Live():
		v.Left = v.Left.Add(themes.Text, "  ").Add(themes.Warning, "of another process")
	case m.s.Foreign && m.s.State.Outcome == "":
		v.Left = v.Left.Add(themes.Text, "  ").Add(themes.Warning, "not ended, and no process works on it")
	}
	v.Head = m.runHead()
	v.Cell = func(key, column string, width int) paint.Line {
		if s := m.of[key]; s != nil && key == foldPrefix+s.name {
			return outline{m}.foldCell(s, column, width)
		}
		return m.runCell(m.pods[key], column, width)
	}
	v.Above = outline{m}.above
	v.Extra = func(key string) paint.Line {
		if !m.continued(key) {
			return nil
		}
		p := m.pods[key]
		return paint.L(themes.Text, blockedText(p.Wait, m.lay.Columns()-2))
	}
	v.Empty = paint.L(themes.Muted, "There is no pod to move.")
	if m.list.Filter != "" && m.list.Total > 0 {
		v.Empty = paint.L(themes.Muted, "No pod matches "+format.Quote(m.list.Filter)+".")
	}
	if p := m.pods[m.list.Table.Cursor()]; p != nil {
		v.Subject, v.Detail = p.Name, wording.PodRunSentence(p, nowOf(m.s, p))
		if m.s.State.Outcome != "" && !p.State.Final() && v.Detail != nil {
			v.Detail = append(paint.L(themes.Muted, "As it was seen last: "), v.Detail...)
		}
		if lines := choiceLines(m.choices, m.s.Width-len(v.Subject)); (outline{m}).tight() && len(lines) > 0 &&
			m.s.State.Outcome == "" {
			v.Detail = paint.Join(paint.Blank(1), lines...)
		}
	}
	return v
}

func (m *Page) runHead() []paint.Line {
	if m.s.State.Outcome != "" {
		most := max(3, (m.s.Height-10)/2)
		if m.resultDue {
			now := &report.Now{Undos: m.s.Undos(m.s.Snap), PowerOff: m.checks.facts(), Follows: true}
			m.result, m.resultDue = m.report.Result(now), false
		}
		result := wording.Result(m.result, m.s.Width-2, most)
		return append(append(result, leaver{m}.lines()...), nil)
	}
	busy := paint.Play
	if m.s.Evicting() {
		busy = paint.Spin(m.s.Now)
	}
	head := []paint.Line{runPhases(m.s.State, m.s.Progress, busy, m.s.Width-2)}
	if m.s.State.Down != nil {
		head = append(head, paint.L(themes.Bad,
			"The API server is unreachable; nothing is sent until it answers. ").Add(themes.Muted,
			format.Quote(m.s.State.DownWhy)))
	}
	head = append(head, standstill(m.s)...)
	if q := m.s.State.Question; q != nil && m.s.OfRoll() {
		head = append(head, paint.L(themes.Muted, "The roll confirms the phase "+string(q.Phase)+"."))
	} else if q != nil && m.s.Foreign {
		head = append(head, paint.L(themes.Accent, paint.Warn+" The run waits for the confirmation of "+string(q.Phase)+
			", which is given where it runs."))
	} else if q != nil && !m.s.ReadOnly && !m.shell.Asking(questionDialog) {
		head = append(head, paint.L(themes.Accent, paint.Warn+" The run waits for your confirmation of "+
			string(q.Phase)+": ").Add(themes.Key, "enter"))
	}
	head = append(head, runLeases(m.s.State, m.s.Width-2, max(1, (m.s.Height-16)/8))...)
	head = append(head, runBudgets(m.s.State, m.s.Width-2, max(1, (m.s.Height-16)/8))...)
	head = append(head, runRemedies(m.s.State, m.s.Width-2, max(1, (m.s.Height-16)/8))...)
	most := max(1, (m.s.Height-12)/4)
	return append(append(head, runNodes(m.s.State, m.counts, m.turn, m.s.Width-2, most)...), nil)
}

// standstill says why the run sends nothing, and what lets it go on.
func standstill(s *frame.Session) []paint.Line {
	switch {
	case s.State.JournalLost != "":
		words := "The journal cannot be written; the run continues without it. "
		if s.State.Paused {
			words = "The journal cannot be written; nothing is sent. "
		}
		return paint.Wrap(paint.L(themes.Bad, words).Add(themes.Muted, format.Quote(s.State.JournalLost)), s.Width-2)
	case s.State.Paused && !s.State.Aborting:
		l := paint.L(themes.Warning, paint.Wait+" Paused: nothing new is sent; accepted evictions finish.")
		if !s.ReadOnly && !s.Replay {
			l = l.Add(themes.Key, " P").Add(themes.Muted, " continues")
		}
		return []paint.Line{l}
	}
	return nil
}

func (m *Page) runCell(p *eviction.Record, column string, width int) paint.Line {
	if p == nil {
		return nil
	}
	switch column {
	case "pod":
		return wording.PodName(p.Namespace, p.Name, width)
	case "state":
		return wording.PodState(p)
	case "for":
		return paint.L(themes.Muted, podFor(p, nowOf(m.s, p)))
	case "tries":
		if p.Attempts == 0 {
			return nil
		}
		return paint.L(themes.Muted, format.Number(p.Attempts))
	case "node":
		return paint.L(themes.Muted, m.s.Names.Show(p.Node, width))
	}
	if m.continued(string(p.UID)) {
		return paint.L(themes.Muted, "its budget:")
	}
	if (outline{m}).grouped() && causeOf(p) != "" {
		return nextTry(p, width, nowOf(m.s, p), m.s.State.Outcome != "")
	}
	if m.s.State.Outcome != "" && p.State == eviction.Terminating { // the run no longer follows the grace period
		return paint.L(themes.Muted, paint.Truncate("was ending when the run ended", width))
	}
	return waitsFor(p, width, nowOf(m.s, p))
}

// selectedRunPod is the pod of the run under the cursor, nil if there is none.
func (m *Page) selectedRunPod() *eviction.Record {
	if m.s.State == nil {
		return nil
	}
	key := m.list.Table.Cursor()
	if m.s.State.Outcome != "" {
		return m.pods[key]
	}
	return m.s.State.Pod(kube.UID(key))
}
