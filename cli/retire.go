package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/hook"
	"github.com/kdrain-tui/kdrain-tui/cli/help"
	"github.com/kdrain-tui/kdrain-tui/cli/print"
	"github.com/kdrain-tui/kdrain-tui/cli/retiring"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/retire"
)

func newRetireCommand(p *Program) *cobra.Command {
	c := &draining{Program: p, f: p.newFlags(), order: &retire.Order{}}
	cmd := &cobra.Command{
		Use:   "retire NODE...",
		Short: "Drain nodes and take them out of the cluster: kubelet, Node object, host",
		Long: "Drains the nodes as drain does. Then, for each node that was drained and is safe to power off (see check):\n" +
			"  stop    stops and disables the kubelet on the host\n" +
			"  delete  deletes the Node object that was drained, and no other of its name\n" +
			"  clean   cleans the host up and checks the result (see cleanup-script)\n" +
			"Each step is confirmed by typing the name of the node. Where the checklist is not true, its lines are typed\n" +
			"as well. Finalizers, owners and the provider's id are shown before the Node object is deleted: where\n" +
			"Karpenter or Cluster API made the node, that can terminate the machine.\n\n" +
			"The steps on the host are commands to be run by hand, or --host-exec runs them. With --yes, the Node object is\n" +
			"deleted only with --delete-node; without it nothing is done after the drain, and the exit code is 4.\n\n" +
			"A step that failed, and a run that was cut short, are taken up by resume. Nothing of these steps can be rolled\n" +
			"back. Exit codes as those of drain; 4 also where a step is left to do.",
		Example: p.examples(`
# Retire a node; each step is asked for, and commands for the host are printed
retire worker-1 --ignore-daemonsets
# Retire it from a script, over ssh
retire worker-1 --ignore-daemonsets --yes --delete-node --host-exec 'ssh {node} sudo sh -s -- --yes'`),
		ValidArgsFunction: completionOf(p).Nodes,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.drain(cmd, args)
		},
	}
	cmd.Annotations = map[string]string{help.FlagsOf: "drain"}
	c.f.bindRetire(cmd.Flags(), c.order)
	return cmd
}

// bindRetire adds the flags of the command retire.
func (f *flags) bindRetire(fs *pflag.FlagSet, order *retire.Order) {
	fs.SortFlags = false
	f.bindNodes(fs)
	f.bindOrder(fs, order)
	f.bindDrain(fs, "dry-run")
	f.bindYes(fs, "confirm cordon, eviction and the steps that other flags ask for, without being asked")
	f.bindProtected(fs)
	f.bindJournals(fs)
	f.telling.Bind(fs)
	f.bindOutput(fs)
	f.bindLook(fs)
}

// bindOrder adds the flags of what is to become of drained nodes.
func (f *flags) bindOrder(fs *pflag.FlagSet, order *retire.Order) {
	plan.AddGroup(fs, help.GroupConfirm, func(fs *pflag.FlagSet) {
		fs.Var((*hostExec)(&order.HostExec), "host-exec",
			"run the scripts on the hosts by this `COMMAND` of the shell, which gets them on standard input; {node} is the name")
		plan.NoDefault(fs, "host-exec", "it confirms the steps on the hosts")
		fs.BoolVar(&order.DeleteNode, "delete-node", false, "with --yes, delete the Node objects of drained nodes")
		plan.NoDefault(fs, "delete-node", "it is a confirmation")
	})
}

// hostExec is a command of the shell, which is refused where it would not start.
type hostExec string

func (h *hostExec) Set(line string) error {
	*h = hostExec(line)
	if strings.TrimSpace(line) == "" {
		return errors.New("there is nothing to run")
	}
	return hook.Check(line)
}

func (h *hostExec) String() string { return string(*h) }
func (*hostExec) Type() string     { return "string" }

// stepsOf takes the steps after a drain.
func stepsOf(p *Program, session *app.Session, out *print.Drain, order retire.Order, yes bool) *retiring.Steps {
	return &retiring.Steps{
		Out: out, Order: order, Yes: yes, By: session.Identity().User, Target: session.Target, Ask: p.ask,
		Interrupted: p.signals.Interrupted,
	}
}

// retireAfter takes the steps once the drain of the follower is over.
func (f *follower) retireAfter(ctx context.Context, session *app.Session, order retire.Order) (code int, err error) {
	drained := f.run.State()
	run, err := session.Retire(drained.Run.ID)
	if err != nil {
		return ExitError, err
	}
	f.run = run
	left := stepsOf(f.p, session, f.out, order, f.yes).Take(ctx, run, f.seen)
	return max(exitOfRun(drained), exitOfLeft(left)), run.Close()
}

// exitOfLeft is the code for what is left of the steps.
func exitOfLeft(left retiring.Left) int {
	switch left {
	case retiring.Nothing:
		return ExitDone
	case retiring.Declined:
		return ExitAborted
	}
	return ExitPartly
}

// goOnRetiring goes on with the steps of a run whose drain has ended.
func (c *pastRun) goOnRetiring(ctx context.Context, session *app.Session, record *app.Record) (err error) {
	if err := c.f.protect(ctx, c.Program, session, ""); err != nil {
		return err
	}
	run, err := session.RetireOf(ctx, record.State)
	if err != nil {
		return err
	}
	c.signals.Graceful.Store(true)
	out := c.newOutput(c.f, session)
	state := run.State()
	out.Resumed(state, run.Events(0))
	left := stepsOf(c.Program, session, out, c.retire.After(state.Run.Retire), c.f.yes).Take(ctx, run, state.Seq)
	err = run.Close()
	out.End(run.Events(0))
	return errors.Join(err, told(exitOfLeft(left)))
}
