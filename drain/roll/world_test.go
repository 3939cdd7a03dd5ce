package roll

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// world is a cluster as the watches show it, with a roll in it, on a clock that stands until it is told to
// go on. Nothing in it happens by itself.
type world struct {
	t       rapid.TB
	now     time.Time
	version int
	store   *kube.Store
	nodes   map[string]*corev1.Node
	pods    map[string]*corev1.Pod
	serial  int // of pods
	state   *State
	events  []Event
	runs    map[string][]drain.Event // the journals of the batches' runs
	inHand  string                   // the run that this process has
	drains  map[string]*drain.State  // what they fold to
	unready bool                     // no run can be begun or resumed
	lingers bool                     // a run ends only when it is told to
	hooks   map[string]Hook          // that run
	began   []string                 // "NODE HOOK", each command that was run
	wanted  []Action
	wake    time.Time

	down bool     // the API server does not answer
	late []func() // what the watches show once it does

	denied  bool // no Lease may be written
	leasing bool // runs hold the Leases of their nodes
	leases  map[types.UID]*coordinationv1.Lease
	expires bool         // no run of a batch releases its Leases
	held    Leases       // as this process has them
	writes  []WriteLease // that are out

	dies bool // the process, once it has written what its next look decides, before it does that
	torn int  // how many events of that look the journal loses
	dead bool
	// seen, if set, is called with each look and the events of it that the journal has.
	seen func(before *State, v View, out Output, written []Event)
}

func newWorld(t rapid.TB) *world {
	w := &world{t: t, now: kubetest.Now, nodes: map[string]*corev1.Node{}, pods: map[string]*corev1.Pod{}, leases: map[types.UID]*coordinationv1.Lease{}, runs: map[string][]drain.Event{}, drains: map[string]*drain.State{}, hooks: map[string]Hook{}}
	w.store = kube.NewStore(func() time.Time { return w.now })
	w.store.SetHealth(kube.Health{Live: true, LastContact: w.now})
	for _, k := range kube.Kinds {
		w.store.SetSync(k, kube.SyncState{Phase: kube.Synced})
	}
	w.put(kubetest.ReplicaSet("shop/web", 2))
	return w
}

func (w *world) put(object any) {
	record := w.record(object)
	w.show(func() { w.store.Put(record) })
}

// remove shows that an object is gone.
func (w *world) remove(object any) {
	record := w.record(object)
	w.show(func() { w.store.Remove(record) })
}

// show lets the watches show a change, once the server answers.
func (w *world) show(change func()) {
	if w.down {
		w.late = append(w.late, change)
		return
	}
	change()
}

func (w *world) record(object any) kube.Record {
	record, err := convert.Record(object)
	if err != nil {
		w.t.Fatal(err)
	}
	return record
}

// edit changes a node, and shows it.
func (w *world) edit(name string, change func(n *corev1.Node)) {
	n := w.nodes[name]
	if n == nil {
		n = kubetest.Node(name)
		n.UID, n.Status.NodeInfo.BootID = types.UID(name), "boot-1"
	}
	n = n.DeepCopy()
	change(n)
	w.version++
	n.ResourceVersion = fmt.Sprint(w.version)
	w.nodes[name] = n
	w.put(n)
}

// web shows a pod of the one workload, on a node.
func (w *world) web(name, node string, options ...kubetest.PodOption) {
	p := kubetest.Pod("shop/"+name, append([]kubetest.PodOption{kubetest.OwnedBy("apps/v1", "ReplicaSet", "web"), kubetest.On(node)}, options...)...)
	if old := w.pods[name]; old != nil && old.Spec.NodeName == node {
		p.UID = old.UID
	} else {
		w.gone(name)
		w.serial++
		p.UID = types.UID(fmt.Sprint(name, "-", w.serial))
	}
	w.pods[name] = p
	w.put(p)
}

// gone takes a pod away.
func (w *world) gone(name string) {
	if p := w.pods[name]; p != nil {
		w.remove(p)
		delete(w.pods, name)
	}
}

// deleted takes a node away.
func (w *world) deleted(name string) {
	w.remove(w.nodes[name])
	delete(w.nodes, name)
}

// replaced puts another Node object in the place of one, as a machine that was installed anew registers itself.
func (w *world) replaced(name string, change func(n *corev1.Node)) {
	old := w.nodes[name]
	w.deleted(name)
	w.edit(name, func(n *corev1.Node) {
		n.UID, n.Labels = old.UID+"'", old.Labels
		change(n)
	})
}

// server is whether the API server answers.
func (w *world) server(up bool) {
	w.down = !up
	w.store.SetHealth(kube.Health{Live: up, LastContact: w.now})
	if up {
		for _, change := range w.late {
			change()
		}
		w.late = nil
		w.store.SetSync(kube.KindLeases, kube.SyncState{Phase: kube.Synced, Since: w.now})
	}
}

func setReady(n *corev1.Node, ready bool) {
	status := corev1.ConditionFalse
	if ready {
		status = corev1.ConditionTrue
	}
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: status}}
}

func cordoned(run string, at time.Time) func(*corev1.Node) {
	return func(n *corev1.Node) {
		n.Spec.Unschedulable = true
		n.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: kube.FieldManager, FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:unschedulable":{}}}`)}}
		n.Annotations = map[string]string{kube.CordonAnnotation: annotation.Mark{Run: run, By: "ann", Was: "schedulable", At: at}.String()}
	}
}

func uncordoned(n *corev1.Node) {
	n.Spec.Unschedulable, n.Annotations, n.ManagedFields = false, nil, nil
}

// begin starts a roll over the nodes as they are.
func (w *world) begin(o Options, names ...string) {
	facts := Facts{Options: o, Run: drain.RunFacts{ID: "r1", User: "ann"}}
	var nodes []*kube.Node
	for _, name := range names {
		nodes = append(nodes, w.store.Snapshot().Node(name))
		facts.Run.Nodes = append(facts.Run.Nodes, drain.NodeFacts{Name: name, UID: kube.UID(name)})
	}
	if facts.Batches = Batches(nodes, o); w.leasing {
		facts.Run.Options.LeaseNamespace = kube.DefaultLeaseNamespace
	}
	w.add(Event{Seq: 1, Time: w.now, Kind: EventRollStarted, Roll: &facts})
	w.next()
}

func (w *world) add(e Event) {
	w.events = append(w.events, e)
	w.state = Fold(w.state, e)
}

// resume is the death of the process, and another one that goes on from the journal.
func (w *world) resume() {
	w.state, w.inHand, w.hooks, w.dead, w.wanted, w.wake = nil, "", map[string]Hook{}, false, nil, time.Time{}
	w.held, w.writes = nil, nil
	events := w.events
	w.events = nil
	for _, e := range events {
		w.add(e)
	}
	w.add(Event{Seq: uint64(len(events) + 1), Time: w.now, Kind: EventResumed})
	w.next()
}

// cut loses the end of the journal, from after the last event of that kind on.
func (w *world) cut(kind EventKind) {
	for w.events[len(w.events)-1].Kind != kind {
		w.events = w.events[:len(w.events)-1]
	}
}

// next decides, and carries out what is wanted as far as it is the roll's own.
func (w *world) next(in ...Input) {
	if w.dead {
		return
	}
	v := View{Snap: w.store.Snapshot(), Now: w.now, Leases: w.held}
	if w.inHand != "" && w.inHand == w.state.Run {
		v.Drain = w.drains[w.inHand]
	}
	before := w.state
	out := Next(before, in, v)
	if refolded := Fold(before, out.Events...); !reflect.DeepEqual(refolded, out.State) {
		w.t.Fatalf("the events do not fold to the state:\n%+v\n%+v", refolded, out.State)
	}
	written := out.Events
	if w.dies && len(written) > 0 {
		written, w.dead, w.dies = written[:max(0, len(written)-w.torn)], true, false
		out.Actions = nil
	}
	w.events = append(w.events, written...)
	w.state, w.wanted, w.held, w.wake = out.State, out.Actions, out.Leases, out.Wake
	if w.dead {
		w.state = Fold(before, written...)
	}
	if w.seen != nil {
		w.seen(before, v, out, written)
	}
	for _, a := range out.Actions {
		switch a := a.(type) {
		case RunHook:
			w.hooks[a.Node] = a.Hook
			w.began = append(w.began, a.Node+" "+string(a.Hook))
		case WriteLease:
			w.writes = append(w.writes, a)
		case Drain:
			if !w.unready && !w.down {
				w.carryOut(a)
				w.next()
				return
			}
		}
	}
	for !w.lingers && len(w.writes) > 0 {
		w.answers(w.writes[0])
	}
}

// hookEnds is the end of the command that runs for a node.
func (w *world) hookEnds(node string, exit int) {
	h := w.hooks[node]
	delete(w.hooks, node)
	w.next(HookEnded{Node: node, Hook: h, ExitCode: exit})
}

// uncordon sends what is wanted for a node.
func (w *world) uncordon(node string) bool {
	for _, a := range w.wanted {
		if u, ok := a.(Uncordon); ok && u.Node == node {
			w.edit(node, uncordoned)
			w.next()
			return true
		}
	}
	return false
}

// shown is where the roll stands, for scripts.
func (w *world) shown() string {
	var text strings.Builder
	for i := range w.state.Nodes {
		n := &w.state.Nodes[i]
		fmt.Fprintf(&text, "%s %s", n.Name, n.State)
		if n.Message != "" {
			fmt.Fprintf(&text, ": %s", n.Message)
		}
		if h := n.Running(); h != "" {
			fmt.Fprintf(&text, " (%s runs)", h)
		}
		if holder := w.holder(types.UID(n.UID)); holder != "" {
			fmt.Fprintf(&text, ", Lease of %s", holder)
		}
		text.WriteByte('\n')
	}
	s := w.state
	if s.Gate != nil {
		fmt.Fprintf(&text, "gate closed: %s\n", s.Gate.Sentence())
	}
	if s.Wait != nil {
		fmt.Fprintf(&text, "waits for %s", s.Wait.Kind)
		if !s.Wait.Until.IsZero() {
			fmt.Fprintf(&text, " until %s", s.Wait.Until.UTC().Format("15:04:05"))
		}
		if s.Wait.Message != "" {
			fmt.Fprintf(&text, ": %s", s.Wait.Message)
		}
		text.WriteByte('\n')
	}
	if s.Question != nil {
		fmt.Fprintf(&text, "asks %s about %s %s\n", s.Question.Kind, s.Question.Node, s.Question.Hook)
	}
	for _, e := range w.events {
		if e.Kind == EventWarning {
			fmt.Fprintf(&text, "warned: %s\n", e.Message)
		}
	}
	for _, a := range w.wanted {
		switch a := a.(type) {
		case Uncordon:
			fmt.Fprintf(&text, "wants to uncordon %s\n", a.Node)
		case Drain:
			fmt.Fprintf(&text, "wants run %s\n", a.Run)
		}
	}
	if s.Suspended {
		text.WriteString("suspended\n")
	}
	if s.Outcome != "" {
		fmt.Fprintf(&text, "ended: %s %s\n", s.Outcome, s.Message)
	}
	return text.String()
}
