package retiring

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/cli/print"
	"github.com/kdrain-tui/kdrain-tui/cli/prompt"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/retire"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// longEvery is how often it is said of a step that it is still at work.
const longEvery = 30 * time.Second

// Leaving is a run that has ended, for the steps by which its nodes leave the cluster.
type Leaving interface {
	app.Run
	See(ctx context.Context, node string) retire.Seen
	Do(ctx context.Context, node string, c retire.Confirmed) error
	Close() error
}

// Steps takes the steps after a drain, as they are typed or as flags say.
type Steps struct {
	Out         *print.Drain
	Order       retire.Order
	Yes         bool // the flags confirm; nothing is asked
	By          string
	Target      plan.Target                    // of printed commands
	Ask         func(put func()) <-chan string // puts a question, and returns where its answer comes from
	Interrupted <-chan struct{}                // the operator wants to end

	run      Leaving
	seen     uint64 // last event printed
	declined bool
}

// Left is what is left to do of the steps.
type Left int

// What is left to do.
const (
	Nothing  Left = iota
	Declined      // the operator said no to a step
	Some
)

// Take takes the steps on all drained nodes of the run. The events up to that number were printed.
func (c *Steps) Take(ctx context.Context, run Leaving, seen uint64) Left {
	c.run, c.seen = run, seen
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var group kube.Group
	defer group.Wait()
	defer cancel()
	group.Go("interruption of a step", func() {
		select {
		case <-c.Interrupted:
			cancel()
		case <-ctx.Done():
		}
	})
	for _, n := range run.State().Nodes {
		if n.State == drain.NodeDrained {
			c.node(ctx, n.Name)
		}
	}
	return c.sayLeft()
}

// node takes the steps on one node, as far as they are confirmed and succeed.
func (c *Steps) node(ctx context.Context, name string) {
	for ctx.Err() == nil && !c.declined {
		step := c.next(name)
		if step == "" {
			return
		}
		seen := c.run.See(ctx, name)
		record := &c.run.State().Node(name).Retire
		if err := record.Objection(step, name, seen); err != nil {
			c.Out.Complain(err.Error())
			return
		}
		confirmed := retire.Confirmed{Step: step, Word: name, By: c.By, HostExec: c.Order.HostExec}
		if c.Yes && !c.may(step, name, seen) || !c.Yes && !c.asked(ctx, &confirmed, name) {
			return
		}
		err := c.do(ctx, name, confirmed)
		if err != nil && c.run.State().Node(name).Retire.Of(step).Status != retire.Failed { // else it was told
			c.Out.Complain(err.Error())
		}
		if err != nil && c.Yes {
			return
		}
	}
}

func (c *Steps) next(name string) retire.Step {
	record := c.run.State().Node(name).Retire
	return record.Next()
}

// may reports whether the flags confirm a step.
func (c *Steps) may(step retire.Step, name string, seen retire.Seen) bool {
	_, onHost := step.Host()
	if !c.Order.DeleteNode || onHost && c.Order.HostExec == "" {
		return false // said at the end
	}
	if len(retire.Against(step, seen)) > 0 {
		c.Out.Complain(fmt.Sprintf("node %s: it is left to %s: %s", name, step.Does(), seen.Sentence()))
		return false
	}
	return true
}

// asked asks for a step, and takes what was typed.
func (c *Steps) asked(ctx context.Context, confirmed *retire.Confirmed, name string) bool {
	seen := c.run.See(ctx, name)
	c.sayBefore(confirmed.Step, name, seen)
	word := retire.Word(confirmed.Step, name, seen)
	for {
		question := strings.ToUpper(confirmed.Step.Does()[:1]) + confirmed.Step.Does()[1:] + ": " + name + "?"
		if _, onHost := confirmed.Step.Host(); onHost && confirmed.HostExec == "" {
			question = "Is it done on " + name + "?"
		}
		select {
		case line, ok := <-c.Ask(func() { c.Out.Ask(question + prompt.Ending(word)) }):
			if confirmed.Word = line; line == word {
				return true
			}
			if !ok || line == "" || prompt.IsNo(line) {
				c.declined = true
				return false
			}
			c.Out.Note("That does not match; nothing to stop.")
		case <-ctx.Done():
			return false
		}
	}
}

// sayBefore says what a step does and what speaks against it.
func (c *Steps) sayBefore(step retire.Step, name string, seen retire.Seen) {
	if step == retire.StepDelete && seen.Node != nil {
		ties := retire.TiesOf(seen.Node)
		for _, line := range ties.Lines() {
			c.Out.Note("node/%s %s", name, line)
		}
		if ties.Warning != "" {
			c.Out.Warn(ties.Warning)
		}
	}
	if len(retire.Against(step, seen)) > 0 {
		c.Out.Warn("node " + name + " is " + seen.Sentence())
	}
	if _, onHost := step.Host(); !onHost {
		return
	}
	if c.Order.HostExec == "" {
		c.Out.Note("To %s, run as root on the host of %s: %s", step.Does(), name, c.byHand(step, name))
		return
	}
	if line, err := retire.HostCommand(c.Order.HostExec, name); err == nil {
		c.Out.Note("To %s, this is run with the script on its standard input: %s", step.Does(), line)
	}
}

// byHand is the command that prints the script of a step, piped to the host.
func (c *Steps) byHand(step retire.Step, name string) string {
	line := "kdrain-tui cleanup-script " + format.ShellWord(name) + " --step " + string(step)
	if step == retire.StepClean {
		line += " --run " + c.run.State().Run.ID
	}
	return c.Target.Line(line) + " | ssh " + format.ShellWord(name) + " sudo sh -s -- --yes"
}

// do takes a step, and prints what it tells as it comes.
func (c *Steps) do(ctx context.Context, name string, confirmed retire.Confirmed) (err error) {
	watching, stop := context.WithCancel(ctx)
	defer stop()
	changed := c.run.Changed(watching)
	taking := ctx
	if limit := c.run.State().Run.Options.Timeout; confirmed.Step == retire.StepDelete && limit > 0 {
		var cancel context.CancelFunc
		taking, cancel = context.WithTimeoutCause(ctx, limit, errors.New("--timeout has passed"))
		defer cancel()
	}
	done := make(chan struct{})
	var group kube.Group
	group.Go("step "+string(confirmed.Step)+" of "+name, func() {
		defer close(done)
		err = c.run.Do(taking, name, confirmed)
	})
	still := time.NewTicker(longEvery)
	defer still.Stop()
	for {
		select {
		case <-changed:
			c.flush()
		case <-still.C:
			c.Out.Note("node/%s: to %s takes its time", name, confirmed.Step.Does())
		case <-done:
			group.Wait()
			c.flush()
			return err
		}
	}
}

func (c *Steps) flush() {
	for _, e := range c.run.Events(c.seen) {
		c.seen = e.Seq
		c.Out.Event(e)
	}
}

// sayLeft says what is left to do for each drained node and how, and returns it.
func (c *Steps) sayLeft() Left {
	s, left := c.run.State(), false
	for _, n := range s.Nodes {
		if n.State != drain.NodeDrained || n.Retire.Next() == "" {
			continue
		}
		left = true
		var steps []string
		for _, step := range retire.Steps {
			if !n.Retire.Did(step) {
				steps = append(steps, step.Does())
			}
		}
		c.Out.Note("node/%s is drained and not retired; left to do: %s", n.Name, strings.Join(steps, ", "))
		if step := n.Retire.Next(); c.Order.HostExec == "" && step != retire.StepDelete {
			c.Out.Note("  to %s: %s", step.Does(), c.byHand(step, n.Name))
		}
	}
	if !left {
		return Nothing
	}
	if c.Yes && !c.Order.DeleteNode {
		c.Out.Note("  the Node object is deleted only with --delete-node, or if you type the name of the node on a terminal")
	}
	c.Out.Note("  to go on: %s", c.Target.Line("kdrain-tui resume "+s.Run.ID))
	if c.declined {
		return Declined
	}
	return Some
}
