package cli

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/report"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// dryRunner goes over the plan as a drain would, without changing anything:
// client only says what would be done, server asks the API server once per
// write and says what it answered.
type dryRunner struct {
	out    *output
	writer kube.Writer
	report report.Report
	mode   drain.DryRun
	seq    uint64 // of the last event
	// actions is the id of the last write asked for.
	actions uint64
	open    int // nodes that would not be drained at once
	waiting int // pods that would wait for others of the run
}

func (p *Program) dryRun(ctx context.Context, session *app.Session, plan drain.Plan, out *output) error {
	d := &dryRunner{out: out, writer: session.Writer(), mode: plan.Options.DryRun, report: report.Report{
		Schema: report.Schema, Context: session.Identity().Context, Server: session.Identity().Server, User: session.User(),
		Reason: plan.Options.Reason, StartedAt: p.Now().UTC(), Requests: map[drain.Verb]int{},
		Message: "dry run (" + string(plan.Options.DryRun) + "): nothing was changed",
	}}
	if refusedWhole(plan) {
		for _, n := range plan.Nodes {
			d.refused(n)
		}
		return d.end(p, drain.OutcomeRefused)
	}
	var nodes []drain.NodePlan
	for _, n := range plan.Nodes {
		if refusalOf(n) != "" {
			d.refused(n)
			d.open++
		} else if d.cordon(ctx, n) {
			nodes = append(nodes, n)
		}
	}
	for _, n := range nodes {
		d.node(ctx, n, plan.Options.MaxParallelEvictions)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if d.open > 0 {
		return d.end(p, drain.OutcomePartly)
	}
	return d.end(p, drain.OutcomeDone)
}

func (d *dryRunner) end(p *Program, outcome drain.Outcome) error {
	now := p.Now().UTC()
	if d.waiting > 0 {
		d.out.note("%s of this run would wait for others: the server was asked about each alone, and reserves nothing",
			plural(d.waiting, "pod", "pods"))
	}
	d.report.Outcome, d.report.EndedAt = outcome, now
	d.report.DurationSeconds = now.Sub(d.report.StartedAt).Round(time.Millisecond).Seconds()
	if d.out.json {
		d.out.writeJSON(d.report)
	}
	d.out.note("%s", d.report.Message)
	return told(ExitOf(outcome))
}

func (d *dryRunner) refused(n drain.NodePlan) {
	d.report.Nodes = append(d.report.Nodes, report.Node{
		Name: n.Name, UID: string(n.UID), State: drain.NodeRefused, Message: refusalOf(n), Pods: []report.Pod{},
	})
}

// cordon tells whether the node would be cordoned.
func (d *dryRunner) cordon(ctx context.Context, n drain.NodePlan) bool {
	if n.Unschedulable {
		d.out.result("", "node/%s already cordoned%s", n.Name, drySuffix(d.mode))
		return true
	}
	if d.mode == drain.DryRunServer {
		d.event(drain.Event{Kind: drain.EventIntent, Node: n.Name, Action: &drain.ActionFacts{Verb: drain.VerbCordon}})
		a := d.writer.Cordon(ctx, kube.CordonRequest{Node: n.Name, UID: n.UID, Unschedulable: true, DryRun: true})
		d.report.Requests[drain.VerbCordon]++
		d.event(drain.Event{Kind: drain.EventAnswer, Node: n.Name,
			Action: &drain.ActionFacts{Verb: drain.VerbCordon}, Answer: drain.AnswerFactsOf(a)})
		if !a.OK() {
			d.out.complain("unable to cordon node \"" + n.Name + "\": " + app.AnswerText(a))
			d.open++
			return false
		}
	}
	d.out.result("", "node/%s cordoned%s", n.Name, drySuffix(d.mode))
	return true
}

// node goes over the pods of a node.
func (d *dryRunner) node(ctx context.Context, n drain.NodePlan, parallel int) {
	if text := warningsOf(n); text != "" {
		d.out.warn(text)
	}
	node := report.Node{Name: n.Name, UID: string(n.UID), State: drain.NodeDrained, Pods: []report.Pod{}}
	pods := moving(n)
	answers := d.ask(ctx, pods, parallel)
	for i, p := range pods {
		d.out.result("", "evicting pod %s/%s%s", p.Namespace, p.Name, drySuffix(d.mode))
		pod := report.Pod{Namespace: p.Namespace, Name: p.Name, UID: string(p.UID), Owner: p.Owner,
			Action: p.Action, State: drain.PodPlanned}
		if d.mode == drain.DryRunServer {
			d.judge(p, <-answers[i], &pod)
		}
		if pod.State != drain.PodPlanned {
			node.State, node.Message = drain.NodeFailed, "not every pod would be evicted at once"
		}
		node.Pods = append(node.Pods, pod)
	}
	d.report.Nodes = append(d.report.Nodes, node)
	if node.State != drain.NodeDrained {
		d.open++
		d.out.note("node/%s would not be drained at once%s", n.Name, drySuffix(d.mode))
		return
	}
	d.out.result(toneGood, "node/%s drained%s", n.Name, drySuffix(d.mode))
}

// judge says what the server answered for a pod. The server judges each pod
// alone and reserves nothing, so the plan's own accounts come on top.
func (d *dryRunner) judge(p drain.PodPlan, a kube.Answer, pod *report.Pod) {
	verb := verbFor(p)
	d.report.Requests[verb]++
	pod.Attempts, pod.LastCode, pod.LastWords = 1, a.Code, a.Message
	for _, e := range []drain.Event{{Kind: drain.EventIntent}, {Kind: drain.EventAnswer, Answer: drain.AnswerFactsOf(a)}} {
		e.Node, e.Namespace, e.Pod, e.UID = p.Node, p.Namespace, p.Name, p.UID
		e.Action = &drain.ActionFacts{Verb: verb}
		d.event(e)
	}
	switch {
	case a.Code == 404:
		return // gone meanwhile
	case !a.OK():
		pod.State, pod.Message = drain.PodRetrying, app.AnswerText(a)
		if a.HasCause("DisruptionBudget") {
			pod.State = drain.PodBudgetBlocked
		}
		d.out.complain("when evicting pods/\"" + p.Name + "\" -n \"" + p.Namespace + "\": " + pod.Message)
		if p.Budget != nil && p.Budget.Why != "" {
			d.out.note("  %s", p.Budget.Why)
		}
	case p.Action == drain.ActionEvict && p.Budget != nil && p.Wave > 1 && p.Budget.Verdict == drain.VerdictEvictable:
		// Its budget lets so many go at once, over all nodes of the run.
		pod.Message = p.Budget.Why
		d.waiting++
		d.out.note("pod %s/%s would be accepted alone, and has to wait after the pods before it: %s",
			p.Namespace, p.Name, p.Budget.Why)
	case p.Action == drain.ActionEvict && p.Budget != nil && p.Budget.Verdict != drain.VerdictEvictable:
		pod.State, pod.Message = drain.PodBudgetBlocked, p.Budget.Why
		d.out.note("pod %s/%s would be accepted alone, and has to wait after the pods before it: %s",
			p.Namespace, p.Name, p.Budget.Why)
	}
}

// ask sends the dry-run requests, a few at a time, each once; the answers come
// in the order of the pods.
func (d *dryRunner) ask(ctx context.Context, pods []drain.PodPlan, parallel int) []chan kube.Answer {
	answers := make([]chan kube.Answer, len(pods))
	for i := range answers {
		answers[i] = make(chan kube.Answer, 1)
	}
	if d.mode != drain.DryRunServer {
		return answers
	}
	var group kube.Group
	var next atomic.Int64
	for range min(parallel, len(pods)) {
		group.Go("dry run", func() {
			for i := next.Add(1) - 1; i < int64(len(pods)); i = next.Add(1) - 1 {
				answers[i] <- d.send(ctx, pods[i])
			}
		})
	}
	return answers
}

func (d *dryRunner) send(ctx context.Context, p drain.PodPlan) kube.Answer {
	var grace *int64
	if s := d.out.options.GracePeriodSeconds; s >= 0 {
		seconds := int64(s)
		grace = &seconds
	}
	if p.Action == drain.ActionDelete {
		return d.writer.Delete(ctx, kube.DeleteRequest{
			Namespace: p.Namespace, Name: p.Name, UID: p.UID, Grace: grace, DryRun: true})
	}
	return d.writer.Evict(ctx, kube.EvictRequest{
		Namespace: p.Namespace, Name: p.Name, UID: p.UID, Grace: grace, DryRun: true})
}

// event prints an event of the dry run where events are printed: as JSON.
func (d *dryRunner) event(e drain.Event) {
	if !d.out.json {
		return
	}
	d.seq++
	e.Seq, e.Time, e.Message = d.seq, d.out.now().UTC(), "dry run"
	if e.Kind == drain.EventIntent {
		d.actions++
	}
	e.Action.ID = d.actions
	d.out.writeJSON(eventJSON{drain.EventSchema, e})
}

// moving are the pods of a node that a drain would move.
func moving(n drain.NodePlan) []drain.PodPlan {
	var pods []drain.PodPlan
	for _, p := range n.Pods {
		if p.Action == drain.ActionEvict || p.Action == drain.ActionDelete {
			pods = append(pods, p)
		}
	}
	return pods
}

func verbFor(p drain.PodPlan) drain.Verb {
	if p.Action == drain.ActionDelete {
		return drain.VerbDelete
	}
	return drain.VerbEvict
}
