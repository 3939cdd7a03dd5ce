package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

var deleteBudgets = request.Permission{Verb: "delete", Group: "policy", Resource: "poddisruptionbudgets"}

// Rollback takes back what one run did. Until Close no other process goes on with the
// run.
type Rollback struct {
	session *Session
	journal *journal.Journal // locked, and takes what is undone; nil for a run without one
	State   *drain.State
	// Items are what is to be undone, and what is left as it is.
	Items []rollback.Undo
	// undone are the IDs of those that are.
	undone  []string
	others  int           // what the run left beside the items
	unsaved []drain.Event // which the journal did not take
	working working
}

// Rollback locks a run of this machine that no process works on, or a roll, watches what it may
// have left on its cluster, and plans what is to be undone.
func (s *Session) Rollback(ctx context.Context, id string) (*Rollback, error) {
	r := &Rollback{session: s}
	var err error
	if slices.Contains(journal.Rolls(s.Runs.Dir), id) {
		r.State, err = s.Runs.ofRoll(id)
	} else {
		var events []drain.Event
		r.journal, events, err = s.Runs.lock(id)
		r.State = drain.Fold(nil, events...)
	}
	if err != nil {
		return nil, err
	}
	err = sameCluster(s.Identity(), &r.State.Run)
	if err == nil {
		r.working, err = s.Runs.working(r.State)
	}
	if err == nil {
		err = r.look(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// Plan plans from the cluster as it is now.
func (r *Rollback) Plan() { r.Items = r.plan() }

func (r *Rollback) plan() []rollback.Undo {
	return r.working.leave(rollback.Plan(r.State, r.session.Snapshot(), r.session.Now()))
}

// Close gives the lock back. If something was undone, the journal tells whether all was.
func (r *Rollback) Close() error {
	err := r.working.close()
	if r.journal == nil {
		return err
	}
	if len(r.undone) > 0 {
		end := rollback.End(r.State, r.remaining(), r.session.Identity().User, r.session.Now())
		err = errors.Join(err, r.record(end))
	}
	return errors.Join(err, r.journal.Close())
}

// remaining is how much was to be undone and is not. A Lease expires by itself.
func (r *Rollback) remaining() int {
	n := r.others
	for _, item := range r.Items {
		if item.Left == "" && item.Release == nil && !slices.Contains(r.undone, item.ID) {
			n++
		}
	}
	return n
}

// look reads the cluster as it is now and plans.
func (r *Rollback) look(ctx context.Context) error {
	s := r.session
	kinds, why := leftKinds(r.State)
	rights := []request.Permission{{Verb: "get", Resource: "nodes"}}
	for _, k := range kinds {
		if why[k] != "" {
			rights = append(rights, request.Permission{Verb: "list", Group: apiGroups[k], Resource: string(k)})
		}
	}
	if err := s.rights().need(ctx, rights); err != nil {
		return err
	}
	if s.Source == nil { // a dashboard watches everything already
		s.Observe(ctx, kinds...)
	}
	snapshot, err := s.Synced(ctx, kinds)
	if err != nil {
		return err
	}
	for _, k := range kinds {
		// Absence from a list that may not be read is not "gone".
		if sync := snapshot.Sync(k); why[k] != "" && sync.Phase == kube.Denied {
			return &Error{Reason: ReasonForbidden, Text: "cannot list " + string(k) + ": " + sync.Reason, Hint: why[k]}
		}
	}
	if err := r.awaitHolders(ctx); err != nil {
		return err
	}
	r.State = rollback.WithMarks(r.State, s.Snapshot())
	r.settle(ctx)
	r.Plan()
	return nil
}

// settle waits for the controllers of workloads that were set back already, as by a rollback that died.
func (r *Rollback) settle(ctx context.Context) {
	awaitSetBack(ctx, r.session, r.State, func(one *surge.Record, run string, snapshot *kube.Snapshot) bool {
		return surge.StillRaised(snapshot, one, run)
	})
}

// awaitSetBack waits until the controllers of all workloads that a run raised have seen that their replicas are set
// back, but for a limited time: one that does not run sees nothing. Others are not waited for.
func awaitSetBack(ctx context.Context, s *Session, of *drain.State,
	other func(r *surge.Record, run string, snapshot *kube.Snapshot) bool) {
	ctx, cancel := context.WithTimeout(ctx, nodeShown)
	defer cancel()
	_ = s.await(ctx, func(snapshot *kube.Snapshot) (bool, time.Time) {
		return !slices.ContainsFunc(of.Surges, func(r *surge.Record) bool {
			return r.MayStand() && !surge.SetBack(snapshot, r, of.Run.ID) && !other(r, of.Run.ID, snapshot)
		}), time.Time{}
	})
}

// leftKinds are those of what a run may have left, and for those that must be readable
// what the run did.
func leftKinds(run *drain.State) (kinds []kube.Kind, why map[kube.Kind]string) {
	kinds, why = []kube.Kind{kube.KindNodes}, map[kube.Kind]string{}
	need := func(k kube.Kind, what string) {
		if !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
		if what != "" {
			why[k] = what
		}
	}
	if run.Run.Options.GuardWrite {
		need(kube.KindBudgets, "")
	}
	if slices.ContainsFunc(run.Budgets, func(b *tempbudget.Record) bool { return b.State != tempbudget.Removed }) {
		need(kube.KindBudgets, "the run made temporary budgets; nothing was changed")
	}
	for _, taken := range run.Remedies {
		if kind, known := taken.ScaleKind(); known && taken.MayStand() {
			need(kind, "the run changed replicas; nothing was changed now")
		}
	}
	raised := ""
	if slices.ContainsFunc(run.Surges, (*surge.Record).MayStand) {
		raised = "the run raised replicas to start replacements first; nothing was changed now"
	}
	if raised != "" || run.Run.Options.Surge != "" || run.Run.Options.AllowScale {
		for _, k := range surge.Kinds {
			need(k, raised)
		}
	}
	if run.LeasesMayStand() || run.Run.Options.LeaseNamespace != "" {
		need(kube.KindLeases, "")
	}
	return kinds, why
}

// awaitHolders waits until it is known of every other run that has the Lease of a node
// of this one whether it lives: it renews the Lease, or the Lease expires, by our own
// clock. A node of a run that is dead is then free, as for a drain or a resume.
func (r *Rollback) awaitHolders(ctx context.Context) error {
	s, said := r.session, false
	return s.await(ctx, func(snapshot *kube.Snapshot) (bool, time.Time) {
		now := s.Now()
		hold, expires := rollback.OpenHold(r.State, snapshot, now)
		if hold == "" || !expires.After(now) {
			return true, time.Time{}
		}
		if !said {
			s.report(fmt.Sprintf("%s; waiting up to %s to see whether that run is still running", hold,
				format.Duration(expires.Sub(now))))
		}
		said = true
		return false, expires
	})
}

// MayUndo is an *Error where the rights are missing that the plan needs.
func (r *Rollback) MayUndo(ctx context.Context) error {
	return r.session.rights().need(ctx, undoRights(r.Items))
}

// undoRights are what it takes to undo that.
func undoRights(undos []rollback.Undo) (rights []request.Permission) {
	need := func(p request.Permission) { rights = append(rights, beyond([]request.Permission{p}, rights)...) }
	for _, u := range undos {
		switch {
		case u.Cordon != nil || u.Taint != nil:
			need(request.Permission{Verb: "patch", Resource: "nodes"})
		case u.Unguard != nil:
			need(deleteBudgets)
		case u.Scale != nil:
			right := request.ScaleResources[u.Scale.Kind]
			right.Namespace = u.Scale.Namespace
			need(right)
		case u.Fields != nil:
			need(u.Fields.Right())
		}
		for _, one := range u.Surge {
			if lower, of := one.(request.Lower); of {
				need(request.SurgeResources[lower.Kind])
			} else {
				need(request.Permission{Verb: "patch", Resource: "pods"})
			}
		}
	}
	return rights
}

// Undo undoes one item. It is judged once more: while the operator
// read, somebody may have made the cordon their own, and a node's status alone makes
// its version old. Requests without an answer may be done, and those to an object that
// changed are not: then it is judged again by what the watch shows.
func (r *Rollback) Undo(ctx context.Context, item rollback.Undo) error {
	var lost, refused error // lost is a request that may be done
	sent := item
	for try := 0; ; try++ {
		now, known := item.Planned(r.plan())
		switch {
		case lost != nil && (!known || now.Left != ""):
			return r.done(ctx, sent)
		case !known:
			return errors.New("it changed meanwhile: nothing of it is left to undo")
		case now.Left != "":
			return fmt.Errorf("it changed meanwhile: %s", now.Left)
		case now.What != item.What:
			return fmt.Errorf("it changed meanwhile: the run is now to %s", now.What)
		case try == cordonTries:
			return refused
		}
		sent = now
		// A full disk is no reason to leave a surge: where the journal cannot be written, done tells it.
		_ = r.record(now.Intents(r.State, r.session.Identity().User, r.session.Now())...)
		answer, lowered, err := r.send(ctx, now)
		if err != nil {
			return err
		}
		if answer.OK() {
			return r.done(ctx, sent)
		}
		if now.Fields != nil && attempt.PatchFails(answer) {
			kept := now.Kept(r.State, remedy.ChangedSince, r.session.Identity().User, r.session.Now())
			return errors.Join(errors.New(remedy.ChangedSince), r.record(kept))
		}
		lost, refused = nil, errors.New(attempt.AnswerWords(answer))
		if attempt.MayBeDone(answer) {
			lost = refused
		}
		class := answer.Class()
		if class == kube.AnswerConflict && now.Surge != nil { // the object changed between its reading and its writing
			if lowered { // what stands now may be another run's
				lost = refused
			}
			continue
		}
		outdated := class == kube.AnswerConflict || class == kube.AnswerInvalid // by the test of a patch
		if lost == nil && !outdated || !r.showsOther(ctx, now) {
			return refused
		}
	}
}

// send sends the requests of an item. A surge ends in two steps: the rest is undone once its controller has seen that
// the replicas are set back. Until then it copies the annotation of the run, and may remove other pods than those of
// the lowest cost. It is an error if it has not. lowered reports whether the answer is about that rest.
func (r *Rollback) send(ctx context.Context, item rollback.Undo) (answer kube.Answer, lowered bool, err error) {
	if item.Surge == nil {
		return r.session.undo(ctx, item.Requests()), false, nil
	}
	i := slices.IndexFunc(r.State.Surges, func(one *surge.Record) bool { return one.UndoID() == item.ID })
	of, run := r.State.Surges[i], r.State.Run.ID
	seen := func() bool { return surge.Seen(r.session.Snapshot(), of, run) }
	var sent []request.Request
	if seen() || surge.StillRaised(r.session.Snapshot(), of, run) {
		sent = item.Surge
	}
	if answer := r.session.undo(ctx, sent); !answer.OK() {
		return answer, false, nil
	}
	awaitSetBack(ctx, r.session, r.State, func(one *surge.Record, _ string, _ *kube.Snapshot) bool {
		return one.UndoID() != item.ID
	})
	if !seen() {
		return kube.Answer{}, true, fmt.Errorf("its controller has not seen within %s that the replicas are set back: "+
			"the same command again undoes the rest", nodeShown)
	}
	now, _ := item.Planned(r.plan())
	return r.session.undo(ctx, slices.DeleteFunc(slices.Clone(now.Surge), func(one request.Request) bool {
		return slices.Contains(sent, one)
	})), true, nil
}

// undo sends requests, up to the first that is not done. A budget, a Lease, a pod or a custom resource that is
// gone is as well as undone.
func (s *Session) undo(ctx context.Context, requests []request.Request) (answer kube.Answer) {
	answer = kube.Answer{Code: http.StatusOK}
	// A request that is out is waited for: a signal stops those after it.
	for _, undo := range requests {
		answer = undo.Send(context.WithoutCancel(ctx), s.Writer())
		switch undo.(type) {
		case request.BudgetRef, request.DeleteLease, request.SetCost, request.SetFields:
			if answer.Class() == kube.AnswerGone {
				answer = kube.Answer{Code: http.StatusOK}
			}
		}
		if !answer.OK() {
			break
		}
	}
	return answer
}

// showsOther waits until the watch shows that the item is to be undone by other requests, or by none.
func (r *Rollback) showsOther(ctx context.Context, u rollback.Undo) bool {
	ctx, cancel := context.WithTimeout(ctx, nodeShown)
	defer cancel()
	return r.session.await(ctx, func(*kube.Snapshot) (bool, time.Time) {
		now, known := u.Planned(r.plan())
		return !known || !reflect.DeepEqual(now.Requests(), u.Requests()), time.Time{}
	}) == nil
}

// done notes that an item was undone.
func (r *Rollback) done(ctx context.Context, u rollback.Undo) error {
	if u.Taint != nil {
		r.awaitTaint(ctx, u.Node)
	}
	r.undone = append(r.undone, u.ID)
	return r.record(u.Event(r.State, r.session.Identity().User, r.session.Now()))
}

// record writes into the journal of the run, where it has one. What the journal does not take comes with the next.
func (r *Rollback) record(events ...drain.Event) error {
	r.State = drain.Fold(r.State, events...)
	if r.unsaved = append(r.unsaved, events...); r.journal == nil || len(r.unsaved) == 0 {
		return nil
	}
	if err := r.journal.Append(r.unsaved, true); err != nil {
		return fmt.Errorf("the journal does not have what was undone: %w", err)
	}
	r.unsaved = nil
	return nil
}

// taintShown is how long the watch may take to show that a taint is gone.
const taintShown = 10 * time.Second

// awaitTaint waits until the watch shows that the taint is gone: the cordon of the
// same node is taken back by its version. Where it does not come, the server refuses
// what is out of date, and that is said.
func (r *Rollback) awaitTaint(ctx context.Context, node string) {
	ctx, cancel := context.WithTimeout(ctx, taintShown)
	defer cancel()
	_ = r.session.await(ctx, func(snapshot *kube.Snapshot) (bool, time.Time) {
		n := snapshot.Node(node)
		return n == nil || !n.OutOfService(), time.Time{}
	})
}
