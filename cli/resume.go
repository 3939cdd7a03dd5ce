package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

func (p *Program) resumeCommand() *cobra.Command {
	f := p.newFlags()
	headless := false
	cmd := &cobra.Command{
		Use:   "resume RUN | --node NODE",
		Short: "Go on with a run whose process died",
		Long: "Goes on with a run that was cut short, from its journal, with the options and on the nodes that it had.\n" +
			"On a terminal it opens the dashboard on the run's page; with --yes, --headless or -o it prints lines as drain does.\n" +
			"What was confirmed stays confirmed; a question that is open is asked, or confirmed by --yes. The time in\n" +
			"which nobody worked on it does not count for --timeout and --force-after. It refuses another cluster\n" +
			"than the run's, a run that is live and one that has ended.\n\n" +
			"With --node it needs no journal: a new run drains the nodes that carry the mark of another run, with the\n" +
			"flags of drain. It takes the marks over, so that its own rollback uncordons what the other run cordoned,\n" +
			"and first removes the temporary budgets that the other run left.\n\n" +
			"Exit codes as those of drain.",
		Example: p.examples("resume k7f3pm", "resume k7f3pm --yes -o json",
			"resume --node worker-1 --node worker-2 --ignore-daemonsets"),
		ValidArgsFunction: p.completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(f.marked) > 0 {
				return p.resumeMarked(cmd, f, args)
			}
			return p.resume(cmd, f, args, p.Terminal.In && p.Terminal.Out && !f.yes && !headless && !cmd.Flags().Changed("output"))
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.BoolVar(&f.yes, "yes", false, "confirm guard, cordon and eviction, instead of being asked; without the dashboard")
	fs.BoolVar(&headless, "headless", false, "go on without the dashboard, also on a terminal")
	f.bindOutput(fs)
	f.bindLook(fs)
	own := flagNames(fs)
	f.bindMarked(cmd)
	f.bindDrain(fs, "dry-run", "take-over")
	ofDrain := slices.DeleteFunc(flagNames(fs), func(name string) bool { return name == "node" || slices.Contains(own, name) })
	cmd.PreRunE = func(*cobra.Command, []string) error { return f.onlyWithMarked(fs, ofDrain) }
	return cmd
}

func (p *Program) resume(cmd *cobra.Command, f *flags, args []string, onScreen bool) error {
	if err := f.check(); err != nil {
		return err
	}
	if err := p.checkRunArgs(cmd, f, args); err != nil {
		return err
	}
	r, err := p.deadRun(args[0])
	if err != nil {
		return err
	}
	if err := p.notEnded(r.state); err != nil {
		return err
	}
	p.listen(f.yes || onScreen)
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	cluster, err := p.openOf(ctx, cmd, &r.state.Run)
	if err != nil {
		return err
	}
	defer cluster.Close()
	kinds := planKinds
	if onScreen {
		kinds = kube.Kinds
	}
	var first []string
	if !onScreen {
		first = firstOf(nodesOf(&r.state.Run), r.state.Run.Options)
	}
	source := cluster.watchFirst(ctx, first, kinds...) // comes in while we ask
	if err := p.readyToResume(ctx, cluster, source, &r.state.Run, first); err != nil {
		return err
	}
	return p.goOn(ctx, f, cluster, source, args[0], onScreen)
}

// notEnded refuses a run that has come to its end, with that end.
func (p *Program) notEnded(s *drain.State) error {
	if s.Outcome == "" {
		return nil
	}
	text := fmt.Sprintf("run %s ended %s: %s", s.Run.ID, s.Ended.UTC().Format(time.RFC3339), s.Outcome)
	if s.Message != "" {
		text += " (" + s.Message + ")"
	}
	return &failure{
		code: ExitError, text: text + "; there is nothing to go on with",
		hint: fmt.Sprintf("%s report %s tells what became of each pod; a new drain takes up what is left", p.display(), s.Run.ID),
	}
}

// readyToResume is all that a drain makes sure of before its first write.
// Its plan was read before: it waits for what a drain without a reader begins with.
func (p *Program) readyToResume(ctx context.Context, c *Cluster, source drain.Source, run *drain.RunFacts, first []string) error {
	options := run.Options
	if err := p.settleEvictions(ctx, c, &options); err != nil {
		return err
	}
	if options.DisableEviction != run.Options.DisableEviction {
		// Nobody has agreed to deletions past the budgets.
		return &failure{
			code: ExitError, text: "run " + run.ID + " evicts, and the API server takes no evictions any more; nothing was changed",
			hint: "begin a new drain with --disable-eviction, if that is what you want",
		}
	}
	if err := checkAccess(ctx, c, drainRules(options)); err != nil {
		return err
	}
	snapshot, err := waitSynced(ctx, source, startKinds, p.Err, first...)
	if err != nil {
		return err
	}
	if snapshot.Sync(kube.KindDaemonSets).Phase == kube.Denied && c.DaemonSets != nil {
		return c.DaemonSets(ctx, source, nodesOf(run))
	}
	return nil
}

// goOn takes the journal and its lock, and follows the run as drain does, or on
// the dashboard's run page.
func (p *Program) goOn(ctx context.Context, f *flags, c *Cluster, source drain.Source, id string, onScreen bool) error {
	journal, events, err := p.takeJournal(id)
	if err != nil {
		return err
	}
	before := drain.Fold(nil, events...)
	if err := p.notEnded(before); err != nil { // by another process, meanwhile
		return errors.Join(err, journal.Close())
	}
	var out *output
	if !onScreen {
		out = p.resumedOutput(f, c, before, events)
		// From here on a signal ends the run, not the program, as in drain.
		p.graceful.Store(true)
	}
	run, err := drain.Resume(context.WithoutCancel(ctx), drain.EngineConfig{
		Source: source, Writer: c.Writer, Journal: journal, Now: p.Now,
	}, events)
	if err != nil {
		return &failure{
			code: ExitError, text: "cannot go on with run " + id + "; nothing was changed", err: errors.Join(err, journal.Close()),
		}
	}
	served := p.own(run, c)
	if onScreen {
		return p.showResumed(ctx, f, c, source, run, before.Run.Options)
	}
	return p.see(ctx, &follower{p: p, run: run, served: served, source: source, out: out, yes: f.yes, user: c.User, seen: uint64(len(events))})
}

// showResumed opens the dashboard on the page of a resumed run. Where the screen
// cannot be had, the run is suspended again.
func (p *Program) showResumed(ctx context.Context, f *flags, c *Cluster, source drain.Source, run Run, o drain.Options) error {
	request := p.dashboardRequest(ctx, f, c, source, nil, o)
	request.Attach = run
	code, err := p.Dashboard(ctx, request)
	if err == nil {
		return told(code)
	}
	run.Send(drain.Control{Kind: drain.ControlSuspend, By: "kdrain-tui", Why: "suspended: the dashboard failed"})
	<-run.Done()
	return &failure{code: max(code, ExitError), text: "the dashboard ended", err: err}
}

// takeJournal opens and locks the journal of a run: from here on no other
// process works on it.
func (p *Program) takeJournal(id string) (*drain.Journal, []drain.Event, error) {
	journal, events, err := drain.OpenJournal(drain.JournalPath(p.StateDir, id))
	switch {
	case errors.Is(err, drain.ErrRunLives):
		return nil, nil, p.livesOn(id)
	case err != nil:
		return nil, nil, &failure{code: ExitError, text: "nothing was changed", err: err}
	}
	return journal, events, nil
}

// resumedOutput prints what comes from now on, and knows what came before: a
// pod that was asked to go then is evicted now, not just gone.
func (p *Program) resumedOutput(f *flags, c *Cluster, before *drain.State, events []drain.Event) *output {
	out := p.newOutput(f, c, planOf(&before.Run))
	result, about := out.out, out.err
	out.out, out.err = io.Discard, io.Discard
	for _, e := range events {
		out.eventLines(e)
	}
	out.out, out.err = result, about
	// What is so now is said anew.
	out.lines.waits, out.lines.down, out.lines.aborted = map[kube.UID]*saidWaits{}, false, before.Aborting
	out.printed = 0
	pods := before.Progress("")
	out.note("run %s goes on, begun by %s %s: %d of %s gone", before.Run.ID, before.Run.User,
		before.Started.UTC().Format(time.RFC3339), pods.Left, plural(pods.Total, "pod", "pods"))
	if before.Aborting {
		out.note("it was being aborted: nothing more is evicted, and it is brought to its end")
	}
	for _, pod := range before.Pods {
		if pod.State.Blocked() { // the run itself says it again only once it changes
			e := drain.Event{Time: p.Now(), UID: pod.UID, PodState: pod.State, Wait: pod.Wait}
			out.waits(e, pod.Namespace+"/"+pod.Name+" waits: ", toneWarn)
		}
	}
	return out
}

// planOf is the plan of a run as far as its journal has it: enough for words.
func planOf(run *drain.RunFacts) drain.Plan {
	plan := drain.Plan{Options: run.Options}
	for _, n := range run.Nodes {
		node := drain.NodePlan{Name: n.Name, UID: n.UID, Unschedulable: n.Unschedulable}
		for _, pod := range run.Pods {
			if pod.Node == n.Name {
				node.Pods = append(node.Pods, drain.PodPlan{
					Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID, Owner: pod.Owner,
					Action: pod.Action, Reasons: pod.Reasons,
				})
			}
		}
		plan.Nodes = append(plan.Nodes, node)
	}
	return plan
}
