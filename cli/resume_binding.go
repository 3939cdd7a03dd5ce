package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/drain"
)

// What binds a command to a run of before: its journal, its cluster, its nodes.

// runPageSize is the page size of large lists, as the default of drain.
const runPageSize = 500

// completeRuns offers the runs of this machine; there is one argument.
func (p *Program) completeRuns(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ids, _ := p.runIDs() // nothing to offer is all that an error means here
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// checkRunArgs judges a command line that changes the cluster of a run, before
// anything is read.
func (p *Program) checkRunArgs(cmd *cobra.Command, f *flags, args []string) error {
	switch {
	case len(args) != 1 || args[0] == "":
		return usage(p.display()+" runs lists them", "which run? USAGE: %s RUN [--yes]", cmd.CommandPath())
	case p.connection.ReadOnly:
		return usage(p.display()+" report tells what a run did", "--read-only forbids to %s a run", cmd.Name())
	case !f.yes && !p.canAsk():
		return usage("add --yes to confirm, or look first: "+p.display()+" report "+args[0],
			"there is no terminal to ask on; nothing was done")
	}
	return nil
}

// knownRun reads the journal of a run of this machine.
func (p *Program) knownRun(id string) (*runRecord, error) {
	if err := p.listed(id); err != nil {
		return nil, err
	}
	return p.readRun(id)
}

// listed tells why a run is none of this machine, nil where it is one.
func (p *Program) listed(id string) error {
	ids, err := p.runIDs()
	if err != nil {
		return err
	}
	// A name that is not listed is never opened: it could be a path.
	if !slices.Contains(ids, id) {
		hint := "no run was started on it"
		if len(ids) > 0 {
			hint = "it has: " + strings.Join(ids, ", ")
		}
		return &failure{code: ExitError, text: fmt.Sprintf("there is no run %q on this machine", id), hint: hint}
	}
	return nil
}

// deadRun reads the journal of a run that no process works on, and says where
// it is cut off.
func (p *Program) deadRun(id string) (*runRecord, error) {
	r, err := p.knownRun(id)
	switch {
	case err != nil:
		return nil, err
	case r.live:
		return nil, p.livesOn(id)
	case r.torn:
		fmt.Fprintln(p.Err, "Warning: the last line of the journal is cut off: what the run did last is not known")
	}
	return r, nil
}

// livesOn refuses what may not happen beside a live run.
func (p *Program) livesOn(id string) error {
	return &failure{
		code: ExitError, text: "run " + id + " is live in another process; nothing was changed",
		hint: fmt.Sprintf("abort it first: %s ctl %s abort, or Ctrl-C where it runs", p.display(), id),
	}
}

// openOf connects to the cluster of the run. The kubeconfig's current context
// may have changed since: without a word about the connection the run's counts.
func (p *Program) openOf(ctx context.Context, cmd *cobra.Command, run *drain.RunFacts) (*Cluster, error) {
	given := false
	for _, name := range []string{"context", "cluster", "server", "kubeconfig"} {
		given = given || cmd.Flags().Changed(name)
	}
	if !given && run.Context != "" {
		p.connection.Overrides.CurrentContext = run.Context
		p.connection.Kubeconfig = run.Kubeconfig
	}
	c, err := p.open(ctx, OpenOptions{ChunkSize: runPageSize, Nodes: nodesOf(run), LeaseNamespace: run.Options.LeaseNamespace})
	if err != nil {
		return nil, err
	}
	if err := sameCluster(run, c); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// sameCluster refuses every cluster but the run's: names repeat, UIDs do not.
func sameCluster(run *drain.RunFacts, c *Cluster) error {
	if run.ClusterUID == c.UID {
		return nil
	}
	hint := fmt.Sprintf("the run was on context %s, server %s; choose it with --context or --kubeconfig", run.Context, run.Server)
	if strings.HasPrefix(run.ClusterUID, "server:") != strings.HasPrefix(c.UID, "server:") {
		hint = "the namespace kube-system, by whose UID clusters are told apart, could be read only one of the two times"
		if c.UIDWhy != "" {
			hint += ": " + c.UIDWhy
		}
		hint += "\nif the API server is just starting, try again in a moment; else take the rights that the run had"
	}
	return &failure{
		code: ExitUsage, hint: hint,
		text: fmt.Sprintf("wrong cluster: run %s was on %s, this is %s (context %s); nothing was changed", run.ID, run.ClusterUID, c.UID, c.Context),
	}
}

func nodesOf(run *drain.RunFacts) []string {
	names := make([]string, len(run.Nodes))
	for i, n := range run.Nodes {
		names[i] = n.Name
	}
	return names
}
