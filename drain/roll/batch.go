package roll

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/process"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// batch takes each node of the batch a step on. It ends with the last of them.
func (st *stepper) batch() {
	nodes := st.s.inBatch()
	st.readDrain()
	for _, n := range nodes {
		switch n.State {
		case Draining:
			st.drainNode(n)
		case Working:
			st.workOn(n)
		case Returning:
			st.bringBack(n)
		}
	}
	st.beginDrain(nodes)
	if !slices.ContainsFunc(nodes, func(n *Node) bool { return !n.State.final() }) && (st.s.Run == "" ||
		st.s.drainOver) && !st.leaseStands() {
		st.emit(Event{Kind: EventBatchEnded, Batch: st.s.Batch + 1})
	}
}

// run is that of the batch, nil while this process does not have it: a batch that just began has not the
// one of the batch before.
func (st *stepper) run() *drain.State {
	if d := st.v.Drain; d != nil && d.Run.ID == st.s.Run {
		return d
	}
	return nil
}

// rolledBack is why nothing more is done on the nodes of a run that cannot be resumed.
const rolledBack = "the run of its batch was rolled back"

// readDrain wants the run of the batch, once it was begun, and notes its end.
func (st *stepper) readDrain() {
	s, d := st.s, st.run()
	waits := s.Wait != nil && s.Wait.Kind == WaitRun
	switch {
	case s.Run == "":
	case d == nil && waits && st.v.Now.Before(s.Wait.Until):
		st.wakeAt(s.Wait.Until)
	case d == nil && (!s.drainOver || !s.Aborting && slices.ContainsFunc(s.inBatch(),
		func(n *Node) bool { return !n.State.final() })):
		st.wanted = append(st.wanted, Drain{Run: s.Run, Nodes: s.drained, Ends: s.Aborting})
	case d != nil && waits:
		st.emit(Event{Kind: EventWait})
	case d != nil && d.Outcome != "" && !s.drainOver:
		left := d.LeftOver()
		for _, what := range left {
			st.emit(Event{Kind: EventWarning, Message: "run " + s.Run + ": " + what})
		}
		st.emit(Event{Kind: EventDrainEnded, Run: s.Run, Outcome: d.Outcome, Message: d.Message, Left: len(left) > 0})
	case d != nil && d.RolledBack && !s.drainOver:
		st.emit(Event{Kind: EventDrainEnded, Run: s.Run, Outcome: drain.OutcomeAborted, Message: rolledBack})
	}
}

// beginDrain begins the run of the batch when the commands before it have ended on all nodes.
func (st *stepper) beginDrain(nodes []*Node) {
	if st.s.Run != "" || st.s.Paused {
		return
	}
	var ready []string
	for _, n := range nodes {
		switch r := st.leases[n.Name]; {
		case r != nil && r.InFlight != 0: // its answer is awaited
			return
		case n.State != Draining:
		case st.s.Facts.Options.Before != "" && n.before != hookDone:
			return
		case st.v.Snap.Node(n.Name) != nil && st.v.Snap.Node(n.Name).UID != n.UID:
			st.become(n, Failed, "not drained: another Node object has its name")
		default:
			ready = append(ready, n.Name)
		}
	}
	if len(ready) > 0 {
		st.emit(Event{Kind: EventDrainStarted, Batch: st.s.Batch + 1, Run: RunOf(st.s.Facts.Run.ID, st.s.Batch),
			Nodes: ready})
	}
}

func (st *stepper) become(n *Node, state NodeState, format string, args ...any) {
	st.emit(Event{Kind: EventNode, Node: n.Name, State: state, Message: fmt.Sprintf(format, args...)})
}

func (st *stepper) drainNode(n *Node) {
	if st.s.Facts.Options.Before != "" && n.before != hookDone {
		st.runHook(n, HookBefore, st.s.Facts.Options.Before)
		return
	}
	d := st.run()
	if d == nil {
		return
	}
	switch run := d.Node(n.Name); {
	case run == nil:
		st.become(n, Failed, "it no longer exists")
	case d.RolledBack:
		st.become(n, Failed, "not drained: %s", rolledBack)
	case run.State == drain.NodeDrained:
		boot := ""
		if live := st.v.Snap.Node(n.Name); live != nil {
			boot = live.BootID
		}
		st.emit(Event{Kind: EventNode, Node: n.Name, State: Working, BootID: boot})
	case run.State.Final() || d.Outcome != "":
		st.become(n, Failed, "not drained: %s", cmp.Or(run.Message, d.Message, string(run.State)))
	}
}

// workOn has the work done: by its command, else by the operator. Both only on a node that is as its drain left it.
func (st *stepper) workOn(n *Node) {
	o := st.s.Facts.Options
	switch {
	case n.work == hookDone:
		st.become(n, Returning, "")
	case o.Work != "" || n.work == hookCutOff:
		st.runHook(n, HookWork, o.Work)
	case st.s.Question == nil && st.inHand(n) && st.asDrained(n):
		st.ask(Event{Node: n.Name, Question: AskWork})
	}
}

// runHook runs a command for a node once. One that was cut off is run again if the operator says so, or
// said so for all, and never while it still runs.
func (st *stepper) runHook(n *Node, h Hook, command string) {
	switch state := *n.hook(h); {
	case state == hookRuns && h == HookWork:
		st.warnOfUse(n)
	case st.s.Paused || state == hookRuns:
	case state == hookCutOff && st.stillRuns(n):
	case state == hookCutOff && !st.s.Facts.Options.RerunWork:
		st.ask(Event{Node: n.Name, Question: AskAgain, Hook: h, Message: st.v.Left[n.Name].Why})
	case !st.inHand(n) || h == HookWork && !st.asDrained(n):
	default:
		st.emit(Event{Kind: EventHookStarted, Node: n.Name, Hook: h})
		st.once = append(st.once, RunHook{Node: n.Name, Hook: h, Command: command})
	}
}

// lookAgain is how long a command of another process is left alone between two looks: nobody tells of its end.
const lookAgain = time.Second

// stillRuns reports whether the command of a node that was cut off is to be waited for, and says so on the node.
func (st *stepper) stillRuns(n *Node) bool {
	if n.Command == nil {
		return false
	}
	wait := fmt.Sprintf("waits for its --%s command, which still runs as %s; %s ends it", n.Command.Hook,
		n.Command.Group, n.Command.End())
	runs := st.v.Left[n.Name].Life == process.Runs
	if runs {
		st.wakeAt(st.v.Now.Add(lookAgain))
	}
	switch {
	case runs && n.Message != wait:
		st.become(n, n.State, "%s", wait)
	case !runs && n.Message == wait:
		st.become(n, n.State, "")
	}
	return runs
}

// ask asks the operator one thing at a time.
func (st *stepper) ask(e Event) {
	if st.s.Question == nil {
		e.Kind = EventQuestion
		st.emit(e)
	}
}

// A refused uncordon is tried again after a fourth of the time for which the node has been returning: a right that is
// missing stays so for long.
const (
	retryAfter = time.Second
	retryMost  = 15 * time.Second
)

// bringBack waits until the node is Ready, after a reboot where one is expected, and takes our own cordon back.
// --return-timeout counts only while the node itself is away.
func (st *stepper) bringBack(n *Node) {
	if !st.v.Snap.On(n.Name).Trusted(kube.KindNodes, kube.KindPods) || st.v.Now.Before(n.retryAt) {
		st.wakeAt(n.retryAt)
		return
	}
	state, text, away := Returning, st.away(n), true
	if text == "" {
		state, text = st.uncordon(n)
		away = false
	}
	if state != n.State || text != n.Message || away == n.Away.IsZero() {
		st.emit(Event{Kind: EventNode, Node: n.Name, State: state, Message: text, Away: away})
	}
	if limit := time.Duration(st.s.Facts.Options.ReturnTimeout); away && limit > 0 {
		if due := n.Away.Add(limit); st.v.Now.Before(due) {
			st.wakeAt(due)
		} else {
			st.become(n, Failed, "not back within %s: %s", format.Duration(limit), text)
		}
	}
}

// away is what is awaited of a node itself whose work is done, "" once it is back.
func (st *stepper) away(n *Node) string {
	switch node := st.v.Snap.Node(n.Name); {
	case node == nil:
		return "waits for its Node object"
	case st.s.Facts.Options.ExpectReboot && (node.BootID == n.BootID || node.BootID == ""):
		return "waits for its reboot: the boot id is still the same"
	case node.Ready != kube.NodeReady:
		return "waits for Ready"
	}
	return ""
}

// uncordon is what becomes of a node that is back, and why.
func (st *stepper) uncordon(n *Node) (NodeState, string) {
	node := st.v.Snap.Node(n.Name)
	switch {
	case !st.s.drainOver || st.run() == nil:
		return Returning, "waits for the end of the drain of its batch"
	case node.UID != n.UID && node.Unschedulable:
		return Done, "left cordoned: it came back as another Node object"
	}
	switch u := st.ownCordon(n); {
	case !node.Unschedulable && (u == nil || u.Cordon == nil):
		return Done, ""
	case u == nil:
		return Done, "left cordoned: it was so before the roll"
	case u.Cordon == nil:
		return Done, "left cordoned: " + u.Left
	case st.s.Paused:
		return Returning, "paused before its uncordon"
	case st.s.Facts.leasing() && !st.leases[n.Name].InHand(st.v.Now):
		return Returning, leaseWait
	default:
		st.wanted = append(st.wanted, Uncordon{Node: n.Name, Request: *u.Cordon})
		if !u.Uncordons {
			return Returning, "its label for load balancers is removed"
		}
		return Returning, "is uncordoned"
	}
}
