package roll

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
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
		st.s.drainOver) {
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

// readDrain wants the run of the batch, once it was begun, and notes its end.
func (st *stepper) readDrain() {
	d := st.run()
	switch {
	case st.s.Run == "":
	case d == nil && (!st.s.drainOver || slices.ContainsFunc(st.s.inBatch(),
		func(n *Node) bool { return !n.State.final() })):
		st.wanted = append(st.wanted, Drain{Run: st.s.Run, Nodes: st.s.drained})
	case d != nil && d.Outcome != "" && !st.s.drainOver:
		st.emit(Event{Kind: EventDrainEnded, Run: st.s.Run, Outcome: d.Outcome, Message: d.Message})
	}
}

// beginDrain begins the run of the batch when the commands before it have ended on all nodes.
func (st *stepper) beginDrain(nodes []*Node) {
	if st.s.Run != "" || st.s.Paused {
		return
	}
	var ready []string
	for _, n := range nodes {
		switch {
		case n.State != Draining:
		case st.s.Facts.Options.Before != "" && n.before != hookDone:
			return
		default:
			ready = append(ready, n.Name)
		}
	}
	if len(ready) > 0 {
		st.emit(Event{Kind: EventDrainStarted, Batch: st.s.Batch + 1, Run: runOf(st.s.Facts.Run.ID, st.s.Batch),
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

// workOn has the work done: by its command, else by the operator.
func (st *stepper) workOn(n *Node) {
	switch work := st.s.Facts.Options.Work; {
	case n.work == hookDone:
		st.become(n, Returning, "")
	case work != "" || n.work == hookCutOff:
		st.runHook(n, HookWork, work)
	default:
		st.ask(Event{Node: n.Name, Question: AskWork})
	}
}

// runHook runs a command for a node once. One that was cut off is run again if the operator says so, or
// said so for all.
func (st *stepper) runHook(n *Node, h Hook, command string) {
	switch state := *n.hook(h); {
	case st.s.Paused || state == hookRuns:
	case state == hookCutOff && !st.s.Facts.Options.RerunWork:
		st.ask(Event{Node: n.Name, Question: AskAgain, Hook: h})
	default:
		st.emit(Event{Kind: EventHookStarted, Node: n.Name, Hook: h})
		st.once = append(st.once, RunHook{Node: n.Name, Hook: h, Command: command})
	}
}

// ask asks the operator one thing at a time.
func (st *stepper) ask(e Event) {
	if st.s.Question == nil {
		e.Kind = EventQuestion
		st.emit(e)
	}
}

// retryAfter is how long after a refused uncordon it is tried again.
const retryAfter = time.Second

// bringBack waits until the node is Ready, after a reboot where one is expected, and takes our own
// cordon back.
func (st *stepper) bringBack(n *Node) {
	if !st.v.Snap.Trusted(kube.KindNodes) || st.v.Now.Before(n.retryAt) {
		st.wakeAt(n.retryAt)
		return
	}
	state, text := st.returning(n)
	if limit := time.Duration(st.s.Facts.Options.ReturnTimeout); state == Returning && limit > 0 {
		if due := n.Since.Add(limit); !st.v.Now.Before(due) {
			state, text = Failed, fmt.Sprintf("not back %s after its work: %s", limit, text)
		} else {
			st.wakeAt(due)
		}
	}
	if state != n.State || text != n.Message {
		st.become(n, state, "%s", text)
	}
}

// returning is what becomes of a node whose work is done, and why.
func (st *stepper) returning(n *Node) (NodeState, string) {
	node, d := st.v.Snap.Node(n.Name), st.run()
	switch {
	case node == nil:
		return Returning, "waits for its Node object"
	case st.s.Facts.Options.ExpectReboot && (node.BootID == n.BootID || node.BootID == ""):
		return Returning, "waits for its reboot: the boot id is still the same"
	case node.Ready != kube.NodeReady:
		return Returning, "waits for Ready"
	case !st.s.drainOver || d == nil:
		return Returning, "waits for the end of the drain of its batch"
	case node.UID != n.UID && node.Unschedulable:
		return Done, "left cordoned: it came back as another Node object"
	case !node.Unschedulable:
		return Done, ""
	}
	for _, u := range rollback.Plan(d, st.v.Snap, st.v.Now) {
		switch {
		case u.ID != "cordon/"+string(n.UID):
		case u.Cordon == nil:
			return Done, "left cordoned: " + u.Left
		case st.s.Paused:
			return Returning, "paused before its uncordon"
		default:
			st.wanted = append(st.wanted, Uncordon{Node: n.Name, Request: *u.Cordon})
			return Returning, "is uncordoned"
		}
	}
	return Done, "left cordoned: it was so before the roll"
}
