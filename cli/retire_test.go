package cli

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/app/retire/hosttest"
)

// retiringServer has one node with one pod, and all that the checklist is judged from.
func retiringServer(t *testing.T, edit ...func(*corev1.Node)) *apiServer {
	n := theNode(false)
	n.Status.NodeInfo.MachineID, n.Status.NodeInfo.ContainerRuntimeVersion = hosttest.MachineID, "containerd://2.1.0"
	for _, change := range edit {
		change(n)
	}
	s := newAPIServer(t, n, thePod())
	s.serves["/api/v1/services"], s.serves["/api/v1/persistentvolumes"] = "ServiceList", "PersistentVolumeList"
	s.serves["/api/v1/persistentvolumeclaims"] = "PersistentVolumeClaimList"
	s.serves["/apis/storage.k8s.io/v1/volumeattachments"] = "VolumeAttachmentList"
	s.serves["/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"] = "LeaseList"
	return s
}

func (s *apiServer) nodes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.objects["/api/v1/nodes"])
}

// recordingHost is a --host-exec that says hello and runs the scripts on a host in a folder.
func recordingHost(t *testing.T) (command string, scripts func() string) {
	host := hosttest.New(t, "node")
	return `printf '\033[31mhello from {node} in %s\n' "$RUN"; ` + host.Exec("--yes"), host.Scripts
}

func TestRetire(t *testing.T) {
	s := retiringServer(t)
	command, scripts := recordingHost(t)
	b, code := s.runOn(t, "retire", "node", "--yes", "--force", "--delete-node", "--host-exec", command)
	if code != ExitDone || s.nodes() != 0 || s.sent("DELETE", "/nodes/node") != 1 {
		t.Fatalf("exit %d, %d nodes, %v\n%s%s", code, s.nodes(), s.requests, b.out, b.err)
	}
	for _, line := range []string{"node/node drained\n", "node/node kubelet stopped\n", "node/node deleted\n", "node/node host cleaned up\n"} {
		if !strings.Contains(b.out.String(), line) {
			t.Errorf("output lacks %q:\n%s", line, b.out)
		}
	}
	if !regexp.MustCompile(`(?m)^node/node \| hello from node in [a-z0-9]{6}$`).MatchString(b.err.String()) {
		t.Errorf("the output of the script is not told:\n%s", b.err)
	}
	stop, clean := strings.Index(scripts(), "step='stop'"), strings.Index(scripts(), "step='clean'")
	if stop < 0 || clean < stop || strings.Count(scripts(), "machine_id='0123456789abcdef'") != 2 {
		t.Errorf("scripts:\n%s", scripts())
	}
	// Nothing of it can be undone, and that is said.
	b.out.Reset()
	b.err.Reset()
	run := onlyRun(t, b)
	b.run("rollback", run, "--yes", "--server="+s.URL)
	for _, text := range []string{"delete the Node object: cannot be undone", "clean the host up: cannot be undone", "nothing is left to undo"} {
		if !strings.Contains(b.err.String(), text) {
			t.Errorf("rollback does not say %q:\n%s", text, b.err)
		}
	}
	b.out.Reset()
	b.expect(t, ExitDone, nil, "report", run)
	if want := "node: stop the kubelet: done, delete the Node object: done, clean the host up: done"; !strings.Contains(b.out.String(), want) {
		t.Errorf("the report lacks %q:\n%s", want, b.out)
	}
	b.out.Reset()
	b.expect(t, ExitDone, nil, "runs")
	if !strings.Contains(b.out.String(), "done") {
		t.Errorf("runs:\n%s", b.out)
	}
	b.out.Reset()
	b.expect(t, ExitDone, nil, "cleanup-script", "node", "--step=clean", "--run", run)
	if !strings.Contains(b.out.String(), "step='clean'\nnode='node'\n") {
		t.Errorf("the script of a node that is gone:\n%s", b.out)
	}
	b.expect(t, ExitError, nil, "resume", run, "--yes", "--server="+s.URL)
}

func onlyRun(t *testing.T, b *bench) string {
	t.Helper()
	briefs, err := b.runs.All()
	if err != nil || len(briefs) != 1 || briefs[0].Ended.IsZero() {
		t.Fatalf("%+v %v", briefs, err)
	}
	return briefs[0].ID
}

// Without its flag, no Node object is deleted and no kubelet stopped.
func TestRetireWithoutDeleteNode(t *testing.T) {
	s := retiringServer(t)
	s.denied = []string{"delete", "nodes"} // which is not asked for then
	command, scripts := recordingHost(t)
	b, code := s.runOn(t, "retire", "node", "--yes", "--force", "--host-exec", command)
	if code != ExitPartly || s.nodes() != 1 || s.sent("DELETE", "/nodes/node") != 0 || scripts() != "" {
		t.Errorf("exit %d, %d nodes, scripts %q\n%s", code, s.nodes(), scripts(), b.err)
	}
	for _, text := range []string{"left to do: stop the kubelet, delete the Node object, clean the host up", "only with --delete-node", "resume " + onlyRun(t, b)} {
		if !strings.Contains(b.err.String(), text) {
			t.Errorf("does not say %q:\n%s", text, b.err)
		}
	}
}

func TestRetireWithoutTheRight(t *testing.T) {
	s := retiringServer(t)
	s.denied = []string{"delete", "nodes"}
	b, code := s.runOn(t, "retire", "node", "--yes", "--force", "--delete-node", "--host-exec", "true")
	if code != ExitPermission || s.sent("PATCH", "/nodes/node") != 0 || s.sent("POST", "/eviction") != 0 || !strings.Contains(b.err.String(), "delete nodes") {
		t.Errorf("exit %d, %v\n%s", code, s.requests, b.err)
	}
}

// A node that registered again meanwhile is another one.
func TestRetireLeavesANamesake(t *testing.T) {
	s := retiringServer(t)
	s.answer = func(r *http.Request, _ string, _ int) (int, map[string]string, string) { return 0, nil, "" }
	command, _ := recordingHost(t)
	again := theNode(true)
	again.UID = "uid-again"
	b := s.connected(t)
	seen := filepath.Join(t.TempDir(), "seen")
	joined := make(chan struct{})
	b.group.Go("the kubelet", func() {
		defer close(joined)
		for { // the script of stop waits for it
			if _, err := os.Stat(seen); err == nil {
				s.put("DELETED", theNode(true))
				s.put("ADDED", again)
				_ = os.Remove(seen)
				return
			}
		}
	})
	code := b.run("retire", "node", "--yes", "--force", "--delete-node", "--server="+s.URL,
		"--host-exec", "touch "+seen+"; while [ -e "+seen+" ]; do :; done; "+command)
	<-joined
	if code != ExitPartly || s.nodes() != 1 {
		t.Errorf("exit %d, %d nodes\n%s", code, s.nodes(), b.err)
	}
	if !strings.Contains(b.err.String(), "another Node object has the name now") && !strings.Contains(b.err.String(), "UID in the precondition") {
		t.Errorf("does not say it:\n%s", b.err)
	}
}

// A step that failed is taken again by resume, those before it are not.
func TestRetireResumes(t *testing.T) {
	s := retiringServer(t)
	ready := filepath.Join(t.TempDir(), "ready")
	b, host := s.connected(t), hosttest.New(t, "node")
	code := b.run("retire", "node", "--yes", "--force", "--delete-node", "--server="+s.URL,
		"--host-exec", host.Exec("--yes")+" | { if [ -e "+ready+" ]; then cat; else grep -v ^clean; fi; }")
	if code != ExitPartly || s.nodes() != 0 || !strings.Contains(b.err.String(), "unable to clean the host up: the host command ended with 0, but its output lacks the line") {
		t.Fatalf("exit %d, %d nodes\n%s", code, s.nodes(), b.err)
	}
	if err := os.WriteFile(ready, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	run := onlyRun(t, b)
	b.expect(t, ExitDone, nil, "resume", run, "--yes", "--server="+s.URL)
	if !slices.Equal(host.Steps(), []string{"stop", "clean", "clean"}) || s.sent("DELETE", "/nodes/node") != 1 {
		t.Errorf("%q, %d deletions\n%s", host.Steps(), s.sent("DELETE", "/nodes/node"), b.err)
	}
}

// On a terminal each step is typed; what the checklist says against it is typed too.
func TestRetireAsks(t *testing.T) {
	s := retiringServer(t, func(n *corev1.Node) {
		n.Finalizers, n.Spec.ProviderID = nil, "aws:///i-1"
		n.OwnerReferences = []metav1.OwnerReference{{APIVersion: "karpenter.sh/v1", Kind: "NodeClaim", Name: "claim-1", UID: "c"}}
	})
	s.forbidden["/apis/storage.k8s.io/v1/volumeattachments"] = true // so the line Volumes is not known
	b := s.connected(t)
	b.types("y\nnode\nnode\nnode despite Volumes\nnode despite Volumes\nnode\n")
	code := b.run("retire", "node", "--force", "--server="+s.URL)
	if code != ExitDone || s.nodes() != 0 {
		t.Fatalf("exit %d, %d nodes\n%s", code, s.nodes(), b.err)
	}
	for _, text := range []string{"That does not match", "Type node despite Volumes to continue", "provider id: aws:///i-1", "owned by: NodeClaim/claim-1",
		"Karpenter made this node", "--step stop | ssh node sudo sh -s -- --yes", "--step clean --run "} {
		if !strings.Contains(b.err.String(), text) {
			t.Errorf("does not say %q:\n%s", text, b.err)
		}
	}
	if !strings.Contains(b.out.String(), "node/node kubelet stopped: done by hand, as confirmed\n") {
		t.Errorf("output:\n%s", b.out)
	}
}

func TestRetireDeclined(t *testing.T) {
	s := retiringServer(t)
	b := s.connected(t)
	b.types("y\nnode\nno\n")
	if code := b.run("retire", "node", "--force", "--server="+s.URL); code != ExitAborted || s.nodes() != 1 {
		t.Errorf("exit %d, %d nodes\n%s", code, s.nodes(), b.err)
	}
}
