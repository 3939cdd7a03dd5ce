package drain

import (
	"fmt"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Undo is one thing that a run did and that a rollback would take back, or the
// reason why it is left as it is.
type Undo struct {
	// ID says which thing it is, in every plan for the run: the plans of two moments
	// may differ in length and in what is to be done.
	ID   string
	What string // "uncordon node worker-1", "remove budget shop/kdrain-k7f3-web"
	Node string
	// Exactly one of the requests is set where there is something to do.
	Cordon  *kube.CordonRequest
	Unguard *kube.BudgetRef
	Scale   *kube.ScaleRequest
	Taint   *kube.TaintRequest
	Release *kube.LeaseRef
	Left    string // why it is left alone, "" if it is undone
}

// Request is what undoes it, nil where it is left alone.
func (u *Undo) Request() kube.Request {
	switch {
	case u.Cordon != nil:
		return *u.Cordon
	case u.Unguard != nil:
		return *u.Unguard
	case u.Scale != nil:
		return *u.Scale
	case u.Taint != nil:
		return *u.Taint
	case u.Release != nil:
		return *u.Release
	}
	return nil
}

// RollbackPlan says what can be undone of a run, and only that: what the run
// itself did, and nobody has changed since. It reads the cluster as it is now;
// pods that have left are not brought back.
func RollbackPlan(s *State, snap *kube.Snapshot, now time.Time) []Undo {
	var undos []Undo
	for _, b := range s.Budgets {
		u := undoBudget(b, s.Run.ID, snap)
		if b.State != tempbudget.Removed && (b.UID != "" || u.Unguard != nil) {
			undos = append(undos, u)
		}
	}
	for _, r := range s.Remedies {
		if r.MayStand() {
			undos = append(undos, undoRemedy(r, s.Run.ID, snap))
		}
	}
	for _, n := range s.Nodes {
		if n.Cordoned || n.Attempts > 0 {
			undos = append(undos, unlessHeld(undoCordon(n, s.Run.ID, snap.Node(n.Name)), s.Run.ID, snap, now))
		}
	}
	for _, n := range s.Nodes {
		if !s.leaseMayStand(n) {
			continue
		}
		u := undoLease(n, s.Run.ID, snap)
		if n.Lease == nil && n.State.Final() && u.Release == nil {
			continue // nothing of the run stands over a node that was done when it resumed
		}
		undos = append(undos, u)
	}
	return undos
}

// undoRemedy takes back what a remedy changed.
func undoRemedy(r *remedy.Record, run string, snap *kube.Snapshot) Undo {
	u := Undo{ID: r.UndoID(), What: r.UndoWhat()}
	if r.Kind == remedy.OutOfService {
		u.Node = r.Name
	}
	request, left := r.Undo(run, snap)
	switch q := request.(type) {
	case kube.ScaleRequest:
		u.Scale = &q
	case kube.TaintRequest:
		u.Taint = &q
	}
	u.Left = left
	return u
}

// Planned is what the plan has to say of the same thing, false where there is no more to
// say of it.
func (u *Undo) Planned(plan []Undo) (Undo, bool) {
	i := slices.IndexFunc(plan, func(other Undo) bool { return other.ID == u.ID })
	if i < 0 {
		return Undo{}, false
	}
	return plan[i], true
}

// LeasesMayStand tells whether a run that died may have left a Lease over one of
// its nodes.
func (s *State) LeasesMayStand() bool { return slices.ContainsFunc(s.Nodes, s.leaseMayStand) }

func (s *State) leaseMayStand(n *NodeRun) bool {
	if n.Lease == nil { // a process that took the run up forgot what the one before had
		return !s.resumed.IsZero() && s.Run.Options.LeaseNamespace != ""
	}
	return n.Lease.MayStand()
}

// undoLease gives back what would keep the next run waiting for as long as the
// Lease lasts.
func undoLease(n *NodeRun, run string, snap *kube.Snapshot) Undo {
	u := Undo{ID: "lease/" + string(n.UID), What: "give back the Lease over node " + n.Name, Node: n.Name}
	live := snap.LeaseOf(n.UID)
	switch {
	case !snap.Trusted(kube.KindLeases):
		u.Left = "Leases are not seen; it lapses by itself"
	case live == nil:
		u.Left = "it is gone already"
	case live.Holder != run:
		u.Left = "another run has it"
	default:
		u.Release = &kube.LeaseRef{Namespace: live.Namespace, Name: live.Name, UID: live.UID, ResourceVersion: live.ResourceVersion}
	}
	return u
}

// undoBudget removes exactly the budget that the run made. One that it was not told of, for
// no answer came, is known by the run in its label.
func undoBudget(b *tempbudget.Record, run string, snap *kube.Snapshot) Undo {
	u := Undo{ID: "budget/" + b.Namespace + "/" + b.Name, What: "remove budget " + b.Namespace + "/" + b.Name}
	live := snap.BudgetNamed(b.Namespace, b.Name)
	switch {
	case live == nil:
		u.Left = "it is gone already"
	case b.UID != "" && live.UID != b.UID, b.UID == "" && live.TemporaryOf() != run:
		u.Left = "another budget has its name"
	default:
		u.Unguard = &kube.BudgetRef{Namespace: b.Namespace, Name: b.Name, UID: live.UID}
	}
	return u
}

// unlessHeld leaves the node to another run that has its Lease: that run drains it
// now, whoever cordoned it first.
func unlessHeld(u Undo, run string, snap *kube.Snapshot, now time.Time) Undo {
	for _, h := range lease.Holds(snap, []string{u.Node}, run, now) {
		if u.Cordon != nil && !h.Lapsed {
			u.Cordon, u.Left = nil, h.Words+" has its Lease now"
		}
	}
	return u
}

// undoCordon uncordons only if the annotation names the run and the field is
// still ours by managedFields: a cordon that somebody has since made their own
// is theirs to take back.
func undoCordon(n *NodeRun, run string, node *kube.Node) Undo {
	u := Undo{ID: "cordon/" + string(n.UID), What: "uncordon node " + n.Name, Node: n.Name}
	switch {
	case node == nil:
		u.Left = "the node is gone"
		return u
	case node.UID != n.UID:
		u.Left = "another node has its name"
		return u
	case !node.Unschedulable || node.Cordon == nil:
		u.Left = "it is schedulable already"
		return u
	}
	mark, ours := annotation.Parse(node.Cordon.Mark)
	switch {
	case ours && mark.Run != run && mark.ExcludedBy == run:
		// Only the label was ours: cordon and mark stay as they were.
		mark.ExcludedFromLB, mark.ExcludedBy = false, ""
		u.What = "let load balancers use node " + n.Name + " again"
		u.Cordon = &kube.CordonRequest{Node: n.Name, UID: n.UID, ResourceVersion: node.ResourceVersion, Unschedulable: true,
			Mark: mark.String(), ExcludeFromLB: new(bool)}
	case !ours || mark.Run != run:
		u.Left = "its cordon is not of this run"
	case mark.Was == "unschedulable" && mark.ExcludedFromLB:
		// Only the label was ours: the cordon stays with whoever made it.
		u.What = "let load balancers use node " + n.Name + " again"
		u.Cordon = &kube.CordonRequest{Node: n.Name, UID: n.UID, ResourceVersion: node.ResourceVersion, Unschedulable: true, ExcludeFromLB: new(bool)}
	case mark.Was != "schedulable":
		u.Left = "it was unschedulable before the run"
	case node.Cordon.Manager != kube.FieldManager:
		u.Left = fmt.Sprintf("%s has cordoned it since", node.Cordon.Manager)
	default:
		u.Cordon = &kube.CordonRequest{Node: n.Name, UID: n.UID, ResourceVersion: node.ResourceVersion}
		if mark.ExcludedFromLB {
			u.Cordon.ExcludeFromLB = new(bool)
		}
		if mark.After != "" {
			u.What += ", cordoned before by run " + mark.After
			if mark.AfterBy != "" {
				u.What += " of " + mark.AfterBy
			}
		}
	}
	return u
}
