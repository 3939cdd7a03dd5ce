package checklist

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func cordoned(n *corev1.Node) { n.Spec.Unschedulable = true }

func unready(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionFalse }

func labelled(key, value string) kubetest.PodOption {
	return func(p *corev1.Pod) { p.Labels = map[string]string{key: value} }
}

func service(namespace, name, app string) *corev1.Service {
	s := &corev1.Service{ObjectMeta: kubetest.Meta("Service", namespace+"/"+name)}
	s.Spec.Selector = map[string]string{"app": app}
	return s
}

// etcdOn is a Ready member of a stacked etcd with its control-plane node.
func etcdOn(node string, edits ...func(*corev1.Node)) []runtime.Object {
	return []runtime.Object{kubetest.Node(node, append(edits, kubetest.ControlPlane)...),
		kubetest.Pod("kube-system/etcd-"+node, kubetest.On(node), kubetest.Mirrored, labelled("component", "etcd"))}
}

func markOf(run string) func(*corev1.Node) {
	return func(n *corev1.Node) {
		kubetest.CordonedBy(kube.FieldManager)(n)
		n.Annotations = map[string]string{kube.CordonAnnotation: annotation.Mark{Run: run, By: "ann", At: kubetest.Now}.String()}
	}
}

// world is what one case of a line is judged from.
type world struct {
	objects []runtime.Object
	subject Subject
	leases  []*kube.Lease
	phases  map[kube.Kind]kube.SyncPhase
	later   time.Duration // how long after the first look
}

func of(objects ...any) world {
	var w world
	for _, o := range objects {
		switch o := o.(type) {
		case []runtime.Object:
			w.objects = append(w.objects, o...)
		case runtime.Object:
			w.objects = append(w.objects, o)
		case *kube.Lease:
			w.leases = append(w.leases, o)
		case Subject:
			w.subject = o
		case map[kube.Kind]kube.SyncPhase:
			w.phases = o
		case time.Duration:
			w.later = o
		}
	}
	return w
}

func (w world) judge() Verdict {
	store := kubetest.StoreOf(kubetest.Now, w.objects...)
	if store.Snapshot().Node("w1") == nil {
		record := kubetest.SnapshotOf(kubetest.Now, kubetest.Node("w1", cordoned)).Node("w1")
		store.Put(record)
	}
	for _, l := range w.leases {
		store.Put(l)
	}
	for kind, phase := range w.phases {
		store.SetSync(kind, kube.SyncState{Phase: phase})
	}
	for _, kind := range []kube.Kind{kube.KindNodes, kube.KindPods} { // what is about the node has feeds of its own
		store.Open(kube.Scope{Kind: kind, Node: "w1"})
		store.SetPhase(kube.Scope{Kind: kind, Node: "w1"}, kube.Synced, "")
	}
	w.subject.Node, w.subject.UID, w.subject.Now = "w1", "Node/w1", kubetest.Now.Add(w.later)
	return Of(store.Snapshot(), w.subject)
}

// Each line was seen true, false and not known, each where all others are true.
func TestEveryLine(t *testing.T) {
	unread := func(kinds ...kube.Kind) map[kube.Kind]kube.SyncPhase {
		phases := map[kube.Kind]kube.SyncPhase{}
		for _, k := range kinds {
			phases[k] = kube.NotSynced
		}
		return phases
	}
	denied := func(k kube.Kind) map[kube.Kind]kube.SyncPhase { return map[kube.Kind]kube.SyncPhase{k: kube.Denied} }
	agent := func(node string, edits ...kubetest.PodOption) *corev1.Pod {
		return kubetest.Pod("shop/agent-"+node, append(edits, kubetest.On(node), kubetest.OwnedBy("apps/v1", "DaemonSet", "agent"), labelled("app", "agent"))...)
	}
	agents := kubetest.DaemonSet("shop/agent")
	local := kubetest.Claim("shop/data", "pv-1", kubetest.LocalDisk, kubetest.ReachedFrom("kubernetes.io/hostname", "w1"))
	waits := kubetest.Pod("shop/db-1", kubetest.Claiming("data"), kubetest.Unscheduled("no node"))
	plane := kubetest.Node("w1", cordoned, kubetest.ControlPlane)
	elsewhere := kubetest.Node("cp2", kubetest.ControlPlane)
	held := &kube.Lease{Name: kube.LeaseName("Node/w1"), Holder: "r2", By: "bob", Duration: kube.LeaseDuration, Seen: kubetest.Now}
	const yes, no, unknown = "yes", "no", "not known"
	seen := map[Check][]string{
		CheckPods:         {unknown}, // only with CheckNode, which ends the list then: TestOnlyOneLineOfABlindView
		CheckControlPlane: {unknown}, // only with CheckEtcd: TestNotAllNodesAreRead
	}
	for _, c := range []struct {
		name   string
		check  Check
		world  world
		want   string
		object string // of the first reason
	}{
		{"cordoned and Ready", CheckNode, of(), yes, ""},
		{"cordoned and not Ready: its kubelet says so", CheckNode, of(kubetest.Node("w1", cordoned, unready)), yes, ""},
		{"not cordoned", CheckNode, of(kubetest.Node("w1")), no, "Node/w1"},
		{"a silent kubelet", CheckNode, of(kubetest.Node("w1", cordoned, kubetest.Silent)), unknown, "Node/w1"},

		{"DaemonSet, mirror and finished pods", CheckPods, of(agent("w1"), agents, kubetest.Pod("shop/s", kubetest.On("w1"), kubetest.Mirrored),
			kubetest.Pod("shop/j", kubetest.On("w1"), kubetest.Phase(corev1.PodSucceeded))), yes, ""},
		{"a pod", CheckPods, of(kubetest.Pod("shop/a", kubetest.On("w1"))), no, "Pod/shop/a"},

		{"no attachment", CheckVolumes, of(kubetest.AttachmentOf("pv-9", "w2", true)), yes, ""},
		{"an attachment", CheckVolumes, of(kubetest.AttachmentOf("pv-9", "w1", true)), no, "VolumeAttachment/csi-pv-9-w1"},
		{"an attachment that is wanted", CheckVolumes, of(kubetest.AttachmentOf("pv-9", "w1", false)), unknown, "VolumeAttachment/csi-pv-9-w1"},
		{"attachments may not be listed", CheckVolumes, of(denied(kube.KindAttachments)), unknown, "VolumeAttachment"},

		{"a disk of a node, and no pod for it", CheckClaims, of(local), yes, ""},
		{"a disk of this node, and a pod that waits", CheckClaims, of(local, waits), no, "PersistentVolumeClaim/shop/data"},
		{"the same of a moved pod", CheckClaims, of(local, Subject{Moved: []Moved{{Namespace: "shop", Name: "db-0",
			Volumes: []volume.VolumeRun{{Facts: volume.Facts{Claim: "data", State: volume.VolumeUnattached}}}}}}), no, "PersistentVolumeClaim/shop/data"},
		{"the other node that reaches it is powered off too", CheckClaims, of(kubetest.Claim("shop/data", "pv-1", kubetest.ReachedFrom("kubernetes.io/hostname", "w1", "w2")),
			waits, kubetest.Node("w2"), Subject{With: []string{"w2"}}), no, "PersistentVolumeClaim/shop/data"},
		{"not all nodes are read", CheckClaims, of(local, waits, unread(kube.KindNodes)), unknown, "PersistentVolumeClaim/shop/data"},
		{"not all pods are read, and one may wait", CheckClaims, of(unread(kube.KindPods)), unknown, "pods"},
		{"claims may not be listed, and no pod waits for one", CheckClaims, of(denied(kube.KindClaims)), yes, ""},
		{"claims may not be listed", CheckClaims, of(waits, denied(kube.KindClaims)), unknown, "persistentvolumeclaims"},
		{"volumes may not be listed", CheckClaims, of(waits, local, denied(kube.KindVolumes)), unknown, "persistentvolumes"},

		{"another endpoint", CheckEndpoints, of(agent("w1"), agent("w2"), agents, service("shop", "agent", "agent")), yes, ""},
		{"a Service of others", CheckEndpoints, of(agent("w1"), agents, service("shop", "web", "web"), service("other", "agent", "agent")), yes, ""},
		{"not an endpoint itself", CheckEndpoints, of(agent("w1", kubetest.NotReady(time.Minute)), agents, service("shop", "agent", "agent")), yes, ""},
		{"the last endpoint", CheckEndpoints, of(agent("w1"), agent("w2", kubetest.NotReady(time.Minute)), agents, service("shop", "agent", "agent")), no, "Service/shop/agent"},
		{"the others are powered off too", CheckEndpoints, of(agent("w1"), agent("w2"), agents, service("shop", "agent", "agent"), Subject{With: []string{"w2"}}), no, "Service/shop/agent"},
		{"Services may not be listed", CheckEndpoints, of(agent("w1"), agents, denied(kube.KindServices)), unknown, "services"},
		{"Services may not be listed, and no pod is there", CheckEndpoints, of(denied(kube.KindServices)), yes, ""},

		{"a worker", CheckControlPlane, of(unread(kube.KindNodes)), yes, ""},
		{"another control plane", CheckControlPlane, of(plane, etcdOn("cp2")), yes, ""},
		{"the last control plane", CheckControlPlane, of(plane, kubetest.Node("cp2", kubetest.ControlPlane, unready),
			kubetest.Pod("kube-system/etcd-cp2", kubetest.On("cp2"), kubetest.Mirrored, labelled("component", "etcd"))), no, "Node/w1"},
		{"all of them together", CheckControlPlane, of(plane, etcdOn("cp2"), Subject{With: []string{"cp2"}}), no, "Node/w1"},

		{"not a member", CheckEtcd, of(), yes, ""},
		{"one of three", CheckEtcd, of(etcdOn("w1", cordoned), etcdOn("cp2"), etcdOn("cp3")), yes, ""},
		{"not a member, and no quorum elsewhere", CheckEtcd, of(plane, etcdOn("cp2"), etcdOn("cp3", unready)), yes, ""},
		{"one of two", CheckEtcd, of(etcdOn("w1", cordoned), etcdOn("cp2")), no, "Node/w1"},
		{"one of three, another is not Ready", CheckEtcd, of(etcdOn("w1", cordoned), etcdOn("cp2"), etcdOn("cp3", unready)), no, "Node/w1"},
		{"two of three together", CheckEtcd, of(etcdOn("w1", cordoned), etcdOn("cp2"), etcdOn("cp3"), Subject{With: []string{"cp2"}}), no, "Node/w1"},
		{"k3s: the role of etcd", CheckEtcd, of(kubetest.Node("w1", cordoned, etcdNode), kubetest.Node("cp2", etcdNode)), no, "Node/w1"},
		{"where etcd runs is not visible", CheckEtcd, of(plane, elsewhere), unknown, "Node/w1"},

		{"no Lease", CheckRuns, of(), yes, ""},
		{"its own Lease", CheckRuns, of(held, Subject{Run: "r2"}), yes, ""},
		{"a lapsed Lease", CheckRuns, of(held, time.Minute), yes, ""},
		{"a Lease of another run", CheckRuns, of(held), no, "Node/w1"},
		{"the annotation of an earlier run", CheckRuns, of(kubetest.Node("w1", markOf("r2"))), yes, ""},
		{"the annotation of another run, in a run", CheckRuns, of(kubetest.Node("w1", markOf("r2")), Subject{Run: "r1"}), no, "Node/w1"},
		{"Leases may not be listed", CheckRuns, of(denied(kube.KindLeases)), unknown, "leases"},
	} {
		t.Run(string(c.check)+"/"+strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
			seen[c.check] = append(seen[c.check], c.want)
			v := c.world.judge()
			if len(v.Lines()) != len(lines) {
				t.Fatalf("%d lines of %d: %+v", len(v.Lines()), len(lines), v)
			}
			for _, line := range v.Lines() {
				got := unknown
				if line.Holds != nil {
					got = map[bool]string{true: yes, false: no}[*line.Holds]
				}
				switch {
				case line.Check != c.check && got != yes:
					t.Errorf("%s is %s: %+v", line.Check, got, line.Why)
				case line.Check != c.check:
				case got != c.want || c.object != "" && line.Why[0].Object != c.object || (got == yes) != (len(line.Why) == 0):
					t.Errorf("%s, %+v; want %s, %s", got, line.Why, c.want, c.object)
				}
			}
			if v.Safe != (c.want == yes) || (v.Answer() == nil) != (c.want == unknown) {
				t.Errorf("safe %v, %+v", v.Safe, v.Why)
			}
		})
	}
	for _, line := range lines {
		for _, state := range []string{yes, no, unknown} {
			if !slices.Contains(seen[line.check], state) {
				t.Errorf("%s was not seen as %q", line.check, state)
			}
		}
	}
}

// While not all pods are read, a Service may have endpoints elsewhere.
func TestNotAllPodsAreRead(t *testing.T) {
	agent := kubetest.Pod("shop/agent", kubetest.On("w1"), kubetest.OwnedBy("apps/v1", "DaemonSet", "agent"), labelled("app", "agent"))
	w := of(agent, kubetest.DaemonSet("shop/agent"), service("shop", "agent", "agent"), map[kube.Kind]kube.SyncPhase{kube.KindPods: kube.NotSynced})
	v := w.judge()
	for _, line := range v.Lines() {
		asks := line.Check == CheckClaims || line.Check == CheckEndpoints
		if asks != (line.Holds == nil) {
			t.Errorf("%s: %+v", line.Check, line)
		}
	}
}

// While not all nodes are read, neither the control plane nor the quorum is known.
func TestNotAllNodesAreRead(t *testing.T) {
	w := of(etcdOn("w1", cordoned), map[kube.Kind]kube.SyncPhase{kube.KindNodes: kube.NotSynced})
	v := w.judge()
	for _, line := range v.Lines() {
		asks := line.Check == CheckControlPlane || line.Check == CheckEtcd
		if asks != (line.Holds == nil) {
			t.Errorf("%s: %+v", line.Check, line)
		}
	}
}

// Of a node that cannot be seen nothing is told but that.
func TestOnlyOneLineOfABlindView(t *testing.T) {
	store := kubetest.StoreOf(kubetest.Now, kubetest.Node("w1", cordoned))
	store.SetHealth(kube.Health{Reason: "connection refused"})
	v := Of(store.Snapshot(), Subject{Node: "w1", UID: "Node/w1", Now: kubetest.Now})
	if len(v.Lines()) != 1 || v.Lines()[0].Holds != nil || v.Safe || v.Answer() != nil {
		t.Errorf("%+v", v)
	}
}

func etcdNode(n *corev1.Node) { n.Labels[etcdRole] = "true" }

func TestDocsNameEveryLine(t *testing.T) {
	text, err := os.ReadFile("../../docs/check.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		if !strings.Contains(string(text), "| `"+string(line.check)+"` |") {
			t.Errorf("docs/check.md has no row of %s", line.check)
		}
	}
}
