package cli

import (
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kdrain-tui/kdrain-tui/cli/help"
	"github.com/kdrain-tui/kdrain-tui/cli/job"
)

// The names in deploy/rbac/job.yaml.
const (
	jobNamespace = "kdrain-tui"
	jobAccount   = "kdrain-tui"
)

// jobPrinting is the command job.
type jobPrinting struct {
	draining
	image, account string
}

func newJobCommand(p *Program) *cobra.Command {
	c := &jobPrinting{draining: draining{Program: p, f: p.newFlags()}}
	cmd := &cobra.Command{
		Use:   "job NODE...",
		Short: "Print a Kubernetes Job that does a drain inside of the cluster",
		Long: "Prints the manifest of a Job that drains the nodes with these flags, as drain does. Needs no cluster and\n" +
			"changes nothing. The Job runs on none of these nodes and is tried once; its log has the report.\n\n" +
			"It is made in the namespace of -n (" + jobNamespace +
			" by default) and needs a service account there that may\n" +
			"drain: deploy/rbac of the release has one. Connection flags do not count for the Job, which talks to the\n" +
			"cluster that it runs in. The flag --yes is part of its command line: creating the Job confirms the drain.",
		Example: p.examples(`
# Drain a node from within the cluster
job worker-1 --ignore-daemonsets --timeout=30m | kubectl create -f -
# Drain the nodes of a pool, two at a time, told as JSON in the log of the Job
job -l pool=batch --ignore-daemonsets --max-parallel-nodes=2 -o json | kubectl create -f -`),
		ValidArgsFunction: completionOf(p).Nodes,
		Annotations:       map[string]string{help.FlagsOf: "drain"},
		RunE:              c.print,
	}
	c.f.bindDrainCommand(cmd.Flags())
	cmd.Flags().StringVar(&c.image, "image", job.Image(p.Build.Version), "the image with kdrain-tui that the Job runs")
	cmd.Flags().StringVar(&c.account, "service-account", jobAccount, "the service account of the Job, in its namespace")
	return cmd
}

func (c *jobPrinting) print(cmd *cobra.Command, args []string) error {
	c.f.yes = true
	options, err := c.judged(cmd, args)
	if err != nil {
		return err
	}
	spec := job.Spec{
		Nodes: c.f.selection(args).Names(), Image: c.image, ServiceAccount: c.account, Namespace: jobNamespace,
		Args: append([]string{"drain"}, args...),
	}
	if given := c.connection.Overrides.Context.Namespace; given != "" {
		spec.Namespace = given
	}
	if spec.Image == "" {
		return usage("give one that the cluster can pull: --image=REGISTRY/NAME:TAG",
			"there is no published image of this build")
	}
	if err := spec.Check(); err != nil {
		return &failure{code: ExitUsage, err: err}
	}
	if c.f.selector != "" {
		selector, err := labels.Parse(c.f.selector)
		if err != nil {
			return &failure{code: ExitUsage, err: err}
		}
		spec.Selector, _ = selector.Requirements()
	}
	spec.Args = append(spec.Args, options.FlagArgs(nil)...)
	spec.Args = append(spec.Args, c.f.otherArgs()...)
	text, err := job.YAML(job.New(spec))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.Out, "# %s %s\n# kubectl create -f FILE, then kubectl logs -n %s -f job/NAME\n%s",
		c.display(), spec.Line(), spec.Namespace, text)
	return err
}

// otherArgs are the flags of drain that are no options of a drain.
func (f *flags) otherArgs() []string {
	args := []string{"--yes"}
	if f.selector != "" {
		args = append(args, "--selector="+f.selector)
	}
	if f.chunkSize != defaultChunkSize {
		args = append(args, fmt.Sprintf("--chunk-size=%d", f.chunkSize))
	}
	if f.output != "text" {
		args = append(args, "--output="+f.output)
	}
	if f.ascii {
		args = append(args, "--ascii")
	}
	return args // a log has no colours
}
