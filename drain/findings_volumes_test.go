package drain

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// givenClaim is a claim bound to the volume, which the options make what it is; ""
// is none: the claim waits.
func givenClaim(name, volume string, options ...func(*corev1.PersistentVolume)) []runtime.Object {
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: givenMeta("PersistentVolumeClaim", name)}
	if volume == "" {
		return []runtime.Object{claim}
	}
	claim.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
	claim.Spec.VolumeName = volume
	v := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: volume, UID: kube.UID(volume)}}
	v.Spec.ClaimRef = &corev1.ObjectReference{Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name}
	v.Spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: "disk", VolumeHandle: "handle-" + volume}
	for _, o := range options {
		o(v)
	}
	return []runtime.Object{claim, v}
}

func reachedFrom(label string, values ...string) func(*corev1.PersistentVolume) {
	return func(v *corev1.PersistentVolume) {
		v.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{{Key: label, Operator: corev1.NodeSelectorOpIn, Values: values}}}}}}
	}
}

func ofKind(edit func(*corev1.PersistentVolumeSource)) func(*corev1.PersistentVolume) {
	return func(v *corev1.PersistentVolume) {
		v.Spec.PersistentVolumeSource = corev1.PersistentVolumeSource{}
		edit(&v.Spec.PersistentVolumeSource)
	}
}

var (
	localDisk  = ofKind(func(s *corev1.PersistentVolumeSource) { s.Local = &corev1.LocalVolumeSource{Path: "/data"} })
	nodeFolder = ofKind(func(s *corev1.PersistentVolumeSource) { s.HostPath = &corev1.HostPathVolumeSource{Path: "/data"} })
	nfsShare   = ofKind(func(s *corev1.PersistentVolumeSource) { s.NFS = &corev1.NFSVolumeSource{Server: "nas", Path: "/"} })
	fcDisk     = ofKind(func(s *corev1.PersistentVolumeSource) { s.FC = &corev1.FCVolumeSource{} })
	ebsDisk    = ofKind(func(s *corev1.PersistentVolumeSource) {
		s.AWSElasticBlockStore = &corev1.AWSElasticBlockStoreVolumeSource{VolumeID: "vol-1"}
	})
)

func withVolume(name string, source corev1.VolumeSource) podOption {
	return func(p *corev1.Pod) {
		p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: name, VolumeSource: source})
	}
}

func claiming(claims ...string) podOption {
	return func(p *corev1.Pod) {
		for _, claim := range claims {
			withVolume(claim, corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim}})(p)
		}
	}
}

func inZone(zone string) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Labels["topology.kubernetes.io/zone"] = zone }
}

// What is known before a run of volumes that cannot follow their pods, and of those
// of which nobody can tell when they are detached.
func TestFindingsAboutVolumes(t *testing.T) {
	const hostname, zone = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
	const pinned = "no node that stays can reach it, its pod starts nowhere until the drained one is back: PersistentVolumeClaim shop/data "
	const unknown = "nobody can tell when its volume is detached, it goes without a turn: Pod shop/db-0 "
	const files = "uses files of its node (hostPath), which stay there: Pod shop/db-0"
	pod := func(options ...podOption) runtime.Object {
		return givenPod("shop/db-0", append(options, ownedBy("apps/v1", "ReplicaSet", "db"))...)
	}
	inline := func(source corev1.VolumeSource) podOption { return withVolume("scratch", source) }
	fc := corev1.VolumeSource{FC: &corev1.FCVolumeSource{}}
	csi := corev1.VolumeSource{CSI: &corev1.CSIVolumeSource{Driver: "secrets"}}
	folder := corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/var/log"}}
	for _, c := range []struct {
		name    string
		nodes   []string // of the plan, of w1, w2 (zone a) and w3 (zone b)
		objects []runtime.Object
		want    []string // code: message
	}{
		{"a disk that any node reaches", []string{"w1"}, append(givenClaim("shop/data", "pv-1"), pod(claiming("data"))), nil},
		{"a local disk", []string{"w1"}, append(givenClaim("shop/data", "pv-1", localDisk, reachedFrom(hostname, "w1")), pod(claiming("data"))),
			[]string{"VolumePinned: " + pinned + "(local volume pv-1 of w1)"}},
		{"a local disk of a pod that is refused stays with it", []string{"w1"},
			append(givenClaim("shop/data", "pv-1", localDisk, reachedFrom(hostname, "w1")), givenPod("shop/db-0", claiming("data"))), nil},
		{"a zone of which another node stays", []string{"w1"}, append(givenClaim("shop/data", "pv-1", reachedFrom(zone, "a")), pod(claiming("data"))), nil},
		{"a zone of which no node stays", []string{"w1", "w2"}, append(givenClaim("shop/data", "pv-1", reachedFrom(zone, "a")), pod(claiming("data"))),
			[]string{"VolumePinned: " + pinned + "(volume pv-1 of w1)"}},
		{"a zone that in-tree names are translated for", []string{"w1", "w2"}, append(givenClaim("shop/data", "pv-1", ebsDisk, reachedFrom(zone, "a")), pod(claiming("data"))),
			[]string{"VolumesUnknown: " + unknown + "(pv-1: an in-tree volume handed to a CSI driver)"}},
		{"two pods of one claim are one matter", []string{"w1"}, append(givenClaim("shop/data", "pv-1", localDisk, reachedFrom(hostname, "w1")),
			pod(claiming("data")), givenPod("shop/db-1", claiming("data"), ownedBy("apps/v1", "ReplicaSet", "db"))),
			[]string{"VolumePinned: " + pinned + "(local volume pv-1 of w1)"}},
		{"a folder as a volume", []string{"w1"}, append(givenClaim("shop/data", "pv-1", nodeFolder), pod(claiming("data"))), []string{"NodeFiles: " + files}},
		{"a folder in the pod", []string{"w1"}, []runtime.Object{pod(inline(folder))}, []string{"NodeFiles: " + files}},
		{"fibre channel", []string{"w1"}, append(givenClaim("shop/data", "pv-1", fcDisk), pod(claiming("data"))),
			[]string{"VolumesUnknown: " + unknown + "(pv-1: not a CSI volume)"}},
		{"NFS, which nothing attaches", []string{"w1"}, append(givenClaim("shop/data", "pv-1", nfsShare), pod(claiming("data"))), nil},
		{"inline", []string{"w1"}, []runtime.Object{pod(inline(fc))}, []string{"VolumesUnknown: " + unknown + "(scratch: named in the pod itself, without a claim)"}},
		{"inline CSI, which nothing attaches", []string{"w1"}, []runtime.Object{pod(inline(csi))}, nil},
		{"a claim that is not there", []string{"w1"}, []runtime.Object{pod(claiming("data"))}, []string{"VolumesUnknown: " + unknown + "(claim data: its claim is not there)"}},
		{"a claim that waits", []string{"w1"}, append(givenClaim("shop/data", ""), pod(claiming("data"))),
			[]string{"VolumesUnknown: " + unknown + "(claim data: its claim has no volume yet)"}},
		{"a volume that is not there", []string{"w1"}, append(givenClaim("shop/data", "pv-1")[:1], pod(claiming("data"))),
			[]string{"VolumesUnknown: " + unknown + "(pv-1: its volume is not there)"}},
		{"a driver that attaches nothing", []string{"w1"}, append(givenClaim("shop/data", "pv-1"), pod(claiming("data")),
			&storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: "disk"}, Spec: storagev1.CSIDriverSpec{AttachRequired: new(bool)}}), nil},
		{"a pod that has finished", []string{"w1"}, []runtime.Object{givenPod("shop/db-0", claiming("data"), inline(folder), phase(corev1.PodSucceeded))}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := kube.SnapshotOf(givenNow, append(c.objects, givenReplicaSet("shop/db", 1),
				givenNode("w1", inZone("a")), givenNode("w2", inZone("a")), givenNode("w3", inZone("b")))...)
			if got := volumeFindings(mustCheck(t, s, flags(), c.nodes...)); !slices.Equal(got, c.want) {
				t.Errorf("found\n%q, want\n%q", got, c.want)
			}
		})
	}
}

// volumeFindings are code and message of the findings about volumes.
func volumeFindings(plan Plan) []string {
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
	objects := append(givenClaim("shop/data", "pv-1", localDisk, reachedFrom("kubernetes.io/hostname", "w1")), givenClaim("shop/more", "pv-2")...)
	s := kube.SnapshotOf(givenNow, append(objects, givenReplicaSet("shop/db", 2), givenNode("w1"), givenNode("w2"),
		givenPod("shop/db-0", ownedBy("apps/v1", "ReplicaSet", "db"), claiming("more", "data")),
		givenPod("shop/db-1", ownedBy("apps/v1", "ReplicaSet", "db"), claiming("more")))...)
	plan := mustCheck(t, s, flags(), "w1")
	if got := []string{plan.Nodes[0].Pods[0].Pinned, plan.Nodes[0].Pods[1].Pinned}; !slices.Equal(got, []string{"pv-1", ""}) {
		t.Errorf("pinned %q", got)
	}
	i := slices.IndexFunc(plan.Findings, func(f Finding) bool { return f.Code == FindingVolumePinned })
	if i < 0 || len(plan.Findings[i].Advice) != 1 || plan.Findings[i].Advice[0].Command != "kubectl describe pv pv-1" ||
		!slices.Equal(plan.Findings[i].Objects, []string{"PersistentVolumeClaim/shop/data"}) {
		t.Errorf("findings %+v", plan.Findings)
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
			[]string{`VolumesUnseen: pods with volumes go without turns, and whether their volumes are detached is not known, for these may not be read: volumeattachments ("no rule")`}},
		{"all denied", []kube.Kind{kube.KindClaims, kube.KindVolumes, kube.KindAttachments}, kube.Denied, true,
			[]string{`VolumesUnseen: pods with volumes go without turns, and whether their volumes are detached is not known, ` +
				`for these may not be read: persistentvolumeclaims ("no rule"), persistentvolumes ("no rule"), volumeattachments ("no rule")`}},
		{"not read yet: nothing is missing for good", []kube.Kind{kube.KindClaims, kube.KindAttachments}, kube.NotSynced, true, nil},
		{"denied, and no pod has a claim", []kube.Kind{kube.KindAttachments}, kube.Denied, false, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := kube.NewStore(func() time.Time { return givenNow })
			store.SetHealth(kube.Health{Live: true, LastContact: givenNow})
			for _, k := range kube.Kinds {
				store.SetSync(k, kube.SyncState{Phase: kube.Synced})
			}
			store.Put(kube.NodeRecord(givenNode("w1")))
			if c.claim {
				store.Put(kube.ClaimRecord(boundClaim("data", "pv-data")))
				store.Put(kube.VolumeRecord(csiVolume("pv-data", "disk")))
				store.Put(kube.PodRecord(givenPod("default/db-0", claiming("data"))))
			} else {
				store.Put(kube.PodRecord(givenPod("default/web-0")))
			}
			for _, k := range c.kinds {
				store.SetSync(k, kube.SyncState{Phase: c.phase, Reason: "no rule"})
			}
			if got := volumeFindings(mustCheck(t, store.Snapshot(), flags(force), "w1")); !slices.Equal(got, c.want) {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}
