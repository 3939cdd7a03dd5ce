//go:build lab

package budget

import (
	"context"
	"fmt"
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

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
	"github.com/kdrain-tui/kdrain-tui/kube/write"
)

// labCluster is a lab, with a client that makes what the tests evict.
type labCluster struct {
	t       *testing.T
	client  kubernetes.Interface
	cluster request.Writer
}

func openLab(t *testing.T) *labCluster {
	t.Helper()
	path := kubetest.LabSetting(t, "KDRAIN_LAB_KUBECONFIG")
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1
	cluster, err := conn.Connect(t.Context(), &conn.Flags{Kubeconfig: path}, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	return &labCluster{t: t, client: kubernetes.NewForConfigOrDie(config), cluster: write.New(cluster)}
}

// freeze stops components until the test ends, so that what it writes stays.
func (l *labCluster) freeze(components ...string) {
	l.t.Helper()
	for _, component := range components {
		l.t.Cleanup(func() {
			if err := kubetest.LabCommand(context.WithoutCancel(l.t.Context()), l.t, "thaw", component); err != nil {
				l.t.Error(err)
			}
		})
		if err := kubetest.LabCommand(l.t.Context(), l.t, "freeze", component); err != nil {
			l.t.Fatal(err)
		}
	}
}

// must is for preparations, which are not what is tested. In a goroutine it ends
// that goroutine, and the test fails all the same.
func (l *labCluster) must(what string, err error) {
	if err != nil {
		l.t.Errorf("%s: %v", what, err)
		l.t.FailNow()
	}
}

// namespace makes a namespace in which pods can be made although no controller makes
// service accounts, and removes it when the test ends.
func (l *labCluster) namespace(prefix string) string {
	ctx := l.t.Context()
	ns, err := l.client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "predict-" + prefix}}, metav1.CreateOptions{})
	l.must("namespace", err)
	l.t.Cleanup(func() {
		now := int64(0)
		_ = l.client.CoreV1().Pods(ns.Name).DeleteCollection(context.WithoutCancel(l.t.Context()), metav1.DeleteOptions{GracePeriodSeconds: &now}, metav1.ListOptions{})
		_ = l.client.CoreV1().Namespaces().Delete(context.WithoutCancel(l.t.Context()), ns.Name, metav1.DeleteOptions{})
	})
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
	if _, err := l.client.CoreV1().ServiceAccounts(ns.Name).Create(ctx, account, metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
		l.must("service account", err)
	}
	return ns.Name
}

// givenLabPod is a pod as a test wants it; ready "" is no Ready condition.
type givenLabPod struct {
	app         string
	phase       corev1.PodPhase
	ready       corev1.ConditionStatus
	terminating bool
}

func (g givenLabPod) name() string {
	parts := []string{g.app, lower(g.phase), "ready", lower(g.ready)}
	if g.terminating {
		parts = append(parts, "terminating")
	}
	return strings.Join(parts, "-")
}

// lower is part of a name, "unset" for nothing.
func lower[T ~string](s T) string {
	if s == "" {
		return "unset"
	}
	return strings.ToLower(string(s))
}

// pod makes a pod on a node that does not exist, so that no kubelet and no
// scheduler touches it, and returns what the server then says of it.
func (l *labCluster) pod(namespace string, g givenLabPod) *kube.Pod {
	ctx, pods := l.t.Context(), l.client.CoreV1().Pods(namespace)
	p, err := pods.Create(ctx, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: g.name(), Labels: map[string]string{"app": g.app}},
		Spec:       corev1.PodSpec{NodeName: "nowhere", Containers: []corev1.Container{{Name: "main", Image: "none"}}},
	}, metav1.CreateOptions{})
	l.must("pod", err)
	if g.terminating { // while it is Pending: the end of a finished pod is at once
		grace := int64(3600)
		l.must("delete pod", pods.Delete(ctx, p.Name, metav1.DeleteOptions{GracePeriodSeconds: &grace}))
		p, err = pods.Get(ctx, p.Name, metav1.GetOptions{})
		l.must("terminating pod", err)
	}
	p.Status.Phase = g.phase
	p.Status.Conditions = nil
	if g.ready != "" {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: g.ready, LastTransitionTime: metav1.NewTime(time.Now())}}
	}
	p, err = pods.UpdateStatus(ctx, p, metav1.UpdateOptions{})
	l.must("status of pod", err)
	record := convert.Pod(p)
	if record.Phase != g.phase || record.Ready != (g.ready == corev1.ConditionTrue) || record.Terminating() != g.terminating {
		l.must("pod", fmt.Errorf("%s is %+v", g.name(), record))
	}
	return record
}

func (l *labCluster) budget(namespace, name, app string, policy policyv1.UnhealthyPodEvictionPolicyType) {
	l.must("budget", l.tryBudget(namespace, name, app, policy))
}

func (l *labCluster) tryBudget(namespace, name, app string, policy policyv1.UnhealthyPodEvictionPolicyType) error {
	least := intstr.FromInt32(2)
	b := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: policyv1.PodDisruptionBudgetSpec{
		MinAvailable: &least, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}}}
	if policy != "" {
		b.Spec.UnhealthyPodEvictionPolicy = &policy
	}
	_, err := l.client.PolicyV1().PodDisruptionBudgets(namespace).Create(l.t.Context(), b, metav1.CreateOptions{})
	return err
}

func (l *labCluster) budgetStatus(namespace, name string, status policyv1.PodDisruptionBudgetStatus) *kube.Budget {
	l.must("status of budget", l.tryBudgetStatus(namespace, name, status))
	return l.readBudget(namespace, name)
}

func (l *labCluster) tryBudgetStatus(namespace, name string, status policyv1.PodDisruptionBudgetStatus) error {
	budgets := l.client.PolicyV1().PodDisruptionBudgets(namespace)
	b, err := budgets.Get(l.t.Context(), name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	b.Status = status
	_, err = budgets.UpdateStatus(l.t.Context(), b, metav1.UpdateOptions{})
	return err
}

func (l *labCluster) readBudget(namespace, name string) *kube.Budget {
	b, err := l.client.PolicyV1().PodDisruptionBudgets(namespace).Get(l.t.Context(), name, metav1.GetOptions{})
	l.must("budget", err)
	return convert.Budget(b)
}

// crowded has more evictions that are not confirmed than the server accepts.
func crowded(s policyv1.PodDisruptionBudgetStatus) policyv1.PodDisruptionBudgetStatus {
	s.DisruptedPods = map[string]metav1.Time{}
	for i := range maxDisruptedPods + 1 {
		s.DisruptedPods[fmt.Sprintf("gone-%d", i)] = metav1.Now()
	}
	return s
}
