//go:build landing

package landing

import (
	"fmt"
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// driver is a CSI driver that nobody runs: what it would make is never made, so
// the scheduler's choice of a node is all that happens.
const driver = "csi.landing.lab"

const (
	poolLabel    = "landing/pool"
	diskLabel    = "landing/disk"
	weightLabel  = "landing/weight"
	gpu          = corev1.ResourceName("landing.lab/gpu")
	holdFinalize = "landing.lab/hold"
	low          = "landing-low" // priority classes
	high         = "landing-high"
	meek         = "landing-meek" // as high, and never preempts
)

// teams are the namespaces, with what selects them.
var teams = map[string]map[string]string{
	"shop": {"colour": "red", "tier": "front"}, "pay": {"colour": "red"}, "ops": {"colour": "blue"},
}

var teamNames = []string{"shop", "pay", "ops"}

// dice are random choices.
type dice struct{ *rand.Rand }

func (d dice) chance(percent int) bool { return d.IntN(100) < percent }

func pick[T any](d dice, of ...T) T { return of[d.IntN(len(of))] }

// world is one random cluster.
type world struct {
	number      int
	zones       []string
	nodes       []*corev1.Node
	csiNodes    []*storagev1.CSINode
	volumes     []*corev1.PersistentVolume
	claims      []*corev1.PersistentVolumeClaim
	attachments []*storagev1.VolumeAttachment
	pods        []*corev1.Pod
	made        int // names given out
}

func (w *world) name(kind string) string {
	w.made++
	return fmt.Sprintf("%s-%d-%d", kind, w.number, w.made)
}

func newWorld(number int, d dice) *world {
	w := &world{number: number, zones: []string{"east", "west", "north"}[:1+d.IntN(3)]}
	for range 3 + d.IntN(8) {
		w.nodes = append(w.nodes, w.node(d))
	}
	for _, n := range w.nodes {
		if d.chance(60) {
			w.csiNodes = append(w.csiNodes, csiNode(n.Name, d))
		}
	}
	for range d.IntN(8) {
		w.storage(d)
	}
	for _, n := range w.nodes {
		portsTaken := false
		for range d.IntN(5) {
			p := w.pod(d, false)
			stand(p, n, d)
			if portsTaken {
				p.Spec.Containers[0].Ports = nil // no two pods of a node share one
			}
			portsTaken = portsTaken || len(p.Spec.Containers[0].Ports) > 0
			w.pods = append(w.pods, p)
		}
	}
	return w
}

// stand binds a pod to a node. It asks for no device that the node has not got,
// because nothing could have put it there; what else does not fit may have
// changed since. Some would give way to pods of the usual priority.
func stand(p *corev1.Pod, n *corev1.Node, d dice) {
	p.Spec.NodeName = n.Name
	if _, ok := n.Status.Allocatable[gpu]; !ok {
		main := &p.Spec.Containers[0]
		main.Resources.Limits = nil
		delete(main.Resources.Requests, gpu)
	}
	if d.chance(10) {
		p.Spec.PriorityClassName = low
	}
}

func (w *world) node(d dice) *corev1.Node {
	name := w.name("node")
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
		corev1.LabelHostname: name, poolLabel: pick(d, "a", "b"), weightLabel: fmt.Sprint(d.IntN(10)),
	}}}
	if d.chance(90) {
		n.Labels[corev1.LabelTopologyZone] = pick(d, w.zones...)
	}
	if d.chance(70) {
		n.Labels[diskLabel] = pick(d, "ssd", "hdd")
	}
	if d.chance(20) {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: "dedicated", Value: pick(d, "x", "y"), Effect: corev1.TaintEffectNoSchedule})
	}
	if d.chance(10) {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: "slow", Effect: corev1.TaintEffectPreferNoSchedule})
	}
	n.Spec.Unschedulable = d.chance(12)
	n.Status.Allocatable = corev1.ResourceList{
		corev1.ResourceCPU:              *resource.NewMilliQuantity(int64(500+500*d.IntN(8)), resource.DecimalSI),
		corev1.ResourceMemory:           *resource.NewQuantity(int64(1+d.IntN(8))<<30, resource.BinarySI),
		corev1.ResourceEphemeralStorage: *resource.NewQuantity(int64(1+d.IntN(10))<<30, resource.BinarySI),
		corev1.ResourcePods:             *resource.NewQuantity(int64(3+d.IntN(12)), resource.DecimalSI),
	}
	if d.chance(30) {
		n.Status.Allocatable[gpu] = *resource.NewQuantity(int64(1+d.IntN(3)), resource.DecimalSI)
	}
	n.Status.Capacity = n.Status.Allocatable
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastHeartbeatTime: metav1.Now()}}
	return n
}

func csiNode(name string, d dice) *storagev1.CSINode {
	n := &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: name}}
	n.Spec.Drivers = []storagev1.CSINodeDriver{{Name: driver, NodeID: name}}
	if d.chance(70) {
		limit := int32(1 + d.IntN(3))
		n.Spec.Drivers[0].Allocatable = &storagev1.VolumeNodeResources{Count: &limit}
	}
	return n
}

// classes are the storage classes that all worlds share.
func classes() []*storagev1.StorageClass {
	class := func(name, provisioner string, mode storagev1.VolumeBindingMode, zones ...string) *storagev1.StorageClass {
		c := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: provisioner, VolumeBindingMode: &mode}
		if len(zones) > 0 {
			c.AllowedTopologies = []corev1.TopologySelectorTerm{{MatchLabelExpressions: []corev1.TopologySelectorLabelRequirement{
				{Key: corev1.LabelTopologyZone, Values: zones},
			}}}
		}
		return c
	}
	return []*storagev1.StorageClass{
		class("bound", driver, storagev1.VolumeBindingImmediate),
		class("now", driver, storagev1.VolumeBindingImmediate),
		class("later", driver, storagev1.VolumeBindingWaitForFirstConsumer),
		class("later-east", driver, storagev1.VolumeBindingWaitForFirstConsumer, "east"),
		class("local", "kubernetes.io/no-provisioner", storagev1.VolumeBindingWaitForFirstConsumer),
	}
}

// storage adds a claim with its volume, or one that waits, or local volumes.
func (w *world) storage(d dice) {
	size := corev1.ResourceList{corev1.ResourceStorage: *resource.NewQuantity(int64(1+d.IntN(3))<<30, resource.BinarySI)}
	mode := pick(d, corev1.ReadWriteOnce, corev1.ReadWriteOnce, corev1.ReadWriteMany, corev1.ReadWriteOncePod)
	class := pick(d, "bound", "bound", "bound", "now", "later", "later-east", "local")
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: pick(d, teamNames...), Name: w.name("claim")}}
	claim.Spec.StorageClassName, claim.Spec.AccessModes, claim.Spec.Resources.Requests = &class, []corev1.PersistentVolumeAccessMode{mode}, size
	w.claims = append(w.claims, claim)
	switch class {
	case "bound":
		v := w.volume(d, class, mode, size)
		v.Spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: v.Name}
		v.Spec.ClaimRef = &corev1.ObjectReference{Namespace: claim.Namespace, Name: claim.Name}
		claim.Spec.VolumeName = v.Name
		if d.chance(20) {
			w.attachments = append(w.attachments, attachment(w.name("va"), pick(d, w.nodes...).Name, v.Name))
		}
	case "local":
		for range d.IntN(4) {
			v := w.volume(d, class, mode, corev1.ResourceList{corev1.ResourceStorage: *resource.NewQuantity(int64(1+d.IntN(4))<<30, resource.BinarySI)})
			v.Spec.Local = &corev1.LocalVolumeSource{Path: "/mnt/" + v.Name}
			v.Spec.NodeAffinity = reach(corev1.LabelHostname, pick(d, w.nodes...).Name)
		}
	}
}

func (w *world) volume(d dice, class string, mode corev1.PersistentVolumeAccessMode, size corev1.ResourceList) *corev1.PersistentVolume {
	v := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: w.name("volume"), Labels: map[string]string{}}}
	v.Spec.StorageClassName, v.Spec.AccessModes, v.Spec.Capacity = class, []corev1.PersistentVolumeAccessMode{mode}, size
	v.Spec.PersistentVolumeReclaimPolicy = corev1.PersistentVolumeReclaimRetain
	switch {
	case d.chance(40):
		v.Spec.NodeAffinity = reach(corev1.LabelTopologyZone, pick(d, w.zones...))
	case d.chance(30):
		v.Labels[pick(d, corev1.LabelTopologyZone, corev1.LabelFailureDomainBetaZone)] = pick(d, w.zones[0], w.zones[0]+"__west", "nowhere")
	}
	w.volumes = append(w.volumes, v)
	return v
}

func reach(key string, values ...string) *corev1.VolumeNodeAffinity {
	return &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchExpressions: []corev1.NodeSelectorRequirement{{Key: key, Operator: corev1.NodeSelectorOpIn, Values: values}},
	}}}}
}

func attachment(name, node, volume string) *storagev1.VolumeAttachment {
	return &storagev1.VolumeAttachment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       storagev1.VolumeAttachmentSpec{Attacher: driver, NodeName: node, Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: &volume}},
	}
}
