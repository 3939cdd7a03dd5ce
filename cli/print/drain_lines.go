package print

import (
	"fmt"
	"net/http"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/drain/replacement"
	"github.com/kdrain-tui/kdrain-tui/drain/retire"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// lineState is what the text remembers of the events so far, so that each
// thing is said once per change.
type lineState struct {
	plan     map[string]plan.Node
	cordoned map[string]bool // nodes that this run sent a cordon for
	adopted  map[string]bool // of these, those that another run had cordoned
	started  map[kube.UID]bool
	refused  map[kube.UID]bool // by the last answer: what leaves then was removed by somebody else
	deleted  map[kube.UID]bool
	forced   map[kube.UID]bool // deleted outside the plan; its end can be seen before the answer
	waits    map[kube.UID]*saidWaits
	volumes  map[volumeOf]volume.State // as last told
	doubts   map[string]bool           // why volumes are not waited for: each reason is said once
	failures map[string][]string       // by node: what went wrong with its pods
	troubles map[kube.UID]string       // of replacements, by the pod that was moved
	awaits   bool                      // the run waits for replacements
	down     bool
	aborted  bool
}

func newLineState(planned plan.Plan) lineState {
	l := lineState{
		plan: map[string]plan.Node{}, cordoned: map[string]bool{}, adopted: map[string]bool{},
		started: map[kube.UID]bool{}, refused: map[kube.UID]bool{},
		deleted: map[kube.UID]bool{}, forced: map[kube.UID]bool{}, waits: map[kube.UID]*saidWaits{},
		volumes: map[volumeOf]volume.State{}, doubts: map[string]bool{}, failures: map[string][]string{},
		troubles: map[kube.UID]string{}, awaits: planned.Options.WaitReplacements > 0,
	}
	for _, n := range planned.Nodes {
		l.plan[n.Name] = n
	}
	return l
}

// eventLines turns an event into lines, in kubectl's words where kubectl has
// some.
func (d *Drain) eventLines(e drain.Event) {
	switch e.Kind {
	case drain.EventIntent:
		d.intent(e)
	case drain.EventAnswer:
		if verb := e.Action.Verb; verb == attempt.VerbEvict || verb == attempt.VerbDelete {
			d.lines.refused[e.UID] = e.Answer.Code >= http.StatusBadRequest && e.Answer.Code != http.StatusNotFound
		}
	case drain.EventNode:
		d.node(e)
	case drain.EventPod:
		d.pod(e)
	case drain.EventPodAdded:
		d.Note("pod %s/%s was bound to node %s after the plan was made, and is evicted like the others", e.Namespace,
			e.Pod, e.Node)
	case drain.EventVolumes:
		d.volumes(e)
	case drain.EventLease:
		d.lease(e)
	case drain.EventRemedy:
		d.remedy(e)
	case drain.EventBudget:
		if e.BudgetState == tempbudget.Orphaned {
			d.Warn("temporary budget " + e.Budget.Namespace + "/" + e.Budget.Name + ": " + e.Message)
		}
	case drain.EventSurge:
		d.surge(e)
	case drain.EventReplacement:
		d.replacement(e)
	case drain.EventGate:
		if e.Gate.Closed {
			d.Warn("no further node begins: " + e.Message)
		} else {
			d.Note("workloads are no worse than before: the run continues")
		}
	case drain.EventRetire:
		d.retire(e)
	case drain.EventConnection:
		d.connection(e)
	case drain.EventWarning:
		d.Warn(e.Message)
	case drain.EventControl:
		d.lines.aborted = d.lines.aborted || e.Command == drain.CommandAbort
	}
}

// surge says what happens to the replicas of a workload whose replacements start first.
func (d *Drain) surge(e drain.Event) {
	c := e.SurgeChange
	switch {
	case c.Held:
		d.Note("%s: no replacement starts yet: %s", e.Surge.Title(), e.Message)
	case c.Batch != nil: // the request is sent with this event
		d.Note("%s: raising from %d to %d replicas, so that its pods move when their replacements are Ready",
			e.Surge.Title(), c.Batch.Was, c.Batch.To)
	case e.Message != "" && slices.Contains(surgeEnds, c.State):
		d.Note("%s: %s", e.Surge.Title(), e.Message)
	}
}

// surgeEnds are the ends of a batch whose reason is printed.
var surgeEnds = []surge.State{surge.Undone, surge.Refused, surge.Kept, surge.Orphaned, surge.Done}

// replacement says what keeps the replacement of a pod from being Ready, and when it is over; one
// that comes up is told where the run waits for it.
func (d *Drain) replacement(e drain.Event) {
	f := e.Replacement
	troubled := f.State == replacement.Failing || f.State == replacement.Pending && f.Reason != "" ||
		f.Late && !f.State.Settled()
	words := f.Words()
	switch {
	case troubled && d.lines.troubles[e.UID] != words, f.State == replacement.Ready &&
		(d.lines.awaits || d.lines.troubles[e.UID] != ""):
		d.Note("pod %s/%s: %s", e.Namespace, e.Pod, words)
	}
	if troubled {
		d.lines.troubles[e.UID] = words
	}
}

// remedy says what was asked for outside the plan, and what became of it.
func (d *Drain) remedy(e drain.Event) {
	state := e.RemedyState.Words()
	if e.Wait != nil {
		state = "not undone yet"
	}
	text := fmt.Sprintf("pod %s: %s: %s", e.Remedy.For, e.Remedy.What(), state)
	if e.Message != "" {
		text += ": " + e.Message
	}
	d.Note("%s", text)
	if e.Remedy.Kind == remedy.Delete || e.Remedy.Kind == remedy.ForceDelete {
		d.lines.forced[e.Remedy.Pod] = e.RemedyState != remedy.Refused
	}
}

func (d *Drain) intent(e drain.Event) {
	if e.Remedy != nil {
		return // told by its own event
	}
	switch e.Action.Verb {
	case attempt.VerbCordon:
		d.lines.cordoned[e.Node] = true
	case attempt.VerbEvict, attempt.VerbDelete:
		if d.lines.started[e.UID] {
			return
		}
		d.lines.started[e.UID] = true
		d.lines.deleted[e.UID] = e.Action.Verb == attempt.VerbDelete
		verb := "evicting"
		if d.lines.deleted[e.UID] {
			verb = "deleting"
		}
		d.Line("", "%s pod %s/%s", verb, e.Namespace, e.Pod)
	}
}

// lease says what a Lease means for its node, where that is not what everybody
// expects.
func (d *Drain) lease(e drain.Event) {
	if e.Message == "" {
		return
	}
	switch e.LeaseState {
	case lease.Awaited, lease.Overdue, lease.Held, lease.Disabled, lease.Expiring:
		d.Note("node/%s: %s", e.Node, e.Message)
	}
}

func (d *Drain) node(e drain.Event) {
	switch e.NodeState {
	case drain.NodeCordoned:
		if d.lines.cordoned[e.Node] && !d.lines.adopted[e.Node] {
			d.Line("", "node/%s cordoned", e.Node)
		} else {
			d.Line("", "node/%s already cordoned", e.Node)
		}
	case drain.NodeCordoning:
		switch {
		case e.Message != "" && e.Wait == nil:
			d.lines.adopted[e.Node] = true
			d.Note("node/%s: the run %s", e.Node, e.Message)
		case e.Message != "":
			d.Note("node/%s is not cordoned yet: %s", e.Node, e.Message)
		}
	case drain.NodeDraining:
		if text := WarningsOf(d.lines.plan[e.Node]); text != "" {
			d.Warn(text)
		}
	case drain.NodeDrained:
		d.Line(Good, "node/%s drained", e.Node)
	case drain.NodeRefused:
		d.Complain(fmt.Sprintf("node/%s refused: %s", e.Node, e.Message))
	case drain.NodeFailed, drain.NodeStopped:
		if d.lines.aborted && e.NodeState == drain.NodeStopped {
			return // what is left is said at the end
		}
		d.Complain(fmt.Sprintf("unable to drain node %q due to error: %s, continuing command...",
			e.Node, d.nodeFailure(e)))
	}
}

func (d *Drain) nodeFailure(e drain.Event) string {
	failures := d.lines.failures[e.Node]
	if e.Message != "" && !slices.Contains(failures, e.Message) {
		failures = append([]string{e.Message}, failures...)
	}
	return aggregate(failures)
}

func (d *Drain) pod(e drain.Event) {
	name := e.Namespace + "/" + e.Pod
	done, failed := "evicted", "eviction failed"
	if d.lines.deleted[e.UID] || d.lines.forced[e.UID] {
		done, failed = "deleted", "deletion failed"
	}
	switch {
	case e.PodState.Left():
		switch {
		case (!d.lines.started[e.UID] || d.lines.refused[e.UID]) && !d.lines.forced[e.UID]:
			d.Line("", "pod/%s gone", e.Pod)
		default:
			d.Line("", "pod/%s %s", e.Pod, done)
		}
	case e.PodState == eviction.Failed:
		d.Line(Bad, "pod/%s %s", e.Pod, failed)
		d.lines.failures[e.Node] = append(d.lines.failures[e.Node], name+": "+e.Message)
		d.Complain(fmt.Sprintf("pod %s: %s", name, e.Message))
	case e.PodState == eviction.Skipped:
		d.Note("pod %s skipped: %s", name, e.Message)
	case e.PodState == eviction.Planned && e.Wait != nil && e.Wait.For == waits.ForVolumeQueue && e.Wait.Ahead != nil:
		d.waits(e, name+" waits for ", "") // told of the next in line; those behind it wait for it
	case e.PodState.Blocked():
		d.waits(e, name+" waits: ", Warning)
	case e.PodState == eviction.StuckTerminating, e.PodState == eviction.Terminating && hangs(e.Wait):
		d.waits(e, name+" does not terminate, it waits: ", Warning)
	}
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

// news reports whether the text is worth a line at that moment.
func (s *saidWaits) news(text string, at time.Time) bool {
	if s.last == text || s.texts[text] && at.Sub(s.at) < repeatEvery {
		return false
	}
	s.last, s.at = text, at
	s.texts[text] = true
	return true
}

// waits says what a pod waits for, once per change of the cause.
func (d *Drain) waits(e drain.Event, prefix string, t Tone) {
	cause := causeOf(e.Wait, e.Time)
	if cause == "" {
		cause = string(e.PodState)
	}
	text := prefix + cause
	said := d.lines.waits[e.UID]
	if said == nil {
		said = &saidWaits{texts: map[string]bool{}}
		d.lines.waits[e.UID] = said
	}
	if said.news(text, e.Time) {
		d.say(t, "pod "+text)
	}
}

// causeOf is what a pod waits for, without what changes with every second; ""
// where it waits for nothing.
func causeOf(w *waits.Wait, now time.Time) string {
	if w == nil {
		return ""
	}
	words := "another try"
	if w.For != waits.ForServer {
		words = w.Sentence(now)
	}
	if w.Words != "" && w.For != waits.ForBudget {
		words += fmt.Sprintf(" (the server said %q)", w.Words)
	}
	return words
}

func (d *Drain) connection(e drain.Event) {
	switch {
	case e.Message != "" && !d.lines.down:
		d.Warn("the API server does not answer (" + e.Message + "); nothing is sent until it does")
		d.lines.down = true
	case e.Message == "" && d.lines.down:
		d.Note("the API server answers again")
		d.lines.down = false
	}
}

// WarningsOf are the warnings of a node in kubectl's form: each message with
// its pods. kubectl's order is random, ours is not.
func WarningsOf(n plan.Node) string {
	pods := podsBy(n, func(p plan.Pod, r plan.Reason) bool {
		return r.Level == plan.LevelWarning && p.Action != plan.ActionRefuse
	})
	parts := make([]string, 0, len(pods))
	for _, message := range sortedKeys(pods) {
		parts = append(parts, message+": "+strings.Join(pods[message], ", "))
	}
	return strings.Join(parts, "; ")
}

func podsBy(n plan.Node, keep func(plan.Pod, plan.Reason) bool) map[string][]string {
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

// DrySuffix is what kubectl puts behind a line about something not done.
func DrySuffix(dry plan.DryRun) string {
	switch dry {
	case plan.DryRunClient:
		return " (dry run)"
	case plan.DryRunServer:
		return " (server dry run)"
	}
	return ""
}

// retire says what is done to a node and its host after the drain, with the output of its script.
func (d *Drain) retire(e drain.Event) {
	for _, line := range e.Retire.Output {
		d.Note("node/%s | %s", e.Node, line)
	}
	message := e.Message
	if message != "" {
		message = ": " + message
	}
	switch step := e.Retire.Step; e.Retire.Status {
	case retire.Running:
		if e.Retire.Command != "" {
			d.Note("node/%s %s: %s", e.Node, step, e.Retire.Command)
		}
	case retire.Failed:
		d.Complain(fmt.Sprintf("node/%s: unable to %s%s", e.Node, step.Does(), message))
	case retire.Done:
		done := map[retire.Step]string{retire.StepStop: "kubelet stopped", retire.StepDelete: "deleted",
			retire.StepClean: "host cleaned up"}
		d.Line(Good, "node/%s %s%s", e.Node, done[step], message)
	}
}
