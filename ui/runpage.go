package ui

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/page"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/table"
)

// runPage shows a run while it lives, and its result until it is left.
type runPage struct {
	list list
	pods map[string]*drain.PodRun
	name int
}

var runSorts = []string{"trouble", "pod", "node", "for"}

// attach watches a run from now on.
func (m *Model) attach(r drain.Run) {
	m.queue(m.arm.run(r)) // before the first look, so that nothing falls between
	m.run, m.last, m.over = r, r.State(), false
	m.runs = runPage{list: list{sort: "trouble"}}
	m.filtering = false
	m.page, m.back = pageRun, []keys.Page{pageNodes}
	if m.d.Replay {
		m.back = nil
	}
	m.rebuildRun()
	m.question()
}

func (m *Model) takeRun(msg runMsg) {
	if msg.run != m.run {
		return // a run that was left
	}
	wasLive := m.live()
	m.last, m.over = msg.state, msg.over
	m.rebuildRun()
	switch {
	case m.live():
		m.queue(m.arm.run(m.run))
		m.question()
	case wasLive:
		m.ended()
	}
}

// ended is the moment a run reached its result: it comes to the front and
// stays there.
func (m *Model) ended() {
	if m.leaving {
		m.quit(LeftByOperator)
		return
	}
	m.leavePlan()
	word := string(m.last.Outcome)
	if word == "" {
		word = "without a result"
	}
	if m.d.Replay {
		m.say("The replay is over; the run ended: " + word + ".")
		return
	}
	said := "The run has ended: " + word + "."
	if m.page != pageRun {
		said += " w shows it."
	}
	m.say(said)
	if !m.filtering && len(m.dialogs) == 0 { // else keys on their way would land on another page
		m.show(pageRun)
	}
}

func (m *Model) rebuildRun() {
	if m.last == nil {
		return
	}
	l := &m.runs.list
	text, inverse := l.matcher()
	m.runs.pods = make(map[string]*drain.PodRun, len(m.last.Pods))
	m.runs.name, l.total = 0, len(m.last.Pods)
	var shown []*drain.PodRun
	for _, p := range m.last.Pods {
		m.runs.pods[string(p.UID)] = p
		if m.last.Outcome != "" && p.Action == plan.ActionSkip {
			l.total-- // a result is about what was the run's job
			continue
		}
		m.runs.name = max(m.runs.name, paint.Width(p.Namespace)+1+paint.Width(p.Name))
		if text == "" || runMatches(p, text) != inverse {
			shown = append(shown, p)
		}
	}
	slices.SortStableFunc(shown, compareRunning(l.sort))
	if l.reverse {
		slices.Reverse(shown)
	}
	keys := make([]string, len(shown))
	for i, p := range shown {
		keys[i] = string(p.UID)
	}
	l.table.SetKeys(keys)
	if !l.touched { // the pod that most needs a look, until the operator chose one
		l.table.First()
	}
}

func runMatches(p *drain.PodRun, text string) bool {
	for _, s := range []string{p.Namespace + "/" + p.Name, p.Node, p.Owner, page.PodState(p).String()} {
		if strings.Contains(strings.ToLower(s), text) {
			return true
		}
	}
	return p.Wait != nil && p.Wait.Budget != nil && strings.Contains(strings.ToLower(p.Wait.Budget.Name), text)
}

func compareRunning(by string) func(a, b *drain.PodRun) int {
	return func(a, b *drain.PodRun) int {
		first := 0
		switch by {
		case "pod":
			first = cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
		case "node":
			first = strings.Compare(a.Node, b.Node)
		case "for":
			first = a.Since.Compare(b.Since)
		}
		return cmp.Or(first, page.CompareTrouble(a, b))
	}
}

func (m *Model) settleRun() {
	node := 0
	if m.last != nil && len(m.last.Nodes) > 1 {
		for _, n := range m.last.Nodes {
			node = max(node, paint.Width(n.Name))
		}
	}
	r := &m.runs
	least, waits := min(max(25, m.width*2/5), 48), 20 // what a pod waits for has a line of its own where it must
	if m.last != nil && m.last.Outcome != "" && node == 0 {
		waits = 10 // most pods wait for nothing any more
	}
	columns := []table.Column{
		{ID: "pod", Title: "POD", Width: min(max(r.name, 3), 48), Min: min(max(r.name, 3), least), Grow: true, Max: max(r.name, 3)},
		{ID: "state", Title: "STATE", Width: 12},
		{ID: "for", Title: "FOR", Width: 6, Right: true},
		{ID: "tries", Title: "TRIES", Width: 5, Right: true, Drop: 1},
		{ID: "node", Title: "NODE", Width: min(node, 20), Min: min(node, 8), Drop: 2},
		{ID: "waits", Title: "WAITS FOR", Width: 66, Min: waits, Grow: true, Max: 110},
	}
	if node == 0 {
		columns = slices.Delete(columns, 4, 5)
	}
	r.list.widths = table.Fit(columns, m.lay.Columns())
	r.list.columns = columns
	r.list.settle(m.lay, columns, m.runRowHeight)
}

// runRowHeight is two where what a pod waits for has no room beside it: then
// it stands on a line of its own rather than being cut.
func (m *Model) runRowHeight(key string) int {
	if m.runs.continued(key) {
		return 2
	}
	return 1
}

func (r *runPage) continued(key string) bool {
	p := r.pods[key]
	if p == nil || p.State.Final() || p.Wait == nil || !heldByBudget(p.Wait) {
		return false
	}
	return !page.BlockedFits(p.Wait, p.Name, r.list.width("waits"))
}

func heldByBudget(w *drain.Wait) bool {
	return w.For == drain.WaitForBudget && (w.Budget != nil || w.Sibling != nil)
}

func (m *Model) viewRun() pageView {
	if m.last == nil {
		return pageView{left: paint.L(themes.Title, "Run"), empty: paint.L(themes.Muted, "There is no run.")}
	}
	v := pageView{list: &m.runs.list}
	v.left, v.right = page.RunTitle(m.last, m.now)
	if m.d.Replay {
		v.left = v.left.Add(themes.Text, "  ").Add(themes.Warning, "REPLAY")
	}
	v.head = m.runHead()
	v.cell = func(key, column string, width int) paint.Line { return m.runCell(m.runs.pods[key], column, width) }
	v.extra = func(key string) paint.Line {
		if !m.runs.continued(key) {
			return nil
		}
		p := m.runs.pods[key]
		return paint.L(themes.Text, page.BlockedText(p.Wait, p.Name, m.lay.Columns()-2))
	}
	v.empty = paint.L(themes.Muted, "There is no pod to move.")
	if m.runs.list.filter != "" && m.runs.list.total > 0 {
		v.empty = paint.L(themes.Muted, "No pod matches "+page.Quote(m.runs.list.filter)+".")
	}
	if p := m.runs.pods[m.runs.list.table.Cursor()]; p != nil {
		v.subject, v.detail = p.Name, page.PodRunSentence(p, m.runNow())
	}
	return v
}

func (m *Model) runHead() []paint.Line {
	if m.last.Outcome != "" {
		return append(page.Result(m.last, m.undos(m.last, m.snap), m.width-2, m.now), nil)
	}
	head := []paint.Line{page.RunPhases(m.last, m.width-2)}
	if m.last.Down != nil {
		head = append(head, paint.L(themes.Bad, "The API server is away; nothing is sent until it is back. ").Add(themes.Muted, page.Quote(m.last.DownWhy)))
	}
	head = append(head, m.standstill()...)
	if q := m.last.Question; q != nil && !m.d.ReadOnly && !m.isOpen(questionDialog) {
		head = append(head, paint.L(themes.Accent, paint.Warn+" The run waits for your word on "+string(q.Phase)+": ").Add(themes.Key, "enter"))
	}
	head = append(head, page.RunLeases(m.last, m.width-2, max(1, (m.height-16)/8))...)
	head = append(head, page.RunBudgets(m.last, m.width-2, max(1, (m.height-16)/8))...)
	head = append(head, page.RunRungs(m.last, m.width-2, max(1, (m.height-16)/8))...)
	most := max(1, (m.height-12)/4)
	return append(append(head, page.RunNodes(m.last, m.width-2, most)...), nil)
}

// standstill says why the run sends nothing, and what lets it go on.
func (m *Model) standstill() []paint.Line {
	switch {
	case m.last.JournalLost != "":
		words := "The journal cannot be written; the run goes on without it. "
		if m.last.Paused {
			words = "The journal cannot be written; nothing is sent. "
		}
		return paint.Wrap(paint.L(themes.Bad, words).Add(themes.Muted, page.Quote(m.last.JournalLost)), m.width-2)
	case m.last.Paused && !m.last.Aborting:
		l := paint.L(themes.Warning, paint.Wait+" Paused: nothing new is sent; what was accepted goes on ending.")
		if !m.d.ReadOnly && !m.d.Replay {
			l = l.Add(themes.Key, " P").Add(themes.Muted, " goes on")
		}
		return []paint.Line{l}
	}
	return nil
}

// runNow is the moment that the run page is about: a run that ended waits for
// nothing any more.
func (m *Model) runNow() time.Time {
	if m.last.Outcome != "" && !m.last.Ended.IsZero() {
		return m.last.Ended
	}
	return m.now
}

func (m *Model) runCell(p *drain.PodRun, column string, width int) paint.Line {
	if p == nil {
		return nil
	}
	switch column {
	case "pod":
		return podName(p.Namespace, p.Name, width)
	case "state":
		return page.PodState(p)
	case "for":
		return paint.L(themes.Muted, page.PodFor(p, m.runNow()))
	case "tries":
		if p.Attempts == 0 {
			return nil
		}
		return paint.L(themes.Muted, page.Number(p.Attempts))
	case "node":
		return paint.L(themes.Muted, paint.Middle(p.Node, width))
	}
	if m.runs.continued(string(p.UID)) {
		return paint.L(themes.Muted, "its budget:")
	}
	return page.WaitsFor(p, width, m.runNow())
}

// selectedRunPod is the pod of the run under the cursor, nil if there is none.
func (m *Model) selectedRunPod() *drain.PodRun {
	if m.last == nil {
		return nil
	}
	return m.last.Pod(kube.UID(m.runs.list.table.Cursor()))
}
