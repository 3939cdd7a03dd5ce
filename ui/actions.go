package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// groups are those of all actions, in the order of hints and help.
var groups = []string{"Nodes", "Plan", "Options", "Run", "Roll", "Timeline", "Replay", "Runs", "Budgets", "Pod",
	"Lists", "All pods", "Node", "Map", "Program", "Moving"}

var (
	listPages = []keys.Page{frame.Nodes, frame.Pods, frame.AllPods, frame.Plan, frame.Run}
	findPages = slices.Concat(listPages, []keys.Page{frame.Events, frame.Timeline, frame.Budgets, frame.Node,
		frame.Roll, frame.History, frame.Palette, frame.Themes, frame.Options}) // with a filter
	runPages  = []keys.Page{frame.Run, frame.Remedies, frame.Checks, frame.Timeline, frame.Events}
	readPages = []keys.Page{frame.Nodes, frame.Pods, frame.AllPods, frame.Node, frame.Plan, frame.Options, frame.Run,
		frame.Pod, frame.Remedies, frame.Checks, frame.Events, frame.Timeline, frame.Budgets, frame.Map, frame.Findings,
		frame.Roll, frame.NewRoll, frame.History}
	allPages = slices.Concat(readPages, []keys.Page{frame.Palette, frame.Themes, frame.Help, frame.Messages})
)

// actions are what keys do on several pages; the others are with their page.
type actions struct{ *shell }

// nodeActions open the plan of the nodes that the page is about.
func (a actions) nodeActions() []keys.Action {
	plan := func() { a.Open(frame.Ref{Page: frame.Plan, Nodes: a.Targets()}) }
	return []keys.Action{
		{ID: "plan", Keys: []string{"D"}, Title: "plan", Group: "Nodes",
			Pages:   []keys.Page{frame.Nodes, frame.Map},
			Enabled: a.hasTargets, Do: plan,
			Help: "show what a drain of the marked nodes would do, or of the selected one; changes nothing"},
		{ID: "newroll", Keys: []string{"M"}, Title: "maintain", TitleNow: a.maintain, Group: "Nodes",
			Pages:   []keys.Page{frame.Nodes},
			Enabled: a.canRoll, Do: func() { a.Open(frame.Ref{Page: frame.NewRoll, Nodes: a.Targets()}) },
			Help: "put a rolling maintenance of the marked nodes together, or of the selected one; begins nothing"},
		{ID: "planone", Keys: []string{"D"}, Title: "plan",
			Help: "show what a drain of this node would do; changes nothing", Group: "Nodes",
			Pages: []keys.Page{frame.Pods}, Do: plan},
	}
}

// maintain is hinted at where several nodes are marked: other hints matter more for one.
func (a actions) maintain() string {
	if len(a.Targets()) > 1 {
		return "maintain"
	}
	return ""
}

// canRoll reports whether there is something to maintain, and something to do it with.
func (a actions) canRoll() (bool, string) {
	if ok, why := a.hasCluster(); !ok {
		return ok, why
	}
	return a.hasTargets()
}

func (a actions) hasTargets() (bool, string) {
	return len(a.Targets()) > 0, "there is no node to act on"
}

// planActions are about the options of the next plan.
func (a actions) planActions() []keys.Action {
	kubectl := func() {
		o := a.m.s.Options
		if p, ok := a.m.page().(frame.Planner); ok && p.Planned() != nil {
			o = p.Planned().Options // as it is shown
		}
		a.ShowCommand(wording.DrainLine(a.m.s.Target(), a.Targets(), o))
	}
	options := func() { a.m.show(frame.Options) }
	return []keys.Action{
		{ID: "usual", Keys: []string{"a"}, Title: "accept flags",
			Help:  "accept --ignore-daemonsets and --delete-emptydir-data, which most drains need",
			Group: "Plan", Pages: []keys.Page{frame.Nodes, frame.Plan, frame.Pods, frame.AllPods},
			Enabled: a.canAcceptUsual,
			Do: func() {
				a.SetOptions(a.m.s.Options.WithUsual())
				a.Say("The flags are accepted, also for the next plans.")
			}},
		{ID: "options", Keys: []string{"o"}, Title: "options", Help: "the flags of the drain", Group: "Plan", Pages: []keys.Page{frame.Plan}, Do: options},
		{ID: "nodeoptions", Keys: []string{"O"}, Help: "the flags of the drain", Group: "Plan", Pages: []keys.Page{frame.Nodes, frame.Pods}, Do: options},
		{ID: "kubectl", Keys: []string{"y"}, Title: "copy command",
			Help: "copy the drain as a command (of kubectl where that does the same), and show it", Group: "Plan",
			Pages: []keys.Page{frame.Plan, frame.Pods, frame.Options}, Do: kubectl},
		{ID: "nodeskubectl", Keys: []string{"y"}, Group: "Plan", Pages: []keys.Page{frame.Nodes}, Enabled: a.hasTargets,
			Do:   kubectl,
			Help: "copy the drain of the marked nodes, or of the selected one, as a command, and show it"},
	}
}

// canAcceptUsual offers the two usual flags while one of them is missing, and
// on a plan only where it assumes them.
func (a actions) canAcceptUsual() (bool, string) {
	if a.m.s.Options.HasUsual() {
		return false, "both are accepted already"
	}
	var plan *plan.Plan
	if p, ok := a.m.page().(frame.Planner); ok {
		plan = p.Planned()
	}
	if plan != nil && !plan.Options.HasUsual() { // else the page assumes them
		return false, "that is not the cause here: see the options"
	}
	return true, ""
}

// moveActions are the only ones on h j k l g G.
func (a actions) moveActions() []keys.Action {
	const group = "Moving"
	move := func(id, help string, by func() int, names ...string) keys.Action {
		return keys.Action{ID: id, Keys: names, Help: help, Group: group, Pages: allPages, Do: func() { a.move(by()) }}
	}
	fixed := func(by int) func() int { return func() int { return by } }
	return []keys.Action{
		move("down", "one line down", fixed(1), "down", "j"),
		move("up", "one line up", fixed(-1), "up", "k"),
		move("pagedown", "one page down", a.pageHeight, "pgdown", "ctrl+f"),
		move("pageup", "one page up", func() int { return -a.pageHeight() }, "pgup", "ctrl+b"),
		move("halfdown", "half a page down", func() int { return a.pageHeight() / 2 }, "ctrl+d"),
		move("halfup", "half a page up", func() int { return -a.pageHeight() / 2 }, "ctrl+u"),
		move("first", "to the first line", fixed(-1<<30), "home", "g"),
		move("last", "to the last line", fixed(1<<30), "end", "G"),
	}
}

// move moves the cursor, or the text on a page without one.
func (a actions) move(by int) {
	if l := a.m.list(); l != nil {
		l.Move(by)
		return
	}
	if p, ok := a.m.page().(frame.Mover); ok {
		p.Move(by)
		return
	}
	a.m.scroll(by)
}

func (a actions) pageHeight() int {
	if a.m.list() == nil {
		return max(1, a.m.textHeight(a.m.page().View())-1)
	}
	return max(1, a.m.lay.Rows-1)
}

func (a actions) listActions() []keys.Action {
	const group = "Lists"
	return []keys.Action{
		{ID: "filter", Keys: []string{"/"}, Title: "filter", Help: "show only rows with a text in them; ~ regular expression, -l labels (of nodes), ! before it shows the others", Group: group,
			Pages: findPages, Do: func() { a.m.filtering = true }},
		{ID: "sortnext", Keys: []string{">"}, Title: "sort", Help: "sort by the next column", Group: group, Pages: listPages, Do: func() { a.nextSort(1) }},
		{ID: "sortback", Keys: []string{"<"}, Help: "sort by the column before", Group: group, Pages: listPages, Do: func() { a.nextSort(-1) }},
		{ID: "order", Keys: []string{"s"}, Help: "reverse the order", Group: group, Pages: listPages, Do: a.turnOrder},
		{ID: "ordero", Keys: []string{"o"}, Help: "reverse the order", Group: group,
			Pages: []keys.Page{frame.Nodes, frame.Pods, frame.Run},
			Do:    a.turnOrder},
	}
}

func (a actions) nextSort(step int) {
	a.sortBy(a.m.list().NextSort(a.m.page().(frame.Lister).Sorts(), step))
}

func (a actions) sortBy(by frame.Sort) {
	a.m.list().SortBy(by)
	a.m.rebuild()
	said := "sorted by " + by.Title
	if by.Largest {
		said += ", the largest first"
	}
	a.m.notices.say(said+"; s reverses it", a.m.now)
}

func (a actions) turnOrder() {
	l := a.m.list()
	l.Reverse = !l.Reverse
	a.m.rebuild()
}

func (a actions) programActions() []keys.Action {
	const group = "Program"
	open := func(p keys.Page) func() { return func() { a.Open(frame.Ref{Page: p}) } }
	return []keys.Action{
		{ID: "back", Keys: []string{"esc"}, Title: "back", TitleNow: a.backTitle,
			Help: "dismiss a message, clear the filter, go back; never leaves the program", Group: group, Pages: allPages, Do: a.escape},
		{ID: "watch", Keys: []string{"w"}, Title: "watch run", Help: "go to the run, or to the result of the last one",
			Group: group,
			Pages: []keys.Page{frame.Nodes, frame.Pods, frame.Plan},
			Enabled: func() (bool, string) {
				return a.m.s.State != nil || a.m.s.Roll != nil, "no run was started from here yet"
			},
			Do: func() {
				if a.m.s.Roll != nil {
					a.m.show(frame.Roll)
					return
				}
				a.m.show(frame.Run)
			}},
		{ID: "messages", Keys: []string{"e"}, Help: "all messages of the program, newest first", Group: group,
			Pages: slices.DeleteFunc(slices.Clone(readPages),
				func(p keys.Page) bool { return slices.Contains(runPages[:4], p) }), Do: open(frame.Messages)},
		{ID: "events", Keys: []string{"e"}, Title: "events",
			Help:  "the event log of the run: evictions, answers, actions, outages; again for the messages of the program",
			Group: "Run", Pages: runPages[:4], Enabled: a.hasEvents, Do: open(frame.Events)},
		{ID: "timeline", Keys: []string{"t"}, Title: "timeline", Help: "a lane for each pod of the run over time",
			Group: "Run",
			Pages: []keys.Page{frame.Run, frame.Checks, frame.Events}, Enabled: a.hasEvents, Do: open(frame.Timeline)},
		{ID: "palette", Keys: []string{":"}, Title: "find", Group: group, Pages: readPages,
			Help: "find a key of this page by what it does, an order of its rows, a node, a pod or a context by its name",
			Do: func() {
				a.Open(frame.Ref{Page: frame.Palette})
				a.m.filtering = true
			}},
		{ID: "themes", Keys: []string{"ctrl+t"}, Group: group,
			Help:  "choose the theme: the screen shows the selected one",
			Pages: readPages, Do: open(frame.Themes)},
		{ID: "repaint", Keys: []string{"ctrl+l"}, Help: "redraw the screen", Group: group, Pages: allPages, Do: func() { a.m.queue(tea.ClearScreen) }},
		{ID: "stop", Keys: []string{"ctrl+z"}, Group: group, Pages: allPages, Enabled: a.canStop,
			Help: "stop the program as shells do: fg continues it. Not while a run of this program is active",
			Do:   func() { a.m.queue(tea.Suspend) }},
		{ID: "help", Keys: []string{"?"}, Title: "help", Help: "all keys", Group: group, Pages: readPages, Do: open(frame.Help)},
		{ID: "helpdone", Keys: []string{"?"}, Help: "back from the keys", Group: group, Pages: []keys.Page{frame.Help}, Do: a.escape},
		{ID: "quit", Keys: []string{"q"}, Title: "quit",
			Help:  "leave the program; asks while a run is active. Ctrl+C asks too, and twice leaves at once",
			Group: group, Pages: allPages, Do: a.m.askToQuit},
	}
}

// canStop refuses to stop the process while its run would stop with it.
func (a actions) canStop() (bool, string) {
	if a.m.endsRun() || a.m.s.Starting || (rolling{a.m}).endsRoll() {
		return false, "the run is part of this program and would stop with it: q offers to suspend the run"
	}
	return true, ""
}

// lookActions open the pages of what is there.
func (a actions) lookActions() []keys.Action {
	open := func(p keys.Page) func() { return func() { a.Open(frame.Ref{Page: p}) } }
	return []keys.Action{
		{ID: "budgets", Keys: []string{"b"},
			Help: "all budgets: healthy, needed and allowed, and which nodes they hold", Group: "Budgets",
			Pages: []keys.Page{frame.Nodes, frame.Pods, frame.Plan,
				frame.Run}, Enabled: a.hasCluster, Do: open(frame.Budgets)},
		{ID: "map", Keys: []string{"m"}, Title: "map",
			Help: "the cluster as a map: nodes as tiles by zone, how full they are, and their pods", Group: "Map",
			Pages: []keys.Page{frame.Nodes, frame.Run}, Enabled: a.hasCluster, Do: open(frame.Map)},
		{ID: "allpods", Keys: []string{"p"}, Title: "all pods", TitleNow: a.onNodes("all pods"), Group: "All pods",
			Help:  "every pod of the cluster with its state, those that need a look first; also of some nodes or a namespace",
			Pages: []keys.Page{frame.Nodes, frame.Pods, frame.Plan, frame.Run, frame.Budgets}, Enabled: a.hasCluster,
			Do: func() { a.Open(frame.Ref{Page: frame.AllPods, Nodes: a.Targets()}) }},
		{ID: "node", Keys: []string{"i"}, Title: "node", TitleNow: a.onNodes("about"), Group: "Node",
			Help:  "everything about the selected node: conditions, taints, resources, volumes, labels, its cordon, runs",
			Pages: []keys.Page{frame.Nodes, frame.Pods, frame.AllPods, frame.Plan, frame.Run}, Enabled: a.hasNode,
			Do: func() { a.Open(frame.Ref{Page: frame.Node, Nodes: []string{a.nodeHere()}}) }},
		{ID: "runs", Keys: []string{"r"}, Title: "runs", Group: "Runs",
			Help:  "all runs of this machine: their results, and to watch, resume or roll back one",
			Pages: []keys.Page{frame.Nodes, frame.Plan, frame.Pods, frame.Run, frame.Roll}, Enabled: a.hasRuns,
			Do: open(frame.History)},
	}
}

// nodeHere is the node that the selected row is, or that its pod is on, "" where there is none.
func (a actions) nodeHere() string {
	page := a.m.path.page
	if page == frame.Palette { // where it would be done
		page = a.m.path.before(frame.Nodes)
	}
	l, ok := a.m.pages[page].(frame.Lister)
	if !ok {
		return ""
	}
	key := l.List().Table.Cursor()
	if page == frame.Nodes {
		return key
	}
	if p := a.m.s.Snap.Pod(kube.UID(key)); p != nil {
		return p.Node
	}
	if a.m.s.State != nil {
		if p := a.m.s.State.Pod(kube.UID(key)); p != nil {
			return p.Node
		}
	}
	if nodes := a.Targets(); len(nodes) == 1 {
		return nodes[0]
	}
	return ""
}

func (a actions) hasNode() (bool, string) {
	if ok, why := a.hasCluster(); !ok {
		return ok, why
	}
	return a.nodeHere() != "", "the selected row is on no node"
}

// onNodes is hinted at on the list of nodes, where one looks around; elsewhere other hints matter more.
func (a actions) onNodes(title string) func() string {
	return func() string {
		if a.m.path.page != frame.Nodes {
			return ""
		}
		return title
	}
}

// hasEvents reports whether the run keeps its events; what is only watched has a state alone.
func (a actions) hasEvents() (bool, string) {
	if _, ok := a.m.s.Run.(interface{ Events(uint64) []drain.Event }); !ok {
		return false, "there is no run with events"
	}
	return true, ""
}

func (a actions) hasRuns() (bool, string) {
	return a.m.s.Runs != nil, "there is no cluster to show the runs of"
}

func (a actions) hasCluster() (bool, string) { return a.m.s.Cluster != nil, "a replay has no cluster" }

// backTitle hints at esc wherever there is a way back: who has read enough must not take q for it.
func (a actions) backTitle() string {
	if len(a.m.path.back) > 0 {
		return "back"
	}
	return ""
}

// escape goes one step back: the message, then the filter, then the page.
func (a actions) escape() {
	if a.m.notices.dismiss() {
		return
	}
	if query := (search{a.m}).text(); query != nil && *query != "" {
		a.m.editFilter("")
		return
	}
	switch {
	case rolling{a.m}.home() != frame.Nodes && a.m.path.page == rolling{a.m}.home():
		a.m.notices.refuse("esc does not leave: q quits", a.m.now)
	case a.m.path.page != frame.Nodes:
		a.m.goBack()
	case a.m.page().(frame.Hinter).Hints() != nil:
		a.m.notices.refuse("esc does not leave: - clears the marks, q quits", a.m.now)
	}
}
