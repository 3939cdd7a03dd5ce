package plan

import (
	"cmp"
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/confirm"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/table"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// Page shows what a drain of some nodes would do; it follows the cluster and says what
// changed since it was opened. There are two: the plan of the nodes that are to be
// drained, and that of one node as the list of its pods.
type Page struct {
	shell frame.Shell
	s     *frame.Session
	kind  keys.Page

	list    frame.List
	nodes   []string
	asked   uint64 // number of the newest question for a plan
	turn    uint64 // of the newest answer
	has     bool
	part    string // what the plan lacks, "" where it is whole
	err     error
	base    plan.Plan // as it was shown first
	plan    plan.Plan // as it is now
	changes []plan.Change
	pods    map[string]plan.Pod // by UID
	first   map[string]string   // the node of the first pod of each, by UID; nil where pods are in another order
	widest  widths
	time    planTime
	lay     frame.Layout
	rights  rights
}

// widths are those of the widest cells.
type widths struct{ name, node, owner, budget, why, fate, lands int }

// New makes the page of a plan, or that of the pods of a node.
func New(shell frame.Shell, kind keys.Page) *Page {
	m := &Page{shell: shell, s: shell.Session(), kind: kind}
	m.list.Sort = "fate"
	return m
}

// List makes it a page with a table.
func (m *Page) List() *frame.List { return &m.list }

// Sorts are the columns to sort by.
func (m *Page) Sorts() []frame.Sort {
	return []frame.Sort{{ID: "fate", Title: "fate"}, {ID: "pod", Title: "pod"}, {ID: byNode, Title: "node"},
		{ID: "owner", Title: "owner"}}
}

// Targets are the nodes of the plan.
func (m *Page) Targets() []string { return m.nodes }

// assumes reports whether the plan is made as if the flags that most drains need were accepted.
func (m *Page) assumes() bool {
	return m.has && m.plan.Options.HasUsual() && !m.s.Options.HasUsual()
}

// Planned is the plan, nil until there is one.
func (m *Page) Planned() *plan.Plan {
	if !m.has {
		return nil
	}
	return &m.plan
}

// Opened makes the plan of some nodes from scratch; without nodes the page stays as it is.
func (m *Page) Opened(ref frame.Ref) {
	if len(ref.Nodes) == 0 {
		return
	}
	*m = Page{shell: m.shell, s: m.s, kind: m.kind, asked: m.asked, rights: m.rights, nodes: ref.Nodes,
		list: frame.List{Sort: m.list.Sort}}
	m.askPlan()
}

// Update takes news, and the answers to what the page asked for.
func (m *Page) Update(msg tea.Msg) {
	switch msg := msg.(type) {
	case frame.NewSnapshot, frame.NewOptions:
		if m.shell.OnPath(m.kind) {
			m.askPlan()
		}
	case planMsg:
		m.onPlan(msg)
	case forecastMsg:
		m.onForecast(msg)
	case accessMsg:
		m.onDrainRights(msg)
	case confirm.Checked:
		if m.kind == frame.Plan {
			m.onChecked(msg)
		}
	case startedMsg:
		if m.kind == frame.Plan {
			m.onStarted(msg)
		}
	}
}

type planMsg struct {
	page  keys.Page
	turn  uint64
	nodes []string
	part  string
	plan  plan.Plan
	err   error
}

// widestLanding bounds the column that says where pods land.
const widestLanding = 32

// leastFate has room for the short form of every fate.
const leastFate = 9

// nodeKept is the width from which the column of the node stays.
const nodeKept = 88

// leastHead is how many lines the words above a plan may take on a low screen,
// where there is room for them; a high one has more.
const leastHead = 7

func (m *Page) askPlan() {
	m.asked++
	msg := planMsg{page: m.kind, turn: m.asked, nodes: m.nodes}
	cluster, snap, o, now := m.s.Cluster, m.s.Snap, m.s.Options, m.s.Now
	m.shell.Go("the plan", func(ctx context.Context) tea.Msg {
		msg.part = incomplete(snap)
		msg.plan, msg.err = cluster.NewPlan(snap, msg.nodes, o, now)
		if msg.err == nil && plan.WantsUsual(msg.plan.Nodes...) {
			msg.plan, msg.err = cluster.NewPlan(snap, msg.nodes, o.WithUsual(), now)
		}
		return msg
	})
}

func (m *Page) onPlan(msg planMsg) {
	if msg.page != m.kind || msg.turn < m.turn || !slices.Equal(msg.nodes, m.nodes) {
		return // a newer answer came first
	}
	m.turn, m.err = msg.turn, msg.err
	if msg.err != nil {
		return
	}
	if !m.has || m.part != "" || wording.OptionWords(m.base.Options) != wording.OptionWords(msg.plan.Options) {
		m.base, m.has = msg.plan, true // other options make another plan, not a change of it
		m.time = planTime{}
	}
	m.part = msg.part
	m.plan = msg.plan
	m.time.of(m.plan)
	m.changes = m.base.Diff(m.plan)
	m.Rebuild()
}

// Rebuild filters and sorts the pods of the plan.
func (m *Page) Rebuild() {
	match := m.list.Match()
	m.pods = map[string]plan.Pod{}
	m.widest, m.list.Total = widths{}, 0
	var shown []plan.Pod
	for _, n := range m.plan.Nodes {
		m.widest.node = max(m.widest.node, paint.Width(m.s.Names.Show(n.Name, 1<<10)))
		for _, pod := range n.Pods {
			m.list.Total++
			m.pods[string(pod.UID)] = pod
			m.widest.name = max(m.widest.name, paint.Width(pod.Namespace)+1+paint.Width(pod.Name))
			m.widest.owner = max(m.widest.owner, paint.Width(pod.Owner))
			m.widest.why = max(m.widest.why, paint.Width(wording.Why(pod)))
			m.widest.fate = max(m.widest.fate, wording.Effects(pod, wording.WidestEffects).Width())
			m.widest.budget = max(m.widest.budget, planBudget(pod).Width())
			m.widest.lands = max(m.widest.lands, landsCell(pod, widestLanding).Width())
			if match.All() || match.Keeps(nil, textsOf(pod)) {
				shown = append(shown, pod)
			}
		}
	}
	turn := map[string]int{}
	for i := range m.plan.Nodes {
		turn[m.plan.Nodes[i].Name] = i
	}
	slices.SortStableFunc(shown, comparePlanned(m.list.Sort, turn))
	if m.list.Reverse {
		slices.Reverse(shown)
	}
	m.first = order{m}.groups(shown)
	keys := make([]string, len(shown))
	for i, pod := range shown {
		keys[i] = string(pod.UID)
	}
	m.list.Table.SetKeys(keys)
}

// textsOf hands out what a filter finds a pod of a plan by.
func textsOf(p plan.Pod) func(has func(string) bool) bool {
	return func(has func(string) bool) bool {
		return has(p.Namespace+"/"+p.Name) || has(p.Owner) || has(p.Node) ||
			has(p.Effects().String()) || has(wording.Why(p))
	}
}

// byNode is the order of the nodes, and the gravest fate of each first.
const byNode = "node"

func comparePlanned(by string, turn map[string]int) func(a, b plan.Pod) int {
	return func(a, b plan.Pod) int {
		first := 0
		switch by {
		case "fate":
			first = cmp.Compare(a.Effects().Worst(), b.Effects().Worst())
		case byNode:
			first = cmp.Or(cmp.Compare(turn[a.Node], turn[b.Node]),
				cmp.Compare(a.Effects().Worst(), b.Effects().Worst()))
		case "owner":
			first = strings.Compare(a.Owner, b.Owner)
		}
		return cmp.Or(first, strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name),
			strings.Compare(string(a.UID), string(b.UID)))
	}
}

// Layout fits the columns, and asks for the time of the plan and for our rights.
func (m *Page) Layout(lay frame.Layout) {
	// The name is what operators read: it is cut only where it leaves no room
	// for the reason, and every column behind that goes before.
	m.lay = lay
	why := min(max(m.widest.why, 12), 26)
	name := min(max(m.widest.name, 3), max(24, lay.Columns()-9-why-2*table.Gap), max(34, lay.Columns()*45/100))
	nodeDrop := 2
	if len(m.nodes) > 1 && m.first == nil && lay.Columns() >= nodeKept {
		nodeDrop = 0 // which node a pod is on is asked before how the pod is called in full
		node := min(m.widest.node, max(10, m.s.Names.Least())) + table.Gap
		name = min(name, max(24, lay.Columns()-leastFate-why-node-2*table.Gap))
	}
	fate := max(m.widest.fate, leastFate)
	oneNode := len(m.nodes) == 1 || m.first != nil // the rows have no column for it
	leastWhy := min(max(m.widest.why, 12), max(why, min(36, lay.Columns()/3)))
	columns := []table.Column{
		{ID: "pod", Title: "POD", Width: name},
		{ID: "fate", Title: "FATE", Width: fate, Min: min(fate, max(leastFate, lay.Columns()/5))},
		{ID: "why", Title: "WHY", Width: min(max(m.widest.why, 12), 60),
			Min: leastWhy, Grow: true, Max: max(m.widest.why, 12)},
		{ID: "lands", Title: "LANDS", Width: min(m.widest.lands, widestLanding),
			Min:  leastLands(m.widest.lands, lay.Columns()-name-fate-leastWhy-3*table.Gap, oneNode),
			Drop: 1},
		{ID: byNode, Title: "NODE", Width: min(m.widest.node, 24),
			Min: min(m.widest.node, max(10, m.s.Names.Least())), Drop: nodeDrop},
		{ID: "owner", Title: "OWNER", Width: min(max(m.widest.owner, 5), 36),
			Min: min(max(m.widest.owner, 5), 24), Drop: 4},
		{ID: "budget", Title: "BUDGET", Width: min(max(m.widest.budget, 6), 28),
			Min: min(max(m.widest.budget, 6), 18), Drop: 3},
	}
	leaveOut := func(id string) {
		columns = slices.DeleteFunc(columns, func(c table.Column) bool { return c.ID == id })
	}
	if lay.Columns() < 146 {
		leaveOut("owner")
	}
	if m.widest.lands == 0 {
		leaveOut("lands")
	}
	if oneNode {
		leaveOut("node")
	}
	m.list.Layout(lay, columns, order{m}.height)
	m.reckonTime()
	m.askRights()
}

// View is the plan, or the pods.
func (m *Page) View() frame.View {
	v := frame.View{}
	v.Left = paint.L(themes.Title, wording.FirstUpper(string(m.kind))).Add(themes.Text, "  ").Add(themes.Accent,
		format.List(m.nodes, 4)).
		Add(themes.Muted, paint.Dot+m.s.Identity.Context)
	v.Right = m.planTruth()
	v.Head = m.planHead()
	v.Cell = func(key, column string, width int) paint.Line { return planCell(m.pods[key], m.s.Names, column, width) }
	v.Above = order{m}.above
	v.Mark = func(key string) string {
		if slices.ContainsFunc(m.changes, func(c plan.Change) bool { return c.UID == kube.UID(key) }) {
			return paint.Marked
		}
		return ""
	}
	switch {
	case m.err != nil:
		v.Empty = paint.L(themes.Bad, paint.Bad+" "+m.err.Error())
	case !m.has:
		v.Empty = paint.L(themes.Busy, "Planning"+paint.Ellipsis)
	case m.list.Filter != "" && m.list.Total > 0:
		v.Empty = paint.L(themes.Muted, "No pod matches "+format.Quote(m.list.Filter)+".")
	case m.part != "":
		v.Empty = paint.L(themes.Busy, wording.FirstUpper(m.part)+".")
	default:
		v.Empty = paint.L(themes.Good, paint.Good+" There is no pod on it: a drain would only cordon.")
	}
	if pod, ok := m.pods[m.list.Table.Cursor()]; ok {
		v.Subject = pod.Name
		v.Detail = planPodSentence(pod, m.s.Now, m.lay.Pane.Width > 0)
	}
	if m.has {
		v.Pane = m.pane
	}
	return v
}

// preview is what a plan is: reading it writes nothing, though `D` on its page goes on to
// the drain.
const preview = "preview"

// planTruth says that nothing of it was done yet, how old the plan is and whether it still
// holds.
func (m *Page) planTruth() paint.Line {
	switch {
	case !m.has:
		return paint.L(themes.Muted, preview)
	case m.part != "":
		return paint.L(themes.Muted, preview+paint.Dot).Add(themes.Busy, paint.Asked+" not whole yet")
	}
	l := paint.L(themes.Muted, preview+paint.Dot+m.base.TakenAt.Format("15:04:05")+paint.Dot)
	if !m.s.Snap.Health().Live {
		return append(l, wording.Live(m.s.Snap, m.s.Now)...)
	}
	return append(l, driftWord(m.changes)...)
}

func (m *Page) planHead() []paint.Line {
	var head []paint.Line
	if n := wording.Notice(m.s.Snap, m.s.Now); n != nil && (m.part == "" || !m.s.Snap.Health().Live) {
		head = append(head, n)
	}
	if !m.has {
		return append(head, paint.L(themes.Muted, "options: "+m.s.Flags))
	}
	if m.part != "" {
		// No numbers: those of a part are no plan.
		head = append(head, paint.L(themes.Busy, "Only a part of the plan. "+wording.FirstUpper(m.part)+"."))
	} else {
		head = append(head, wording.PlanSummary(m.plan))
		head = append(head, m.planWhen()...)
	}
	options := paint.L(themes.Muted, "options: ").Add(themes.Text, m.s.Flags)
	if m.assumes() {
		options = wording.Assumed()
	}
	head = append(head, options)
	if l := m.rightsLine(); l != nil && m.kind == frame.Plan {
		head = append(head, l)
	}
	if m.part == "" {
		room := max(leastHead, m.s.Height/3) - len(head)
		head = append(head, findingLines(m.plan.Findings, min(room, frame.HeadRoom(m.s.Height)-len(head)-1),
			findingsKey)...)
	}
	return append(head, nil)
}

func planCell(p plan.Pod, names *paint.Names, column string, width int) paint.Line {
	switch column {
	case "pod":
		return wording.PodName(p.Namespace, p.Name, width)
	case "fate":
		return wording.Effects(p, width)
	case "why":
		return paint.L(themes.Text, paint.Truncate(wording.Why(p), width))
	case "node":
		return paint.L(themes.Muted, names.Show(p.Node, width))
	case "owner":
		return paint.L(themes.Muted, paint.Middle(p.Owner, width))
	case "budget":
		return planBudget(p)
	case "lands":
		return landsCell(p, width)
	}
	return nil
}
