package cli

import (
	"context"
	"sync"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/engine"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// scripted is a run that plays events: a batch at the start, the next one after
// each confirmation, and the last words after an abort.
type scripted struct {
	mu      sync.Mutex
	batches [][]drain.Event
	aborted []drain.Event
	events  []drain.Event
	state   *drain.State
	sent    []drain.Input
	changed chan struct{}
	done    chan struct{}
	onPlay  func(batch int) // called after a batch was played
	played  int
}

func (r *scripted) State() *drain.State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

func (r *scripted) Changed(context.Context) <-chan struct{} { return r.changed }
func (r *scripted) Done() <-chan struct{}                   { return r.done }

func (r *scripted) Events(after uint64) []drain.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.events[after:]
}

func (r *scripted) Send(in drain.Input) {
	r.mu.Lock()
	r.sent = append(r.sent, in)
	question := r.state.Question
	r.mu.Unlock()
	switch in := in.(type) {
	case drain.Confirm:
		if question != nil && question.Phase == in.Phase && question.Word == in.Word {
			r.play(append([]drain.Event{{Kind: drain.EventConfirmed, Phase: in.Phase, By: in.By}}, r.next()...))
		}
	case drain.Command:
		if in.Kind == drain.CommandAbort || in.Kind == drain.CommandSuspend {
			r.play(append([]drain.Event{{Kind: drain.EventControl, Command: in.Kind, By: in.By, Message: in.Why}}, r.aborted...))
		}
	}
}

func (r *scripted) next() []drain.Event {
	batch := r.batches[0]
	r.batches = r.batches[1:]
	return batch
}

func (r *scripted) play(events []drain.Event) {
	r.mu.Lock()
	for _, e := range events {
		e.Seq = uint64(len(r.events)) + 1
		e.Time = noon.Add(time.Duration(e.Seq) * time.Second)
		r.events = append(r.events, e)
		r.state = drain.Fold(r.state, e)
	}
	ended := r.state.Outcome != "" || r.state.Suspended
	played := r.played
	r.played++
	r.mu.Unlock()
	select {
	case r.changed <- struct{}{}:
	default:
	}
	if ended {
		close(r.done)
	}
	if r.onPlay != nil {
		r.onPlay(played)
	}
}

// script puts the run in the place of the engine.
func (b *bench) script(r *scripted) {
	r.changed, r.done = make(chan struct{}, 1), make(chan struct{})
	b.Launch = func(_ context.Context, c engine.EngineConfig, plan plan.Plan, facts drain.RunFacts) (app.Run, error) {
		facts.Options = plan.Options
		refused := map[string]string{}
		for _, n := range plan.Refused() {
			refused[n.Node] = n.Why
		}
		for _, n := range plan.Nodes {
			facts.Nodes = append(facts.Nodes, drain.NodeFacts{
				Name: n.Name, UID: n.UID, Unschedulable: n.Unschedulable, Refused: refused[n.Name]})
			for _, p := range n.Pods {
				facts.Pods = append(facts.Pods, eviction.Facts{
					Node: n.Name, Namespace: p.Namespace, Name: p.Name, UID: p.UID, Owner: p.Owner, Action: p.Action})
			}
		}
		r.play(append([]drain.Event{{Kind: drain.EventRunStarted, Run: &facts}}, r.next()...))
		return r, c.Journal.Close()
	}
}

// The events of a drain of worker-1 of the small cluster.

func asks(phase drain.Phase, word string) []drain.Event {
	return []drain.Event{
		{Kind: drain.EventPhase, Phase: phase, PhaseStatus: drain.PhaseAsks},
		{Kind: drain.EventQuestion, Phase: phase, Word: word},
	}
}

func podEvent(name string, state eviction.State, wait *waits.Wait, message string) drain.Event {
	return drain.Event{Kind: drain.EventPod, Node: "worker-1", Namespace: "shop", Pod: name,
		UID: kube.UID("uid-" + name), PodState: state, Wait: wait, Message: message}
}

func write(kind drain.EventKind, verb attempt.Verb, pod string, code int) drain.Event {
	e := drain.Event{Kind: kind, Node: "worker-1", Action: &attempt.ActionFacts{ID: 1, Verb: verb}}
	if pod != "" {
		e.Namespace, e.Pod, e.UID = "shop", pod, kube.UID("uid-"+pod)
	}
	if kind == drain.EventAnswer {
		e.Answer = &attempt.AnswerFacts{Code: code}
	}
	return e
}

func nodeEvent(state drain.NodeState, message string) drain.Event {
	return drain.Event{Kind: drain.EventNode, Node: "worker-1", NodeState: state, Message: message}
}

func ended(outcome drain.Outcome) drain.Event {
	return drain.Event{Kind: drain.EventRunEnded, Outcome: outcome}
}

// cordoned are the events from the first confirmation to the second question.
func cordoned() []drain.Event {
	return append([]drain.Event{
		nodeEvent(drain.NodeCordoning, ""), write(drain.EventIntent, attempt.VerbCordon, "", 0),
		write(drain.EventAnswer, attempt.VerbCordon, "", 200), nodeEvent(drain.NodeCordoned, ""),
	}, asks(drain.PhaseEvict, "worker-1")...)
}

// blocked is what web-1 waits for.
func blocked(present int32) *waits.Wait {
	return &waits.Wait{
		For:          waits.ForBudget,
		Budget:       &budget.Numbers{Namespace: "shop", Name: "web", Needed: 1, Present: present, Expected: 2},
		UnhealthyPod: &budget.UnhealthyPod{Namespace: "shop", Name: "web-2", Node: "worker-2", Reason: "ImagePullBackOff"},
	}
}

func happyRun() *scripted {
	return &scripted{
		batches: [][]drain.Event{
			asks(drain.PhaseCordon, ""),
			cordoned(),
			{
				nodeEvent(drain.NodeDraining, ""),
				write(drain.EventIntent, attempt.VerbEvict, "api-1", 0), write(drain.EventAnswer, attempt.VerbEvict, "api-1", 201),
				podEvent("api-1", eviction.Terminating, nil, ""),
				podEvent("web-1", eviction.BudgetBlocked, blocked(1), ""),
				podEvent("web-1", eviction.BudgetBlocked, blocked(1), ""), // the same again: said once
				podEvent("api-1", eviction.Gone, nil, ""),
				{Kind: drain.EventConnection, Message: "connection refused"}, {Kind: drain.EventConnection},
				podEvent("web-1", eviction.BudgetBlocked, blocked(0), ""),
				write(drain.EventIntent, attempt.VerbEvict, "web-1", 0), write(drain.EventAnswer, attempt.VerbEvict, "web-1", 201),
				podEvent("web-1", eviction.StuckTerminating, &waits.Wait{For: waits.ForFinalizers, Finalizers: []string{"x/y"}}, ""),
				podEvent("web-1", eviction.Replaced, nil, ""),
				nodeEvent(drain.NodeDrained, ""),
				ended(drain.OutcomeDone),
			},
		},
		aborted: []drain.Event{nodeEvent(drain.NodeStopped, "aborted"), ended(drain.OutcomeAborted)},
	}
}

// endedRun is a run that has come to its end.
func endedRun(outcome drain.Outcome) *scripted {
	r := &scripted{done: make(chan struct{}), state: &drain.State{Outcome: outcome}}
	close(r.done)
	return r
}
