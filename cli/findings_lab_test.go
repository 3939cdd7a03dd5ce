//go:build lab

package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
)

// The troubles of findings.yaml, and with what a plan of its nodes a and b names
// them: the code, the objects without their namespace, and the first command
// that would help.
var planted = []trouble{
	{preflight.FindingSingleReplica, []string{"Deployment/scaled", "Deployment/wiki"}, `kubectl patch hpa -n NS scaled --type=merge -p '{"spec":{"minReplicas":2}}'`},
	{preflight.FindingLastReady, []string{"Deployment/guard", "Deployment/policy"}, ""},
	{preflight.FindingDNS, []string{"Deployment/dns"}, ""},
	{preflight.FindingQuorum, []string{"StatefulSet/members"}, ""},
	{preflight.FindingLastEndpoint, []string{"Service/wiki"}, ""},
	{preflight.FindingWebhookDeadlock, []string{"ValidatingWebhookConfiguration/NS-guard"}, ""},
	{preflight.FindingWebhook, []string{"ValidatingWebhookConfiguration/NS-policy"}, ""},
	{preflight.FindingQuotaExceeded, []string{"ResourceQuota/pods"}, "kubectl describe quota -n NS"},
	{preflight.FindingToleratesCordon, []string{"ReplicaSet/stubborn-*"}, ""},
	{preflight.FindingNoRoom, []string{"Pod/members-*"}, ""},
}

type trouble struct {
	code    string
	objects []string
	command string // looked at where there is one
}

// A cluster with every trouble that the plan as a whole can name, on a real API
// server: the plan names all of them and nothing else.
func TestPlanNamesThePlantedTroubles(t *testing.T) {
	t.Parallel()
	l := newLabStage(t)
	l.create("testdata/findings-nodes.yaml", "nodes")
	l.kubectl("wait", "--for=condition=Ready", "node", "-l", "stage="+l.namespace, "--timeout=90s")
	l.create("testdata/findings.yaml", "the rest")
	l.kubectl("wait", "--for=condition=Available", "deployment", "--all", "-n", l.namespace, "--timeout=90s")
	l.kubectl("rollout", "status", "statefulset/members", "-n", l.namespace, "--timeout=90s")
	// Last, because nobody answers for these, and no pod would be made any more.
	l.create("testdata/findings-rules.yaml", "rules")
	// The lab has no quota controller; this is what it would write.
	l.kubectl("patch", "resourcequota", "pods", "-n", l.namespace, "--subresource=status", "--type=merge",
		"-p", `{"status":{"hard":{"pods":"1"},"used":{"pods":"14"}}}`)

	var planned planLine
	text := l.plan(l.namespace+"-a", l.namespace+"-b")
	if err := json.Unmarshal(text, &planned); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	for _, f := range planned.Findings {
		i := slices.IndexFunc(planted, func(p trouble) bool { return p.code == f.Code })
		if i < 0 {
			t.Errorf("nobody planted %s: %s", f.Code, f.Message)
			continue
		}
		for _, object := range f.Objects {
			if !slices.ContainsFunc(planted[i].objects, func(want string) bool { return l.means(want, object) }) {
				t.Errorf("%s names %s", f.Code, object)
			}
		}
	}
	for _, want := range planted {
		i := slices.IndexFunc(planned.Findings, func(f plan.Finding) bool { return f.Code == want.code })
		if i < 0 {
			t.Errorf("%s is not named", want.code)
			continue
		}
		f := planned.Findings[i]
		for _, object := range want.objects {
			if !slices.ContainsFunc(f.Objects, func(named string) bool { return l.means(object, named) }) {
				t.Errorf("%s does not name %s: %v", f.Code, object, f.Objects)
			}
		}
		command := ""
		if want.command != "" && len(f.Advice) > 0 {
			command = itsTarget.ReplaceAllString(f.Advice[0].Command, "kubectl ")
		}
		if command != l.named(want.command) {
			t.Errorf("%s: %q would help, want %q", f.Code, command, l.named(want.command))
		}
	}
}

// labStage is a namespace of the lab for one test. What belongs to no namespace
// begins with its name.
type labStage struct {
	*testing.T
	dir, namespace string
}

func newLabStage(t *testing.T) *labStage {
	t.Helper()
	for _, name := range []string{"KDRAIN_LAB", "KDRAIN_LAB_DIR"} {
		if os.Getenv(name) == "" {
			t.Fatalf("%s is not set: this test needs a lab (make test ONLY=lab)", name)
		}
	}
	return &labStage{T: t, dir: os.Getenv("KDRAIN_LAB_DIR"), namespace: "plan-" + strings.ToLower(rand.Text()[:8])}
}

// named is a text about this stage.
func (l *labStage) named(text string) string { return strings.ReplaceAll(text, "NS", l.namespace) }

// means reports whether "Kind/name", with a * at the end for anything, is the object
// "Kind/namespace/name" or, outside of namespaces, "Kind/name".
func (l *labStage) means(want, object string) bool {
	want, object = l.named(want), strings.Replace(object, "/"+l.namespace+"/", "/", 1)
	if start, any := strings.CutSuffix(want, "*"); any {
		return strings.HasPrefix(object, start)
	}
	return want == object
}

func (l *labStage) kubectl(args ...string) {
	l.Helper()
	cmd := exec.CommandContext(l.Context(), os.Getenv("KDRAIN_LAB"), append([]string{"kubectl", "--dir", l.dir}, args...)...)
	if output, err := cmd.CombinedOutput(); err != nil {
		l.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, output)
	}
}

// create makes the objects of a file in this stage, and takes them away at the
// end, those of the last file first.
func (l *labStage) create(file, what string) {
	l.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		l.Fatal(err)
	}
	path := filepath.Join(l.TempDir(), filepath.Base(file))
	if err := os.WriteFile(path, []byte(l.named(string(data))), 0o600); err != nil {
		l.Fatal(err)
	}
	l.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, os.Getenv("KDRAIN_LAB"), "kubectl", "--dir", l.dir, "delete", "-f", path, "--ignore-not-found", "--wait=false")
		if output, err := cmd.CombinedOutput(); err != nil {
			l.Errorf("deleting %s: %v\n%s", what, err, output)
		}
	})
	l.kubectl("create", "-f", path)
}

// plan asks for the plan of nodes, as a pipeline does.
func (l *labStage) plan(nodes ...string) []byte {
	l.Helper()
	var out, errs bytes.Buffer
	p := &Program{
		Name: "kdrain-tui", In: strings.NewReader(""), Out: &out, Err: &errs, StateDir: l.TempDir(), Now: time.Now,
		Exit: func(code int) { l.Errorf("exit %d", code) }, Open: app.Connect,
	}
	args := append([]string{"plan", "-o", "json", "--kubeconfig", filepath.Join(l.dir, "kubeconfig"), "--ignore-daemonsets"}, nodes...)
	if code := p.Main(l.Context(), args); code != ExitDone {
		l.Fatalf("exit %d\n%s", code, errs.String())
	}
	return out.Bytes()
}

// itsTarget begins a printed command that names its cluster.
var itsTarget = regexp.MustCompile(`^kubectl (--[a-z-]+=\S+ )*`)
