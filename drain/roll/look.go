package roll

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// asDrained looks at a node right before its work: hours may have passed since its drain, in a pause or before a
// resume. It is true while the node is as the drain left it. If it is not, the node fails; what cannot be seen now is
// waited for.
func (st *stepper) asDrained(n *Node) bool {
	against, wait := st.look(n)
	switch {
	case against != "":
		st.become(n, Failed, "no longer as its drain left it: %s", against)
	case wait != n.Message:
		st.become(n, n.State, "%s", wait)
	}
	return against == "" && wait == ""
}

// warnOfUse warns once when a node is in use again while its work command runs. A Node object that was deleted or
// replaced is no reason: many work commands do that.
func (st *stepper) warnOfUse(n *Node) {
	node := st.v.Snap.Node(n.Name)
	against, _ := st.look(n)
	begin := "node " + n.Name + " is no longer as its drain left it while its --work command runs: "
	if against == "" || node == nil || node.UID != n.UID || slices.ContainsFunc(st.s.Warnings, func(w string) bool {
		return strings.HasPrefix(w, begin)
	}) {
		return
	}
	st.emit(Event{Kind: EventWarning, Message: begin + against})
}

// Again looks once more before a command that had to wait since Next wanted it, as for a journal that could not be
// written: it returns why the command is not to be run, "" if it may.
func (a RunHook) Again(s *State, v View) string {
	st := &stepper{s: s, v: v}
	switch n := s.node(a.Node); {
	case s.Aborting:
		return "the roll was aborted"
	case s.Facts.leasing() && !v.Leases[a.Node].InHand(v.Now):
		return "its Lease is not in hand"
	case a.Hook == HookWork:
		against, wait := st.look(n)
		return cmp.Or(against, wait)
	}
	return ""
}

// look is what speaks against work on a node that was drained, and what is to be waited for before that is known.
func (st *stepper) look(n *Node) (against, wait string) {
	node, d := st.v.Snap.Node(n.Name), st.run()
	switch {
	case d == nil:
		return "", "waits for the run of its batch"
	case d.RolledBack:
		return rolledBack, ""
	case !st.v.Snap.On(n.Name).Trusted(kube.KindNodes, kube.KindPods):
		return "", "waits for a current view of the node and its pods"
	case node == nil:
		return "its Node object is gone", ""
	case node.UID != n.UID:
		return "another Node object has its name", ""
	case !node.Unschedulable:
		return "it was uncordoned", ""
	}
	run, taken := d.Node(n.Name), annotation.TakenOver(node, d.Run.ID)
	switch {
	case run == nil:
		return "the run of its batch does not know it", ""
	case run.Cordoned && taken != "":
		return "its cordon is no longer that of the roll: " + taken, ""
	case d.Outcome == "" && d.AwaitsDetach(run, st.v.Snap):
		return "", "waits for the detach of its volumes"
	}
	return st.pods(n)
}

// pods is what speaks against work on a node because of the pods that a drain would move off it.
func (st *stepper) pods(n *Node) (against, wait string) {
	v := &eviction.View{Snap: st.v.Snap, Now: st.v.Now, Options: &st.run().Run.Options}
	left := slices.Values([]*eviction.Record(nil)) // those of the run
	pods, unjudged := eviction.OnNode{View: v, Own: left}.Unplanned(n.Name, func(kube.UID) bool { return false })
	switch {
	case len(pods) > 0:
		return format.Plural(len(pods), "pod is", "pods are") + " on it: " + pods[0].Namespace + "/" + pods[0].Name, ""
	case unjudged:
		st.wakeAt(v.Wake)
		return "", "waits for the DaemonSet of a pod"
	}
	return "", ""
}

// ownCordon is what is to be undone of the cordon of a node by the run of its batch, nil where that run had nothing to
// cordon.
func (st *stepper) ownCordon(n *Node) *rollback.Undo {
	undos := rollback.Plan(st.run(), st.v.Snap, st.v.Now)
	if i := slices.IndexFunc(undos, func(u rollback.Undo) bool { return u.ID == "cordon/"+string(n.UID) }); i >= 0 {
		return &undos[i]
	}
	return nil
}
