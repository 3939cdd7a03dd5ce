package drain

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// givenStatefulSet is a StatefulSet with its Ready pods on the nodes named.
func givenStatefulSet(name string, ready int32, nodes ...string) []runtime.Object {
	replicas := int32(len(nodes))
	set := &appsv1.StatefulSet{ObjectMeta: givenMeta("StatefulSet", name)}
	set.Spec.Replicas, set.Status.ReadyReplicas = &replicas, ready
	objects := []runtime.Object{set}
	for i, node := range nodes {
		objects = append(objects, givenPod(fmt.Sprintf("%s-%d", name, i), ownedBy("apps/v1", "StatefulSet", set.Name), on(node)))
	}
	return objects
}

// givenReady is a Deployment with its Ready pods on the nodes named.
func givenReady(name string, replicas, ready int32, nodes []string, options ...podOption) []runtime.Object {
	d, rs := givenDeployment(name, replicas)
	d.Status.ReadyReplicas = ready
	objects := []runtime.Object{d, rs}
	for i, node := range nodes {
		objects = append(objects, givenPod(fmt.Sprintf("%s-%d", name, i), append(options, byDeployment(d.Name), on(node))...))
	}
	return objects
}

func dnsPod(p *corev1.Pod) { p.Labels["k8s-app"] = "kube-dns" }

func failing(kind, message string) func(runtime.Object) {
	return func(o runtime.Object) {
		rs := o.(*appsv1.ReplicaSet)
		rs.Status.Conditions = []appsv1.ReplicaSetCondition{{Type: appsv1.ReplicaSetReplicaFailure, Status: corev1.ConditionTrue, Reason: kind, Message: message}}
	}
}

func TestOutages(t *testing.T) {
	two := []string{"w1", "w2"}
	table := []struct {
		name    string
		objects []runtime.Object
		nodes   []string
		want    []string // code and objects
	}{
		{"some stay elsewhere", givenReady("shop/api", 3, 3, []string{"w1", "w2", "w3"}), two, nil},
		{"one replica", givenReady("shop/api", 1, 1, []string{"w1"}), two, []string{"SingleReplica Deployment/shop/api"}},
		{"one replica of a StatefulSet", givenStatefulSet("data/db", 1, "w1"), two, []string{"SingleReplica StatefulSet/data/db"}},
		{"all at once", givenReady("shop/api", 2, 2, two), two, []string{"LastReady Deployment/shop/api"}},
		{"the last one that is Ready", givenReady("shop/api", 3, 1, []string{"w1"}), two, []string{"LastReady Deployment/shop/api"}},
		{"all, but a budget lets them go one by one", append(givenReady("shop/api", 2, 2, two), givenBudget("shop/api", 1, 2, 1, 2)), two, nil},
		{"all, and the budget does not mind", append(givenReady("shop/api", 2, 2, two), givenBudget("shop/api", 0, 2, 2, 2)), two, []string{"LastReady Deployment/shop/api"}},
		{"DNS", givenReady("kube-system/coredns", 2, 2, two, dnsPod), two, []string{"DNS Deployment/kube-system/coredns"}},
		{"DNS under a budget", append(givenReady("kube-system/coredns", 2, 2, two, dnsPod), givenBudget("kube-system/coredns", 1, 2, 1, 2)), two, nil},
		{"majority", givenStatefulSet("data/etcd", 3, "w1", "w2", "w3"), two, []string{"Quorum StatefulSet/data/etcd"}},
		{"minority", givenStatefulSet("data/etcd", 3, "w1", "w3", "w4"), two, nil},
		{"minority, and one is away already", givenStatefulSet("data/etcd", 2, "w1", "w3"), two, nil},
		{"the second of three", append(givenStatefulSet("data/etcd", 2, "w1", "w3", "w4")[:3], givenPod("data/etcd-2", ownedBy("apps/v1", "StatefulSet", "etcd"), on("w4"), notReady(time.Hour))), two,
			[]string{"Quorum StatefulSet/data/etcd"}},
		{"majority under a budget", append(givenStatefulSet("data/etcd", 3, "w1", "w2", "w3"), givenBudget("data/etcd", 2, 3, 1, 3)), two, nil},
		{"two of five", givenStatefulSet("data/etcd", 5, "w1", "w2", "w3", "w4", "w5"), two, nil},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			objects := append([]runtime.Object{givenNode("w1"), givenNode("w2")}, row.objects...)
			var got []string
			for _, f := range mustPlan(t, kube.SnapshotOf(givenNow, objects...), flags(), row.nodes...).Findings {
				if f.Code == FindingNoRoom {
					continue // these nodes have no room at all
				}
				got = append(got, f.Code+" "+strings.Join(f.Objects, ","))
			}
			if !slices.Equal(got, row.want) {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
}

func TestQuorumWords(t *testing.T) {
	objects := append(givenStatefulSet("data/etcd", 3, "w1", "w2", "w3"), givenNode("w1"), givenNode("w2"))
	f := mustPlan(t, kube.SnapshotOf(givenNow, objects...), flags(), "w1", "w2").Findings
	if len(f) == 0 || f[0].Message != "a majority of its members is away at once: StatefulSet data/etcd (2 of 3)" {
		t.Errorf("%+v", f)
	}
}

func TestNotRemade(t *testing.T) {
	d, rs := givenDeployment("shop/web", 3)
	failing("FailedCreate", "pods \"web-x\" is forbidden: exceeded quota: compute")(rs)
	ended := &batchv1.Job{ObjectMeta: givenMeta("Job", "shop/import")}
	ended.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Message: "BackoffLimitExceeded"}}
	running := &batchv1.Job{ObjectMeta: givenMeta("Job", "shop/export")}
	table := []struct {
		name    string
		pod     *corev1.Pod
		want    string
		command string // the first
	}{
		{"owner there", givenPod("shop/agent-1", ownedBy("apps/v1", "ReplicaSet", "agent")), "", ""},
		{"owner gone", givenPod("shop/x-1", ownedBy("apps/v1", "ReplicaSet", "x")), "its ReplicaSet x is gone: nobody makes it anew", "kubectl get pod -n shop x-1 -o yaml"},
		{"StatefulSet gone", givenPod("shop/x-1", ownedBy("apps/v1", "StatefulSet", "x")), "its StatefulSet x is gone: nobody makes it anew", "kubectl get pod -n shop x-1 -o yaml"},
		{"an owner that we do not hold", givenPod("shop/x-1", ownedBy("apps.kruise.io/v1alpha1", "StatefulSet", "x")), "", ""},
		{"quota", givenPod("shop/web-1", byDeployment("web")), `its ReplicaSet web-1 cannot make pods: "pods "web-x" is forbidden: exceeded quota: compute"`, "kubectl describe quota -n shop"},
		{"Job ended", givenPod("shop/import-1", ownedBy("batch/v1", "Job", "import")), "its Job import has ended (Failed): nobody makes it anew", "kubectl get pod -n shop import-1 -o yaml"},
		{"Job runs", givenPod("shop/export-1", ownedBy("batch/v1", "Job", "export")), "", ""},
		{"finished", givenPod("shop/x-1", ownedBy("apps/v1", "ReplicaSet", "x"), phase(corev1.PodSucceeded)), "", ""},
		{"bare", givenPod("shop/x-1"), "it declares no controller: nobody makes it anew", "kubectl get pod -n shop x-1 -o yaml"},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			s := kube.SnapshotOf(givenNow, givenNode("w1"), d, rs, ended, running, givenReplicaSet("shop/agent", 3), row.pod)
			plan := mustPlan(t, s, flags(force), "w1")
			pod := plan.Nodes[0].Pods[0]
			command := ""
			if len(pod.Advice) > 0 {
				command = pod.Advice[0].Command
			}
			if pod.NotRemade != row.want || command != row.command {
				t.Errorf("%q, %q; want %q, %q", pod.NotRemade, command, row.want, row.command)
			}
			found := slices.ContainsFunc(plan.Findings, func(f Finding) bool { return f.Code == FindingNotRemade })
			if want := row.want != "" && pod.Owner != ""; found != want {
				t.Errorf("finding: %v, want %v", found, want)
			}
		})
	}
}

func TestNotRemadeNeedsKnowledge(t *testing.T) {
	store := kube.StoreOf(givenNow, givenNode("w1"), givenPod("shop/x-1", ownedBy("apps/v1", "ReplicaSet", "x")))
	store.SetSync(kube.KindReplicaSets, kube.SyncState{Phase: kube.Denied})
	if pod := mustPlan(t, store.Snapshot(), flags(), "w1").Nodes[0].Pods[0]; pod.NotRemade != "" {
		t.Errorf("%q though ReplicaSets cannot be seen", pod.NotRemade)
	}
}
