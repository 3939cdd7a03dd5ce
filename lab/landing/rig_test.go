//go:build landing

package landing

import (
	"bufio"
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// rig is all that a comparison needs.
type rig struct {
	client    kubernetes.Interface
	scheduler *talkative
	questions *json.Encoder
	answers   *json.Decoder
}

// question is what drain/landing/ask reads.
type question struct {
	Nodes       *corev1.NodeList                  `json:"nodes"`
	Pods        *corev1.PodList                   `json:"pods"`
	Namespaces  *corev1.NamespaceList             `json:"namespaces"`
	Claims      *corev1.PersistentVolumeClaimList `json:"claims"`
	Volumes     *corev1.PersistentVolumeList      `json:"volumes"`
	Classes     *storagev1.StorageClassList       `json:"classes"`
	CSINodes    *storagev1.CSINodeList            `json:"csiNodes"`
	CSIDrivers  *storagev1.CSIDriverList          `json:"csiDrivers"`
	Attachments *storagev1.VolumeAttachmentList   `json:"attachments"`
	Pod         string                            `json:"pod"`
	Planned     []string                          `json:"planned"`
}

// answer is what it prints.
type answer struct {
	Answer string   `json:"answer"`
	Why    string   `json:"why"`
	Nodes  []string `json:"nodes"`
}

func newRig(t *testing.T) *rig {
	t.Helper()
	program := build(t, "../..", "./drain/landing/ask")
	dir := startLab(t)
	config, err := clientcmd.BuildConfigFromFlags("", filepath.Join(dir, "kubeconfig"))
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1
	r := &rig{client: kubernetes.NewForConfigOrDie(config), scheduler: restartScheduler(t, dir)}
	r.startAsking(t, program)
	ctx := t.Context()
	for name, set := range teams {
		n := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: set}}
		_, err := r.client.CoreV1().Namespaces().Create(ctx, n, metav1.CreateOptions{})
		must(t, err, true)
	}
	never := corev1.PreemptNever
	for _, class := range []*schedulingv1.PriorityClass{
		{ObjectMeta: metav1.ObjectMeta{Name: low}, Value: -10}, {ObjectMeta: metav1.ObjectMeta{Name: high}, Value: 10},
		{ObjectMeta: metav1.ObjectMeta{Name: meek}, Value: 10, PreemptionPolicy: &never},
	} {
		_, err = r.client.SchedulingV1().PriorityClasses().Create(ctx, class, metav1.CreateOptions{})
		must(t, err, true)
	}
	for _, class := range classes() {
		_, err := r.client.StorageV1().StorageClasses().Create(ctx, class, metav1.CreateOptions{})
		must(t, err, true)
	}
	return r
}

func (r *rig) startAsking(t *testing.T, program string) {
	t.Helper()
	cmd := exec.Command(program)
	cmd.Stderr = t.Output()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	r.questions, r.answers = json.NewEncoder(in), json.NewDecoder(bufio.NewReader(out))
}

// ask asks our side about a pod of a cluster.
func (r *rig) ask(t *testing.T, q question, pod string, planned ...string) (question, answer) {
	t.Helper()
	q.Pod, q.Planned = pod, planned
	var a answer
	if err := r.questions.Encode(q); err != nil {
		t.Fatal(err)
	}
	if err := r.answers.Decode(&a); err != nil {
		t.Fatal(err)
	}
	return q, a
}

func (r *rig) list(t *testing.T) question {
	t.Helper()
	ctx, core, storage := t.Context(), r.client.CoreV1(), r.client.StorageV1()
	var q question
	var errs [9]error
	o := metav1.ListOptions{}
	q.Nodes, errs[0] = core.Nodes().List(ctx, o)
	q.Pods, errs[1] = core.Pods("").List(ctx, o)
	q.Namespaces, errs[2] = core.Namespaces().List(ctx, o)
	q.Claims, errs[3] = core.PersistentVolumeClaims("").List(ctx, o)
	q.Volumes, errs[4] = core.PersistentVolumes().List(ctx, o)
	q.Classes, errs[5] = storage.StorageClasses().List(ctx, o)
	q.CSINodes, errs[6] = storage.CSINodes().List(ctx, o)
	q.CSIDrivers, errs[7] = storage.CSIDrivers().List(ctx, o)
	q.Attachments, errs[8] = storage.VolumeAttachments().List(ctx, o)
	for _, err := range errs {
		must(t, err, false)
	}
	return q
}

// patience is for what takes a moment on a quiet machine.
const patience = 90 * time.Second

// until polls, and fails the test when it takes too long.
func until(t *testing.T, what string, done func(ctx context.Context) bool) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(15 * time.Millisecond) {
		if done(t.Context()) {
			return
		}
	}
	t.Fatalf("waited in vain for %s", what)
}
