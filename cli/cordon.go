package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// cordonCommand is cordon or uncordon, as kubectl's.
func (p *Program) cordonCommand(cordon bool) *cobra.Command {
	f := p.newFlags()
	verb, short := "cordon", "Mark nodes as unschedulable"
	if !cordon {
		verb, short = "uncordon", "Mark nodes as schedulable"
	}
	cmd := &cobra.Command{
		Use:   verb + " NODE...",
		Short: short,
		Long: short + ". The mark that says who cordoned a node, when and why\n" +
			"(annotation " + kube.CordonAnnotation + ") is written and removed together with it." + map[bool]string{
			false: "\nA node that a live run holds by its Lease is uncordoned once the run's id was\ntyped, or with --take-over: the run stops there."}[cordon],
		Example:           p.examples(verb+" worker-1", verb+" -l pool=batch --dry-run=server"),
		ValidArgsFunction: p.completeNodes,
		RunE:              func(cmd *cobra.Command, args []string) error { return p.cordon(cmd, f, args, cordon) },
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	f.bindNodes(fs)
	if cordon {
		f.bindOptions(fs, "dry-run", "reason")
	} else {
		f.bindOptions(fs, "dry-run", "lease-namespace", "take-over")
	}
	return cmd
}

func (p *Program) cordon(cmd *cobra.Command, f *flags, args []string, cordon bool) error {
	if err := checkNodeArgs(cmd, args, f); err != nil {
		return err
	}
	o, err := f.options()
	if err != nil {
		return err
	}
	if p.connection.ReadOnly && o.DryRun == drain.DryRunNone {
		return usage("see --dry-run=server", "--read-only forbids to %s", cmd.Name())
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	kinds := []kube.Kind{kube.KindNodes}
	if !cordon {
		kinds = append(kinds, kube.KindLeases)
	}
	cluster, err := p.open(ctx, OpenOptions{Nodes: namesIn(args), LeaseNamespace: o.LeaseNamespace})
	if err != nil {
		return err
	}
	defer cluster.Close()
	if err := checkAccess(ctx, cluster, cordonRules(o.DryRun)); err != nil {
		return err
	}
	source := cluster.Watch(ctx, kinds...)
	snapshot, err := waitSynced(ctx, source, kinds[:1], p.Err)
	if err != nil {
		return err
	}
	nodes, err := chooseNodes(snapshot, args, f)
	if err != nil {
		return err
	}
	if !cordon && o.DryRun != drain.DryRunClient {
		if err := p.askHeld(ctx, source, nodes, o); err != nil {
			return err
		}
	}
	c := cordoner{p: p, cluster: cluster, source: source, cordon: cordon, dry: o.DryRun, reason: o.Reason}
	return c.all(ctx, nodes)
}

// cordoner cordons or uncordons nodes one after another.
type cordoner struct {
	p       *Program
	cluster *Cluster
	source  drain.Source
	cordon  bool
	dry     drain.DryRun
	reason  string
}

// all goes on after a failure, as kubectl does, and does not hide it from the
// exit code, as kubectl does.
func (c cordoner) all(ctx context.Context, nodes []string) error {
	failed := 0
	for _, name := range nodes {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := c.one(ctx, name); err != nil {
			explain(c.p.Err, fmt.Errorf("unable to %s node %q: %w", c.verb(), name, err))
			failed++
		}
	}
	switch {
	case failed == 0:
		return nil
	case failed == len(nodes):
		return told(ExitError)
	}
	return told(ExitPartly)
}

func (c cordoner) one(ctx context.Context, name string) error {
	changed, err := c.set(ctx, name)
	if err != nil {
		return err
	}
	already := "already "
	if changed {
		already = ""
	}
	fmt.Fprintf(c.p.Out, "node/%s %s%sed%s\n", name, already, c.verb(), drySuffix(c.dry))
	return nil
}

const (
	cordonTries = 5
	// nodeShown is how long the watch may take to show a node that has changed.
	nodeShown = 15 * time.Second
)

// set changes the node as it is known, and nothing else: where it has changed since
// (a heartbeat is enough), it is judged again once the watch shows that. So the mark never
// says of somebody else's cordon that the node was schedulable before. It tells whether
// there was anything to do.
func (c cordoner) set(ctx context.Context, name string) (changed bool, err error) {
	for try := 1; ; try++ {
		s := c.source.Snapshot()
		n := s.Node(name)
		switch {
		case n == nil:
			return false, errors.New("it no longer exists")
		case n.Unschedulable == c.cordon:
			return false, nil
		case c.dry == drain.DryRunClient:
			return true, nil
		}
		answer := c.send(ctx, s, n)
		switch {
		case answer.OK():
			return true, nil
		case answer.Class() != kube.AnswerConflict || try == cordonTries || !c.shown(ctx, n):
			return false, errors.New(answerWords(answer))
		}
	}
}

// shown waits until the watch shows the node in another state than this one.
func (c cordoner) shown(ctx context.Context, old *kube.Node) bool {
	ctx, cancel := context.WithTimeout(ctx, nodeShown)
	defer cancel()
	changed := c.source.Changed(ctx)
	for {
		if n := c.source.Snapshot().Node(old.Name); n == nil || n.ResourceVersion != old.ResourceVersion {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

func (c cordoner) send(ctx context.Context, s *kube.Snapshot, n *kube.Node) kube.Answer {
	r := kube.CordonRequest{
		Node: n.Name, UID: n.UID, ResourceVersion: n.ResourceVersion, Unschedulable: c.cordon, Mark: c.mark(s),
		DryRun: c.dry == drain.DryRunServer,
	}
	if !c.cordon && excludedByUs(n) {
		back := false
		r.ExcludeFromLB = &back
	}
	return c.cluster.Writer.Cordon(ctx, r)
}

// excludedByUs tells whether the run that cordoned the node took it out of
// external load balancers too: uncordon then puts it back.
func excludedByUs(n *kube.Node) bool {
	if n.Cordon == nil {
		return false
	}
	mark, ours := drain.ParseMark(n.Cordon.Mark)
	return ours && mark.ExcludedFromLB
}

// mark is our annotation: who, why and when, and what the node was before.
func (c cordoner) mark(s *kube.Snapshot) string {
	if !c.cordon {
		return ""
	}
	return drain.Mark{
		By: c.cluster.User, Reason: c.reason, Was: "schedulable",
		At: s.ServerTime(c.p.Now()).UTC().Truncate(time.Second),
	}.String()
}

func (c cordoner) verb() string {
	if c.cordon {
		return "cordon"
	}
	return "uncordon"
}

// drySuffix is what kubectl puts behind a line about something not done.
func drySuffix(dry drain.DryRun) string {
	switch dry {
	case drain.DryRunClient:
		return " (dry run)"
	case drain.DryRunServer:
		return " (server dry run)"
	}
	return ""
}

// answerWords are the words of a refusal: the server's, with the first cause,
// which kubectl leaves out, else the network's.
func answerWords(a kube.Answer) string {
	switch {
	case a.Failure != "":
		return a.Failure
	case a.Message == "":
		return fmt.Sprintf("the server answered %d %s", a.Code, a.Reason)
	case len(a.Causes) > 0 && a.Causes[0].Message != "":
		return a.Message + " " + a.Causes[0].Message
	}
	return a.Message
}
