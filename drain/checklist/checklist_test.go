package checklist

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// What is on the node, whoever left it there, decides whether it is safe to power
// off; what a run meant to do does not.
func TestVerdictFollowsFromTheCluster(t *testing.T) {
	const hostname, zone = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
	const unsafe, doubtful = "not safe to power off: ", "whether it is safe to power off is not known: "
	daemon := kubetest.Pod("kube-system/cni-1", kubetest.OwnedBy("apps/v1", "DaemonSet", "cni"))
	objects := func(o ...runtime.Object) []runtime.Object {
		cordoned := func(n *corev1.Node) { n.Spec.Unschedulable = true }
		for _, node := range []struct{ name, zone string }{{"w1", "a"}, {"w2", "a"}, {"w3", "b"}} {
			if !slices.ContainsFunc(o, func(o runtime.Object) bool { n, is := o.(*corev1.Node); return is && n.Name == node.name }) {
				edits := []func(*corev1.Node){kubetest.InZone(node.zone)}
				if node.name != "w3" {
					edits = append(edits, cordoned)
				}
				o = append(o, kubetest.Node(node.name, edits...))
			}
		}
		return o
	}
	moved := func(v ...volume.Facts) Subject {
		p := Moved{Namespace: "shop", Name: "db-0"}
		for i := range v {
			p.Volumes = append(p.Volumes, volume.VolumeRun{Facts: v[i]})
		}
		return Subject{Moved: []Moved{p}}
	}
	claim := volume.Facts{Name: "data", Claim: "data", Volume: "pv-1", State: volume.VolumeDetached}
	left := func(why string) Subject { return Subject{Left: map[kube.UID]string{"Pod/shop/api-1": why}} }
	none := Subject{}
	silent := kubetest.Node("w1", func(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionUnknown })
	heard := silent.DeepCopy()
	heard.Status.Conditions[0].LastHeartbeatTime = metav1.NewTime(kubetest.Now.Add(time.Second))
	for _, c := range []struct {
		name    string
		objects []runtime.Object
		subject Subject
		object  string // of the first reason
		want    string // the sentence, "" for safe
	}{
		{"nothing", objects(), none, "", ""},
		{"DaemonSets and mirror pods", objects(daemon, kubetest.DaemonSet("kube-system/cni"), kubetest.Pod("kube-system/etcd-1", kubetest.Mirrored)), none, "", ""},
		{"a DaemonSet's pod whose DaemonSet is gone", objects(daemon), none, "Pod/kube-system/cni-1",
			unsafe + "pod kube-system/cni-1 is left on it (it is not one of the pods of the run)"},
		{"a pod of another kind of DaemonSet", objects(kubetest.Pod("shop/log-1", kubetest.OwnedBy("apps.kruise.io/v1alpha1", "DaemonSet", "log"))), none, "Pod/shop/log-1",
			unsafe + "pod shop/log-1 is left on it (it is not one of the pods of the run)"},
		{"left by a selector", objects(kubetest.Pod("shop/api-1")), left("not selected by --pod-selector=app=web"),
			"Pod/shop/api-1", unsafe + "pod shop/api-1 is left on it (not selected by --pod-selector=app=web)"},
		{"excluded by hand", objects(kubetest.Pod("shop/api-1")), left("excluded by hand (--exclude-pod): it stays on its node"),
			"Pod/shop/api-1", unsafe + "pod shop/api-1 is left on it (excluded by hand (--exclude-pod): it stays on its node)"},
		{"skipped by the operator", objects(kubetest.Pod("shop/api-1")), left("left where it is, as the operator asked"),
			"Pod/shop/api-1", unsafe + "pod shop/api-1 is left on it (left where it is, as the operator asked)"},
		{"terminating for too long", objects(kubetest.Pod("shop/api-1", kubetest.Deleted(time.Minute))), left("terminating for more than 1s: not waited for"),
			"Pod/shop/api-1", unsafe + "pod shop/api-1 is left on it (terminating for more than 1s: not waited for)"},
		{"finished pods run nothing", objects(kubetest.Pod("shop/job-1", kubetest.Phase(corev1.PodSucceeded)), kubetest.Pod("shop/job-2", kubetest.Phase(corev1.PodFailed))), none, "", ""},
		{"a finished pod that is still terminating", objects(kubetest.Pod("shop/job-1", kubetest.Phase(corev1.PodFailed), kubetest.Deleted(0))), none, "Pod/shop/job-1",
			unsafe + "pod shop/job-1 is left on it (it is not one of the pods of the run)"},
		{"several", objects(kubetest.Pod("shop/a-1"), kubetest.Pod("shop/b-1"), kubetest.Pod("shop/c-1"), kubetest.Pod("shop/d-1"), kubetest.Pod("shop/e-1")), none, "Pod/shop/a-1",
			unsafe + "pod shop/a-1 is left on it (it is not one of the pods of the run); pod shop/b-1 is left on it (it is not one of the pods of the run); " +
				"pod shop/c-1 is left on it (it is not one of the pods of the run); 2 more"},

		{"an attached volume", objects(append(kubetest.Claim("shop/data", "pv-1"), kubetest.AttachmentOf("pv-1", "w1", true))...), none, "VolumeAttachment/csi-pv-1-w1",
			unsafe + "volume pv-1 (shop/data) is still attached"},
		{"one attached elsewhere", objects(append(kubetest.Claim("shop/data", "pv-1"), kubetest.AttachmentOf("pv-1", "w3", true))...), moved(claim), "", ""},
		{"a volume of which nothing is known", objects(kubetest.Claim("shop/data", "pv-1", kubetest.FcDisk)...),
			moved(volume.Facts{Name: "data", Claim: "data", Volume: "pv-1", State: volume.VolumeUnknown, Why: volume.WhyNoCSI}), "Pod/shop/db-0",
			doubtful + "it is not known when volume pv-1 of pod shop/db-0 is detached (not a CSI volume)"},
		{"what is known comes first", objects(kubetest.Pod("shop/api-1")), moved(volume.Facts{Name: "data", State: volume.VolumeUnknown, Why: volume.WhyInline}), "Pod/shop/api-1",
			unsafe + "pod shop/api-1 is left on it (it is not one of the pods of the run)"},
		{"volumes that nothing attaches", objects(kubetest.Claim("shop/data", "pv-1", kubetest.NfsShare)...),
			moved(volume.Facts{Name: "data", Claim: "data", Volume: "pv-1", State: volume.VolumeUnattached}), "", ""},

		{"a claim whose data is here", objects(kubetest.Claim("shop/data", "pv-1", kubetest.LocalDisk, kubetest.ReachedFrom(hostname, "w1"))...), moved(claim), "PersistentVolumeClaim/shop/data",
			unsafe + "no other node that takes pods reaches volume pv-1 of claim shop/data"},
		{"and a pod that waits for it", objects(append(kubetest.Claim("shop/data", "pv-1", kubetest.LocalDisk, kubetest.ReachedFrom(hostname, "w1")),
			kubetest.Pod("shop/db-1", kubetest.Claiming("data"), kubetest.Unscheduled("no node")))...), moved(claim), "PersistentVolumeClaim/shop/data",
			unsafe + "no other node that takes pods reaches volume pv-1 of claim shop/data, and pod shop/db-1 waits for it"},
		{"a pod that waits since before the run", objects(append(kubetest.Claim("shop/data", "pv-1", kubetest.LocalDisk, kubetest.ReachedFrom(hostname, "w1")),
			kubetest.Pod("shop/db-1", kubetest.Claiming("data"), kubetest.Unscheduled("no node")))...), none, "PersistentVolumeClaim/shop/data",
			unsafe + "no other node that takes pods reaches volume pv-1 of claim shop/data, and pod shop/db-1 waits for it"},
		{"a disk of another node", objects(kubetest.Claim("shop/data", "pv-1", kubetest.LocalDisk, kubetest.ReachedFrom(hostname, "w2"))...), moved(claim), "", ""},
		{"a zone whose other node is cordoned", objects(kubetest.Claim("shop/data", "pv-1", kubetest.ReachedFrom(zone, "a"))...), moved(claim), "PersistentVolumeClaim/shop/data",
			unsafe + "no other node that takes pods reaches volume pv-1 of claim shop/data"},
		{"a zone with a node that takes pods", objects(append(kubetest.Claim("shop/data", "pv-1", kubetest.ReachedFrom(zone, "a")), kubetest.Node("w2", kubetest.InZone("a")))...), moved(claim), "", ""},
		{"a zone whose other node is silent", objects(append(kubetest.Claim("shop/data", "pv-1", kubetest.ReachedFrom(zone, "a")), kubetest.Node("w2", kubetest.InZone("a"), unready))...), moved(claim),
			"PersistentVolumeClaim/shop/data", unsafe + "no other node that takes pods reaches volume pv-1 of claim shop/data"},
		{"a claim that is gone", objects(), moved(claim), "", ""},

		{"a silent kubelet", objects(silent), none, "Node/w1",
			doubtful + "its kubelet is silent, so it is not known whether the pods that are gone have ended there"},
		{"a kubelet that was heard once since", objects(heard), none, "Node/w1",
			doubtful + "its kubelet is silent, so it is not known whether the pods that are gone have ended there"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.subject.Node, c.subject.UID, c.subject.Run, c.subject.Now = "w1", "Node/w1", "r1", kubetest.Now
			got := Of(kubetest.SnapshotOf(kubetest.Now, c.objects...), c.subject)
			if got.Safe != (c.want == "") || got.Sentence() != c.want {
				t.Errorf("safe %v, %q, want %q", got.Safe, got.Sentence(), c.want)
			}
			if c.object != "" && (len(got.Why) == 0 || got.Why[0].Object != c.object) {
				t.Errorf("reasons %+v, want %s", got.Why, c.object)
			}
		})
	}
}

// Once the run has stopped the kubelet, its silence is what was asked for, and nothing else is.
func TestVerdictAfterTheKubeletWasStopped(t *testing.T) {
	for _, cordoned := range []bool{true, false} {
		silent := kubetest.Node("w1", func(n *corev1.Node) {
			n.Spec.Unschedulable, n.Status.Conditions[0].Status = cordoned, corev1.ConditionUnknown
		})
		for _, stopped := range []bool{true, false} {
			got := Of(kubetest.SnapshotOf(kubetest.Now, silent), Subject{Node: "w1", UID: "Node/w1", Now: kubetest.Now, Stopped: stopped})
			if got.Safe != (stopped && cordoned) {
				t.Errorf("stopped %v, cordoned %v: %+v", stopped, cordoned, got)
			}
		}
	}
}

func TestVerdictOnANodeThatIsGone(t *testing.T) {
	got := Of(kubetest.SnapshotOf(kubetest.Now, kubetest.Node("w1")), Subject{Node: "w1", UID: "an older one"})
	if got.Answer() != nil || len(got.Why) != 1 || !got.Why[0].Unknown {
		t.Errorf("%+v", got)
	}
	if lines := got.Lines(); len(lines) != 1 || lines[0].Check != CheckNode || lines[0].Holds != nil {
		t.Errorf("lines %+v: nothing else can be told of it", lines)
	}
}

// A drained node is as its drain left it while nobody has deleted, replaced, uncordoned, filled or cordoned it since.
func TestStillDrained(t *testing.T) {
	cordoned := func(run, manager string) func(*corev1.Node) {
		return func(n *corev1.Node) {
			n.Spec.Unschedulable = true
			n.Annotations = map[string]string{kube.CordonAnnotation: annotation.Mark{Run: run, By: "ada", Was: "schedulable"}.String()}
			n.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate,
				FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:unschedulable":{}}}`)}}
		}
	}
	ours := Drained{Node: "w1", UID: "Node/w1", Run: "r1", Cordoned: true}
	for _, c := range []struct {
		name string
		node *corev1.Node
		edit func(*Drained)
		want string
	}{
		{"as it was", kubetest.Node("w1", cordoned("r1", kube.FieldManager)), nil, ""},
		{"gone", kubetest.Node("w2"), nil, "the node was deleted"},
		{"another one", kubetest.Node("w1", cordoned("r1", kube.FieldManager)), func(d *Drained) { d.UID = "older" }, "the node was replaced: another node has its name"},
		{"uncordoned", kubetest.Node("w1"), nil, "it was uncordoned after it was drained"},
		{"in use", kubetest.Node("w1", cordoned("r1", kube.FieldManager)), func(d *Drained) { d.Arrived = []*kube.Pod{{Namespace: "shop", Name: "web-1"}} },
			"shop/web-1 was bound to the node after it was drained"},
		{"cordoned again by a person", kubetest.Node("w1", cordoned("r1", "kubectl-cordon")), nil, "kubectl-cordon has cordoned it since"},
		{"cordoned by whom the server does not say", kubetest.Node("w1", cordoned("r1", "")), nil, ""},
		{"cordoned by another run", kubetest.Node("w1", cordoned("r2", kube.FieldManager)), nil, "run r2 of ada has cordoned it since"},
		{"cordoned before the run", kubetest.Node("w1", cordoned("r0", "kubectl-cordon")), func(d *Drained) { d.Cordoned = false }, ""},
	} {
		d := ours
		if c.edit != nil {
			c.edit(&d)
		}
		if got := StillDrained(kubetest.SnapshotOf(kubetest.Now, c.node), d); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
