//go:build lab

package engine

import (
	"context"
	"crypto/rand"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kdrain-tui/kdrain-tui/drain/checklist"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
	"github.com/kdrain-tui/kdrain-tui/kube/watch"
	"github.com/kdrain-tui/kdrain-tui/kube/write"
)

// The tests of the files *_lab_test.go run the real engine on a real API server:
// the lab whose kubeconfig KDRAIN_LAB_KUBECONFIG names, which lies in
// KDRAIN_LAB_DIR and is steered by the program KDRAIN_LAB. Each has nodes and a
// namespace of its own; those that stop a component of the lab are not parallel.

// patience is for what takes a second on an idle machine, or half a minute where
// volumes go in turn.
const patience = 3 * time.Minute

// stage is a piece of the lab for one test: what the test does there it does as
// the machinery, what is tested it does as a person.
type stage struct {
	*testing.T
	client    kubernetes.Interface
	namespace string
	serial    int
}

func newStage(t *testing.T) *stage {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", filepath.Join(kubetest.LabSetting(t, "KDRAIN_LAB_DIR"), "pki", "lab.kubeconfig"))
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{T: t, client: client, namespace: "drain-" + strings.ToLower(rand.Text()[:8])}
	s.createNamespace(s.namespace)
	return s
}

func (s *stage) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// afterwards undoes something, also when the test has ended its context.
func (s *stage) afterwards(undo func(ctx context.Context) error) {
	s.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := undo(ctx); err != nil && !apierrors.IsNotFound(err) {
			s.Errorf("cleaning up: %v", err)
		}
	})
}

func (s *stage) createNamespace(name string) {
	s.Helper()
	_, err := s.client.CoreV1().Namespaces().Create(s.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	s.must(err)
	s.afterwards(func(ctx context.Context) error {
		return s.client.CoreV1().Namespaces().Delete(ctx, name, metav1.DeleteOptions{})
	})
}

// addNode makes a node that takes no pod but those that the test puts on it.
func (s *stage) addNode(name string) string {
	s.Helper()
	full := s.namespace + "-" + name
	s.createNode(full)
	s.afterwards(func(ctx context.Context) error {
		return s.client.CoreV1().Nodes().Delete(ctx, full, metav1.DeleteOptions{})
	})
	return full
}

func (s *stage) createNode(name string) {
	s.Helper()
	amounts := corev1.ResourceList{"cpu": quantity("8"), "memory": quantity("16Gi"), "pods": quantity("110")}
	_, err := s.client.CoreV1().Nodes().Create(s.Context(), &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			"lab.kdrain-tui.dev/kubelet": "simulated", corev1.LabelHostname: name,
		}},
		Spec:   corev1.NodeSpec{Taints: []corev1.Taint{{Key: "test.kdrain-tui.dev/own", Effect: corev1.TaintEffectNoSchedule}}},
		Status: corev1.NodeStatus{Capacity: amounts, Allocatable: amounts},
	}, metav1.CreateOptions{})
	s.must(err)
	// Its kubelet starts no pod that comes before it has the lease of the node, nor
	// does it look again later.
	s.poll("the kubelet of node "+name+" is there", func() bool {
		node, err := s.client.CoreV1().Nodes().Get(s.Context(), name, metav1.GetOptions{})
		s.must(err)
		return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
			return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
		})
	})
}

// labOption changes a pod before it is created.
type labOption func(*corev1.Pod)

// sick pods never get Ready: CrashLoopBackOff runs, ImagePullBackOff stays Pending.
func sick(how string) labOption {
	return func(p *corev1.Pod) { p.Annotations = map[string]string{"lab.kdrain-tui.dev/sick": how} }
}

// addPod puts a bare pod of an app on a node.
func (s *stage) addPod(app, node string, options ...labOption) *corev1.Pod {
	s.Helper()
	s.serial++
	grace := int64(30)
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: fmt.Sprintf("%s-%d", app, s.serial), Labels: map[string]string{"app": app}},
		Spec: corev1.PodSpec{
			NodeName: node, Containers: []corev1.Container{{Name: "main", Image: "registry.local/" + app}},
			Tolerations:                   []corev1.Toleration{{Key: "test.kdrain-tui.dev/own", Operator: corev1.TolerationOpExists}},
			TerminationGracePeriodSeconds: &grace,
		},
	}
	for _, change := range options {
		change(p)
	}
	created, err := s.client.CoreV1().Pods(p.Namespace).Create(s.Context(), p, metav1.CreateOptions{})
	s.must(err)
	return created
}

// deletePod takes a pod away at once.
func (s *stage) deletePod(name string) {
	s.Helper()
	now := int64(0)
	s.must(s.client.CoreV1().Pods(s.namespace).Delete(s.Context(), name, metav1.DeleteOptions{GracePeriodSeconds: &now}))
}

// addBudget makes a budget over the pods of an app.
func (s *stage) addBudget(name, app string, minAvailable int32, options ...func(*policyv1.PodDisruptionBudget)) {
	s.Helper()
	least := intstr.FromInt32(minAvailable)
	b := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: name},
		Spec: policyv1.PodDisruptionBudgetSpec{
			MinAvailable: &least, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}},
		},
	}
	for _, change := range options {
		change(b)
	}
	_, err := s.client.PolicyV1().PodDisruptionBudgets(s.namespace).Create(s.Context(), b, metav1.CreateOptions{})
	s.must(err)
}

func (s *stage) deleteBudget(name string) {
	s.Helper()
	s.must(s.client.PolicyV1().PodDisruptionBudgets(s.namespace).Delete(s.Context(), name, metav1.DeleteOptions{}))
}

func (s *stage) setBudget(name string, minAvailable int32) {
	s.Helper()
	patch := fmt.Sprintf(`{"spec":{"minAvailable":%d}}`, minAvailable)
	_, err := s.client.PolicyV1().PodDisruptionBudgets(s.namespace).Patch(s.Context(), name, mergePatch, []byte(patch), metav1.PatchOptions{})
	s.must(err)
}

// fault stops, starts, freezes or thaws a component of the lab. Whatever the
// test does not thaw or start again is, when it ends.
func (s *stage) fault(verb, component string) {
	s.Helper()
	if undo := map[string]string{"freeze": "thaw", "stop": "start"}[verb]; undo != "" {
		s.afterwards(func(ctx context.Context) error { return kubetest.LabCommand(ctx, s.T, undo, component) })
	}
	s.must(kubetest.LabCommand(s.Context(), s.T, verb, component))
}

// connection is a cluster that a run can write to.
type connection struct {
	*conn.Cluster
	request.Writer
	request.LeaseWriter
	request.EventWriter
}

func connected(c *conn.Cluster) *connection {
	w := write.New(c)
	return &connection{c, w, w, w}
}

// connect opens a connection of ada, or of somebody for whom she may speak.
func (s *stage) connect(as string) *connection {
	s.Helper()
	flags := &conn.Flags{Kubeconfig: kubetest.LabSetting(s.T, "KDRAIN_LAB_KUBECONFIG")}
	flags.Overrides.CurrentContext = "lab"
	flags.Overrides.AuthInfo.Impersonate = as
	c, err := conn.Connect(s.Context(), flags, "test")
	s.must(err)
	s.Cleanup(c.Close)
	return connected(c)
}

// watch sees what a run needs to see.
func (s *stage) watch(c *connection) *watch.Watcher {
	s.Helper()
	kinds := []kube.Kind{kube.KindNodes, kube.KindPods, kube.KindBudgets, kube.KindDaemonSets}
	w := watch.Start(s.Context(), c.Cluster, watch.Options{Needs: watch.Whole(withChecklist(kinds)...)})
	s.Cleanup(w.Close)
	ctx, cancel := context.WithTimeout(s.Context(), patience)
	defer cancel()
	s.must(kubetest.WaitSynced(ctx, w, kinds...))
	return w
}

// withChecklist are the kinds, and those that the end of a run waits for.
func withChecklist(kinds []kube.Kind) []kube.Kind {
	all := slices.Clone(kinds)
	for _, k := range checklist.Kinds {
		if !slices.Contains(all, k) {
			all = append(all, k)
		}
	}
	return all
}

// until waits until the source shows something.
func (s *stage) until(source Source, what string, holds func(*kube.Snapshot) bool) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), patience)
	defer cancel()
	changed := source.Changed(ctx)
	for !holds(source.Snapshot()) {
		select {
		case <-changed:
		case <-ctx.Done():
			s.Fatalf("the cluster does not show that %s", what)
		}
	}
}

// running waits until the pods run and the budgets are as fresh as the pods.
func (s *stage) running(source Source, pods ...*corev1.Pod) {
	s.Helper()
	s.until(source, "the pods are Ready", func(snap *kube.Snapshot) bool {
		for _, p := range pods {
			if live := snap.Pod(p.UID); live == nil || !live.Ready {
				return false
			}
		}
		return true
	})
}

// budgetHas waits until the controller counts that many healthy pods.
func (s *stage) budgetHas(source Source, name string, healthy, allowed int32) {
	s.Helper()
	s.until(source, fmt.Sprintf("budget %s has %d healthy pods and allows %d", name, healthy, allowed), func(snap *kube.Snapshot) bool {
		b := snap.BudgetNamed(s.namespace, name)
		return b != nil && b.Observed() && b.CurrentHealthy == healthy && b.DisruptionsAllowed == allowed
	})
}
