package drain

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// checks are what must hold after every Step, whatever the script is about. They keep
// books of their own, so that a rule and its check are two computations.
type checks struct {
	brief   bool // without the check that is slow in long runs, others at each fourth look
	looks   int
	assumed map[kube.UID][]assumption // by budget
}

// assumption is an eviction that a budget may not show yet.
type assumption struct {
	action   uint64
	pod      kube.UID
	version  string // of the budget, when the eviction was sent
	at       time.Time
	accepted bool
}

// decision says what is wrong with what a Step decided.
func (c *checks) decision(s *script, snap *kube.Snapshot, in []Input, d Output) (wrong []string) {
	fail := func(format string, a ...any) { wrong = append(wrong, fmt.Sprintf(format, a...)) }

	if c.looks++; !c.brief || c.looks%4 == 0 {
		if again := Step(s.state, snap, in, s.now); !reflect.DeepEqual(again, d) {
			fail("a second Step on the same input decides otherwise")
		}
		folded := s.state
		for _, e := range d.Events {
			folded = Fold(folded, e)
		}
		if !reflect.DeepEqual(folded, d.State) {
			fail("the events, one by one, do not give the state")
		}
	}
	if c.brief {
	} else if all := Fold(Fold(nil, s.events...), d.Events...); !reflect.DeepEqual(all, d.State) {
		fail("all events since the beginning do not give the state: an older state was changed")
	}
	idle, answered := Step(d.State, snap, nil, s.now), false
	if c.brief && len(idle.Events) > 0 && len(idle.Writes) == 0 { // figures that the look itself changed are told at the next one
		idle, answered = Step(idle.State, snap, nil, s.now), len(d.Writes) > 0 // which comes with an answer
	}
	if len(idle.Events) > 0 {
		fail("a second look at the same moment decides more: %s %s", idle.Events[0].Kind, idle.Events[0].Pod)
	} else if !answered && !idle.Wake.IsZero() && (d.Wake.IsZero() || idle.Wake.Before(d.Wake)) {
		fail("a second look at the same moment wants to wake earlier, in %s", idle.Wake.Sub(s.now))
	}
	if !d.Wake.IsZero() && !d.Wake.After(s.now) {
		fail("it wants to wake in the past")
	}
	seq, intents := s.state.Seq, 0
	for _, e := range d.Events {
		if !e.passing {
			seq++
		}
		if e.Seq != seq || !e.Time.Equal(s.now) {
			fail("event %s has number %d, want %d", e.Kind, e.Seq, seq)
		}
		if e.Kind == EventIntent {
			intents++
		}
		if kept, err := json.Marshal(e); err != nil || strings.Contains(string(kept), lastWords) {
			fail("event %s cannot be kept in a journal, or has a container's own words in it (%v)", e.Kind, err)
		}
	}
	if intents != len(d.Writes) {
		fail("%d intents for %d writes", intents, len(d.Writes))
	}
	for _, input := range in {
		if control, ok := input.(Command); ok && control.ID != 0 && !told(control.ID, d) {
			fail("nothing says what became of command %s", control.Kind)
		}
	}
	c.answers(in)
	for _, w := range d.Writes {
		wrong = append(wrong, c.write(s, snap, d, w)...)
	}
	return wrong
}

// told reports whether somebody who waits for a command learns what became of it.
func told(id uint64, d Output) bool {
	return d.Refused[id] != nil || slices.ContainsFunc(d.Events, func(e Event) bool { return e.Input == id })
}

// write says what is wrong with a write.
func (c *checks) write(s *script, snap *kube.Snapshot, d Output, w Write) (wrong []string) {
	fail := func(format string, a ...any) {
		wrong = append(wrong, fmt.Sprintf("#%d: ", w.ID)+fmt.Sprintf(format, a...))
	}
	ofLease, next := sends[request.WriteLease](w) || sends[request.DeleteLease](w), d.State
	undoes := sends[request.BudgetRef](w) || w.Verb == attempt.VerbUnscale || w.Verb == attempt.VerbUntaint || sends[request.GetBudget](w) ||
		sends[request.Lower](w) || sends[request.SetCost](w)
	switch {
	case next.Suspended:
		fail("sent while the run is suspended")
	case s.state.Outcome != "":
		fail("sent after the end of the run")
	case next.Aborting && !undoes && !ofLease:
		fail("sent while the run is being aborted")
	case next.Paused && !ofLease && !sends[request.GetBudget](w) && !(next.Aborting && undoes): // to read is allowed
		fail("sent while the run is paused")
	case !snap.Health().Live && !ofLease && !next.Aborting:
		fail("sent while the API server does not answer")
	}
	if w.Node != "" {
		if n := next.Node(w.Node); n == nil {
			fail("node %s is not in the plan", w.Node)
		} else if n.Refused != "" {
			fail("node %s is refused", w.Node)
		}
	}
	if uid := w.pod(); uid != "" && w.Remedy == 0 {
		wrong = append(wrong, c.podWrite(s, snap, d, w, uid)...)
	}
	return wrong
}

// podWrite says what is wrong with the eviction, deletion or reading of a pod.
func (c *checks) podWrite(s *script, snap *kube.Snapshot, d Output, w Write, uid kube.UID) (wrong []string) {
	fail := func(format string, a ...any) {
		wrong = append(wrong, fmt.Sprintf("#%d: ", w.ID)+fmt.Sprintf(format, a...))
	}
	next := d.State
	before, p, live := s.state.Pod(uid), next.Pod(uid), snap.Pod(uid)
	switch {
	case p == nil:
		fail("%s is not in the run", uid)
		return wrong
	case p.Action != plan.ActionEvict && p.Action != plan.ActionDelete:
		fail("%s is not to be moved", uid)
	case live == nil || live.Terminating() || live.Node != p.Node:
		fail("%s is not there to be moved", uid)
	case sends[request.Delete](w) && p.Action != plan.ActionDelete:
		fail("%s is deleted and not evicted", uid)
	}
	if node := snap.Node(w.Node); node == nil || !node.Unschedulable || node.UID != next.Node(w.Node).UID {
		fail("its node is not cordoned")
	}
	for id, other := range s.out {
		if other.pod() == uid {
			fail("#%d about %s has no answer yet", id, uid)
		}
	}
	last := func(p *eviction.Record) bool { return slices.ContainsFunc(p.Reasons, plan.Reason.GoesLast) }
	for _, other := range snap.PodsOn(p.Node) {
		if o := next.Pod(other.UID); last(p) && o != nil && !last(o) && !o.Self &&
			o.Action != plan.ActionSkip && o.DeletedAt.IsZero() {
			fail("%s goes last, and %s is still on its node", uid, other.UID)
		}
	}
	if !sends[request.Evict](w) || live == nil || snap.Sync(kube.KindBudgets).Phase == kube.Denied {
		return wrong
	}
	tries := before != nil && (before.State.Blocked() || before.RetryNow) || slices.ContainsFunc(d.Events,
		func(e Event) bool { return e.Kind == EventControl && e.Command == CommandRetry && e.UID == uid })
	budgets := snap.BudgetsOf(live)
	first := before == nil || before.Attempts == 0 // nil: it joined in this step
	tries = tries || first && len(budgets) == 1 && budget.MayAct(snap, live, budgets[0])
	predicted := budget.Predict(live, budgets, uid)
	if !predicted.Goes() {
		if !tries {
			fail("the server would refuse it (%s), and no command asked to try", predicted.Cause)
		}
		return wrong
	}
	if predicted.Way == budget.WaySpends {
		if n := c.open(s, snap, budgets[0]); n >= int(budgets[0].DisruptionsAllowed) && !tries {
			fail("budget %s allows %d, and %d evictions under it are assumed already", budgets[0].Name, budgets[0].DisruptionsAllowed, n)
		}
		c.assume(budgets[0], assumption{action: w.ID, pod: uid, version: budgets[0].ResourceVersion, at: s.now})
	}
	return wrong
}

func (c *checks) assume(b *kube.Budget, a assumption) {
	if c.assumed == nil {
		c.assumed = map[kube.UID][]assumption{}
	}
	c.assumed[b.UID] = append(c.assumed[b.UID], a)
}

// open counts the evictions under a budget that its figures may not contain yet.
func (c *checks) open(s *script, snap *kube.Snapshot, b *kube.Budget) (n int) {
	for _, a := range c.assumed[b.UID] {
		name := ""
		if p := s.state.Pod(a.pod); p != nil {
			name = p.Name
		}
		_, listed := b.DisruptedPods[name]
		live := snap.Pod(a.pod)
		counted := b.ResourceVersion != a.version && (live == nil || live.Terminating())
		if !listed && !(a.accepted && (counted || s.now.Sub(a.at) >= budget.AssumedFor)) {
			n++
		}
	}
	return n
}

// answers notes which assumed evictions were accepted, and forgets the others.
func (c *checks) answers(in []Input) {
	for _, input := range in {
		answered, ok := input.(Answered)
		if !ok {
			continue
		}
		for budget, all := range c.assumed {
			var kept []assumption
			for _, a := range all {
				if a.action == answered.Write.ID {
					if a.accepted = answered.Answer.OK(); !a.accepted {
						continue
					}
				}
				kept = append(kept, a)
			}
			c.assumed[budget] = kept
		}
	}
}
