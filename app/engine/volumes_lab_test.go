//go:build lab

package engine

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	kubewatch "github.com/kdrain-tui/kdrain-tui/kube/watch"
)

// These tests run on the real attach-detach controller; kubelet and
// external-attacher are played by `lab attacher`, which each of them starts.

// attacher starts the player and returns what stops it.
func (s *stage) attacher() (stop func()) {
	s.Helper()
	cmd := exec.Command(kubetest.LabSetting(s.T, "KDRAIN_LAB"), "attacher", "--dir", kubetest.LabSetting(s.T, "KDRAIN_LAB_DIR"))
	var said bytes.Buffer
	cmd.Stderr = &said
	s.must(cmd.Start())
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			s.Errorf("lab attacher: %v: %s", err, said.String())
		}
	}
	s.Cleanup(stop)
	return stop
}

// addVolumeNode makes a node, and waits until the attacher has handed it to the
// controller, which makes no attachment for a pod that is older than that.
func (s *stage) addVolumeNode(name string) string {
	s.Helper()
	full := s.addNode(name)
	s.poll("node "+full+" is the controller's", func() bool {
		node, err := s.client.CoreV1().Nodes().Get(s.Context(), full, metav1.GetOptions{})
		s.must(err)
		return node.Annotations["volumes.kubernetes.io/controller-managed-attach-detach"] != ""
	})
	return full
}

// addDriver makes a CSI driver that attaches its volumes.
func (s *stage) addDriver(name string) string {
	s.Helper()
	full, attaches := name+"."+s.namespace, true
	_, err := s.client.StorageV1().CSIDrivers().Create(s.Context(), &storagev1.CSIDriver{
		ObjectMeta: metav1.ObjectMeta{Name: full}, Spec: storagev1.CSIDriverSpec{AttachRequired: &attaches},
	}, metav1.CreateOptions{})
	s.must(err)
	s.afterwards(func(ctx context.Context) error {
		return s.client.StorageV1().CSIDrivers().Delete(ctx, full, metav1.DeleteOptions{})
	})
	return full
}

// addClaim makes a claim with a volume of the driver, bound to each other.
func (s *stage) addClaim(source Source, name, driver string) {
	s.Helper()
	volume, class := s.namespace+"-"+name, ""
	size := corev1.ResourceList{corev1.ResourceStorage: quantity("1Gi")}
	modes := []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	pv := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: volume}, Spec: corev1.PersistentVolumeSpec{
		Capacity: size, AccessModes: modes, PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
		ClaimRef: &corev1.ObjectReference{Kind: "PersistentVolumeClaim", APIVersion: "v1", Namespace: s.namespace, Name: name},
	}}
	pv.Spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: volume}
	_, err := s.client.CoreV1().PersistentVolumes().Create(s.Context(), pv, metav1.CreateOptions{})
	s.must(err)
	s.afterwards(func(ctx context.Context) error {
		return s.client.CoreV1().PersistentVolumes().Delete(ctx, volume, metav1.DeleteOptions{})
	})
	_, err = s.client.CoreV1().PersistentVolumeClaims(s.namespace).Create(s.Context(), &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PersistentVolumeClaimSpec{StorageClassName: &class, VolumeName: volume, AccessModes: modes,
			Resources: corev1.VolumeResourceRequirements{Requests: size}},
	}, metav1.CreateOptions{})
	s.must(err)
	// The controller makes no attachment for a pod that is older than its claim's bond.
	s.until(source, "claim "+name+" is bound", func(snap *kube.Snapshot) bool {
		claim := snap.Storage().Claim(s.namespace, name)
		return claim != nil && claim.Bound
	})
}

func uses(claims ...string) labOption {
	return func(p *corev1.Pod) {
		for _, claim := range claims {
			p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: claim, VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim}}})
		}
	}
}

// attachedAll waits until the controller has attached the volumes.
func (s *stage) attachedAll(source Source, node string, count int) {
	s.Helper()
	s.until(source, fmt.Sprintf("%d volumes are attached to %s", count, node), func(snap *kube.Snapshot) bool {
		attached := 0
		for _, a := range snap.Storage().AttachmentsOn(node) {
			if a.Attached {
				attached++
			}
		}
		return attached == count
	})
}

// watchVolumes sees what a run with volumes needs to see.
func (s *stage) watchVolumes(c *connection) *kubewatch.Watcher {
	s.Helper()
	kinds := []kube.Kind{kube.KindNodes, kube.KindPods, kube.KindBudgets, kube.KindDaemonSets,
		kube.KindClaims, kube.KindVolumes, kube.KindCSIDrivers, kube.KindAttachments}
	w := kubewatch.Start(s.Context(), c.Cluster, kubewatch.Options{Needs: kubewatch.Whole(withChecklist(kinds)...)})
	s.Cleanup(w.Close)
	ctx, cancel := context.WithTimeout(s.Context(), patience)
	defer cancel()
	s.must(kubetest.WaitSynced(ctx, w, kinds...))
	return w
}

// scene is what was filmed of one pod, in revisions of etcd, which order what
// happens to objects of all kinds.
type scene struct {
	pod      string
	ending   uint64            // its deletion was accepted
	gone     uint64            // the object is gone
	detached map[string]uint64 // by volume: its attachment to the node is gone
}

// until is when the last of the pod's volumes left the node.
func (s *scene) until() uint64 {
	last := s.gone
	for _, at := range s.detached {
		last = max(last, at)
	}
	return last
}

// film records pods of the namespace and attachments to the node from now on, and
// returns how to look at it once each volume has left.
func (s *stage) film(node string, volumes map[string][]string) func() []*scene {
	s.Helper()
	pods, err := s.client.CoreV1().Pods(s.namespace).Watch(s.Context(), metav1.ListOptions{})
	s.must(err)
	attachments, err := s.client.StorageV1().VolumeAttachments().Watch(s.Context(), metav1.ListOptions{})
	s.must(err)
	scenes := map[string]*scene{}
	for pod := range volumes {
		scenes[pod] = &scene{pod: pod, detached: map[string]uint64{}}
	}
	return func() []*scene {
		defer pods.Stop()
		defer attachments.Stop()
		late := time.After(patience)
		for !complete(scenes, volumes) {
			select {
			case e := <-pods.ResultChan():
				shootPod(scenes, e)
			case e := <-attachments.ResultChan():
				shootAttachment(scenes, volumes, node, s.namespace, e)
			case <-late:
				s.Fatalf("the film is not complete: %+v", scenes)
			}
		}
		var all []*scene
		for _, one := range scenes {
			all = append(all, one)
		}
		slices.SortFunc(all, func(a, b *scene) int { return cmp.Compare(a.ending, b.ending) })
		return all
	}
}

func revision(o metav1.Object) uint64 {
	at, _ := strconv.ParseUint(o.GetResourceVersion(), 10, 64)
	return at
}

func shootPod(scenes map[string]*scene, e watch.Event) {
	p, ok := e.Object.(*corev1.Pod)
	if !ok || scenes[p.Name] == nil {
		return
	}
	one := scenes[p.Name]
	if p.DeletionTimestamp != nil && one.ending == 0 {
		one.ending = revision(p)
	}
	if e.Type == watch.Deleted {
		one.gone = revision(p)
	}
}

func shootAttachment(scenes map[string]*scene, volumes map[string][]string, node, namespace string, e watch.Event) {
	a, ok := e.Object.(*storagev1.VolumeAttachment)
	if !ok || e.Type != watch.Deleted || a.Spec.NodeName != node {
		return
	}
	for pod, claims := range volumes {
		for _, claim := range claims {
			if *a.Spec.Source.PersistentVolumeName == namespace+"-"+claim {
				scenes[pod].detached[claim] = revision(a)
			}
		}
	}
}

func complete(scenes map[string]*scene, volumes map[string][]string) bool {
	for pod, one := range scenes {
		if one.gone == 0 || len(one.detached) < len(volumes[pod]) {
			return false
		}
	}
	return true
}

func TestVolumesGoInTurnOnTheLab(t *testing.T) {
	s := newStage(t)
	s.attacher()
	node := s.addVolumeNode("a")
	w := s.watchVolumes(s.connect(""))
	disk, nas := s.addDriver("disk"), s.addDriver("nas")
	volumes, driverOf := map[string][]string{}, map[string]string{}
	var pods []*corev1.Pod
	add := func(app, driver string, claims ...string) {
		for _, claim := range claims {
			s.addClaim(w, claim, driver)
		}
		p := s.addPod(app, node, uses(claims...))
		pods = append(pods, p)
		volumes[p.Name], driverOf[p.Name] = claims, driver
	}
	for i := range 4 {
		add("db", disk, fmt.Sprintf("data%d", i))
	}
	add("queue", disk, "queue", "log")
	add("files", nas, "files0")
	add("files", nas, "files1")
	plain := []*corev1.Pod{s.addPod("web", node), s.addPod("web", node)}
	s.running(w, append(pods, plain...)...)
	s.attachedAll(w, node, 8)

	look := s.film(node, volumes)
	o := bareOptions()
	o.DetachTimeout = time.Hour // no clock ends a turn here
	r := s.drain(w, s.connect(""), o, node)
	state := r.ends(drain.OutcomeDone)
	scenes := look()
	for i, one := range scenes {
		for _, other := range scenes[i+1:] {
			if driverOf[one.pod] == driverOf[other.pod] && other.ending < one.until() {
				t.Errorf("%s was ending at %d, before the volumes of %s had left the node at %d\n%s",
					other.pod, other.ending, one.pod, one.until(), r.story())
			}
		}
	}
	first := map[string]bool{}
	for _, one := range scenes[:2] {
		first[driverOf[one.pod]] = true
	}
	if len(first) != 2 {
		t.Errorf("one driver waited for the other: %s went first, then %s", scenes[0].pod, scenes[1].pod)
	}
	if n := state.Nodes[0]; n.State != drain.NodeDrained || n.Warning != "" || len(n.Attached) > 0 {
		t.Errorf("node %s, %q", n.State, n.Warning)
	}
	for _, p := range pods {
		run := state.Pod(p.UID)
		for _, v := range run.Volumes {
			if v.State != volume.VolumeDetached || v.DetachedAt.Before(run.Ended) {
				t.Errorf("%s: volume %+v", p.Name, v)
			}
		}
	}
	for _, p := range plain {
		if at := r.asked(p); len(at) == 0 || at[0].After(state.Pod(pods[0].UID).Volumes[0].DetachedAt) {
			t.Errorf("%s has no volume and waited for those that have", p.Name)
		}
	}
}

func TestDetachThatNeverComesOnTheLab(t *testing.T) {
	s := newStage(t)
	stop := s.attacher()
	node := s.addVolumeNode("a")
	w := s.watchVolumes(s.connect(""))
	disk := s.addDriver("disk")
	s.addClaim(w, "one", disk)
	s.addClaim(w, "two", disk)
	pods := []*corev1.Pod{s.addPod("db", node, uses("one")), s.addPod("db", node, uses("two"))}
	s.running(w, pods...)
	s.attachedAll(w, node, 2)
	stop() // nothing is unmounted or detached from here on

	o := bareOptions()
	o.GracePeriodSeconds, o.DetachTimeout = 1, 3*time.Second
	state := s.drain(w, s.connect(""), o, node).ends(drain.OutcomeDone)
	n := state.Nodes[0]
	if n.State != drain.NodeDrained || len(n.Attached) != 2 || n.SafeToPowerOff() || strings.Count(n.Warning, "is still attached") != 2 {
		t.Errorf("node %s, %q, %+v", n.State, n.Warning, n.Attached)
	}
	first, second := state.Pod(pods[0].UID), state.Pod(pods[1].UID)
	if gap := second.Accepted.Sub(first.Accepted); gap < 4*time.Second {
		t.Errorf("the turn went on after %s, before the grace of 1 s and the 3 s were over", gap)
	}
	s.attacher() // for the clean-up: else the attachments stay
	s.until(w, "the volumes are detached", func(snap *kube.Snapshot) bool { return len(snap.Storage().AttachmentsOn(node)) == 0 })
}
