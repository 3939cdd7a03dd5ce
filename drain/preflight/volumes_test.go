package preflight

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/plan/plantest"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// What is known before a run of volumes that cannot follow their pods, and of those
// of which it is not known when they are detached.
func TestFindingsAboutVolumes(t *testing.T) {
	const hostname, zone = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
	const pinned = "no node that stays can reach it, its pod cannot start until the drained node is back: PersistentVolumeClaim shop/data "
	const unknown = "when its volume is detached cannot be known, so it is not evicted in turn: Pod shop/db-0 "
	const files = "uses files of its node (hostPath), which stay there: Pod shop/db-0"
	pod := func(options ...kubetest.PodOption) runtime.Object {
		return kubetest.Pod("shop/db-0", append(options, kubetest.OwnedBy("apps/v1", "ReplicaSet", "db"))...)
	}
	inline := func(source corev1.VolumeSource) kubetest.PodOption { return kubetest.WithVolume("scratch", source) }
	fc := corev1.VolumeSource{FC: &corev1.FCVolumeSource{}}
	csi := corev1.VolumeSource{CSI: &corev1.CSIVolumeSource{Driver: "secrets"}}
	folder := corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/var/log"}}
	for _, c := range []struct {
		name    string
		nodes   []string // of the plan, of w1, w2 (zone a) and w3 (zone b)
		objects []runtime.Object
		want    []string // code: message
	}{
		{"a disk that any node reaches", []string{"w1"}, append(kubetest.Claim("shop/data", "pv-1"), pod(kubetest.Claiming("data"))), nil},
		{"a local disk", []string{"w1"}, append(kubetest.Claim("shop/data", "pv-1", kubetest.LocalDisk, kubetest.ReachedFrom(hostname, "w1")), pod(kubetest.Claiming("data"))),
			[]string{"VolumePinned: " + pinned + "(local volume pv-1 of w1)"}},
		{"a local disk of a pod that is refused stays with it", []string{"w1"},
			append(kubetest.Claim("shop/data", "pv-1", kubetest.LocalDisk, kubetest.ReachedFrom(hostname, "w1")), kubetest.Pod("shop/db-0", kubetest.Claiming("data"))), nil},
		{"a zone of which another node stays", []string{"w1"}, append(kubetest.Claim("shop/data", "pv-1", kubetest.ReachedFrom(zone, "a")), pod(kubetest.Claiming("data"))), nil},
		{"a zone of which no node stays", []string{"w1", "w2"}, append(kubetest.Claim("shop/data", "pv-1", kubetest.ReachedFrom(zone, "a")), pod(kubetest.Claiming("data"))),
			[]string{"VolumePinned: " + pinned + "(volume pv-1 of w1)"}},
		{"a zone that in-tree names are translated for", []string{"w1", "w2"}, append(kubetest.Claim("shop/data", "pv-1", kubetest.EbsDisk, kubetest.ReachedFrom(zone, "a")), pod(kubetest.Claiming("data"))),
			[]string{"VolumesUnknown: " + unknown + "(pv-1: an in-tree volume handed to a CSI driver)"}},
		{"two pods of one claim are one matter", []string{"w1"}, append(kubetest.Claim("shop/data", "pv-1", kubetest.LocalDisk, kubetest.ReachedFrom(hostname, "w1")),
			pod(kubetest.Claiming("data")), kubetest.Pod("shop/db-1", kubetest.Claiming("data"), kubetest.OwnedBy("apps/v1", "ReplicaSet", "db"))),
			[]string{"VolumePinned: " + pinned + "(local volume pv-1 of w1)"}},
		{"a folder as a volume", []string{"w1"}, append(kubetest.Claim("shop/data", "pv-1", kubetest.NodeFolder), pod(kubetest.Claiming("data"))), []string{"NodeFiles: " + files}},
		{"a folder in the pod", []string{"w1"}, []runtime.Object{pod(inline(folder))}, []string{"NodeFiles: " + files}},
		{"fibre channel", []string{"w1"}, append(kubetest.Claim("shop/data", "pv-1", kubetest.FcDisk), pod(kubetest.Claiming("data"))),
			[]string{"VolumesUnknown: " + unknown + "(pv-1: not a CSI volume)"}},
		{"NFS, which nothing attaches", []string{"w1"}, append(kubetest.Claim("shop/data", "pv-1", kubetest.NfsShare), pod(kubetest.Claiming("data"))), nil},
		{"inline", []string{"w1"}, []runtime.Object{pod(inline(fc))}, []string{"VolumesUnknown: " + unknown + "(scratch: named in the pod itself, without a claim)"}},
		{"inline CSI, which nothing attaches", []string{"w1"}, []runtime.Object{pod(inline(csi))}, nil},
		{"a claim that is not there", []string{"w1"}, []runtime.Object{pod(kubetest.Claiming("data"))}, []string{"VolumesUnknown: " + unknown + "(claim data: its claim does not exist)"}},
		{"a claim that waits", []string{"w1"}, append(kubetest.Claim("shop/data", ""), pod(kubetest.Claiming("data"))),
			[]string{"VolumesUnknown: " + unknown + "(claim data: its claim has no volume yet)"}},
		{"a volume that is not there", []string{"w1"}, append(kubetest.Claim("shop/data", "pv-1")[:1], pod(kubetest.Claiming("data"))),
			[]string{"VolumesUnknown: " + unknown + "(pv-1: its volume does not exist)"}},
		{"a driver that attaches nothing", []string{"w1"}, append(kubetest.Claim("shop/data", "pv-1"), pod(kubetest.Claiming("data")),
			&storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: "disk"}, Spec: storagev1.CSIDriverSpec{AttachRequired: new(bool)}}), nil},
		{"a pod that has finished", []string{"w1"}, []runtime.Object{kubetest.Pod("shop/db-0", kubetest.Claiming("data"), inline(folder), kubetest.Phase(corev1.PodSucceeded))}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := kubetest.SnapshotOf(kubetest.Now, append(c.objects, kubetest.ReplicaSet("shop/db", 1),
				kubetest.Node("w1", kubetest.InZone("a")), kubetest.Node("w2", kubetest.InZone("a")), kubetest.Node("w3", kubetest.InZone("b")))...)
			if got := volumeFindings(mustCheck(t, s, plantest.Options(), c.nodes...)); !slices.Equal(got, c.want) {
				t.Errorf("found\n%q, want\n%q", got, c.want)
			}
		})
	}
}

// volumeFindings are code and message of the findings about volumes.
func volumeFindings(plan plan.Plan) []string {
	var got []string
	for _, f := range plan.Findings {
		switch f.Code {
		case FindingVolumePinned, FindingNodeFiles, FindingVolumesUnseen, FindingVolumesUnknown:
			got = append(got, f.Code+": "+f.Message)
		}
	}
	return got
}

// A pod whose volume stays behind is marked as such, in the plan as in the finding.
func TestPinnedPodsAreMarked(t *testing.T) {
	objects := append(kubetest.Claim("shop/data", "pv-1", kubetest.LocalDisk, kubetest.ReachedFrom("kubernetes.io/hostname", "w1")), kubetest.Claim("shop/more", "pv-2")...)
	s := kubetest.SnapshotOf(kubetest.Now, append(objects, kubetest.ReplicaSet("shop/db", 2), kubetest.Node("w1"), kubetest.Node("w2"),
		kubetest.Pod("shop/db-0", kubetest.OwnedBy("apps/v1", "ReplicaSet", "db"), kubetest.Claiming("more", "data")),
		kubetest.Pod("shop/db-1", kubetest.OwnedBy("apps/v1", "ReplicaSet", "db"), kubetest.Claiming("more")))...)
	planned := mustCheck(t, s, plantest.Options(), "w1")
	if got := []string{planned.Nodes[0].Pods[0].Pinned, planned.Nodes[0].Pods[1].Pinned}; !slices.Equal(got, []string{"pv-1", ""}) {
		t.Errorf("pinned %q", got)
	}
	i := slices.IndexFunc(planned.Findings, func(f plan.Finding) bool { return f.Code == FindingVolumePinned })
	if i < 0 || len(planned.Findings[i].Advice) != 1 || planned.Findings[i].Advice[0].Command != "kubectl describe pv pv-1" ||
		!slices.Equal(planned.Findings[i].Objects, []string{"PersistentVolumeClaim/shop/data"}) {
		t.Errorf("findings %+v", planned.Findings)
	}
}

// What may not be read is said where it matters: where pods with volumes move.
func TestFindingAboutUnreadableVolumes(t *testing.T) {
	for _, c := range []struct {
		name  string
		kinds []kube.Kind
		phase kube.SyncPhase
		claim bool
		want  []string
	}{
		{"all is read", nil, kube.Synced, true, nil},
		{"attachments denied", []kube.Kind{kube.KindAttachments}, kube.Denied, true,
			[]string{`VolumesUnseen: pods with volumes are not evicted in turn, and whether their volumes are detached is not known, since these cannot be read: volumeattachments ("no rule")`}},
		{"all denied", []kube.Kind{kube.KindClaims, kube.KindVolumes, kube.KindAttachments}, kube.Denied, true,
			[]string{`VolumesUnseen: pods with volumes are not evicted in turn, and whether their volumes are detached is not known, ` +
				`since these cannot be read: persistentvolumeclaims ("no rule"), persistentvolumes ("no rule"), volumeattachments ("no rule")`}},
		{"not read yet: nothing is missing for good", []kube.Kind{kube.KindClaims, kube.KindAttachments}, kube.NotSynced, true, nil},
		{"denied, and no pod has a claim", []kube.Kind{kube.KindAttachments}, kube.Denied, false, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := kube.NewStore(func() time.Time { return kubetest.Now })
			store.SetHealth(kube.Health{Live: true, LastContact: kubetest.Now})
			for _, k := range kube.Kinds {
				store.SetSync(k, kube.SyncState{Phase: kube.Synced})
			}
			store.Put(convert.Node(kubetest.Node("w1")))
			if c.claim {
				store.Put(convert.ClaimRecord(kubetest.BoundClaim("data", "pv-data")))
				store.Put(convert.VolumeRecord(kubetest.CsiVolume("pv-data", "disk")))
				store.Put(convert.Pod(kubetest.Pod("default/db-0", kubetest.Claiming("data"))))
			} else {
				store.Put(convert.Pod(kubetest.Pod("default/web-0")))
			}
			for _, k := range c.kinds {
				store.SetSync(k, kube.SyncState{Phase: c.phase, Reason: "no rule"})
			}
			if got := volumeFindings(mustCheck(t, store.Snapshot(), plantest.Options(plantest.Force), "w1")); !slices.Equal(got, c.want) {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}
