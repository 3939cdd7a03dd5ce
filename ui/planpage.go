package ui

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/page"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/table"
)

// planPage shows what a drain of some nodes would do; it follows the cluster
// and says what changed since it was opened.
type planPage struct {
	list    list
	nodes   []string
	turn    uint64 // of the newest answer
	has     bool
	part    string // what the plan lacks, "" where it is whole
	err     error
	base    plan.Plan // as it was shown first
	plan    plan.Plan // as it is now
	changes []page.Change
	pods    map[string]plan.Pod // by UID
	name    int
	owner   int
	budget  int
	why     int
	fate    int
	lands   int
	time    planTime
}

type planMsg struct {
	turn  uint64
	pods  bool // for the pods page
	nodes []string
	part  string
	plan  plan.Plan
	err   error
}

// widestLanding bounds the column that says where pods land.
const widestLanding = 32

// widestFate has room for every fate in full, leastFate for its short form.
const (
	widestFate = 26
	leastFate  = 9
)

// leastHead is how many lines the words above a plan may take on a low screen,
// where there is room for them; a high one has more.
const leastHead = 7

var planSorts = []string{"fate", "pod", "node", "owner"}

// openPlan shows the plan of some nodes from scratch.
func (m *Model) openPlan(p *planPage, to []string) {
	keep := p.list.sort
	*p = planPage{nodes: to, list: list{sort: keep}}
	m.askPlan(p)
}

// replan has the plans that are on the way made anew: the cluster or the
// options changed.
func (m *Model) replan() {
	if m.onPath(pagePlan) {
		m.askPlan(&m.plan)
	}
	if m.onPath(pagePods) {
		m.askPlan(&m.pods)
	}
}

// onPath tells whether a page is shown or will be gone back to.
func (m *Model) onPath(p keys.Page) bool {
	if m.page == p {
		return true
	}
	for _, b := range m.back {
		if b == p {
			return true
		}
	}
	return false
}

func (m *Model) askPlan(p *planPage) {
	m.planTurn++
	msg := planMsg{turn: m.planTurn, pods: p == &m.pods, nodes: p.nodes}
	snap, o, now := m.snap, m.options, m.now
	m.queue(m.d.Crash.guard("the plan", func() tea.Msg {
		msg.part = page.Incomplete(snap)
		msg.plan, msg.err = m.d.NewPlan(snap, msg.nodes, o, now)
		return msg
	}))
}

func (m *Model) takePlan(msg planMsg) {
	p := &m.plan
	if msg.pods {
		p = &m.pods
	}
	if msg.turn < p.turn || !slices.Equal(msg.nodes, p.nodes) {
		return // a newer answer came first
	}
	p.turn, p.err = msg.turn, msg.err
	if msg.err != nil {
		return
	}
	if !p.has || p.part != "" || optionsKey(p.base.Options) != optionsKey(msg.plan.Options) {
		p.base, p.has = msg.plan, true // other options make another plan, not a change of it
		p.time = planTime{}
	}
	p.part = msg.part
	p.plan = msg.plan
	p.time.of(p.plan)
	p.changes = page.Drift(p.base, p.plan)
	p.rebuild()
}

// rebuild filters and sorts the pods of the plan.
func (p *planPage) rebuild() {
	text, inverse := p.list.matcher()
	p.pods = map[string]plan.Pod{}
	p.name, p.owner, p.budget, p.why, p.fate, p.lands, p.list.total = 0, 0, 0, 0, 0, 0, 0
	var shown []plan.Pod
	for _, n := range p.plan.Nodes {
		for _, pod := range n.Pods {
			p.list.total++
			p.pods[string(pod.UID)] = pod
			p.name = max(p.name, paint.Width(pod.Namespace)+1+paint.Width(pod.Name))
			p.owner = max(p.owner, paint.Width(pod.Owner))
			p.why = max(p.why, paint.Width(page.Why(pod)))
			p.fate = max(p.fate, page.Fate(pod, widestFate).Width())
			p.budget = max(p.budget, page.PlanBudget(pod).Width())
			p.lands = max(p.lands, page.Lands(pod, widestLanding).Width())
			if text == "" || planMatches(pod, text) != inverse {
				shown = append(shown, pod)
			}
		}
	}
	slices.SortStableFunc(shown, comparePlanned(p.list.sort))
	if p.list.reverse {
		slices.Reverse(shown)
	}
	keys := make([]string, len(shown))
	for i, pod := range shown {
		keys[i] = string(pod.UID)
	}
	p.list.table.SetKeys(keys)
}

func planMatches(p plan.Pod, text string) bool {
	for _, s := range []string{p.Namespace + "/" + p.Name, p.Owner, p.Node, p.Fate().String(), page.Why(p)} {
		if strings.Contains(strings.ToLower(s), text) {
			return true
		}
	}
	return false
}

func comparePlanned(by string) func(a, b plan.Pod) int {
	return func(a, b plan.Pod) int {
		first := 0
		switch by {
		case "fate":
			first = cmp.Compare(page.FateRank(a), page.FateRank(b))
		case "node":
			first = strings.Compare(a.Node, b.Node)
		case "owner":
			first = strings.Compare(a.Owner, b.Owner)
		}
		return cmp.Or(first, strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name),
			strings.Compare(string(a.UID), string(b.UID)))
	}
}

func (m *Model) settlePlan(p *planPage) {
	// The name is what operators read: it is cut only where it leaves no room
	// for the reason, and every column behind that goes before.
	why := min(max(p.why, 12), 26)
	name := min(max(p.name, 3), max(24, m.lay.Columns()-9-why-2*table.Gap))
	fate := max(p.fate, leastFate)
	columns := []table.Column{
		{ID: "pod", Title: "POD", Width: name},
		{ID: "fate", Title: "FATE", Width: fate, Min: leastFate},
		{ID: "why", Title: "WHY", Width: min(max(p.why, 12), 60), Min: min(max(p.why, 12), max(why, min(36, m.lay.Columns()/3))), Grow: true, Max: max(p.why, 12)},
		{ID: "lands", Title: "LANDS", Width: min(p.lands, widestLanding), Min: min(p.lands, 9), Drop: 1},
		{ID: "node", Title: "NODE", Width: min(m.nodes.name, 24), Min: min(m.nodes.name, 10), Drop: 2},
		{ID: "owner", Title: "OWNER", Width: min(max(p.owner, 5), 36), Min: min(max(p.owner, 5), 24), Drop: 4},
		{ID: "budget", Title: "BUDGET", Width: min(max(p.budget, 6), 28), Min: min(max(p.budget, 6), 18), Drop: 3},
	}
	leaveOut := func(id string) {
		columns = slices.DeleteFunc(columns, func(c table.Column) bool { return c.ID == id })
	}
	if m.width < 150 {
		leaveOut("owner")
	}
	if p.lands == 0 {
		leaveOut("lands")
	}
	if len(p.nodes) == 1 {
		leaveOut("node")
	}
	p.list.settle(m.lay, columns, nil)
}

func (m *Model) viewPlan(p *planPage, title string) pageView {
	v := pageView{list: &p.list}
	v.left = paint.L(themes.Title, title).Add(themes.Text, "  ").Add(themes.Accent, page.List(p.nodes, 4)).
		Add(themes.Muted, paint.Dot+m.d.Identity.Context)
	v.right = m.planTruth(p)
	v.head = m.planHead(p)
	v.cell = func(key, column string, width int) paint.Line { return planCell(p.pods[key], column, width) }
	v.marked = func(key string) bool {
		return slices.ContainsFunc(p.changes, func(c page.Change) bool { return c.UID == kube.UID(key) })
	}
	switch {
	case p.err != nil:
		v.empty = paint.L(themes.Bad, paint.Bad+" "+p.err.Error())
	case !p.has:
		v.empty = paint.L(themes.Busy, "Planning"+paint.Ellipsis)
	case p.list.filter != "" && p.list.total > 0:
		v.empty = paint.L(themes.Muted, "No pod matches "+page.Quote(p.list.filter)+".")
	case p.part != "":
		v.empty = paint.L(themes.Busy, page.FirstUpper(p.part)+".")
	default:
		v.empty = paint.L(themes.Good, paint.Good+" There is no pod on it: a drain would only cordon.")
	}
	if pod, ok := p.pods[p.list.table.Cursor()]; ok {
		v.subject = pod.Name
		v.detail = page.PlanPodSentence(pod, m.now)
	}
	return v
}

// planTruth says how old the plan is and whether it still holds.
func (m *Model) planTruth(p *planPage) paint.Line {
	switch {
	case !p.has:
		return paint.L(themes.Muted, "read only")
	case p.part != "":
		return paint.L(themes.Muted, "read only"+paint.Dot).Add(themes.Busy, paint.Asked+" not whole yet")
	}
	l := paint.L(themes.Muted, "read only"+paint.Dot+p.base.TakenAt.Format("15:04:05")+paint.Dot)
	if !m.snap.Health().Live {
		return append(l, page.Live(m.snap, m.now)...)
	}
	return append(l, page.DriftWord(p.changes)...)
}

func (m *Model) planHead(p *planPage) []paint.Line {
	var head []paint.Line
	if n := page.Notice(m.snap, m.now); n != nil && (p.part == "" || !m.snap.Health().Live) {
		head = append(head, n)
	}
	if !p.has {
		return append(head, paint.L(themes.Muted, "options: "+page.OptionWords(m.options)))
	}
	if p.part != "" {
		// No numbers: those of a part are no plan.
		head = append(head, paint.L(themes.Busy, "Only a part of the plan. "+page.FirstUpper(p.part)+"."))
	} else {
		head = append(head, page.PlanSummary(p.plan))
		head = append(head, m.planWhen(p)...)
	}
	options := paint.L(themes.Muted, "options: ").Add(themes.Text, page.OptionWords(m.options))
	if page.UsualOnly(p.plan.Nodes...) {
		options = paint.L(themes.Warning, "Only this is refused: ").Add(themes.Key, "a").
			Add(themes.Warning, " accepts --ignore-daemonsets --delete-emptydir-data")
	}
	head = append(head, options)
	if l := m.rightsLine(); l != nil && p == &m.plan {
		head = append(head, l)
	}
	if p.part == "" {
		room := max(leastHead, m.height/3) - len(head)
		head = append(head, page.FindingLines(p.plan.Findings, min(room, headRoom(m.height)-len(head)-1), findingsKey)...)
	}
	return append(head, nil)
}

func planCell(p plan.Pod, column string, width int) paint.Line {
	switch column {
	case "pod":
		return podName(p.Namespace, p.Name, width)
	case "fate":
		return page.Fate(p, width)
	case "why":
		return paint.L(themes.Text, paint.Truncate(page.Why(p), width))
	case "node":
		return paint.L(themes.Muted, paint.Middle(p.Node, width))
	case "owner":
		return paint.L(themes.Muted, paint.Middle(p.Owner, width))
	case "budget":
		return page.PlanBudget(p)
	case "lands":
		return page.Lands(p, width)
	}
	return nil
}

// podName is the name of a pod with its namespace; where it does not fit, the
// namespace gives way before the end of the name, which tells siblings apart.
func podName(namespace, name string, width int) paint.Line {
	full := paint.Width(namespace) + 1 + paint.Width(name)
	if full <= width {
		return paint.L(themes.Muted, namespace+"/").Add(themes.Text, name)
	}
	room := max(min(paint.Width(namespace), width-1-paint.Width(name)), min(paint.Width(namespace), 6))
	if room > width/3 && room > width-1-paint.Width(name) {
		room = width / 3
	}
	return paint.L(themes.Muted, paint.Truncate(namespace, room)+"/").Add(themes.Text, paint.Middle(name, width-1-room))
}
