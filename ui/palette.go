package ui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/table"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// palette is a page that finds what one looks for by its name: what the keys of the page behind it do, its orders,
// nodes and pods. What is chosen is done there, by the rules of its key.
type palette struct {
	m    *model
	list frame.List
	rows map[string]found

	pods    *podsFound // for the text that was looked for last
	looking bool
}

// podsFound are pods in whose names a text is.
type podsFound struct {
	text string
	pods []*kube.Pod
}

// found is something that can be chosen.
type found struct {
	kind, name, does string
	action           *keys.Action // nil for a node or pod
	open             func()
}

// podsListed is how many letters have to be typed before pods are listed, and how many of them are.
const podsTyped, podsListed = 2, 200

func (p *palette) List() *frame.List   { return &p.list }
func (p *palette) Sorts() []frame.Sort { return nil }

// Update takes the pods that were found, and looks again where more was typed meanwhile.
func (p *palette) Update(msg tea.Msg) {
	if msg, ok := msg.(*podsFound); ok {
		p.pods, p.looking = msg, false
		if p.m.path.page == frame.Palette {
			p.Rebuild()
		}
	}
}

// lookForPods looks outside of the event loop: there may be very many.
func (p *palette) lookForPods() {
	text := p.list.Filter
	if p.looking || len(text) < podsTyped || p.pods != nil && p.pods.text == text {
		return
	}
	p.looking = true
	snap, match := p.m.s.Snap, p.list.Match()
	(&shell{p.m}).Go("the search for pods", func(context.Context) tea.Msg {
		found := &podsFound{text: text}
		for _, pod := range snap.Pods() {
			if len(found.pods) < podsListed && match.Keeps(nil, func(has func(string) bool) bool {
				return has("pod " + pod.Namespace + "/" + pod.Name)
			}) {
				found.pods = append(found.pods, pod)
			}
		}
		return found
	})
}

// Actions do what is chosen.
func (p *palette) Actions() []keys.Action {
	return []keys.Action{{ID: "choose", Keys: []string{"enter"}, Title: "choose", Group: "Program",
		Help: "do what is chosen, as its key does", Enabled: p.list.HasRow, Do: p.choose}}
}

// Opened begins to type.
func (p *palette) Opened(frame.Ref) {
	p.list, p.pods = frame.List{}, nil
	p.Rebuild()
}

// Rebuild finds what the typed text is in.
func (p *palette) Rebuild() {
	match := p.list.Match()
	p.rows, p.list.Total = map[string]found{}, 0
	var named, said []string // by their names, and by what is said of them
	add := func(key string, f found) {
		keeps := func(text string) bool {
			return match.Keeps(nil, func(has func(string) bool) bool { return has(text) })
		}
		switch name := f.kind + " " + f.name; {
		case !keeps(name + " " + f.does):
			return
		case keeps(name):
			named = append(named, key)
		default:
			said = append(said, key)
		}
		p.rows[key] = f
	}
	p.ofPage(add)
	if !p.m.d.Replay && p.m.d.Cluster != nil {
		p.ofCluster(add)
	}
	all := append(named, said...)
	p.list.Total = len(all)
	p.list.Table.SetKeys(all)
	if !p.list.Touched && len(all) > 0 {
		p.list.Table.Select(all[0]) // enter takes the best, whatever was the best of less text
	}
}

// ofPage adds what the page behind has, and the contexts.
func (p *palette) ofPage(add func(key string, f found)) {
	behind := p.m.path.before(frame.Nodes)
	if p.m.path.page != frame.Palette { // it is about to be opened
		behind = p.m.path.page
	}
	for _, a := range p.m.keys.On(behind) {
		if a.Group != "Moving" && a.ID != "palette" && !(a.Writes && p.m.d.ReadOnly) {
			add("action/"+a.ID, found{kind: a.Labels(), name: a.Title, does: a.Help, action: a, open: a.Do})
		}
	}
	if l, ok := p.m.pages[behind].(frame.Lister); ok && len(l.Sorts()) > 1 {
		for _, by := range l.Sorts() {
			add("sort/"+by.ID, found{kind: "sort", name: "sort by " + by.Title,
				open: func() { actions{&shell{p.m}}.sortBy(by) }})
		}
	}
	for _, name := range p.m.d.Contexts {
		if name != p.m.s.Identity.Context {
			add("context/"+name, found{kind: "context", name: name,
				does: "ctx: leave this cluster for that of the context",
				open: func() { switchTo(p.m, name) }})
		}
	}
}

// ofCluster adds the nodes, and the pods that were found.
func (p *palette) ofCluster(add func(key string, f found)) {
	for _, n := range p.m.s.Snap.Nodes() {
		add("node/"+n.Name, found{kind: "node", name: n.Name, does: "its row on the list of nodes",
			open: func() { p.toNode(n.Name) }})
	}
	if p.pods != nil && p.pods.text == p.list.Filter {
		for _, pod := range p.pods.pods {
			ref := frame.Ref{Page: frame.Pod,
				Pod: frame.PodRef{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID}}
			add("pod/"+string(pod.UID), found{kind: "pod", name: pod.Namespace + "/" + pod.Name,
				does: "on " + pod.Node, open: func() { (&shell{p.m}).Open(ref) }})
		}
	}
	p.lookForPods()
}

// switchTo goes on with the cluster of another context. A run of this program keeps it here: it would be one
// that the operator does not see.
func switchTo(m *model, name string) {
	if m.s.Starting || m.endsRun() || (rolling{m}).endsRoll() {
		m.notices.refuse("a run is active here: suspend or end it before another cluster is shown", m.now)
		return
	}
	m.next = name
	m.quit(LeftToSwitch)
}

// toNode shows a node on the list of nodes.
func (p *palette) toNode(name string) {
	l := p.m.pages[frame.Nodes].(frame.Lister)
	l.List().Filter = ""
	l.Rebuild()
	l.List().Table.Select(name)
	l.List().Touched = true
	p.m.show(frame.Nodes)
}

// choose does what is chosen on the page behind, where its key can.
func (p *palette) choose() {
	f, ok := p.rows[p.list.Table.Cursor()]
	if !ok {
		return
	}
	p.m.goBack()
	if f.action != nil {
		act(p.m, f.action)
		return
	}
	f.open()
}

// Layout fits the columns.
func (p *palette) Layout(lay frame.Layout) {
	p.list.Layout(lay, []table.Column{
		{ID: "kind", Title: "KEY", Width: 9},
		{ID: "name", Title: "NAME", Width: 30, Min: 14, Grow: true, Max: 60},
		{ID: "does", Title: "", Width: 40, Min: 16, Grow: true},
	}, nil)
}

// View is what was found.
func (p *palette) View() frame.View {
	const what = "  keys and orders of the page, nodes, pods, contexts"
	v := frame.View{Left: paint.L(themes.Title, "Find").Add(themes.Muted, what),
		Empty: paint.L(themes.Muted, "Nothing is called "+format.Quote(p.list.Filter)+".")}
	v.Cell = func(key, column string, width int) paint.Line {
		f := p.rows[key]
		switch column {
		case "kind":
			return paint.L(themes.Key, paint.Truncate(f.kind, width))
		case "name":
			return paint.L(themes.Accent, paint.Middle(wording.Clean(f.name), width))
		}
		return paint.L(themes.Text, paint.Truncate(wording.Clean(f.does), width))
	}
	if f, ok := p.rows[p.list.Table.Cursor()]; ok {
		v.Subject, v.Detail = strings.TrimSpace(f.kind+" "+f.name), paint.T(f.does)
		if f.action != nil && f.action.Enabled != nil {
			if can, why := f.action.Enabled(); !can {
				v.Detail = paint.L(themes.Warning, "Not now: "+why)
			}
		}
	}
	return v
}

// act does an action, where it can be done now.
func act(m *model, action *keys.Action) {
	if action.Writes && m.d.ReadOnly {
		m.notices.refuse("read only: "+action.Title+" is switched off", m.now)
		return
	}
	if action.Enabled != nil {
		if ok, why := action.Enabled(); !ok {
			m.notices.refuse(why, m.now)
			return
		}
	}
	action.Do()
}
