//go:build e2e

package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// world is a lab with a scene in it.
type world struct {
	dir        string
	kubeconfig string
	audited    bool
}

// setting says what a world is like. Unless it says something else, the scene is
// demo and the pace fast.
type setting struct {
	scene, pace string
	audited     bool // the requests of people are noted
	nodes       int  // real ones
}

// ourWorld is the lab that all tests share which leave it as they found it. They
// run one after another.
var ourWorld struct {
	world *world
	down  func()
	since time.Time
}

// bestBefore is how long a scene stays as it was made: after five minutes of a
// silent kubelet, the cluster itself begins to evict the pods of worker-c4.
const bestBefore = 3 * time.Minute

func sharedWorld(t *testing.T) *world {
	t.Helper()
	if ourWorld.world != nil && time.Since(ourWorld.since) > bestBefore {
		ourWorld.down()
		ourWorld.world = nil
	}
	if ourWorld.world == nil {
		w, down, err := startWorld(setting{})
		if err != nil {
			t.Fatal(err)
		}
		ourWorld.world, ourWorld.down, ourWorld.since = w, down, time.Now()
	}
	return ourWorld.world
}

// ownWorld is a lab for a story that changes it.
func ownWorld(t *testing.T) *world {
	t.Helper()
	return worldOf(t, setting{})
}

// pacedWorld is an own world in which pods start and end at that pace.
func pacedWorld(t *testing.T, pace string) *world {
	t.Helper()
	return worldOf(t, setting{pace: pace})
}

// worldOf is an own world of that setting.
func worldOf(t *testing.T, s setting) *world {
	t.Helper()
	w, down, err := startWorld(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(down)
	return w
}

func startWorld(s setting) (*world, func(), error) {
	dir, err := os.MkdirTemp("", "kdrain-e2e-lab-")
	if err != nil {
		return nil, nil, err
	}
	w := &world{dir: dir, kubeconfig: filepath.Join(dir, "kubeconfig"), audited: s.audited}
	down := leftovers.add(func() {
		if output, err := w.lab("down").CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "e2e: lab down: %v\n%s", err, output)
			return // what is still there tells why
		}
		os.RemoveAll(dir)
	})
	up := []string{"up", "--pace", cmp.Or(s.pace, "fast")}
	if s.audited {
		up = append(up, "--audit")
	}
	if s.nodes > 0 {
		up = append(up, "--nodes", strconv.Itoa(s.nodes))
	}
	for _, args := range [][]string{up, {"scene", cmp.Or(s.scene, "demo")}} {
		if output, err := w.lab(args...).CombinedOutput(); err != nil {
			return nil, nil, fmt.Errorf("lab %s: %w\n%s", strings.Join(args, " "), err, output)
		}
	}
	return w, down, nil
}

func (w *world) lab(args ...string) *exec.Cmd {
	return exec.Command(labBin, append([]string{args[0], "--dir", w.dir}, args[1:]...)...)
}

// fault does something to a component of the control plane.
func (w *world) fault(t *testing.T, verb, component string) {
	t.Helper()
	if output, err := w.lab(verb, component).CombinedOutput(); err != nil {
		t.Fatalf("lab %s %s: %v\n%s", verb, component, err, output)
	}
}

// kubectl asks as ada.
func (w *world) kubectl(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := w.lab(append([]string{"kubectl"}, args...)...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSpace(stdout.String())
}

// asMachinery asks as a member of system:masters, whom no binding can lock out.
func (w *world) asMachinery(t *testing.T, args ...string) string {
	t.Helper()
	return w.kubectl(t, append(slices.Clone(args), "--kubeconfig", w.machineryAccess())...)
}

// mayFail asks so too, where a failure is an answer like any other.
func (w *world) mayFail(args ...string) string {
	output, _ := w.lab(append([]string{"kubectl"}, append(slices.Clone(args), "--kubeconfig", w.machineryAccess())...)...).CombinedOutput()
	return string(output)
}

// logOnFailure is deferred: it tells what the cluster has to say where a test
// has failed.
func (w *world) logOnFailure(t *testing.T, args ...string) {
	if t.Failed() {
		t.Logf("kubectl %s:\n%s", strings.Join(args, " "), w.mayFail(args...))
	}
}

func (w *world) machineryAccess() string { return filepath.Join(w.dir, "pki", "lab.kubeconfig") }

// pod and node are what the tests look at in the cluster.
type pod struct {
	Metadata meta
	Spec     struct{ NodeName string }
	Status   struct{ Conditions []condition }
}

type condition struct{ Type, Status, Message string }

// condition is the one of that type, without a status where the pod has none.
func (p pod) condition(name string) condition {
	for _, c := range p.Status.Conditions {
		if c.Type == name {
			return c
		}
	}
	return condition{}
}

type node struct {
	Metadata meta
	Spec     struct{ Unschedulable bool }
}

type meta struct {
	Namespace, Name, UID, ResourceVersion string
	DeletionTimestamp                     *time.Time
	Annotations                           map[string]string
	OwnerReferences                       []struct{ Kind string }
}

func list[T any](t *testing.T, w *world, args ...string) []T {
	t.Helper()
	var found struct{ Items []T }
	text := w.asMachinery(t, append(append([]string{"get"}, args...), "-o", "json")...)
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		t.Fatalf("kubectl get %s: %v", strings.Join(args, " "), err)
	}
	return found.Items
}

func (w *world) pods(t *testing.T) []pod {
	t.Helper()
	return list[pod](t, w, "pods", "-A")
}

func (w *world) podsOn(t *testing.T, node string) []pod {
	t.Helper()
	return list[pod](t, w, "pods", "-A", "--field-selector", "spec.nodeName="+node)
}

func (w *world) node(t *testing.T, name string) node {
	t.Helper()
	return list[node](t, w, "nodes", "--field-selector", "metadata.name="+name)[0]
}

// written is all of an object that somebody could have written on purpose. The
// status is the cluster's own: kubelets refresh it every few minutes, and the
// scheduler where a pod does not fit. Only an accepted eviction leaves a mark there.
type written struct {
	Metadata map[string]any
	Spec     map[string]any
	Status   struct {
		Conditions []struct{ Type, Status string }
	}
}

func (o *written) String() string {
	for _, counted := range []string{"resourceVersion", "managedFields"} {
		delete(o.Metadata, counted)
	}
	evicted := slices.ContainsFunc(o.Status.Conditions, func(c struct{ Type, Status string }) bool {
		return c.Type == "DisruptionTarget" && c.Status == "True"
	})
	text, _ := json.Marshal(map[string]any{"metadata": o.Metadata, "spec": o.Spec, "evicted": evicted}) // of what came as JSON
	return string(text)
}

// versions are all pods and nodes as they were written: nothing was where they are
// the same. worker-c4 is left out: its kubelet is silent, and the cluster draws its
// conclusions.
func (w *world) versions(t *testing.T) map[string]string {
	t.Helper()
	versions := map[string]string{}
	for _, p := range list[written](t, w, "pods", "-A") {
		if p.Spec["nodeName"] != "worker-c4" {
			versions[fmt.Sprintf("pod %s/%s", p.Metadata["namespace"], p.Metadata["name"])] = p.String()
		}
	}
	for _, n := range list[written](t, w, "nodes") {
		if n.Metadata["name"] != "worker-c4" {
			versions[fmt.Sprintf("node %s", n.Metadata["name"])] = n.String()
		}
	}
	return versions
}

// unchanged fails the test where something in the cluster is not as it was.
func (w *world) unchanged(t *testing.T, before map[string]string) {
	t.Helper()
	after := w.versions(t)
	for name, version := range before {
		if after[name] != version {
			t.Errorf("%s was changed: it was\n%s\nand is\n%s", name, version, after[name])
		}
	}
	for name := range after {
		if before[name] == "" {
			t.Errorf("%s is new", name)
		}
	}
}

// sickCart is the crashing pod that holds the budget of its healthy siblings.
func (w *world) sickCart(t *testing.T) string {
	t.Helper()
	for _, p := range list[pod](t, w, "pods", "-n", "checkout", "-l", "app=cart") {
		if p.Metadata.Annotations["lab.kdrain-tui.dev/sick"] != "" {
			return p.Metadata.Name
		}
	}
	t.Fatal("no cart is sick in this world")
	return ""
}

// healCart takes the sick cart away; its replacement is well.
func (w *world) healCart(t *testing.T) {
	t.Helper()
	w.asMachinery(t, "delete", "pod", "-n", "checkout", w.sickCart(t), "--wait=false")
}

// eventually waits for something that no screen shows.
func eventually(t *testing.T, patience time.Duration, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}
