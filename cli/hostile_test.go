package cli

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/app/control"
	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/cli/print"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/hostile"
)

// The collections that only plans look at.
var furtherCollections = map[string]string{
	"/api/v1/persistentvolumeclaims": "PersistentVolumeClaimList", "/api/v1/persistentvolumes": "PersistentVolumeList",
	"/api/v1/namespaces": "NamespaceList", "/api/v1/services": "ServiceList", "/api/v1/resourcequotas": "ResourceQuotaList",
	"/apis/storage.k8s.io/v1/storageclasses": "StorageClassList", "/apis/storage.k8s.io/v1/csinodes": "CSINodeList",
	"/apis/storage.k8s.io/v1/csidrivers": "CSIDriverList", "/apis/storage.k8s.io/v1/volumeattachments": "VolumeAttachmentList",
	"/apis/coordination.k8s.io/v1/namespaces/kube-system/leases":            "LeaseList",
	"/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations": "ValidatingWebhookConfigurationList",
	"/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations":   "MutatingWebhookConfigurationList",
	"/apis/autoscaling/v2/horizontalpodautoscalers":                         "HorizontalPodAutoscalerList",
}

func hostileMarks() hostile.Marks {
	return hostile.Marks{
		Notes: append([]string{kube.ByAnnotation, kube.ReasonAnnotation}, kube.KeptAnnotations...),
		JSON:  []string{kube.CordonAnnotation, kube.OutOfServiceAnnotation},
		Lease: metav1.ObjectMeta{Name: kube.LeaseName(hostile.NodeUID), Namespace: kube.DefaultLeaseNamespace,
			Labels: map[string]string{kube.ManagedByLabel: kube.ManagedByValue}},
	}
}

func hostileServer(t *testing.T, seed uint64) *apiServer {
	s := newAPIServer(t)
	maps.Copy(s.serves, furtherCollections)
	for _, o := range hostile.Cluster(rand.New(rand.NewPCG(seed, 2)), hostileMarks(), time.Now().Add(-time.Hour)) {
		s.put("ADDED", o.(metav1.Object))
	}
	words := strings.Join(hostile.Texts, " ")
	s.answer = func(r *http.Request, name string, attempt int) (int, map[string]string, string) {
		switch {
		case r.Method == http.MethodPatch:
			return 0, nil, ""
		case attempt == 1 && name == "x-0":
			return 502, nil, "<html>" + words // of a proxy
		case attempt == 1:
			return 429, nil, refusal(429, hostile.Texts[0], words)
		case name == "x-1":
			return 400, nil, refusal(400, "BadRequest", words)
		}
		return 0, nil, ""
	}
	return s
}

// checkOutput looks for control sequences that are not ours. Those of our colours
// may be there only where there is a terminal.
func checkOutput(t *testing.T, what, text string) {
	t.Helper()
	for _, line := range strings.Split(ownColours.ReplaceAllString(text, ""), "\n") {
		if i := strings.IndexFunc(line, kube.Unsafe); i >= 0 {
			t.Errorf("%s: %q", what, line)
		}
	}
}

var ownColours = regexp.MustCompile("\x1b\\[(0|1|2|31|32|33)m")

// checkHostile runs every command on a hostile cluster.
func checkHostile(t *testing.T, seed uint64) {
	s := hostileServer(t, seed)
	var b *bench
	states := t.TempDir()
	flags := []string{"--server=" + s.URL}
	options := []string{hostile.Node, "--force", "--ignore-daemonsets", "--delete-emptydir-data", "--take-over", "--max-parallel-volumes=0"}
	run := func(args ...string) int {
		b = s.connected(t)
		b.StateDir, b.Terminal = states, Terminal{Out: true, Err: true, Color: true}
		code := b.run(append(args, flags...)...)
		checkOutput(t, "standard output of "+args[0], b.out.String())
		checkOutput(t, "standard error of "+args[0], b.err.String())
		return code
	}
	drainWith := func(more ...string) []string { return append(append([]string{"drain"}, options...), more...) }
	run(append([]string{"plan"}, options...)...)
	for _, word := range []string{"x-0", "x-5", "Findings"} {
		if !strings.Contains(b.out.String(), word) {
			t.Fatalf("the plan lacks %q:\n%s%s", word, b.out, b.err)
		}
	}
	run("plan", hostile.Node)
	run("plan", hostile.Node, "-o", "json")
	if !json.Valid(b.out.Bytes()) {
		t.Errorf("no JSON: %s", b.out)
	}
	run(drainWith("--dry-run=client")...)
	run(drainWith("--dry-run=server", "-o", "json")...)
	run(drainWith("--yes", "--timeout=1s")...)
	run(drainWith("--yes", "--timeout=100ms", "-o", "json")...)
	run("cordon", hostile.Node, "x-1")
	run("uncordon", hostile.Node, "x-1", hostile.Texts[0])
	run("runs")
	run("runs", "-o", "json")
	var runs []print.Run
	if err := json.Unmarshal(b.out.Bytes(), &runs); err != nil || len(runs) == 0 {
		t.Fatalf("no runs: %v\n%s", err, b.out)
	}
	for _, r := range runs {
		for _, format := range []string{"text", "markdown", "json"} {
			run("report", r.Run, "-o", format)
		}
		run("ctl", r.Run, "status")
	}
	ctlHostile(t, states, runs[0].Run, run)
	run("resume", "--node", hostile.Node, "--yes", "--timeout=100ms")
	run("rollback", "--node", hostile.Node, "--yes")
}

// ctlHostile lets a live run tell what it met on the hostile cluster: the events of that
// run but for its end, and remedies with a hostile text in every field.
func ctlHostile(t *testing.T, states, of string, run func(...string) int) {
	t.Helper()
	const live = "abc123"
	events, _, err := journal.ReadJournal(journal.JournalPath(states, of))
	if err != nil {
		t.Fatal(err)
	}
	facts := *events[0].Run
	facts.ID = live
	events[0].Run = &facts
	events = slices.DeleteFunc(events, func(e drain.Event) bool { return e.Kind == drain.EventRunEnded })
	record, err := journal.CreateJournal(states, live)
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, record)
	if err := record.Append(events, false); err != nil {
		t.Fatal(err)
	}
	words := strings.Join(hostile.Texts, " ")
	offered := remedy.Remedy{Facts: remedy.Facts{Kind: remedy.Delete, Object: words, Namespace: words, Name: words, For: words},
		Title: words, Call: words, Command: "kubectl " + words, Risk: words, Warnings: []string{words, words}, Word: words}
	disabled := remedy.Remedy{Facts: remedy.Facts{Kind: remedy.Scale, Object: words}, Title: words, DisabledReason: words, Risk: words}
	state := drain.Fold(nil, events...)
	server, err := control.Serve(states, &steered{state: state, done: make(chan struct{}), remedies: []remedy.Remedy{offered, disabled}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	pod := state.Pods[0].Namespace + "/" + state.Pods[0].Name
	for _, v := range control.Verbs {
		for _, format := range []string{"text", "json"} {
			line := []string{"ctl", live, v.Name, "-o", format}
			switch v.Of {
			case control.OfPod:
				run(append(line, pod)...)
				run(append(line, hostile.Texts[0])...)
				if v.Remedy != "" {
					run(append(line, pod, "--confirm", words)...)
				}
			case control.OfNode:
				run(append(line, hostile.Node)...)
				run(append(line, hostile.Texts[0])...)
			default:
				run(line...)
			}
		}
	}
}

// TestOutputHasNoForeignControls sends escape sequences through every field of
// every kind, the marks of ours and the server's answers, and reads what each
// command prints.
func TestOutputHasNoForeignControls(t *testing.T) {
	for seed := range uint64(1) {
		checkHostile(t, seed)
	}
}

func FuzzOutputHasNoForeignControls(f *testing.F) {
	f.Add(uint64(7))
	f.Fuzz(checkHostile)
}
