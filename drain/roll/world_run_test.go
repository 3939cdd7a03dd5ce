package roll

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// carryOut begins a run, or takes it up.
func (w *world) carryOut(a Drain) {
	switch {
	case w.runs[a.Run] == nil && a.Ends:
		w.next(DrainFailed{Run: a.Run, Message: "the roll was aborted"})
		return
	case w.runs[a.Run] == nil:
		facts := &drain.RunFacts{ID: a.Run, User: "ann", Options: plan.DefaultOptions()}
		for _, name := range a.Nodes {
			if n := w.nodes[name]; n != nil {
				facts.Nodes = append(facts.Nodes, drain.NodeFacts{Name: name, UID: kube.UID(n.UID)})
				if w.leasing {
					w.hold(n.UID, a.Run)
				}
			}
		}
		w.say(a.Run, drain.Event{Kind: drain.EventRunStarted, Run: facts})
	case w.drains[a.Run].Outcome == "" && !w.drains[a.Run].RolledBack:
		w.say(a.Run, drain.Event{Kind: drain.EventResumed})
	}
	w.inHand = a.Run
}

// say writes the journal of a run.
func (w *world) say(run string, e drain.Event) {
	e.Seq, e.Time = uint64(len(w.runs[run])+1), w.now
	w.runs[run] = append(w.runs[run], e)
	w.drains[run] = drain.Fold(w.drains[run], e)
}

// drained is the end of the drain of a node; the run ends with the last of them.
func (w *world) drained(node string, state drain.NodeState, message string) {
	run := w.inHand
	say := func(e drain.Event) { w.say(run, e) }
	foreign := ""
	if n := w.nodes[node]; n != nil && n.Spec.Unschedulable {
		foreign = "already cordoned by kubectl"
	} else if n != nil {
		w.edit(node, cordoned(run, w.now))
	}
	for name, p := range w.pods {
		if p.Spec.NodeName == node {
			w.gone(name)
		}
	}
	if n := w.nodes[node]; n != nil && w.holder(n.UID) == run && !w.expires {
		w.free(n.UID)
	}
	say(drain.Event{Kind: drain.EventNode, Node: node, NodeState: drain.NodeCordoned, Message: foreign})
	say(drain.Event{Kind: drain.EventNode, Node: node, NodeState: state, Message: message})
	if !w.lingers {
		w.endRun()
	}
	w.next()
}

// mayEnd reports whether the run in hand has nothing more to do.
func (w *world) mayEnd() bool {
	d := w.drains[w.inHand]
	return d != nil && d.Outcome == "" && !d.Suspended &&
		!slices.ContainsFunc(d.Nodes, func(n *drain.NodeRun) bool { return !n.State.Final() }) &&
		!slices.ContainsFunc(d.Pods, func(p *eviction.Record) bool { return p.Volumes.Awaited() })
}

func (w *world) endRun() {
	if w.mayEnd() {
		w.say(w.inHand, drain.Event{Kind: drain.EventRunEnded, Outcome: drain.OutcomeDone})
	}
}

// volumes is a pod of the run in hand that has left its node, with its volume in that state.
func (w *world) volumes(node string, state volume.State) {
	uid := kube.UID("db-" + node)
	facts := eviction.Facts{Node: node, Namespace: "shop", Name: string(uid), UID: uid}
	pod := drain.Event{Node: node, Namespace: "shop", Pod: string(uid), UID: uid}
	joined, left, volumes := pod, pod, pod
	joined.Kind, joined.Added = drain.EventPodAdded, &facts
	left.Kind, left.PodState = drain.EventPod, eviction.Gone
	volumes.Kind, volumes.Volumes = drain.EventVolumes, []volume.Facts{{Name: "data", State: state}}
	if w.drains[w.inHand].Pod(uid) == nil {
		w.say(w.inHand, joined)
		w.say(w.inHand, left)
	}
	w.say(w.inHand, volumes)
}
