package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// completed is what a shell is offered for a command line, without the directive.
func completed(b *bench, args ...string) string {
	b.out.Reset()
	b.run(append([]string{"__complete"}, args...)...)
	lines := strings.Split(strings.TrimSuffix(b.out.String(), "\n"), "\n")
	return strings.Join(lines[:len(lines)-1], " | ")
}

func TestFlagsAreCompleted(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(config, []byte(`
apiVersion: v1
kind: Config
contexts: [{name: stage, context: {cluster: eu-1, user: ada}}, {name: prod, context: {cluster: eu-2, user: eve}}]
clusters: [{name: eu-1, cluster: {server: "https://a"}}, {name: eu-2, cluster: {server: "https://b"}}]
users: [{name: ada, user: {}}, {name: eve, user: {}}]
`), 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"drain --kubeconfig=FILE --context ":       "prod | stage",
		"plan --kubeconfig=FILE --cluster ":        "eu-1 | eu-2",
		"runs --kubeconfig=FILE --user ":           "ada | eve",
		"drain --kubeconfig=/not/there --context ": "",
		"drain --output ":                          "text\tfor a person | json\tfor a program",
		"report --output ":                         "text\tfor a person | json\tfor a program | markdown\tfor a ticket, with a chart, as GitHub shows it",
		"drain --dry-run=":                         "none\twrite to the cluster | client\tprint what would be done | server\task the API server, which changes nothing",
		"drain --order ":                           "tiers\tordinary pods first, then critical ones, then storage",
		"drain --honor karpenter,":                 "karpenter,cluster-api | karpenter,cluster-autoscaler",
		"--theme ":                                 "default | mine",
		"drain --timeout ":                         "",
	} {
		b := newBench(t, nil)
		b.Themes = func() []string { return []string{"default", "mine"} }
		words := strings.Split(strings.ReplaceAll(args, "FILE", config), " ")
		if got := completed(b, words...); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
		if len(b.opened) > 0 {
			t.Errorf("%s: connected", args)
		}
	}
}

func TestNamesOfTheClusterAreCompleted(t *testing.T) {
	for args, want := range map[string]string{
		"plan --namespace ":         "kube-system | shop",
		"drain --lease-namespace s": "shop",
		"rollback --node w":         "worker-1 | worker-2",
		"--label-columns a,":        "a,pool",
	} {
		b := newBench(t, kubetest.StoreOf(noon, node("worker-1", "blue", false), node("worker-2", "green", false),
			namespaceOf("kube-system"), namespaceOf("shop")).Snapshot())
		if got := completed(b, strings.Split(args, " ")...); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
		if len(b.opened) != 1 || !b.opened[0].Quiet || !b.opened[0].ReadOnly {
			t.Errorf("%s: %+v", args, b.opened)
		}
		b.openErr = errors.New("no server")
		if got := completed(b, strings.Split(args, " ")...); got != "" || strings.Contains(b.err.String(), "error") {
			t.Errorf("%s without a server: %q %s", args, got, b.err)
		}
	}
}

// A run says which one it is: its id alone means nothing to whoever presses Tab.
func TestRunsAreCompleted(t *testing.T) {
	b := newBench(t, nil)
	closed(t, writeRun(t, b.StateDir, "aaaaaa", noon, drain.OutcomeDone))
	closed(t, writeRun(t, b.StateDir, "bbbbbb", noon.Add(time.Hour), ""))
	live := writeRun(t, b.StateDir, "cccccc", noon.Add(2*time.Hour), "")
	defer closed(t, live)
	const (
		a = "aaaaaa\tworker-1, 2026-11-21 12:00, done"
		o = "bbbbbb\tworker-1, 2026-11-21 13:00, not ended"
		l = "cccccc\tworker-1, 2026-11-21 14:00, live"
	)
	for args, want := range map[string]string{
		"report ":                 l + " | " + o + " | " + a,
		"replay ":                 l + " | " + o + " | " + a,
		"resume ":                 o,
		"rollback ":               o + " | " + a,
		"ctl ":                    l,
		"ctl cccccc skip ":        "shop/web-1",
		"report aaaaaa ":          "",
		"uncordon a --take-over=": l + " | " + o + " | " + a,
	} {
		if got := completed(b, strings.Split(args, " ")...); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}

// Whoever adds a flag says what is offered for it, or nothing: never the files of the
// folder that the shell is in.
func TestNoFlagOffersFilesByAccident(t *testing.T) {
	root := newBench(t, nil).Command()
	for _, cmd := range append(root.Commands(), root) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			_, ok := cmd.GetFlagCompletionFunc(f.Name)
			path := strings.Contains(f.Usage, "ath to") || f.Name == "cache-dir"
			if !ok && !path && f.Value.Type() != "bool" {
				t.Errorf("%s --%s offers files", cmd.Name(), f.Name)
			}
		})
	}
}

func namespaceOf(name string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid-" + name)}}
}
