package ui

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/watch"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// withNode is a company with a node of which there is something to tell.
func withNode() world {
	w := company()
	n := *w.Snapshot().Node("worker-b1")
	added := metav1.NewTime(moment.Add(-3 * time.Hour))
	n.Taints = []corev1.Taint{{Key: "example.com/repair", Value: "disk", Effect: corev1.TaintEffectNoSchedule},
		{Key: "node.kubernetes.io/unschedulable", Effect: corev1.TaintEffectNoSchedule, TimeAdded: &added}}
	n.Unschedulable, n.Cordon = true, &kube.Cordon{Manager: kube.FieldManager,
		Mark: annotation.Mark{Run: "k7f3", By: "ada", Reason: "kernel", At: moment.Add(-time.Hour)}.String()}
	n.Addresses, n.Runtime, n.ProviderID = []string{"10.20.0.21", "worker-b1"}, "containerd://2.1.4", "aws:///eu-1b/i-0123456789abcdef0"
	w.Put(&n, &kube.VolumeAttachment{Name: "csi-1", UID: "a1", Driver: "disk.example.com", Node: "worker-b1", Volume: "pv-ledger-0", Attached: true},
		&kube.VolumeAttachment{Name: "csi-2", UID: "a2", Driver: "disk.example.com", Node: "worker-b1", Volume: "pv-other", DetachError: "rpc error: timed out"},
		&kube.PersistentVolume{Name: "pv-ledger-0", UID: "v1", Claim: &kube.ClaimRef{Namespace: "data", Name: "ledger-0"}})
	w.SetUsage(map[string]kube.Usage{"worker-b1": {CPUMilli: 1200, MemoryBytes: 9 * gib}})
	return w
}

func nodeReadable(d *Deps) {
	paper(d).nodeDetails = func(string) (watch.NodeDetails, error) {
		condition := func(kind, status, reason, message string) watch.Condition {
			return watch.Condition{Type: kind, Status: status, Reason: reason, Message: message, Since: moment.Add(-26 * time.Hour)}
		}
		return watch.NodeDetails{OS: "Flatcar Container Linux", Kernel: "6.12.40-flatcar", Architecture: "amd64",
			Conditions: []watch.Condition{
				condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
				condition("DiskPressure", "True", "KubeletHasDiskPressure", "kubelet has disk pressure; the image garbage collector frees what it can, which may take some time"),
				condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
			},
			Resources: []watch.NodeResource{{Name: "cpu", Capacity: "8", Allocatable: "7800m"}, {Name: "memory", Capacity: "32Gi", Allocatable: "31Gi"}}}, nil
	}
	d.Runs = &paperRuns{briefs: []live.Brief{
		{ID: "k7f3", Started: moment.Add(-time.Hour), Nodes: []string{"worker-b1", "worker-b2"}, User: "ada", Live: true},
		{ID: "m2x8", Started: moment.Add(-50 * time.Hour), Nodes: []string{"worker-b1"}, User: "bob", Outcome: drain.OutcomeDone},
		{ID: "q9z1", Started: moment, Nodes: []string{"worker-a1"}, User: "bob", Outcome: drain.OutcomeDone},
	}}
}

func aboutNode(t testing.TB, w, h int, keys ...string) *driver {
	d := drive(t, withNode(), w, h, usual, nodeReadable)
	d.list(frame.Nodes).Table.Select("worker-b1")
	d.keys("i")
	d.keys(keys...)
	return d
}

// Everything about a node: what is watched, what is read for it, and what this machine did with it.
func TestTheNodesPage(t *testing.T) {
	d := aboutNode(t, 120, 60)
	d.shows("Node worker-b1", "State", `Cordoned with kdrain-tui by ada for run k7f3, 1h ago: "kernel".`,
		"Conditions", "✔ False for 26h  KubeletHasSufficientMemory", "✖ True for 26h  KubeletHasDiskPressure",
		"Taints", "example.com/repair", "NoSchedule  = disk", "capacity cpu", "8, allocatable 7800m", "CPU requested",
		"pv-ledger-0", "data/ledger-0", "rpc error: timed out", "k7f3", "live", "m2x8", "done", "containerd://2.1.4",
		"6.12.40-flatcar amd64", "topology.kubernetes.io/zone")
	if strings.Contains(d.frame(), "q9z1") {
		t.Error("a run on another node is shown")
	}
	d.keys("/")
	d.typed("pressure")
	d.keys("enter")
	d.shows("DiskPressure", "MemoryPressure")
	if strings.Contains(d.frame(), "KubeletReady") {
		t.Error("the filter keeps all")
	}
	d.keys("esc", "esc")
	if d.m.path.page != frame.Nodes {
		t.Errorf("esc leads to %s", d.m.path.page)
	}
	d.keys("enter", "i")
	d.shows("Node worker-b1")
	d.keys("esc", "esc", "p", "i") // of the first pod
	d.shows("Node worker-b1")
	d.w.Remove(d.w.Snapshot().Node("worker-b1"))
	d.refresh()
	d.shows("no node of that name any longer")
}

// A node that cannot be read still shows what is watched of it.
func TestANodeThatCannotBeRead(t *testing.T) {
	d := drive(t, withNode(), 100, 40, usual, func(d *Deps) {
		paper(d).nodeDetails = func(string) (watch.NodeDetails, error) {
			return watch.NodeDetails{}, errors.New("nodes is \x1b[31mforbidden")
		}
	})
	d.list(frame.Nodes).Table.Select("worker-b1")
	d.keys("i", "r")
	d.shows("✖ nodes is", "Cordoned with kdrain-tui", "Ready")
	d.keys("esc", "space", "space", "*", "i") // not the first of the marked nodes
	d.shows("Node " + d.list(frame.Nodes).Table.Cursor())
}
