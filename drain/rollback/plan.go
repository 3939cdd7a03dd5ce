package rollback

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/drain/retire"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// Undo is one thing that a run did and that a rollback would take back, or the
// reason why it is left as it is.
type Undo struct {
	// ID says which thing it is, in every plan for the run: the plans of two moments
	// may differ in length and in what is to be done.
	ID   string
	What string // "uncordon node worker-1", "remove budget shop/kdrain-k7f3-web"
	Node string
	// Exactly one of the following is set where there is something to do.
	Cordon  *request.Cordon
	Unguard *request.BudgetRef
	Scale   *request.Scale
	Taint   *request.SetTaints
	Fields  *request.SetFields
	Release *request.DeleteLease
	// Surge are the requests that end the surge of a workload, in their order.
	Surge []request.Request
	// Uncordons tells that Cordon makes the node schedulable; otherwise only the label for load balancers goes.
	Uncordons bool
	Left      string // why it is left alone, "" if it is undone
}

// Requests are what undoes it, in their order; none where it is left alone.
func (u *Undo) Requests() []request.Request {
	switch {
	case u.Cordon != nil:
		return []request.Request{*u.Cordon}
	case u.Unguard != nil:
		return []request.Request{*u.Unguard}
	case u.Scale != nil:
		return []request.Request{*u.Scale}
	case u.Taint != nil:
		return []request.Request{*u.Taint}
	case u.Fields != nil:
		return []request.Request{*u.Fields}
	case u.Release != nil:
		return []request.Request{*u.Release}
	}
	return u.Surge
}

// Plan says what can be undone of a run, and only that: what the run
// itself did, and that has not been changed since. It reads the cluster as it is now;
// pods that were evicted are not brought back.
func Plan(s *drain.State, snap *kube.Snapshot, now time.Time) []Undo {
	var undos []Undo
	for _, b := range s.Budgets {
		u := undoBudget(b, s.Run.ID, snap)
		if b.State != tempbudget.Removed && (b.UID != "" || u.Unguard != nil) {
			undos = append(undos, u)
		}
	}
	for _, r := range s.Surges {
		if r.MayStand() {
			u := Undo{ID: r.UndoID(), What: r.UndoWhat()}
			u.Surge, u.Left = r.Undo(s.Run.ID, snap)
			undos = append(undos, u)
		}
	}
	for _, r := range s.Remedies {
		if r.MayStand() {
			undos = append(undos, undoRemedy(r, s.Run.ID, snap))
		}
	}
	for _, n := range s.Nodes {
		undos = append(undos, keptSteps(n)...)
	}
	for _, n := range s.Nodes {
		if n.Cordoned || n.Attempts > 0 {
			undos = append(undos, unlessHeld(undoCordon(n, s.Run.ID, snap), s.Run.ID, snap, now))
		}
	}
	for _, n := range s.Nodes {
		live := snap.LeaseOf(n.UID)
		if !s.LeaseMayStand(n) && (live == nil || !lease.Ours(live.Holder, s.Run.ID)) { // as its roll may have left it
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

// Uncordons are the nodes that the undos make schedulable again.
func Uncordons(undos []Undo) []string {
	var nodes []string
	for _, u := range undos {
		if u.Left == "" && u.Uncordons {
			nodes = append(nodes, u.Node)
		}
	}
	return nodes
}

// keptSteps are the steps of a node out of the cluster, which nothing takes back.
func keptSteps(n *drain.NodeRun) []Undo {
	var kept []Undo
	for _, step := range retire.Steps {
		taken := n.Retire.Of(step)
		if taken.Status == "" {
			continue
		}
		left := map[retire.Step]string{
			retire.StepStop:   "cannot be undone from here; on the host: systemctl enable --now kubelet",
			retire.StepDelete: "cannot be undone: the Node object comes back when the kubelet of its machine registers again",
			retire.StepClean:  "cannot be undone: the machine must be set up again to join the cluster",
		}[step]
		if taken.Status != retire.Done {
			left = "it did not succeed, or was cut short; what it did " + left
		}
		kept = append(kept, Undo{ID: "retire/" + string(step) + "/" + string(n.UID), Node: n.Name, Left: left,
			What: "take back on node " + n.Name + ": " + step.Does()})
	}
	return kept
}

// undoRemedy takes back what a remedy changed.
func undoRemedy(r *remedy.Record, run string, snap *kube.Snapshot) Undo {
	u := Undo{ID: r.UndoID(), What: r.UndoWhat()}
	if r.Kind == remedy.OutOfService {
		u.Node = r.Name
	}
	req, left := r.Undo(run, snap)
	switch q := req.(type) {
	case request.Scale:
		u.Scale = &q
	case request.SetTaints:
		u.Taint = &q
	case request.SetFields:
		u.Fields = &q
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

func undoLease(n *drain.NodeRun, run string, snap *kube.Snapshot) Undo {
	u := Undo{ID: "lease/" + string(n.UID), What: "release the Lease of node " + n.Name, Node: n.Name}
	u.Release, u.Left = lease.Undo(n.UID, run, snap)
	return u
}

// BudgetID is the ID of the Undo that removes a temporary budget.
func BudgetID(b *tempbudget.Record) string { return "budget/" + b.Namespace + "/" + b.Name }

// CordonID is the ID of the Undo of the cordon of a node.
func CordonID(node kube.UID) string { return "cordon/" + string(node) }

func undoBudget(b *tempbudget.Record, run string, snap *kube.Snapshot) Undo {
	u := Undo{ID: BudgetID(b), What: "remove budget " + b.Namespace + "/" + b.Name}
	u.Unguard, u.Left = b.Undo(run, snap)
	return u
}

// unlessHeld leaves the node to another run that has its Lease: that run drains it
// now, whoever cordoned it first.
func unlessHeld(u Undo, run string, snap *kube.Snapshot, now time.Time) Undo {
	for _, h := range lease.InTheWay(snap, []string{u.Node}, run, now, nil) {
		if u.Cordon != nil {
			u.Cordon, u.Left = nil, h.Words+" has its Lease now"
		}
	}
	return u
}

func undoCordon(n *drain.NodeRun, run string, snap *kube.Snapshot) Undo {
	u := Undo{ID: CordonID(n.UID), Node: n.Name}
	node := snap.Node(n.Name)
	u.Cordon, u.What, u.Left = annotation.Undo(n.Name, n.UID, run, node)
	u.Uncordons = u.Cordon != nil && !u.Cordon.Unschedulable && node.Unschedulable
	return u
}

// OpenHold is a Lease of another run over a node whose cordon a rollback of the run would
// take back, of which it is not known yet whether that run lives: what is said of it, and
// when it lapses if nothing changes. It is empty where there is none.
func OpenHold(run *drain.State, s *kube.Snapshot, now time.Time) (words string, lapses time.Time) {
	for _, n := range run.Nodes {
		l := s.LeaseOf(n.UID)
		if l == nil || l.Holder == "" || lease.Ours(l.Holder, run.Run.ID) || l.Alive(now) ||
			undoCordon(n, run.Run.ID, s).Cordon == nil {
			continue
		}
		if ends := s.LeaseEnds(l); now.Before(ends) {
			return lease.HolderWords(l) + " holds the Lease of node " + n.Name, ends
		}
	}
	return "", time.Time{}
}

// Intents are what the journal of the run keeps of the deletion costs before they are changed: pods that are not
// removed get theirs back.
func (u *Undo) Intents(s *drain.State, by string, at time.Time) (events []drain.Event) {
	for _, r := range s.Surges {
		for _, one := range u.Surge {
			c, of := one.(request.SetCost)
			if !of || c.To != request.LowestDeletionCost || r.UndoID() != u.ID {
				continue
			}
			pod := surge.Mover{Name: c.Name, UID: c.UID}
			events = append(events, drain.Event{Kind: drain.EventUndone, Seq: s.Seq + uint64(len(events)) + 1, Time: at,
				By: by, Surge: new(r.Facts), Cost: &surge.CostFacts{Mover: pod, Was: c.From, To: c.To},
				Message: "pod " + c.Name + " gets the lowest deletion cost"})
		}
	}
	return events
}

// Event is what the journal of the run keeps of a thing undone, with the end of its record.
func (u *Undo) Event(s *drain.State, by string, at time.Time) drain.Event {
	e := drain.Event{Kind: drain.EventUndone, Seq: s.Seq + 1, Time: at, Node: u.Node, By: by, Message: u.Undone(),
		CordonGone: u.Cordon != nil && !u.Cordon.Unschedulable}
	for _, b := range s.Budgets {
		if u.Unguard != nil && b.Namespace == u.Unguard.Namespace && b.Name == u.Unguard.Name {
			e.Budget, e.BudgetState = new(b.Facts), tempbudget.Removed
		}
	}
	for _, r := range s.Remedies {
		if r.UndoID() == u.ID {
			e.Remedy, e.RemedyState = new(r.Facts), remedy.Undone
		}
	}
	for _, r := range s.Surges {
		if r.UndoID() == u.ID {
			e.Surge, e.SurgeChange = new(r.Facts), &surge.Change{State: surge.Undone, Message: "a rollback ended it"}
		}
	}
	return e
}

// Kept is the event for a change that is left as it is, as somebody else has changed the object since.
func (u *Undo) Kept(s *drain.State, why, by string, at time.Time) drain.Event {
	e := u.Event(s, by, at)
	e.RemedyState, e.Message = remedy.Kept, why
	return e
}

// End is what the journal of the run keeps of the end of a rollback that undid something:
// remaining are the things that it should have undone and did not.
func End(s *drain.State, remaining int, by string, at time.Time) drain.Event {
	e := drain.Event{Kind: drain.EventUndone, Seq: s.Seq + 1, Time: at, By: by, Outcome: drain.OutcomeDone}
	if remaining > 0 {
		e.Outcome, e.Message = drain.OutcomePartly, format.Plural(remaining, "change is", "changes are")+" not undone"
	}
	return e
}

// Undone is the line of a thing undone, like kubectl's.
func (u *Undo) Undone() string {
	switch {
	case u.Unguard != nil:
		return "poddisruptionbudget/" + u.Unguard.Name + " removed"
	case u.Scale != nil:
		return fmt.Sprintf("%s/%s scaled back to %d", strings.ToLower(u.Scale.Kind), u.Scale.Name, u.Scale.To)
	case u.Taint != nil:
		return "node/" + u.Node + " in service again"
	case u.Release != nil:
		return "lease/" + u.Release.Name + " given back"
	case u.Surge != nil && !surge.Scales(u.Surge):
		return u.What + ": its replicas were not changed, the rest is done"
	case u.Surge != nil || u.Fields != nil:
		return u.What + ": done"
	case !u.Uncordons:
		return "node/" + u.Node + " used by load balancers again"
	}
	return "node/" + u.Node + " uncordoned"
}
