package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// dashboard opens the screen. Without a terminal there is no screen, and a
// drain that nobody confirmed must never take its place.
func (p *Program) dashboard(cmd *cobra.Command, f *flags, args []string) error {
	if !p.Terminal.In || !p.Terminal.Out {
		return usage("without one: "+p.display()+" plan NODE..., or "+p.display()+" drain NODE... --yes",
			"the dashboard needs a terminal for standard input and output; nothing was done")
	}
	chosen := len(args) > 0 || f.selector != ""
	if chosen {
		if err := checkSelection(args, f.selector); err != nil {
			return err
		}
	}
	options, err := f.options()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	cluster, err := p.open(ctx, OpenOptions{ChunkSize: f.chunkSize, LeaseNamespace: options.LeaseNamespace})
	if err != nil {
		return err
	}
	defer cluster.Close()
	source := cluster.Watch(ctx, kube.Kinds...)
	if err := p.settleEvictions(ctx, cluster, &options); err != nil {
		explain(p.Err, err) // no reason to show nothing
	}
	var marked []string
	if chosen {
		snapshot, err := waitSynced(ctx, source, []kube.Kind{kube.KindNodes}, p.Err)
		if err != nil {
			return err
		}
		if marked, err = chooseNodes(snapshot, args, f); err != nil {
			return meantCommand(cmd, args, err)
		}
	}
	code, err := p.Dashboard(ctx, p.dashboardRequest(ctx, f, cluster, source, marked, options))
	switch {
	case err != nil && code == ExitUsage:
		return &failure{code: code, err: err}
	case err != nil:
		return &failure{code: max(code, ExitError), text: "the dashboard ended", err: err}
	}
	return told(code)
}

// meantCommand adds a hint where an unknown node looks like a command.
func meantCommand(root *cobra.Command, args []string, err error) error {
	var f *failure
	if len(args) == 0 || !errors.As(err, &f) {
		return err
	}
	root.SuggestionsMinimumDistance = 2
	if names := root.SuggestionsFor(args[0]); len(names) > 0 {
		f.hint = "did you mean the command " + strings.Join(names, " or ") + "? " + f.hint
	}
	return err
}

func (p *Program) dashboardRequest(
	ctx context.Context, f *flags, c *Cluster, source drain.Source, marked []string, o drain.Options,
) DashboardRequest {
	return DashboardRequest{
		Cluster: c, Source: source, Marked: marked, Options: o,
		ReadOnly: p.connection.ReadOnly, Theme: f.theme, NoColor: f.noColor, ASCII: f.ascii,
		NewPlan: p.newPlan(ctx, c, source),
		StartRun: func(plan drain.Plan) (Run, error) {
			if err := checkAccess(ctx, c, drainRules(plan.Options)); err != nil {
				return nil, err
			}
			run, err := p.startRun(ctx, c, source, plan)
			if err != nil {
				return nil, err
			}
			p.own(run, c)
			return run, nil
		},
		RunLife:      func(run string) drain.RunLife { return p.runLife()(run) },
		RemoveBudget: func(ctx context.Context, ref kube.BudgetRef) error { return removeBudget(ctx, c.Writer, ref) },
		Access: func(ctx context.Context, o drain.Options) (drain.Access, error) {
			return askAccess(ctx, c, drainRules(o))
		},
		SetCordon: func(ctx context.Context, node string, unschedulable bool, reason string) error {
			return p.setCordon(ctx, c, source, node, unschedulable, reason)
		},
	}
}

// setCordon is what the dashboard's cordon keys do, with the same mark as the
// command.
func (p *Program) setCordon(ctx context.Context, c *Cluster, source drain.Source, node string, on bool, reason string) error {
	_, err := cordoner{p: p, cluster: c, source: source, cordon: on, reason: reason}.set(ctx, node)
	return err
}
