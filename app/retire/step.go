package retire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/app/hook"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/host"
	"github.com/kdrain-tui/kdrain-tui/drain/process"
	"github.com/kdrain-tui/kdrain-tui/drain/retire"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// Do takes one step on a node. It fails where the rules object or something else was
// confirmed, and then nothing was done; where the step failed, that is in the state too, and it can be
// taken again.
func (r *Retirement) Do(ctx context.Context, node string, c retire.Confirmed) error {
	if !r.work.TryLock() {
		return errors.New("another step is being taken")
	}
	defer r.work.Unlock()
	err := r.take(ctx, node, c)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failure = err
	return err
}

func (r *Retirement) take(ctx context.Context, node string, c retire.Confirmed) error {
	n := r.State().Node(node)
	if n == nil || n.State != drain.NodeDrained {
		return fmt.Errorf("node %s was not drained by this run", kube.Clean(node))
	}
	seen := r.See(ctx, node)
	if err := n.Retire.Objection(c.Step, node, seen); err != nil {
		return err
	}
	if err := retire.Accepts(c.Word, c.Step, node, seen); err != nil {
		return err
	}
	t := taking{r, n, retire.Facts{Step: c.Step, Status: retire.Running, Despite: retire.Against(c.Step, seen)}}
	if seen.Node != nil {
		h := host.Of(seen.Node)
		t.begin.Host = &h
	}
	step, onHost := c.Step.Host()
	switch {
	case !onHost:
		return t.deleteNode(ctx, c, seen)
	case c.HostExec == "":
		if err := r.record(t.event(t.begin, c.By, ""), false); err != nil {
			return err
		}
		return t.end(retire.Done, "done by hand, as confirmed")
	}
	return t.runScript(ctx, c, step)
}

// taking is a step that is being taken.
type taking struct {
	*Retirement
	node  *drain.NodeRun
	begin retire.Facts
}

func (t taking) event(f retire.Facts, by, message string) drain.Event {
	return drain.Event{Node: t.node.Name, UID: t.node.UID, Retire: &f, By: by, Message: message}
}

// tell notes lines of output. The journal may lack them: the step goes on.
func (t taking) tell(lines []string) {
	_ = t.record(t.event(retire.Facts{Step: t.begin.Step, Output: lines}, "", ""), false)
}

// began notes the processes of the command: another process of the run then knows whether it runs.
func (t taking) began(g process.Group) error {
	return t.record(t.event(retire.Facts{Step: t.begin.Step, Process: &g}, "", ""), true)
}

// end notes how the step ended; a failure is returned as well.
func (t taking) end(status retire.Status, message string) error {
	err := t.record(t.event(retire.Facts{Step: t.begin.Step, Status: status}, "", message), true)
	if status == retire.Failed {
		err = errors.Join(fmt.Errorf("node %s: unable to %s: %s", t.node.Name, t.begin.Step.Does(), message), err)
	}
	return err
}

// runScript runs the script of a step on the host.
func (t taking) runScript(ctx context.Context, c retire.Confirmed, step host.Step) error {
	machine := t.begin.Host
	if machine == nil {
		machine = t.node.Retire.Host
	}
	if machine == nil {
		return fmt.Errorf("node %s: no script: the Node object was gone before its machine was known", t.node.Name)
	}
	run := t.State().Run.ID
	script, err := host.Script(*machine, step, run)
	if err != nil {
		return fmt.Errorf("no script: %w", err)
	}
	if t.begin.Command, err = retire.HostCommand(c.HostExec, t.node.Name); err != nil {
		return err
	}
	if err := t.record(t.event(t.begin, c.By, ""), true); err != nil {
		return err
	}
	// The exit code alone says nothing: that of a dry run, or of a command that never read the script, is 0.
	passed := false
	tell := func(lines []string) {
		passed = passed || slices.ContainsFunc(lines, func(line string) bool {
			return strings.Contains(line, host.Passed(run, step))
		})
		t.tell(lines)
	}
	code, err := hook.Run(ctx, hook.Command{Line: t.begin.Command, Input: script, Began: t.began, Tell: tell,
		Env: []string{"NODE=" + t.node.Name, "RUN=" + run}})
	switch {
	case err != nil:
		return t.end(retire.Failed, kube.CleanText(err.Error()))
	case code != 0:
		return t.end(retire.Failed, fmt.Sprintf("the command exited with %d", code))
	case !passed:
		return t.end(retire.Failed, "the host command ended with 0, but its output lacks the line that the script "+
			"prints after its checks; it must run the script with --yes and pass on its output")
	}
	return t.end(retire.Done, "")
}

// deleteNode deletes the Node object that was drained, and no other, and waits until it is gone.
func (t taking) deleteNode(ctx context.Context, c retire.Confirmed, seen retire.Seen) error {
	begin := t.event(t.begin, c.By, "")
	if !seen.Gone() {
		begin.Action = &attempt.ActionFacts{Verb: attempt.VerbDeleteNode, Version: seen.Node.ResourceVersion}
	}
	if err := t.record(begin, true); err != nil {
		return err
	}
	if seen.Gone() {
		return t.end(retire.Done, "the Node object was gone already")
	}
	// A request that is out is waited for, so that its answer is known.
	answer := request.DeleteNode{Node: t.node.Name, UID: t.node.UID}.Send(context.WithoutCancel(ctx), t.config.Writer)
	switch answer.Class() {
	case kube.AnswerDone, kube.AnswerGone:
		return t.awaitGone(ctx)
	case kube.AnswerConflict:
		return t.end(retire.Failed,
			"another Node object has the name now, which is not touched: "+attempt.AnswerWords(answer))
	}
	return t.end(retire.Failed, attempt.AnswerWords(answer))
}

// awaitGone waits until the cluster shows that the node is gone: finalizers may keep it for long.
func (t taking) awaitGone(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	changed, said := t.config.Source.Changed(ctx), ""
	for {
		seen := t.see(t.node.Name)
		if seen.Gone() {
			return t.end(retire.Done, "")
		}
		if n := seen.Node; n != nil && !n.Deleted.IsZero() && len(n.Finalizers) > 0 {
			words := "it is being deleted, and waits for its finalizers: " + strings.Join(n.Finalizers, ", ")
			if words != said {
				t.tell([]string{words})
				said = words
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return t.end(retire.Failed, "its deletion was accepted, and it was not waited for until it is gone")
		}
	}
}
