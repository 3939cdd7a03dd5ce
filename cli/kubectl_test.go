package cli

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The tables of kubectl's own tests (k8s.io/kubectl v0.37.2), rewritten as inputs
// and expected outcomes. Where we differ on purpose the row says so, and
// docs/kubectl-differences.md why.

// theNode is the node of kubectl's tables.
func theNode(cordoned bool) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node", UID: "uid-node"}}
	n.Spec.Unschedulable = cordoned
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	return n
}

// thePod is the pod of kubectl's tables: default/bar on node.
func thePod(edit ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "bar", UID: "uid-bar",
		Labels: map[string]string{"my_key": "my_value"}}}
	p.Spec.NodeName, p.Status.Phase = "node", corev1.PodRunning
	for _, change := range edit {
		change(p)
	}
	return p
}

func ownedBy(apiVersion, kind, name string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		yes := true
		p.OwnerReferences = []metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: name, UID: "uid-owner", Controller: &yes}}
	}
}

func scratch(p *corev1.Pod) {
	p.Spec.Volumes = []corev1.Volume{{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
}

func phase(phase corev1.PodPhase) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Status.Phase = phase }
}

// TestKubectlCordon is pkg/cmd/drain TestCordon, 9 rows.
func TestKubectlCordon(t *testing.T) {
	for _, row := range []struct {
		name     string
		cordoned bool
		args     string
		want     bool // unschedulable afterwards
		patches  int
		fails    bool
		output   string
	}{
		{"node/node syntax", true, "uncordon node/node", false, 1, false, "node/node uncordoned"},
		{"uncordon for real", true, "uncordon node", false, 1, false, "node/node uncordoned"},
		{"uncordon does nothing", false, "uncordon node", false, 0, false, "node/node already uncordoned"},
		{"cordon does nothing", true, "cordon node", true, 0, false, "node/node already cordoned"},
		{"cordon for real", false, "cordon node", true, 1, false, "node/node cordoned"},
		{"cordon missing node", false, "cordon bar", false, 0, true, ""},
		{"uncordon missing node", false, "uncordon bar", false, 0, true, ""},
		{"cordon for multiple nodes", false, "cordon node node1 node2", true, 3, false, "node/node2 cordoned"},
		{"uncordon for multiple nodes", true, "uncordon node node1 node2", false, 3, false, "node/node2 uncordoned"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newAPIServer(t, theNode(row.cordoned))
			for _, name := range []string{"node1", "node2"} {
				n := theNode(row.cordoned)
				n.Name, n.UID = name, "uid-"+n.UID
				s.put("ADDED", n)
			}
			b, code := s.runOn(t, strings.Fields(row.args)...)
			if (code != ExitDone) != row.fails {
				t.Errorf("exit %d\n%s%s", code, b.out, b.err)
			}
			node := s.objects["/api/v1/nodes"]["/node"].(*corev1.Node)
			if node.Spec.Unschedulable != row.want && !row.fails || s.sent("PATCH", "") != row.patches {
				t.Errorf("unschedulable %v after %v", node.Spec.Unschedulable, s.requests)
			}
			if !strings.Contains(b.out.String(), row.output) {
				t.Errorf("output %q, want %q", b.out, row.output)
			}
		})
	}
}

// drainRow is a row of pkg/cmd/drain TestDrain.
type drainRow struct {
	name    string
	pod     *corev1.Pod // nil: the node is empty
	args    string
	refused bool
	moved   bool
	warning string
}

var (
	daemonPod   = ownedBy("apps/v1", "DaemonSet", "ds")
	drainedRows = []drainRow{
		{name: "RC-managed pod", pod: thePod(ownedBy("v1", "ReplicationController", "rc")), moved: true},
		{name: "DS-managed pod", pod: thePod(daemonPod), refused: true},
		{name: "DS-managed terminated pod", pod: thePod(daemonPod, phase(corev1.PodSucceeded)), moved: true},
		{name: "orphaned DS-managed pod", pod: thePod(), refused: true}, // it has no owner at all in kubectl's table
		{name: "orphaned DS-managed pod with --force", pod: thePod(), args: "--force", moved: true,
			warning: "Warning: deleting Pods that declare no controller: default/bar"},
		{name: "DS-managed pod with --ignore-daemonsets", pod: thePod(daemonPod), args: "--ignore-daemonsets"},
		{name: "DS-managed pod with emptyDir with --ignore-daemonsets", pod: thePod(daemonPod, scratch), args: "--ignore-daemonsets",
			warning: "Warning: ignoring DaemonSet-managed Pods: default/bar"},
		{name: "Job-managed pod with local storage", pod: thePod(ownedBy("v1", "Job", "job"), scratch),
			args: "--force --delete-emptydir-data=true", moved: true},
		{name: "Job-managed terminated pod", pod: thePod(ownedBy("v1", "Job", "job"), scratch, phase(corev1.PodSucceeded)), moved: true},
		{name: "RS-managed pod", pod: thePod(ownedBy("v1", "ReplicaSet", "rs")), moved: true},
		{name: "naked pod", pod: thePod(), refused: true},
		{name: "naked pod with --force", pod: thePod(), args: "--force", moved: true},
		{name: "pod with EmptyDir", pod: thePod(scratch), args: "--force", refused: true},
		{name: "terminated pod with emptyDir", pod: thePod(scratch, phase(corev1.PodFailed)), moved: true},
		{name: "pod with EmptyDir and --delete-emptydir-data", pod: thePod(scratch), args: "--force --delete-emptydir-data=true", moved: true},
		{name: "empty node"},
	}
)

// TestKubectlDrain is pkg/cmd/drain TestDrain, 16 of its 17 rows with and without
// the eviction subresource; the last one is TestKubectlFailToListPods. kubectl
// has cordoned a node by the time it refuses it; we leave it untouched.
func TestKubectlDrain(t *testing.T) {
	for _, evictions := range []string{"v1", ""} {
		for _, row := range drainedRows {
			t.Run(row.name+" evictions="+evictions, func(t *testing.T) {
				s := newAPIServer(t, theNode(false), &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "ds", UID: "uid-ds"}})
				s.evictions = evictions
				if row.pod != nil {
					s.put("ADDED", row.pod.DeepCopy())
				}
				b, code := s.runOn(t, append([]string{"drain", "node", "--yes"}, strings.Fields(row.args)...)...)
				row.check(t, s, b, code)
			})
		}
	}
}

func (row drainRow) check(t *testing.T, s *apiServer, b *bench, code int) {
	t.Helper()
	want, drained := ExitDone, "node/node drained"
	if row.refused {
		want, drained = ExitRefused, ""
	}
	if code != want || !strings.Contains(b.out.String(), drained) {
		t.Errorf("exit %d, want %d\n%s%s", code, want, b.out, b.err)
	}
	evicted, deleted := s.sent("POST", "/pods/bar/eviction"), s.sent("DELETE", "/pods/bar")
	moved := evicted
	if s.evictions == "" {
		moved = deleted
	}
	if wantMoved := map[bool]int{true: 1}[row.moved]; moved != wantMoved || evicted+deleted != wantMoved {
		t.Errorf("evicted %d times, deleted %d times", evicted, deleted)
	}
	if cordoned := s.sent("PATCH", "/nodes/node") == 1; cordoned == row.refused {
		t.Errorf("cordoned %v: a refused node is left untouched", cordoned)
	}
	if !strings.Contains(b.err.String(), row.warning) {
		t.Errorf("no warning %q in:\n%s", row.warning, b.err)
	}
	if said := strings.Contains(b.err.String(), "does not serve evictions"); said != (s.evictions == "") {
		t.Errorf("says that the server does not serve evictions: %v\n%s", said, b.err)
	}
}
