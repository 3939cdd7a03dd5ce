package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/yaml"
)

// jobOf is the Job that a command line prints.
func jobOf(t *testing.T, args ...string) (*batchv1.Job, *bench) {
	t.Helper()
	b := newBench(t, nil)
	b.expect(t, ExitDone, nil, append([]string{"job"}, args...)...)
	if len(b.opened) > 0 {
		t.Errorf("job %v: connected", args)
	}
	var j batchv1.Job
	if err := yaml.UnmarshalStrict(b.out.Bytes(), &j); err != nil {
		t.Fatalf("%v\n%s", err, b.out)
	}
	return &j, b
}

// deploy/job.yaml is what the command prints.
func TestJobExample(t *testing.T) {
	_, b := jobOf(t, "worker-1", "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=30m")
	text := strings.ReplaceAll(b.out.String(), ":v1.2.3", ":VERSION")
	text = strings.ReplaceAll(text, b.Build.Version, "VERSION")
	path := filepath.Join("..", "deploy", "job.yaml")
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(want, []byte(text)) {
		t.Errorf("%s is not what job prints (go test ./cli -run TestJobExample -update): %v\n%s", path, err, text)
	}
}

// The drain of the Job is the one of the command line: its arguments are read to the
// same options, and those about connections are not among them.
func TestJobHasTheDrainOfTheCommandLine(t *testing.T) {
	given := []string{"worker-1", "node/worker-2", "--force", "--grace-period=5", "--timeout=1m30s", "--pod-selector=app in (web, api)",
		"--max-parallel-nodes=3", "--order=tiers", "--honor=cluster-api,karpenter", "--guard=25%", "--guard-write", "--take-over=aaaaaa,bbbbbb",
		"--reason=it's $(time) $$ \"now\"", "--lease-namespace=leases", "--dry-run=server", "--chunk-size=7", "--ascii", "-o", "json"}
	connection := []string{"--context=prod", "--as=ada", "--kubeconfig=nowhere", "--server=https://prod", "--token=secret"}
	j, _ := jobOf(t, append(slices.Clone(given), connection...)...)
	container := j.Spec.Template.Spec.Containers[0]
	var args []string
	for _, arg := range container.Args {
		args = append(args, strings.ReplaceAll(arg, "$$", "$")) // as the kubelet does
	}
	for _, arg := range args {
		for _, flag := range connection {
			name, _, _ := strings.Cut(flag, "=")
			if strings.HasPrefix(arg, name+"=") {
				t.Errorf("the Job has %s", arg)
			}
		}
	}
	want, got := drainOf(t, append([]string{"drain", "--yes"}, given...)), drainOf(t, args)
	if want.line != got.line || want.flags.chunkSize != got.flags.chunkSize || want.flags.output != got.flags.output ||
		want.flags.ascii != got.flags.ascii || !got.flags.yes || !slices.Equal(want.nodes, got.nodes) {
		t.Errorf("the Job does\n%+v\nwant\n%+v", got, want)
	}
	if j, _ = jobOf(t, "-l", "pool=batch"); !slices.Contains(j.Spec.Template.Spec.Containers[0].Args, "--selector=pool=batch") {
		t.Errorf("no selector in %q", j.Spec.Template.Spec.Containers[0].Args)
	}
}

// readDrain is a command line of drain as it is read.
type readDrain struct {
	nodes []string
	flags *flags
	line  string // of all options
}

func drainOf(t *testing.T, args []string) readDrain {
	t.Helper()
	p := newBench(t, nil).Program
	f := p.newFlags()
	cmd := p.drainCommand()
	cmd.ResetFlags()
	f.bindDrainCommand(cmd.Flags())
	if err := cmd.ParseFlags(args[1:]); err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	options, err := f.options()
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return readDrain{nodes: cmd.Flags().Args(), flags: f, line: strings.Join(options.FlagWords(nil), " ")}
}

func TestJobNamesAndPlaces(t *testing.T) {
	j, b := jobOf(t, "worker-1", "-n", "ops", "--service-account=drainer", "--image=registry.example/kdrain:1")
	pod := j.Spec.Template.Spec
	if j.Namespace != "ops" || pod.ServiceAccountName != "drainer" || pod.Containers[0].Image != "registry.example/kdrain:1" ||
		j.GenerateName != "kdrain-tui-worker-1-" || *j.Spec.BackoffLimit != 0 {
		t.Errorf("%s", b.out)
	}
	b = newBench(t, nil)
	b.Build.Version = "devel"
	b.expect(t, ExitUsage, []string{"there is no published image of this build", "--image="}, "job", "worker-1")
}

// What drain does not take, job does not either.
func TestJobUsageErrors(t *testing.T) {
	for _, test := range []struct{ args, says string }{
		{"", "which node?"},
		{"a -l pool=blue", "cannot specify both"},
		{"-l pool=(", "pool=("},
		{"pods/a", "expected resource of type node"},
		{"a --timeout=soon", "--timeout=soon: must be a length of time"},
		{"a --guard-write", "--guard-write needs --guard"},
		{"a --bogus", "unknown flag: --bogus"},
		{"a -o yaml", "text or json"},
		{"a --read-only", "--read-only forbids a drain"},
		{"Worker_1", `node "Worker_1": a lowercase RFC 1123 subdomain`},
		{"a -n Ops", `--namespace "Ops": a lowercase RFC 1123 label`},
		{"a --service-account=", `--service-account "": a lowercase RFC 1123 subdomain`},
		{"a --image=", "there is no published image"},
	} {
		b := newBench(t, nil)
		b.expect(t, ExitUsage, []string{"error: ", test.says}, append([]string{"job"}, strings.Fields(test.args)...)...)
		if b.out.Len() > 0 || len(b.opened) > 0 {
			t.Errorf("job %s: printed %q, connected %d times", test.args, b.out, len(b.opened))
		}
	}
}
