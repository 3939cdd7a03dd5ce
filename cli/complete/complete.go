package complete

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/cli/help"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// completionPatience is how long a pressed Tab may wait for a cluster.
const completionPatience = 2 * time.Second

// mostRuns is how many runs are offered, of the newest.
const mostRuns = 50

// Offers end a completion that has all that there is to offer.
const Offers = cobra.ShellCompDirectiveNoFileComp

// Completion is what a pressed Tab is offered, and where it comes from.
type Completion struct {
	Names  func() (contexts, clusters, users []string) // of the kubeconfig
	Themes func() []string
	Briefs func() ([]live.Brief, error) // the runs of this machine
	Open   func(context.Context, app.ConnectOptions) (*app.Session, error)
	Now    func() time.Time
}

// FlagsOf gives each flag of a command that takes a value what is offered for it:
// its own list, names of the kubeconfig, of the cluster or of this machine, files where
// it is a path, else nothing.
func (c Completion) FlagsOf(cmd *cobra.Command, flags *pflag.FlagSet) {
	kubeconfig := func(names func(contexts, clusters, users []string) []string) cobra.CompletionFunc {
		return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return names(c.Names()), Offers
		}
	}
	known := map[string]cobra.CompletionFunc{
		"context":         kubeconfig(func(contexts, _, _ []string) []string { return contexts }),
		"cluster":         kubeconfig(func(_, clusters, _ []string) []string { return clusters }),
		"user":            kubeconfig(func(_, _, users []string) []string { return users }),
		"namespace":       c.namespaces,
		"lease-namespace": c.namespaces,
		"node":            c.Nodes,
		"take-over":       c.runsBeside,
		"label-columns":   c.labelKeys,
		"theme": func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return c.Themes(), Offers
		},
	}
	files := []string{"kubeconfig", "certificate-authority", "client-certificate", "client-key", "cache-dir"}
	flags.VisitAll(func(f *pflag.Flag) {
		complete := known[f.Name]
		switch choices := plan.ChoicesOf(f); {
		case complete != nil, slices.Contains(files, f.Name), f.Value.Type() == "bool":
		case len(choices) > 0:
			complete = help.CompleteChoices(choices, f.Value.Type() == "stringSlice")
		default:
			complete = cobra.NoFileCompletions
		}
		if complete != nil {
			// An error would mean that there is no such flag, or that it has its own.
			_ = cmd.RegisterFlagCompletionFunc(f.Name, complete)
		}
	})
}

// RunsOf Offers the runs of this machine that are wanted, newest first; there is
// one argument.
func (c Completion) RunsOf(wanted func(live.Brief) bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, Offers
		}
		briefs, _ := c.Briefs() // nothing to offer is all that an error means here
		var runs []string
		for _, b := range briefs {
			if wanted(b) && len(runs) < mostRuns {
				runs = append(runs, b.ID+"\t"+kube.Clean(b.Summary()))
			}
		}
		return runs, Offers | cobra.ShellCompDirectiveKeepOrder
	}
}

// runsBeside Offers all runs as the value of a flag, whatever the arguments are.
func (c Completion) runsBeside(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	return c.RunsOf(func(live.Brief) bool { return true })(cmd, nil, typed)
}

// Nodes Offers the names of nodes.
func (c Completion) Nodes(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	kind := ""
	if head, tail, ok := strings.Cut(prefix, "/"); ok {
		kind, prefix = head+"/", tail
	}
	var names []string
	for _, n := range c.ofCluster(cmd, kube.KindNodes).Nodes() {
		if strings.HasPrefix(n.Name, prefix) && !slices.Contains(args, n.Name) &&
			!slices.Contains(args, "node/"+n.Name) {
			names = append(names, kind+n.Name)
		}
	}
	return names, Offers
}

func (c Completion) namespaces(cmd *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, n := range c.ofCluster(cmd, kube.KindNamespaces).Namespaces() {
		if strings.HasPrefix(n.Name, prefix) {
			names = append(names, n.Name)
		}
	}
	return names, Offers
}

// ofCluster reads a kind for a completion. It never prompts, says nothing on failure,
// and gives up after two seconds with an empty snapshot.
func (c Completion) ofCluster(cmd *cobra.Command, kind kube.Kind) *kube.Snapshot {
	none := kube.NewStore(c.Now).Snapshot()
	parent := cmd.Context()
	if parent == nil {
		parent = context.Background()
	}
	ctx, cancel := context.WithTimeout(parent, completionPatience)
	defer cancel()
	session, err := c.Open(ctx, app.ConnectOptions{Quiet: true, ReadOnly: true})
	if err != nil {
		return none
	}
	defer session.Close()
	session.Progress = nil
	session.Observe(ctx, kind)
	snapshot, err := session.Synced(ctx, []kube.Kind{kind})
	if err != nil {
		return none
	}
	return snapshot
}

// labelKeys Offers the keys of the labels of nodes, one more behind the last comma.
func (c Completion) labelKeys(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	var keys []plan.Choice
	for _, n := range c.ofCluster(cmd, kube.KindNodes).Nodes() {
		for key := range n.Labels {
			keys = append(keys, plan.Choice{Value: kube.Clean(key)})
		}
	}
	slices.SortFunc(keys, func(a, b plan.Choice) int { return strings.Compare(a.Value, b.Value) })
	return help.CompleteChoices(slices.Compact(keys), true)(cmd, args, typed)
}
