package cli

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// lineState is what the text remembers of the events so far, so that each
// thing is said once per change.
type lineState struct {
	plan     map[string]drain.NodePlan
	cordoned map[string]bool // nodes that this run sent a cordon for
	adopted  map[string]bool // of these, those that another run had cordoned
	started  map[kube.UID]bool
	deleted  map[kube.UID]bool
	forced   map[kube.UID]bool // deleted outside the plan; its end can be seen before the answer
	waits    map[kube.UID]*saidWaits
	volumes  map[volumeOf]drain.VolumeState // as last told
	doubts   map[string]bool                // why volumes are not waited for: each reason is said once
	failures map[string][]string            // by node: what went wrong with its pods
	down     bool
	aborted  bool
}

func newLineState(plan drain.Plan) lineState {
	l := lineState{
		plan: map[string]drain.NodePlan{}, cordoned: map[string]bool{}, adopted: map[string]bool{}, started: map[kube.UID]bool{},
		deleted: map[kube.UID]bool{}, forced: map[kube.UID]bool{}, waits: map[kube.UID]*saidWaits{},
		volumes: map[volumeOf]drain.VolumeState{}, doubts: map[string]bool{}, failures: map[string][]string{},
	}
	for _, n := range plan.Nodes {
		l.plan[n.Name] = n
	}
	return l
}

// eventLines turns an event into lines, in kubectl's words where kubectl has
// some.
func (o *output) eventLines(e drain.Event) {
	switch e.Kind {
	case drain.EventIntent:
		o.intent(e)
	case drain.EventNode:
		o.node(e)
	case drain.EventPod:
		o.pod(e)
	case drain.EventPodJoined:
		o.note("pod %s/%s came to node %s after the plan was made, and is drained like the others", e.Namespace, e.Pod, e.Node)
	case drain.EventVolumes:
		o.volumes(e)
	case drain.EventLease:
		o.lease(e)
	case drain.EventRung:
		o.rung(e)
	case drain.EventConnection:
		o.connection(e)
	case drain.EventControl:
		o.lines.aborted = o.lines.aborted || e.Control == drain.ControlAbort
	}
}

// rung says what was asked for outside the plan, and what became of it.
func (o *output) rung(e drain.Event) {
	text := fmt.Sprintf("pod %s: %s: %s", e.Rung.For, e.Rung.What(), e.RungState.Words())
	if e.Message != "" {
		text += ": " + e.Message
	}
	o.note("%s", text)
	if e.Rung.Kind == drain.RungDelete || e.Rung.Kind == drain.RungKill {
		o.lines.forced[e.Rung.Pod] = e.RungState != drain.RungRefused
	}
}

func (o *output) intent(e drain.Event) {
	if e.Rung != nil {
		return // told by its own event
	}
	switch e.Action.Verb {
	case drain.VerbCordon:
		o.lines.cordoned[e.Node] = true
	case drain.VerbEvict, drain.VerbDelete:
		if o.lines.started[e.UID] {
			return
		}
		o.lines.started[e.UID] = true
		o.lines.deleted[e.UID] = e.Action.Verb == drain.VerbDelete
		verb := "evicting"
		if o.lines.deleted[e.UID] {
			verb = "deleting"
		}
		o.result("", "%s pod %s/%s", verb, e.Namespace, e.Pod)
	}
}

// lease says what a Lease means for its node, where that is not what everybody
// expects.
func (o *output) lease(e drain.Event) {
	if e.Message == "" {
		return
	}
	switch e.LeaseState {
	case drain.LeaseAwaited, drain.LeaseOverdue, drain.LeaseHeld, drain.LeaseOff, drain.LeaseLeft:
		o.note("node/%s: %s", e.Node, e.Message)
	}
}

func (o *output) node(e drain.Event) {
	switch e.NodeState {
	case drain.NodeCordoned:
		if o.lines.cordoned[e.Node] && !o.lines.adopted[e.Node] {
			o.result("", "node/%s cordoned", e.Node)
		} else {
			o.result("", "node/%s already cordoned", e.Node)
		}
	case drain.NodeCordoning:
		switch {
		case e.Message != "" && e.Wait == nil:
			o.lines.adopted[e.Node] = true
			o.note("node/%s: the run %s", e.Node, e.Message)
		case e.Message != "":
			o.note("node/%s is not cordoned yet: %s", e.Node, e.Message)
		}
	case drain.NodeDraining:
		if text := warningsOf(o.lines.plan[e.Node]); text != "" {
			o.warn(text)
		}
	case drain.NodeDrained:
		o.result(toneGood, "node/%s drained", e.Node)
	case drain.NodeRefused:
		o.complain(fmt.Sprintf("node/%s refused: %s", e.Node, e.Message))
	case drain.NodeFailed, drain.NodeStopped:
		if o.lines.aborted && e.NodeState == drain.NodeStopped {
			return // what is left is said at the end
		}
		o.complain(fmt.Sprintf("unable to drain node %q due to error: %s, continuing command...",
			e.Node, o.nodeFailure(e)))
	}
}

func (o *output) nodeFailure(e drain.Event) string {
	failures := o.lines.failures[e.Node]
	if e.Message != "" && !slices.Contains(failures, e.Message) {
		failures = append([]string{e.Message}, failures...)
	}
	return aggregate(failures)
}

func (o *output) pod(e drain.Event) {
	name := e.Namespace + "/" + e.Pod
	done, failed := "evicted", "eviction failed"
	if o.lines.deleted[e.UID] || o.lines.forced[e.UID] {
		done, failed = "deleted", "deletion failed"
	}
	switch {
	case e.PodState.Left():
		switch {
		case !o.lines.started[e.UID] && !o.lines.forced[e.UID]:
			o.result("", "pod/%s gone", e.Pod)
		default:
			o.result("", "pod/%s %s", e.Pod, done)
		}
	case e.PodState == drain.PodFailed:
		o.result(toneBad, "pod/%s %s", e.Pod, failed)
		o.lines.failures[e.Node] = append(o.lines.failures[e.Node], name+": "+e.Message)
		o.complain(fmt.Sprintf("pod %s: %s", name, e.Message))
	case e.PodState == drain.PodSkipped:
		o.note("pod %s skipped: %s", name, e.Message)
	case e.PodState == drain.PodPlanned && e.Wait != nil && e.Wait.For == drain.WaitForVolumeTurn && e.Wait.Ahead != nil:
		o.waits(e, name+" waits for ", "") // told of the next in line; those behind it wait for it
	case e.PodState.Blocked():
		o.waits(e, name+" waits: ", toneWarn)
	case e.PodState == drain.PodStuckTerminating, e.PodState == drain.PodTerminating && hangs(e.Wait):
		o.waits(e, name+" does not end, it waits: ", toneWarn)
	}
}

// hangs tells whether a terminating pod waits for more than its grace period.
func hangs(w *drain.Wait) bool {
	return w != nil && (w.For == drain.WaitForKubelet || w.For == drain.WaitForFinalizers || w.For == drain.WaitForEnd)
}

// saidWaits is what was said about the waiting of one pod.
type saidWaits struct {
	last  string
	at    time.Time
	texts map[string]bool
}

// repeatEvery is how often at most something that was said of a pod before is
// said again: causes can alternate several times a second.
const repeatEvery = time.Minute

// news tells whether the text is worth a line at that moment.
func (s *saidWaits) news(text string, at time.Time) bool {
	if s.last == text || s.texts[text] && at.Sub(s.at) < repeatEvery {
		return false
	}
	s.last, s.at = text, at
	s.texts[text] = true
	return true
}

// waits says what a pod waits for, once per change of the cause.
func (o *output) waits(e drain.Event, prefix string, t tone) {
	cause := causeOf(e.Wait, e.Time)
	if cause == "" {
		cause = string(e.PodState)
	}
	text := prefix + cause
	said := o.lines.waits[e.UID]
	if said == nil {
		said = &saidWaits{texts: map[string]bool{}}
		o.lines.waits[e.UID] = said
	}
	if said.news(text, e.Time) {
		o.say(t, "pod "+text)
	}
}

// causeOf is what a pod waits for, without what changes with every second; ""
// where it waits for nothing.
func causeOf(w *drain.Wait, now time.Time) string {
	if w == nil {
		return ""
	}
	words := "another try"
	if w.For != drain.WaitForServer {
		words = w.Sentence(now)
	}
	if w.Words != "" && w.For != drain.WaitForBudget {
		words += fmt.Sprintf(" (the server said %q)", w.Words)
	}
	return words
}

func (o *output) connection(e drain.Event) {
	switch {
	case e.Message != "" && !o.lines.down:
		o.warn("the API server does not answer (" + e.Message + "); nothing is sent until it does")
		o.lines.down = true
	case e.Message == "" && o.lines.down:
		o.note("the API server answers again")
		o.lines.down = false
	}
}

// warningsOf are the warnings of a node in kubectl's form: each message with
// its pods. kubectl's order is random, ours is not.
func warningsOf(n drain.NodePlan) string {
	pods := podsBy(n, func(p drain.PodPlan, r drain.Reason) bool {
		return r.Level == drain.LevelWarning && p.Action != drain.ActionRefuse
	})
	parts := make([]string, 0, len(pods))
	for _, message := range sortedKeys(pods) {
		parts = append(parts, message+": "+strings.Join(pods[message], ", "))
	}
	return strings.Join(parts, "; ")
}

// refusalOf is why a node is refused in kubectl's form, "" if it is not.
func refusalOf(n drain.NodePlan) string {
	pods := podsBy(n, func(p drain.PodPlan, r drain.Reason) bool {
		return r.Level == drain.LevelError && p.Action == drain.ActionRefuse
	})
	parts := make([]string, 0, len(pods))
	for _, message := range sortedKeys(pods) {
		parts = append(parts, "cannot delete "+message+": "+strings.Join(pods[message], ", "))
	}
	return aggregate(parts)
}

func podsBy(n drain.NodePlan, keep func(drain.PodPlan, drain.Reason) bool) map[string][]string {
	pods := map[string][]string{}
	for _, p := range n.Pods {
		for _, r := range p.Reasons {
			if keep(p, r) {
				pods[r.Message] = append(pods[r.Message], p.Namespace+"/"+p.Name)
			}
		}
	}
	return pods
}

func sortedKeys(m map[string][]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// aggregate joins errors as Kubernetes does: several stand in brackets.
func aggregate(parts []string) string {
	if len(parts) > 1 {
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return strings.Join(parts, "")
}
