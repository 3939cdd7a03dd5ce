package drain

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Fold is the state of a run after the events, in order. The state it is given is not changed; nil starts a new one.
func Fold(s *State, events ...Event) *State {
	if s == nil {
		s = &State{}
	}
	next := s.clone()
	for _, e := range events {
		folding{next}.apply(e)
	}
	return next
}

// clone copies what apply changes in place; records of pods and nodes are
// replaced whole, never changed. The indexes of pods are copied when a pod joins.
func (s *State) clone() *State {
	c := *s
	c.Nodes = slices.Clone(s.Nodes)
	c.Pods = slices.Clone(s.Pods)
	c.Budgets = slices.Clone(s.Budgets)
	c.Remedies, c.Surges = slices.Clone(s.Remedies), slices.Clone(s.Surges)
	c.Phases = cloneMap(s.Phases)
	c.Sent = cloneMap(s.Sent)
	c.tried, c.moved = cloneMap(s.tried), cloneMap(s.moved)
	c.Assumed = s.Assumed.Clone()
	return &c
}

func cloneMap[K comparable, V any](m map[K]V) map[K]V {
	if m == nil {
		return map[K]V{}
	}
	return maps.Clone(m)
}

// folding is a State that takes one event after the other.
type folding struct{ *State }

func (s folding) apply(e Event) {
	if !e.Time.Equal(s.Updated) { // none lapses between events of one moment
		s.Assumed.Expire(e.Time)
	}
	last := s.Updated
	s.Seq, s.Updated = e.Seq, e.Time
	defer s.tendClocks(e)
	switch e.Kind {
	case EventRunStarted:
		s.applyStart(e)
	case EventPhase:
		s.Phase, s.Phases[e.Phase] = e.Phase, e.PhaseStatus
		if s.Question != nil && s.Question.Phase == e.Phase && e.PhaseStatus != PhaseAsks {
			s.Question = nil
		}
	case EventQuestion:
		s.Question = &Question{Phase: e.Phase, Word: e.Word, Since: e.Time}
	case EventConfirmed:
		s.Question, s.Phases[e.Phase] = nil, PhaseRuns
		switch e.Phase {
		case PhaseGuard:
			s.guardFrom = e.Time
		case PhaseCordon:
			s.cordonFrom = e.Time
		}
	case EventIntent:
		s.applyIntent(e)
	case EventAnswer:
		s.applyAnswer(e)
	case EventPodAdded:
		s.index, s.onNode = cloneMap(s.index), cloneMap(s.onNode)
		s.addPod(*e.Added, e.Time, true)
	case EventPod:
		s.applyPod(e)
	case EventNode:
		s.applyNode(e)
	case EventConnection:
		s.applyConnection(e)
	case EventControl:
		s.applyCommand(e)
	case eventWaiting:
		s.waiting = e.waiting
	case EventJournal:
		s.JournalLost = e.Message
	case EventWarning:
		s.Warnings = append(slices.Clip(s.Warnings), e.Message)
	case EventResumed:
		s.applyResumed(e, last)
	case EventRunEnded:
		s.Outcome, s.Ended, s.Message, s.Question = e.Outcome, e.Time, e.Message, nil
	default:
		s.applyToRecord(e)
	}
}

// applyToRecord is the fold of what has a record of its own with its transitions.
func (s folding) applyToRecord(e Event) {
	switch e.Kind {
	case EventBudget:
		s.applyBudget(e)
	case EventLease:
		s.applyLease(e)
	case EventRemedy:
		s.applyRemedy(e)
	case EventSurge:
		s.applySurge(e)
	case EventVolumes:
		s.applyVolumes(e)
	case EventReplacement:
		s.editPod(e.UID, func(p *eviction.Record) { p.Replacement = p.Replacement.Become(*e.Replacement, e.Time) })
	case EventBaseline:
		s.Baseline, s.measured = s.Baseline.With(e.Baseline), len(s.Pods)
	case EventGate:
		s.Gate = s.Gate.Become(*e.Gate, e.Time)
	case EventUndone:
		s.applyUndone(e)
	case EventRetire:
		s.editNode(e.Node, func(n *NodeRun) { n.Retire.Become(*e.Retire, e.By, e.Message, e.Time) })
		if e.Action != nil {
			s.Sent[e.Action.Verb]++
		}
	}
}

func (s folding) applyStart(e Event) {
	s.Run, s.Started, s.Phase = *e.Run, e.Time, PhaseCheck
	s.index, s.onNode = make(map[kube.UID]int, len(e.Run.Pods)), map[string][]int{}
	for _, n := range e.Run.Nodes {
		node := &NodeRun{NodeFacts: n, State: NodeWaiting, Since: e.Time}
		if n.Refused != "" {
			node.State, node.Message, node.Ended = NodeRefused, n.Refused, e.Time
		}
		s.Nodes = append(s.Nodes, node)
	}
	for _, p := range e.Run.Pods {
		s.addPod(p, e.Time, false)
	}
	for _, facts := range e.Run.Surges {
		s.Surges = append(s.Surges, &surge.Record{Facts: facts, State: surge.Planned, Since: e.Time})
	}
	for _, n := range s.Nodes {
		if n.State == NodeRefused {
			s.leavePods(n.Name, e.Time)
		}
	}
}

func (s folding) addPod(facts eviction.Facts, at time.Time, added bool) {
	if _, known := s.index[facts.UID]; known {
		return
	}
	p := eviction.New(facts, at)
	p.Added = added
	if n := s.Node(facts.Node); n != nil && !n.Started.IsZero() {
		p.Begun = at
	}
	s.index[facts.UID] = len(s.Pods)
	s.onNode[facts.Node] = append(slices.Clip(s.onNode[facts.Node]), len(s.Pods)) // clones share what is there
	s.Pods = append(s.Pods, p)
}

// editPod replaces the record of a pod by a changed copy.
func (s *State) editPod(uid kube.UID, edit func(p *eviction.Record)) {
	i, known := s.index[uid]
	if !known {
		return
	}
	p := *s.Pods[i]
	edit(&p)
	s.Pods[i] = &p
}

func (s *State) editNode(name string, change func(n *NodeRun)) {
	editRecord(s.Nodes, func(n *NodeRun) bool { return n.Name == name }, change)
}

// editRecord replaces the record that is meant by a changed copy.
func editRecord[T any](all []*T, meant func(*T) bool, change func(*T)) {
	if i := slices.IndexFunc(all, meant); i >= 0 {
		changed := *all[i]
		change(&changed)
		all[i] = &changed
	}
}

func (s folding) applyIntent(e Event) {
	s.nextAction = max(s.nextAction, e.Action.ID)
	if !e.passing {
		s.Sent[e.Action.Verb]++
	}
	switch {
	case e.Lease != nil:
		s.editLease(e.Node, func(l *lease.Record) { l.Sent(*e.Lease, e.Action, e.Time) })
	case e.Remedy != nil:
		s.editRemedy(e.Remedy.ID, func(r *remedy.Record) { r.Sent(e.Action) })
		if e.Remedy.Deletes() { // nothing else is sent for the pod meanwhile
			s.editPod(e.UID, func(p *eviction.Record) { p.InFlight = e.Action.ID })
		}
	case e.Surge != nil:
		s.editSurge(e.Surge, func(r *surge.Record) { r.Asked(e.Cost, e.Action) })
	case e.Budget != nil:
		s.editBudget(e.Budget, func(b *tempbudget.Record) { b.Sent(e.Action) })
	case e.UID == "" || e.Pod == "":
		s.editNode(e.Node, func(n *NodeRun) {
			n.Sent(e.Action)
			n.Attempts++
		})
	default:
		s.applyPodIntent(e)
	}
}

func (s folding) applyPodIntent(e Event) {
	if budget := e.Action.Budget; budget != "" {
		s.tried[budget] = e.Time
	}
	if e.Action.Verb != attempt.VerbGet {
		s.Assumed.Assume(e.Action.Budget, e.Action.Version, e.Action.ID, e.UID, e.Pod, e.Time)
	}
	s.editPod(e.UID, func(p *eviction.Record) { p.Sent(e.Action, e.Time) })
}

func (s folding) applyAnswer(e Event) {
	ok := e.Answer.Class() == kube.AnswerDone
	if e.Answer.Code == 0 || e.Answer.Code == http.StatusServiceUnavailable {
		s.unwell = e.Time
	}
	switch {
	case e.Lease != nil:
		s.editLease(e.Node, func(l *lease.Record) { l.Answered(*e.Lease, e.Action.Verb, e.Answer, e.Time) })
	case e.Remedy != nil:
		s.editRemedy(e.Remedy.ID, func(r *remedy.Record) { r.Answered(e.Answer) })
		if e.Remedy.Deletes() {
			s.editPod(e.UID, func(p *eviction.Record) {
				if p.InFlight = 0; ok {
					p.Accepted = e.Time
				}
			})
		}
	case e.Surge != nil:
		s.editSurge(e.Surge, func(r *surge.Record) { r.Heard(e.UID, e.Action.Verb, e.Answer, e.Time) })
	case e.Budget != nil:
		s.editBudget(e.Budget, func(b *tempbudget.Record) { b.Answered(e.Answer) })
	case e.UID == "" || e.Pod == "":
		s.editNode(e.Node, func(n *NodeRun) { n.Answered(e.Answer) })
	default:
		s.applyPodAnswer(e, ok)
	}
}

func (s folding) applyPodAnswer(e Event, ok bool) {
	class := e.Answer.Class()
	gone := class == kube.AnswerGone || class == kube.AnswerConflict // then another pod has its name
	s.Assumed.Answered(e.Action.ID, ok || e.Answer.MayBeDone(), gone, e.Time)
	if ok && e.Action.Verb != attempt.VerbGet {
		s.moved[e.Namespace] = e.Time
	}
	s.editPod(e.UID, func(p *eviction.Record) {
		p.Answered(e.Action.Verb, e.Answer, s.moved[p.Namespace], s.acts(p.Node), e.Time)
	})
}

func (s folding) applyPod(e Event) {
	s.editPod(e.UID, func(p *eviction.Record) {
		p.Become(eviction.Change{State: e.PodState, Wait: e.Wait, Message: e.Message, DeletedAt: e.DeletedAt,
			Forced: e.Forced, Passing: e.passing}, e.Time)
	})
	if e.PodState == eviction.Throttled && e.Wait != nil {
		s.QuietUntil = e.Wait.Until
	}
}

func (s folding) applyNode(e Event) {
	if n := s.Node(e.Node); e.NodeState == NodeDraining && n != nil && n.Started.IsZero() {
		// What an operator or other nodes took before is not the time of its pods.
		s.editPodsOn(e.Node, func(p *eviction.Record) { p.Begun = e.Time })
	}
	s.editNode(e.Node, func(n *NodeRun) {
		if n.State != e.NodeState {
			n.Since = e.Time
		}
		n.CordonInDoubt = e.NodeState.Final() && (n.CordonInDoubt ||
			n.State == NodeCordoning && n.Attempts > 0 && n.Doubtful())
		n.State = e.NodeState
		if e.Message != "" {
			n.Message = e.Message
		}
		switch {
		case e.NodeState == NodeCordoning && e.Wait != nil:
			n.Failed(e.Wait.Until)
		case e.NodeState == NodeCordoned:
			// a message tells that somebody else had cordoned it
			n.CordonAt, n.Cordoned, n.CordonGone, n.Message = e.Time, e.Message == "", false, e.Message
			n.cordonServerTime = cmp.Or(e.ServerTime, e.Time) // journals before it had none
		case e.NodeState == NodeDraining && n.Started.IsZero():
			n.Started, n.Message = e.Time, ""
		case e.NodeState.Final():
			n.Ended, n.CordonGone = e.Time, e.CordonGone
		}
	})
	if e.NodeState == NodeRefused {
		s.leavePods(e.Node, e.Time)
	}
}

// leavePods notes that nothing happens to the pods of a node that is refused.
func (s folding) leavePods(node string, at time.Time) {
	s.editPodsOn(node, func(p *eviction.Record) { p.Leave("its node is refused", at) })
}

// editPodsOn replaces the records of the pods of a node that have not ended by changed copies.
func (s folding) editPodsOn(node string, edit func(p *eviction.Record)) {
	for _, i := range s.onNode[node] {
		if p := s.Pods[i]; !p.State.Final() {
			changed := *p
			edit(&changed)
			s.Pods[i] = &changed
		}
	}
}
