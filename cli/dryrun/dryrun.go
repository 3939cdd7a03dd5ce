package dryrun

import (
	"context"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/cli/print"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/report"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Session asks the server what it would say.
type Session interface {
	DryCordon(ctx context.Context, n plan.Node) kube.Answer
	DryMoves(ctx context.Context, pods []plan.Pod, o plan.Options) []kube.Answer
}

// dryRun is a plan that is gone over: client only says what would be done, server asks
// the API server once per write and says what it answered.
type dryRun struct {
	out     *print.Drain
	session Session
	options plan.Options
	report  report.Report
	events  uint64
	waiting int // pods that would wait for others of the run
}

// Do prints what a drain by the plan would do, and changes nothing. It returns how the
// drain would end; the error is that of the context.
func Do(ctx context.Context, session Session, planned plan.Plan, out *print.Drain) (drain.Outcome, error) {
	id := out.Identity
	d := &dryRun{out: out, session: session, options: planned.Options, report: report.Report{
		Schema: report.Schema, Context: id.Context, Server: id.Server, User: id.User,
		Reason: planned.Options.Reason, StartedAt: out.Now().UTC(), Requests: map[attempt.Verb]int{},
		Message: "dry run (" + string(planned.Options.DryRun) + "): nothing was changed", Outcome: drain.OutcomeDone,
	}}
	refused := planned.Refused()
	var nodes []plan.Node
	for _, n := range planned.Nodes {
		i := slices.IndexFunc(refused, func(r plan.RefusedNode) bool { return r.Node == n.Name })
		switch {
		case i >= 0:
			d.node(n, drain.NodeRefused, refused[i].Why, nil)
		case d.cordon(ctx, n):
			nodes = append(nodes, n)
		}
	}
	for _, n := range nodes {
		d.drain(ctx, n)
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if len(refused) == len(planned.Nodes) {
		d.report.Outcome = drain.OutcomeRefused
	}
	if d.waiting > 0 {
		out.Note("%s of this run would wait for others: the server was asked about each alone, and reserves nothing",
			format.Count(d.waiting, "pod"))
	}
	d.report.EndedAt = out.Now().UTC()
	d.report.DurationSeconds = d.report.EndedAt.Sub(d.report.StartedAt).Round(time.Millisecond).Seconds()
	out.Summary(d.report)
	out.Note("%s", d.report.Message)
	return d.report.Outcome, nil
}

// node enters a node into the report.
func (d *dryRun) node(n plan.Node, state drain.NodeState, message string, pods []report.Pod) {
	if state != drain.NodeDrained {
		d.report.Outcome = drain.OutcomePartly
	}
	d.report.Nodes = append(d.report.Nodes, report.Node{
		Name: n.Name, UID: string(n.UID), State: state, Message: message, Pods: append([]report.Pod{}, pods...),
	})
}

// asks reports whether the API server is asked.
func (d *dryRun) asks() bool { return d.options.DryRun == plan.DryRunServer }

// cordon reports whether the node would be cordoned.
func (d *dryRun) cordon(ctx context.Context, n plan.Node) bool {
	suffix := print.DrySuffix(d.options.DryRun)
	if n.Unschedulable {
		d.out.Line("", "node/%s already cordoned%s", n.Name, suffix)
		return true
	}
	if d.asks() {
		a := d.session.DryCordon(ctx, n)
		d.asked(drain.Event{Node: n.Name}, attempt.VerbCordon, a)
		if !a.OK() {
			d.out.Complain("unable to cordon node \"" + n.Name + "\": " + attempt.AnswerWords(a))
			d.node(n, drain.NodeFailed, "it would not be cordoned", nil)
			return false
		}
	}
	d.out.Line("", "node/%s cordoned%s", n.Name, suffix)
	return true
}

// drain goes over the pods of a node.
func (d *dryRun) drain(ctx context.Context, n plan.Node) {
	if text := print.WarningsOf(n); text != "" {
		d.out.Warn(text)
	}
	moving := slices.DeleteFunc(slices.Clone(n.Pods), func(p plan.Pod) bool {
		return p.Action != plan.ActionEvict && p.Action != plan.ActionDelete
	})
	slices.SortStableFunc(moving, func(a, b plan.Pod) int {
		return map[bool]int{true: 1}[a.GoesLast()] - map[bool]int{true: 1}[b.GoesLast()]
	})
	var answers []kube.Answer
	if d.asks() {
		answers = d.session.DryMoves(ctx, moving, d.options)
	}
	suffix, pods, blocked := print.DrySuffix(d.options.DryRun), []report.Pod{}, false
	for i, p := range moving {
		d.out.Line("", "evicting pod %s/%s%s", p.Namespace, p.Name, suffix)
		pod := report.Pod{Namespace: p.Namespace, Name: p.Name, UID: string(p.UID), Owner: p.Owner,
			Action: p.Action, State: eviction.Planned}
		if d.asks() {
			d.judge(p, answers[i], &pod)
		}
		blocked = blocked || pod.State != eviction.Planned
		pods = append(pods, pod)
	}
	if blocked {
		d.node(n, drain.NodeFailed, "not every pod would be evicted at once", pods)
		d.out.Note("node/%s would not be drained at once%s", n.Name, suffix)
		return
	}
	d.node(n, drain.NodeDrained, "", pods)
	d.out.Line(print.Good, "node/%s drained%s", n.Name, suffix)
}

// judge says what the server answered for a pod. The server judges each pod
// alone and reserves nothing, so what the plan says of its budget comes on top.
func (d *dryRun) judge(p plan.Pod, a kube.Answer, pod *report.Pod) {
	verb := attempt.VerbEvict
	if p.Action == plan.ActionDelete {
		verb = attempt.VerbDelete
	}
	d.asked(drain.Event{Node: p.Node, Namespace: p.Namespace, Pod: p.Name, UID: p.UID}, verb, a)
	pod.Attempts, pod.LastCode, pod.LastWords = 1, a.Code, a.Message
	switch {
	case a.Class() == kube.AnswerGone: // meanwhile
	case !a.OK():
		meaning := attempt.Interpret(a, 1)
		pod.State, pod.Message = eviction.StateAfter(meaning), meaning.Words
		d.out.Complain("when evicting pods/\"" + p.Name + "\" -n \"" + p.Namespace + "\": " + pod.Message)
		if p.Budget != nil && p.BudgetWhy() != "" {
			d.out.Note("  %s", p.BudgetWhy())
		}
	case p.Action == plan.ActionEvict && p.Budget != nil &&
		(p.Budget.Verdict != budget.VerdictEvictable || p.Wave > 1 && !p.GoesLast()):
		pod.Message = p.BudgetWhy()
		if p.Budget.Verdict != budget.VerdictEvictable {
			pod.State = eviction.BudgetBlocked
		} else { // its budget lets so many go at once, over all nodes of the run
			d.waiting++
		}
		d.out.Note("pod %s/%s would be accepted on its own, but has to wait for the pods before it: %s", p.Namespace,
			p.Name, p.BudgetWhy())
	}
}

// asked tells of a request and its answer, where events are printed.
func (d *dryRun) asked(e drain.Event, verb attempt.Verb, a kube.Answer) {
	d.report.Requests[verb]++
	e.Time, e.Message = d.out.Now().UTC(), "dry run"
	e.Action = &attempt.ActionFacts{Verb: verb, ID: d.events/2 + 1}
	for _, kind := range []drain.EventKind{drain.EventIntent, drain.EventAnswer} {
		if e.Kind = kind; kind == drain.EventAnswer {
			e.Answer = attempt.AnswerFactsOf(a)
		}
		d.events++
		e.Seq = d.events
		d.out.Record(e)
	}
}
