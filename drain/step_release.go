package drain

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/order"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// releaseStep sends the evictions that can be sent now.
type releaseStep struct{ *stepper }

func (st *stepper) releasing() releaseStep { return releaseStep{st} }

// release sends what can be sent now, pod after pod in the order of candidates: a
// pod that is blocked takes no slot, so it never holds up one that is free.
func (st releaseStep) release() {
	if st.s.Paused {
		return
	}
	if st.s.QuietUntil.After(st.now) {
		st.wakeAt(st.s.QuietUntil)
		return
	}
	slots := max(1, st.s.Run.Options.MaxParallelEvictions)
	for _, p := range st.s.Pods {
		if p.InFlight != 0 {
			slots--
		}
	}
	st.inOrder(func(c order.Candidate, p *eviction.Record, what waits.For) {
		room := slots > 0 && (c.Chain > 0 || slots > st.kept)
		switch {
		case p.State.Final() || p.InFlight != 0:
		case !st.snap.In(p.Namespace).Settled(kube.KindBudgets): // where they are hidden, the server alone judges
		case what != "":
			st.follow(p, st.pods().WaitFor(p, what))
		case !st.surges().holds(p) && st.follow(p, st.pods().Release(p, room)):
			slots--
		}
	})
}

// inOrder calls do for the pods that may go, in the order of the run, with what each of them waits for in it.
func (st releaseStep) inOrder(do func(c order.Candidate, p *eviction.Record, what waits.For)) {
	draining := map[string]bool{}
	for _, n := range st.s.Nodes {
		draining[n.Name] = n.State == NodeDraining && st.leases().mayTouch(n) && st.sees(n)
	}
	var candidates []order.Candidate
	candidates, st.kept = st.pods().Candidates(draining)
	held, tier := map[string]bool{}, order.Ordinary // nodes on which an earlier tier is not through
	for _, c := range candidates {
		for ; tier < c.Tier; tier++ {
			st.holdLater(held, candidates, tier)
		}
		do(c, st.s.Pods[c.Place], st.turn(c, held))
	}
}

// turn is what a pod waits for in the order of the run, "" for nothing. Held are the nodes on which an earlier
// tier is not through.
func (st releaseStep) turn(c order.Candidate, held map[string]bool) waits.For {
	p := st.s.Pods[c.Place]
	switch {
	case c.Tier == order.Last:
		return st.podsOn(p.Node).LastWaits(p)
	case held[p.Node] || st.waitsForAll(p):
		return waits.ForTier
	}
	return ""
}

// holdLater notes the nodes on which pods of a tier keep those of later tiers waiting.
func (st releaseStep) holdLater(held map[string]bool, all []order.Candidate, tier int) {
	for _, c := range all {
		if p := st.s.Pods[c.Place]; c.Tier == tier && !c.Later && p.HoldsNextTier() {
			held[p.Node] = true
		}
	}
}

// waitsForAll reports whether a pod goes after all others of its run, and one of
// them is still there and is not itself held until the others leave.
func (st releaseStep) waitsForAll(p *eviction.Record) bool {
	if !p.Self {
		return false
	}
	return slices.ContainsFunc(st.s.Nodes, func(n *NodeRun) bool { return n.Name != p.Node && !n.State.Final() }) ||
		st.s.anyOn(p.Node, func(o *eviction.Record) bool {
			return o != p && !o.State.Final() && !st.podsOn(p.Node).HeldByOthers(o)
		})
}

// follow does what is decided about a pod, and reports whether a request was sent.
func (st releaseStep) follow(p *eviction.Record, d eviction.Decision) bool {
	if d.Change.Forced {
		st.tellPod(p, d.Change)
	} else if d.Change.State != "" {
		st.setPod(p, d.Change)
		st.pods().Await(st.s.Pod(p.UID))
	}
	if d.Send == nil {
		return false
	}
	e := Event{Node: p.Node, Action: d.Action}
	e.Namespace, e.Pod, e.UID = p.Namespace, p.Name, p.UID
	st.send(Write{Verb: d.Action.Verb, Node: p.Node, Request: d.Send}, e)
	return true
}
