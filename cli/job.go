package cli

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kdrain-tui/kdrain-tui/cli/help"
	"github.com/kdrain-tui/kdrain-tui/cli/job"
	"github.com/kdrain-tui/kdrain-tui/drain/words"
)

// The repository of the image that a release publishes, and the names in
// deploy/rbac/job.yaml.
const (
	imageRepository = "ghcr.io/kdrain-tui/kdrain-tui"
	jobNamespace    = "kdrain-tui"
	jobAccount      = "kdrain-tui"
)

// released matches the versions that have an image.
var released = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-(alpha|beta|rc)[.0-9]*)?$`)

// jobPrinting is the command job.
type jobPrinting struct {
	draining
	image, account string
}

func newJobCommand(p *Program) *cobra.Command {
	c := &jobPrinting{draining: draining{p, p.newFlags()}}
	cmd := &cobra.Command{
		Use:   "job NODE... [flags of drain]",
		Short: "Print a Kubernetes Job that does a drain inside of the cluster",
		Long: "Prints the manifest of a Job that drains the nodes with these flags, as drain does. Needs no cluster and\n" +
			"changes nothing. The Job runs on none of these nodes and is tried once; its log has the report.\n\n" +
			"It is made in the namespace of -n (" + jobNamespace + " by default) and needs a service account there that may\n" +
			"drain: deploy/rbac of the release has one. Connection flags do not count for the Job, which talks to the\n" +
			"cluster that it runs in. The flag --yes is part of its command line: creating the Job confirms the drain.",
		Example: p.examples(`
# Drain a node from within the cluster
job worker-1 --ignore-daemonsets --timeout=30m | kubectl create -f -
# Drain the nodes of a pool, two at a time, told as JSON in the log of the Job
job -l pool=batch --ignore-daemonsets --max-parallel-nodes=2 -o json | kubectl create -f -`),
		ValidArgsFunction: completion{p}.nodes,
		Annotations:       map[string]string{help.FlagsOf: "drain"},
		RunE:              c.print,
	}
	c.f.bindDrainCommand(cmd.Flags())
	image := ""
	if released.MatchString(p.Build.Version) {
		image = imageRepository + ":" + p.Build.Version
	}
	cmd.Flags().StringVar(&c.image, "image", image, "the image with kdrain-tui that the Job runs")
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
	if err := checkJob(spec); err != nil {
		return err
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
	_, err = fmt.Fprintf(c.Out, "# %s %s\n# kubectl create -f FILE, then kubectl logs -n %s -f job/NAME\n%s", c.display(),
		shellLine(spec.Args), spec.Namespace, text)
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

// checkJob judges the names that only the Job has.
func checkJob(s job.Spec) error {
	if s.Image == "" {
		return usage("give one that the cluster can pull: --image=REGISTRY/NAME:TAG", "there is no published image of this build")
	}
	if strings.TrimSpace(s.Image) != s.Image {
		return usage("", "--image=%q: must not begin or end with a space", s.Image)
	}
	var wrong []error
	for _, node := range s.Nodes {
		wrong = append(wrong, named("node", node, validation.IsDNS1123Subdomain(node)))
	}
	wrong = append(wrong, named("--namespace", s.Namespace, validation.IsDNS1123Label(s.Namespace)),
		named("--service-account", s.ServiceAccount, validation.IsDNS1123Subdomain(s.ServiceAccount)))
	if err := errors.Join(wrong...); err != nil {
		return &failure{code: ExitUsage, err: err}
	}
	return nil
}

// named says what is wrong with a name, in the words of Kubernetes.
func named(what, name string, wrong []string) error {
	if len(wrong) == 0 {
		return nil
	}
	return fmt.Errorf("%s %q: %s", what, name, wrong[0])
}

// shellLine is a command line as it is typed.
func shellLine(args []string) string {
	typed := make([]string, len(args))
	for i, arg := range args {
		typed[i] = words.ShellWord(arg)
	}
	return strings.Join(typed, " ")
}
