package drain

import (
	"cmp"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/replacement"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// replacementStep follows the replacements of moved pods, and decides about the health gate.
type replacementStep struct{ *stepper }

func (st *stepper) replacements() replacementStep { return replacementStep{st} }

// waits reports whether the run waits for replacements, and has a health gate.
func (st replacementStep) waits() bool { return st.s.Run.Options.WaitReplacements > 0 }

// follow notes what has become of the replacements. A simulated run has none: that they come
// up is the forecast's own affair.
func (st replacementStep) follow() {
	if st.silent {
		return
	}
	var pods []*eviction.Record
	var moved []replacement.Moved
	for _, p := range st.s.Pods {
		if st.open(p) {
			pods = append(pods, p)
			moved = append(moved, replacement.Moved{UID: p.UID, Namespace: p.Namespace, Name: p.Name,
				Owner: p.Controller, After: cmp.Or(st.s.Surges.RaisedFor(p.UID), st.pods().Leaving(p)), Due: st.due(p),
				Record: &p.Replacement})
		}
	}
	if len(moved) == 0 {
		return
	}
	facts, wake := replacement.Follow(st.view(), moved)
	st.wakeAt(wake)
	for i, p := range pods {
		tell, wake := p.Replacement.Tell(facts[i], st.now)
		st.wakeAt(wake)
		if tell {
			st.emit(Event{Kind: EventReplacement, Node: p.Node, Namespace: p.Namespace, Pod: p.Name, UID: p.UID,
				Replacement: &facts[i]})
			st.taken = nil
		}
	}
}

// open reports whether there is something to learn about the replacement of the pod. A pod
// whose end was only announced by an answer still counts for its owner.
func (st replacementStep) open(p *eviction.Record) bool {
	if p.State == eviction.Moved || !p.State.Left() && !p.State.Ends() || p.Replacement.State.Settled() {
		return false
	}
	live := st.snap.Pod(p.UID)
	return (live == nil || live.Terminating()) && p.Followed() && st.view().Readable(p.Namespace, p.Controller)
}

// due is until when the replacement is waited for, zero where the run waits for none or the pod is still there.
func (st replacementStep) due(p *eviction.Record) time.Time {
	if !st.waits() || !p.State.Left() {
		return time.Time{}
	}
	return st.s.counted(p.Ended).Add(st.s.Run.Options.WaitReplacements)
}

func (st replacementStep) view() replacement.View {
	return replacement.View{Snap: st.snap, Now: st.now, Ours: func(uid kube.UID) bool {
		return st.s.Pod(uid) != nil || st.replaced(uid)
	}}
}

// replaced reports whether the pod has replaced one of the run.
func (st *stepper) replaced(uid kube.UID) bool {
	if st.taken == nil {
		st.taken = map[kube.UID]bool{}
		for _, p := range st.s.Pods {
			if p.Replacement.UID != "" {
				st.taken[p.Replacement.UID] = true
			}
		}
	}
	return st.taken[uid]
}

// awaited reports whether the place of the node is not free yet for the sake of a replacement.
func (st replacementStep) awaited(node string) bool {
	return st.waits() && st.s.anyOn(node, func(p *eviction.Record) bool {
		followed := p.State.Left() || p.State.Ends() // of any other that is left on its node none is waited for
		return followed && p.Replacement.Awaited() || p.State.Left() && p.State != eviction.Moved &&
			p.Replacement.State == "" && p.Followed()
	})
}

// await reports whether the end of the run waits for replacements. Once it does not, the gate says
// how the workloads are left.
func (st replacementStep) await() bool {
	st.follow()
	return slices.ContainsFunc(st.s.Nodes, func(n *NodeRun) bool {
		return st.awaited(n.Name)
	}) || st.waits() && !st.decideGate()
}

// mayBegin reports whether a further node may begin: the baseline is known, and no
// more workloads are worse than before than the operator allows.
func (st replacementStep) mayBegin() bool {
	return !st.waits() || st.decideGate() && st.s.Gate == nil
}

// decideGate closes or opens the gate. It is false where that cannot be told now.
func (st replacementStep) decideGate() bool {
	if !st.measure() {
		return false
	}
	starting := map[kube.UID]int{}
	for _, p := range st.s.Pods {
		if p.Replacement.OnItsWay() {
			starting[p.Replacement.OwnerUID]++
		}
	}
	worse, wake := st.s.Baseline.Worse(st.view(), starting)
	st.wakeAt(wake)
	next, tell, wake := st.s.Gate.Decide(worse, st.s.Run.Options.MaxUnhealthy, st.now)
	st.wakeAt(wake)
	if tell {
		e := Event{Kind: EventGate, Gate: &next}
		if next.Closed {
			e.Message = next.Sentence()
		}
		st.emit(e)
	}
	return true
}

// measure notes how the workloads of the run's pods are, before it moves one of them. It is
// false while they cannot be counted.
func (st replacementStep) measure() bool {
	if st.s.measured == len(st.s.Pods) {
		return st.view().Counts(st.s.Baseline)
	}
	var of []replacement.Controlled
	for _, p := range st.s.Pods[st.s.measured:] {
		switch {
		case p.Controller == nil || p.State == eviction.Skipped:
		case !st.view().Readable(p.Namespace, p.Controller):
			return false
		default:
			of = append(of, replacement.Controlled{Namespace: p.Namespace, Owner: p.Controller})
		}
	}
	st.emit(Event{Kind: EventBaseline, Baseline: st.view().Measure(of)})
	return true
}
