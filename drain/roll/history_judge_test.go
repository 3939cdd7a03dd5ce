package roll

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// judge holds after each look what a roll promises, whatever happens to it:
//
//   - A work command begins, and a question about work by hand is put, only on a node that is that of the plan, that
//     the roll drained, that is cordoned by the roll (or by somebody since before it), that has no pod, and whose
//     volumes are detached or no longer waited for; and only in a current view of the cluster.
//   - A command is run once for a node, and again only by another process, where the operator or --rerun-work says so.
//   - The drain of a batch begins only after its commands --before have ended well.
//   - No more nodes than a batch has, and no two values of the label, are under way.
//   - A batch begins in the window, after the pause between batches, with an open gate, and not while paused or
//     aborted, nor once more nodes failed than may. While paused, no command begins either.
//   - Only a cordon of the roll is undone, after the work, in a current view, and not while paused.
//   - A node whose command failed, or of which the operator says so, is failed from then on.
//   - No node that was drained is said not to be; none is said to be away for longer than --return-timeout that was not.
//   - A node is done when its work is; it is Ready, and takes pods or says why not.
//   - The roll ends done with all nodes done, partly with a failed one, aborted only by the operator. Until then it
//     waits for something, and says what. No run of a batch is left without its end, unless that is said.
//   - A run that cannot be begun or resumed is not tried again at once.
//   - With Leases, a command and the work by hand begin, and a node is uncordoned, only while the roll holds the node's.
//     Where nothing disturbed the Leases, the roll leaves none.
//   - The journal tells the same as the state.
type judge struct {
	t     *rapid.T
	w     *world
	zones map[string]string
	// before are the nodes that others had cordoned.
	before map[string]bool
	runs   map[string]bool      // "NODE HOOK" that was begun in this process or one before
	again  map[string]bool      // that may be run again
	ended  map[string]bool      // "NODE HOOK" that ended well
	failed map[string]bool      // by node: for good
	away   map[string]time.Time // since when a node that is awaited is seen to be away
	ends   time.Time            // of the last batch
	// disturbed tells that a Lease may be left: a write failed, a process died, another run was there, or the server was
	// away when the roll ended.
	disturbed bool
}

func newJudge(t *rapid.T, w *world) judge {
	j := judge{t: t, w: w, zones: map[string]string{}, before: map[string]bool{}, runs: map[string]bool{}, again: map[string]bool{},
		ended: map[string]bool{}, failed: map[string]bool{}, away: map[string]time.Time{}}
	for name, n := range w.nodes {
		j.zones[name], j.before[name] = n.Labels["zone"], n.Spec.Unschedulable
	}
	return j
}

// uid is one that no Node object of that name had.
func (j *judge) uid(name string, serial int) types.UID {
	return types.UID(fmt.Sprint(name, "-", serial))
}

func (j *judge) fail(format string, args ...any) {
	j.t.Helper()
	j.t.Fatalf(format+"\n%s", append(args, j.w.shown())...)
}

// resumed is another process that goes on from the journal: a node is awaited as long again.
func (j *judge) resumed() {
	for name := range j.away {
		j.away[name] = j.w.now
	}
	if fold := Fold(nil, j.w.events...); !reflect.DeepEqual(fold, j.w.state) {
		j.fail("the journal does not tell what the state is:\n%+v\n%+v", fold, j.w.state)
	}
}

// look judges one look; written is what the journal has of it.
func (j *judge) look(before *State, v View, out Output, written []Event) {
	j.disturbed = j.disturbed || j.w.down && out.State.Outcome != ""
	for i := range before.Nodes {
		for _, h := range []Hook{HookBefore, HookWork} {
			if n := &before.Nodes[i]; *n.hook(h) == hookCutOff && before.Facts.Options.RerunWork {
				j.again[n.Name+" "+string(h)] = true
			}
		}
	}
	s := before
	for _, e := range written {
		j.event(s, &e)
		s = Fold(s, e)
	}
	if len(written) < len(out.Events) {
		return // its process is dead
	}
	for _, a := range out.Actions {
		if u, ok := a.(Uncordon); ok {
			j.uncordon(s, u)
		}
	}
	j.state(s)
	j.follow(s, v)
	if !j.w.dead {
		j.waits(s, v, out)
	}
}

func (j *judge) event(s *State, e *Event) {
	o := &s.Facts.Options
	key := e.Node + " " + string(e.Hook)
	switch e.Kind {
	case EventBatchStarted:
		j.batch(s, e, o)
	case EventDrainStarted:
		for _, name := range e.Nodes {
			if o.Before != "" && !j.ended[name+" before"] {
				j.fail("the drain of %s begins before its command has ended", name)
			}
		}
	case EventDrainEnded:
		if e.neverBegan() && j.w.runs[e.Run] != nil {
			j.fail("run %s was begun, and is said not to be", e.Run)
		}
	case EventBatchEnded:
		j.ends = e.Time
	case EventHookStarted:
		if s.Paused || s.Aborting {
			j.fail("a command of %s begins while the roll is paused or aborted", e.Node)
		}
		j.holds(s, e.Node)
		if e.Hook == HookWork {
			j.asDrained(s, e.Node)
		}
		if j.runs[key] && !j.again[key] {
			j.fail("the command %s is run twice", key)
		}
		j.runs[key], j.again[key] = true, false
	case EventHookEnded:
		j.ended[key] = e.ExitCode == 0
		j.failed[e.Node] = j.failed[e.Node] || e.ExitCode != 0
	case EventQuestion:
		if e.Question == AskWork {
			j.holds(s, e.Node)
			j.asDrained(s, e.Node)
		} else if o.RerunWork {
			j.fail("the operator is asked about %s, and said already that it is run again", key)
		}
	case EventReply:
		j.ended[key] = e.Answer == AnswerDone
		j.failed[e.Node] = j.failed[e.Node] || e.Answer == AnswerFailed
		j.again[key] = e.Answer == AnswerAgain
	case EventNode:
		j.node(s, e)
	case EventRollEnded:
		j.outcome(s, e)
	}
}

func (j *judge) batch(s *State, e *Event, o *Options) {
	w, _ := parseWindow(o.Window)
	switch {
	case !w.open(e.Time):
		j.fail("batch %d begins at %s, outside the window", e.Batch, e.Time)
	case s.Paused || s.Aborting || s.Gate != nil:
		j.fail("batch %d begins while the roll is paused, aborted or behind its gate", e.Batch)
	case len(e.Nodes) > o.Batch:
		j.fail("batch %d has %d nodes", e.Batch, len(e.Nodes))
	case !j.ends.IsZero() && e.Time.Sub(j.ends) < time.Duration(o.PauseBetween):
		j.fail("batch %d begins %s after the one before", e.Batch, e.Time.Sub(j.ends))
	case s.Count(Failed) > o.MaxFailed:
		j.fail("batch %d begins although %d nodes failed", e.Batch, s.Count(Failed))
	}
}

// asDrained holds that a node is as its drain left it.
func (j *judge) asDrained(s *State, name string) {
	j.t.Helper()
	n := j.w.nodes[name]
	d := j.w.drains[s.Run]
	switch {
	case j.w.down:
		j.fail("%s is worked on while the server does not answer", name)
	case n == nil || kube.UID(n.UID) != s.node(name).UID:
		j.fail("%s is worked on, and is not the node of the plan", name)
	case !n.Spec.Unschedulable:
		j.fail("%s is worked on, and is in use", name)
	case d == nil || d.Node(name).State != drain.NodeDrained:
		j.fail("%s is worked on, and is not drained", name)
	case d.Node(name).Cordoned && !j.ours(name, s.Run):
		j.fail("%s is worked on, and its cordon is somebody else's", name)
	}
	for _, p := range j.w.pods {
		if p.Spec.NodeName == name {
			j.fail("%s is worked on, and has pod %s", name, p.Name)
		}
	}
	p := d.Pod(podOn(name))
	if ready, _ := readiness(n); p != nil && p.Volumes.Awaited() && d.Outcome == "" && ready != corev1.ConditionUnknown {
		j.fail("%s is worked on, and has a volume", name)
	}
}

// holds holds that no other run may work on a node.
func (j *judge) holds(s *State, name string) {
	j.t.Helper()
	holder := j.w.holder(types.UID(s.node(name).UID))
	given := holder == "" && j.disturbed // back already by a run that took it over, unseen
	if j.w.leasing && holder != s.Facts.Run.ID && !given {
		j.fail("%s is worked on, and its Lease is of %q", name, holder)
	}
}

// ours reports whether the cordon of a node is that of the run.
func (j *judge) ours(name, run string) bool {
	n := j.w.nodes[name]
	mark, ours := annotation.Parse(n.Annotations[kube.CordonAnnotation])
	return n.Spec.Unschedulable && ours && mark.Run == run && n.ManagedFields[0].Manager == kube.FieldManager
}

func readiness(n *corev1.Node) (corev1.ConditionStatus, bool) {
	i := slices.IndexFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == corev1.NodeReady })
	if i < 0 {
		return corev1.ConditionUnknown, false
	}
	return n.Status.Conditions[i].Status, true
}

func (j *judge) node(s *State, e *Event) {
	o := &s.Facts.Options
	switch {
	case e.State == Failed && strings.HasPrefix(e.Message, "not drained"):
		if d := j.w.drains[s.Run]; d != nil && d.Node(e.Node) != nil && d.Node(e.Node).State == drain.NodeDrained {
			j.fail("%s is drained: %s", e.Node, e.Message)
		}
	case e.State == Failed && strings.HasPrefix(e.Message, "not back"):
		if since := j.away[e.Node]; since.IsZero() || e.Time.Sub(since) < time.Duration(o.ReturnTimeout) {
			j.fail("%s is away since %s: %s", e.Node, since, e.Message)
		}
	case e.State == Done:
		n := j.w.nodes[e.Node]
		ready, _ := readiness(n)
		switch {
		case !j.ended[e.Node+" work"]:
			j.fail("%s is done without its work", e.Node)
		case ready != corev1.ConditionTrue:
			j.fail("%s is done and not Ready", e.Node)
		case n.Spec.Unschedulable != strings.HasPrefix(e.Message, "left cordoned"):
			j.fail("%s is done: unschedulable %t, %q", e.Node, n.Spec.Unschedulable, e.Message)
		}
	}
}

func (j *judge) outcome(s *State, e *Event) {
	done, failed := s.Count(Done), s.Count(Failed)
	switch {
	case e.Outcome == drain.OutcomeDone && done != len(s.Nodes):
		j.fail("the roll ends as done")
	case e.Outcome == drain.OutcomePartly && failed == 0:
		j.fail("the roll ends as partly done, and no node failed")
	case e.Outcome == drain.OutcomeAborted && !s.Aborting:
		j.fail("the roll ends as aborted")
	case e.Outcome != drain.OutcomeAborted && s.Under:
		j.fail("the roll ends within a batch")
	}
	for id, d := range j.w.drains {
		if d.Outcome == "" && !slices.ContainsFunc(s.Warnings, func(w string) bool { return strings.Contains(w, id) }) {
			j.fail("the roll ends, and its run %s has not", id)
		}
	}
}

func (j *judge) uncordon(s *State, u Uncordon) {
	j.holds(s, u.Node)
	n := s.node(u.Node)
	r, ok := u.Request.(request.Cordon)
	switch live := j.w.nodes[u.Node]; {
	case !ok || r.Unschedulable || kube.UID(live.UID) != r.UID:
		j.fail("%s is uncordoned by %+v", u.Node, u.Request)
	case n.State != Returning || !j.ended[u.Node+" work"]:
		j.fail("%s is uncordoned before its work is done", u.Node)
	case j.w.down || s.Paused || s.Aborting || s.Suspended:
		j.fail("%s is uncordoned while the roll sends nothing", u.Node)
	case j.before[u.Node] && kube.UID(live.UID) == n.UID && !j.ours(u.Node, s.Run), !j.ours(u.Node, s.Run):
		j.fail("%s is uncordoned, and its cordon is somebody else's", u.Node)
	}
}

func (j *judge) state(s *State) {
	under, values := 0, map[string]bool{}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.State != Waiting && !n.State.final() {
			under++
			values[j.zones[n.Name]] = true
		}
		if j.failed[n.Name] && n.State != Failed {
			j.fail("%s failed, and is %s", n.Name, n.State)
		}
	}
	if o := s.Facts.Options; under > o.Batch || o.By != "" && len(values) > 1 {
		j.fail("%d nodes are under way, of %d values", under, len(values))
	}
}

// follow notes since when nodes are seen to be away.
func (j *judge) follow(s *State, v View) {
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.State != Returning || s.Suspended || s.Aborting {
			if n.State != Returning {
				delete(j.away, n.Name)
			}
			continue
		}
		if !v.Snap.On(n.Name).Trusted(kube.KindNodes, kube.KindPods) {
			continue
		}
		node := v.Snap.Node(n.Name)
		away := node == nil || node.Ready != kube.NodeReady || s.Facts.Options.ExpectReboot && node.BootID == n.BootID
		if !away {
			delete(j.away, n.Name)
		} else if j.away[n.Name].IsZero() {
			j.away[n.Name] = v.Now
		}
	}
}

// waits holds that a roll which has not ended waits for something that it says.
func (j *judge) waits(s *State, v View, out Output) {
	switch {
	case s.Outcome != "" || s.Suspended || s.Paused || s.Question != nil || s.Gate != nil || s.Wait != nil:
	case !out.Wake.IsZero() || len(out.Actions) > 0 || !v.Snap.Trusted(kube.KindNodes, kube.KindPods):
	case v.Drain != nil && v.Drain.Outcome == "" || len(j.w.writes) > 0:
	case slices.ContainsFunc(s.Nodes, func(n Node) bool {
		return n.Running() != "" || n.State == Returning && n.Message != "" || n.State == Working && n.Message != ""
	}):
	default:
		j.fail("the roll waits for nothing")
	}
}

// pausesBefore holds that a run which could not be had is not wanted again at once.
func (j *judge) pausesBefore(run string) {
	for _, a := range j.w.wanted {
		if d, ok := a.(Drain); ok && d.Run == run && !j.w.dead {
			j.fail("run %s is tried again without a pause", run)
		}
	}
}

// end holds what is true once all is over.
func (j *judge) end() {
	for node := range j.w.leases {
		if holder := j.w.holder(node); !j.disturbed && holder == j.w.state.Facts.Run.ID {
			j.fail("the Lease of %s is left", node)
		}
	}
	if fold := Fold(nil, j.w.events...); !reflect.DeepEqual(fold, j.w.state) {
		j.fail("the journal does not tell what the state is:\n%+v\n%+v", fold, j.w.state)
	}
}

// podOn is the pod with a volume that a node had.
func podOn(node string) kube.UID { return kube.UID("db-" + node) }
