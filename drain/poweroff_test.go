package drain

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// What is on the node, whoever left it there, decides whether it is safe to power
// off; what a run meant to do does not.
func TestPowerOffFollowsFromTheCluster(t *testing.T) {
	const hostname, zone = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
	const unsafe, doubtful = "not safe to power off: ", "whether it is safe to power off is not known: "
	daemon := givenPod("kube-system/cni-1", ownedBy("apps/v1", "DaemonSet", "cni"))
	objects := func(o ...runtime.Object) []runtime.Object {
		cordoned := func(n *corev1.Node) { n.Spec.Unschedulable = true }
		for _, node := range []struct{ name, zone string }{{"w1", "a"}, {"w2", "a"}, {"w3", "b"}} {
			if !slices.ContainsFunc(o, func(o runtime.Object) bool { n, is := o.(*corev1.Node); return is && n.Name == node.name }) {
				edits := []func(*corev1.Node){inZone(node.zone)}
				if node.name != "w3" {
					edits = append(edits, cordoned)
				}
				o = append(o, givenNode(node.name, edits...))
			}
		}
		return o
	}
	moved := func(v ...VolumeFacts) []*PodRun {
		p := &PodRun{PodFacts: PodFacts{Node: "w1", Namespace: "shop", Name: "db-0", UID: "gone"}, State: PodGone}
		for i := range v {
			p.Volumes = append(p.Volumes, VolumeRun{VolumeFacts: v[i]})
		}
		return []*PodRun{p}
	}
	claim := VolumeFacts{Name: "data", Claim: "data", Volume: "pv-1", State: VolumeDetached}
	left := func(state PodState, message string, reasons ...Reason) []*PodRun {
		return []*PodRun{{PodFacts: PodFacts{UID: "Pod/shop/api-1", Reasons: reasons}, State: state, Message: message}}
	}
	silent := givenNode("w1", func(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionUnknown })
	for _, c := range []struct {
		name    string
		objects []runtime.Object
		run     []*PodRun
		object  string // of the first reason
		want    string // the sentence, "" for safe
	}{
		{"nothing", objects(), nil, "", ""},
		{"DaemonSets and mirror pods", objects(daemon, givenDaemonSet("kube-system/cni"), givenPod("kube-system/etcd-1", mirrored)), nil, "", ""},
		{"a DaemonSet's pod whose DaemonSet is gone", objects(daemon), nil, "Pod/kube-system/cni-1",
			unsafe + "pod kube-system/cni-1 is left on it (it is not one of the pods of the run)"},
		{"a pod of another kind of DaemonSet", objects(givenPod("shop/log-1", ownedBy("apps.kruise.io/v1alpha1", "DaemonSet", "log"))), nil, "Pod/shop/log-1",
			unsafe + "pod shop/log-1 is left on it (it is not one of the pods of the run)"},
		{"left by a selector", objects(givenPod("shop/api-1")), left(PodSkipped, "", Reason{Code: ReasonNotSelected, Message: "not selected by --pod-selector=app=web"}),
			"Pod/shop/api-1", unsafe + "pod shop/api-1 is left on it (not selected by --pod-selector=app=web)"},
		{"skipped by the operator", objects(givenPod("shop/api-1")), left(PodSkipped, "left where it is, as the operator said"),
			"Pod/shop/api-1", unsafe + "pod shop/api-1 is left on it (left where it is, as the operator said)"},
		{"terminating for too long", objects(givenPod("shop/api-1", deleted(time.Minute))), left(PodSkipped, "terminating for more than 1s: not waited for"),
			"Pod/shop/api-1", unsafe + "pod shop/api-1 is left on it (terminating for more than 1s: not waited for)"},
		{"finished pods run nothing", objects(givenPod("shop/job-1", phase(corev1.PodSucceeded)), givenPod("shop/job-2", phase(corev1.PodFailed))), nil, "", ""},
		{"a finished pod that is still terminating", objects(givenPod("shop/job-1", phase(corev1.PodFailed), deleted(0))), nil, "Pod/shop/job-1",
			unsafe + "pod shop/job-1 is left on it (it is not one of the pods of the run)"},
		{"several", objects(givenPod("shop/a-1"), givenPod("shop/b-1"), givenPod("shop/c-1"), givenPod("shop/d-1"), givenPod("shop/e-1")), nil, "Pod/shop/a-1",
			unsafe + "pod shop/a-1 is left on it (it is not one of the pods of the run); pod shop/b-1 is left on it (it is not one of the pods of the run); " +
				"pod shop/c-1 is left on it (it is not one of the pods of the run); 2 more"},

		{"an attached volume", objects(append(givenClaim("shop/data", "pv-1"), givenAttachment("pv-1", "w1", true))...), nil, "VolumeAttachment/csi-pv-1-w1",
			unsafe + "volume pv-1 (shop/data) is still attached"},
		{"one attached elsewhere", objects(append(givenClaim("shop/data", "pv-1"), givenAttachment("pv-1", "w3", true))...), moved(claim), "", ""},
		{"a volume of which nobody tells", objects(givenClaim("shop/data", "pv-1", fcDisk)...),
			moved(VolumeFacts{Name: "data", Claim: "data", Volume: "pv-1", State: VolumeUnknown, Why: whyNoCSI}), "Pod/shop/db-0",
			doubtful + "it is not known when volume pv-1 of pod shop/db-0 is detached (not a CSI volume)"},
		{"what is known comes first", objects(givenPod("shop/api-1")), moved(VolumeFacts{Name: "data", State: VolumeUnknown, Why: whyInline}), "Pod/shop/api-1",
			unsafe + "pod shop/api-1 is left on it (it is not one of the pods of the run)"},
		{"volumes that nothing attaches", objects(givenClaim("shop/data", "pv-1", nfsShare)...),
			moved(VolumeFacts{Name: "data", Claim: "data", Volume: "pv-1", State: VolumeUnattached}), "", ""},

		{"a claim whose data is here", objects(givenClaim("shop/data", "pv-1", localDisk, reachedFrom(hostname, "w1"))...), moved(claim), "PersistentVolumeClaim/shop/data",
			unsafe + "no other node that takes pods reaches volume pv-1 of claim shop/data"},
		{"and a pod that waits for it", objects(append(givenClaim("shop/data", "pv-1", localDisk, reachedFrom(hostname, "w1")),
			givenPod("shop/db-1", claiming("data"), unscheduled("no node")))...), moved(claim), "PersistentVolumeClaim/shop/data",
			unsafe + "no other node that takes pods reaches volume pv-1 of claim shop/data, and pod shop/db-1 waits for it"},
		{"a pod that waits since before the run", objects(append(givenClaim("shop/data", "pv-1", localDisk, reachedFrom(hostname, "w1")),
			givenPod("shop/db-1", claiming("data"), unscheduled("no node")))...), nil, "PersistentVolumeClaim/shop/data",
			unsafe + "no other node that takes pods reaches volume pv-1 of claim shop/data, and pod shop/db-1 waits for it"},
		{"a disk of another node", objects(givenClaim("shop/data", "pv-1", localDisk, reachedFrom(hostname, "w2"))...), moved(claim), "", ""},
		{"a zone whose other node is cordoned", objects(givenClaim("shop/data", "pv-1", reachedFrom(zone, "a"))...), moved(claim), "PersistentVolumeClaim/shop/data",
			unsafe + "no other node that takes pods reaches volume pv-1 of claim shop/data"},
		{"a zone with a node that takes pods", objects(append(givenClaim("shop/data", "pv-1", reachedFrom(zone, "a")), givenNode("w2", inZone("a")))...), moved(claim), "", ""},
		{"a claim that is gone", objects(), moved(claim), "", ""},

		{"a silent kubelet", objects(silent), nil, "Node/w1",
			doubtful + "its kubelet is silent, so it is not known whether the pods that are gone have ended there"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := &NodeRun{NodeFacts: NodeFacts{Name: "w1", UID: "Node/w1"}}
			got := powerOff(kube.SnapshotOf(givenNow, c.objects...), n, c.run)
			if got.Safe != (c.want == "") || got.Sentence() != c.want {
				t.Errorf("safe %v, %q, want %q", got.Safe, got.Sentence(), c.want)
			}
			if c.object != "" && (len(got.Why) == 0 || got.Why[0].Object != c.object) {
				t.Errorf("reasons %+v, want %s", got.Why, c.object)
			}
		})
	}
}

func TestPowerOffOfANodeThatIsGone(t *testing.T) {
	n := &NodeRun{NodeFacts: NodeFacts{Name: "w1", UID: "an older one"}}
	if got := powerOff(kube.SnapshotOf(givenNow, givenNode("w1")), n, nil); got.Safe || len(got.Why) != 1 || !got.Why[0].Unknown {
		t.Errorf("%+v", got)
	}
}

// A drain of some pods ends well, and says which pods it left.
func TestADrainBySelectorIsNotSafe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		s.addNode("a")
		s.addPod("web", "a")
		api := s.addPod("api", "a")
		o := DefaultOptions()
		if err := o.Flags().Set("pod-selector", "app=web"); err != nil {
			t.Fatal(err)
		}
		e := begin(t, t.Context(), s, o, "a")
		confirmAll(t.Context(), s, e)
		n := e.State().Nodes[0]
		if n.State != NodeDrained || n.SafeToPowerOff() || n.PowerOff == nil || n.PowerOff.Why[0].Object != "Pod/default/"+api.Name {
			t.Errorf("%s, safe %v, %+v", n.State, n.SafeToPowerOff(), n.PowerOff)
		}
	})
}
