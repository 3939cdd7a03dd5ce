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
			for _, f := range mustCheck(t, kube.SnapshotOf(givenNow, objects...), flags(), row.nodes...).Findings {
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
	f := mustCheck(t, kube.SnapshotOf(givenNow, objects...), flags(), "w1", "w2").Findings
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
			plan := mustCheck(t, s, flags(force), "w1")
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

// mustCheck is mustPlan with its findings.
func mustCheck(t *testing.T, s *kube.Snapshot, o Options, nodes ...string) Plan {
	t.Helper()
	return Check(s, mustPlan(t, s, o, nodes...), Env{Now: givenNow})
}

func TestPlanFindings(t *testing.T) {
	single, rs := givenDeployment("shop/web", 1)
	web := givenPod("shop/web-1", byDeployment("web"))
	table := []struct {
		name    string
		objects []runtime.Object
		change  func(*kube.Store)
		nodes   []string
		want    []string // code level message [objects]
	}{
		{"nothing to say", append(api(), givenNode("w1")), nil, []string{"w1"}, nil},
		{"last control plane", []runtime.Object{givenNode("m1", controlPlane), givenNode("m2", controlPlane, silent)}, nil, []string{"m1"},
			[]string{"LastControlPlane error the last Ready control-plane node is to be drained: m1 [Node/m1]"}},
		{"all control planes", []runtime.Object{givenNode("m1", controlPlane), givenNode("m2", controlPlane)}, nil, []string{"m1", "m2"},
			[]string{"LastControlPlane error all Ready control-plane nodes are to be drained: m1, m2 [Node/m1 Node/m2]"}},
		{"one of two control planes", []runtime.Object{givenNode("m1", controlPlane), givenNode("m2", controlPlane)}, nil, []string{"m1"}, nil},
		{"silent node", []runtime.Object{givenNode("w1", silent)}, nil, []string{"w1"},
			[]string{`NodeNotReady warning node w1 is not Ready for 5m ("NodeStatusUnknown"): evictions there ask the budgets all the same, and its pods will not end while its kubelet is silent [Node/w1]`}},
		{"cordoned", []runtime.Object{givenNode("w1", cordonedBy("kubectl-cordon"))}, nil, []string{"w1"},
			[]string{"AlreadyCordoned info node w1 is already cordoned by kubectl-cordon since 2026-09-01 11:00 UTC [Node/w1]"}},
		{"single replica", []runtime.Object{givenNode("w1"), single, rs, web}, nil, []string{"w1"},
			[]string{"SingleReplica warning one replica only, down until it is Ready elsewhere: Deployment shop/web [Deployment/shop/web]"}},
		{"single replica that has finished or is leaving", []runtime.Object{givenNode("w1"), single, rs, givenPod("shop/web-1", byDeployment("web"), phase(corev1.PodFailed)),
			givenPod("shop/web-2", byDeployment("web"), deleted(0))}, nil, []string{"w1"}, nil},
		{"tolerates the cordon", []runtime.Object{givenNode("w1"), givenReplicaSet("kube-system/agent", 3), givenReplicaSet("kube-system/other", 3),
			givenPod("kube-system/agent-1", ownedBy("apps/v1", "ReplicaSet", "agent"), tolerating("", corev1.TolerationOpExists)),
			givenPod("kube-system/agent-2", ownedBy("apps/v1", "ReplicaSet", "agent"), tolerating("node.kubernetes.io/unschedulable", "")),
			givenPod("kube-system/other-1", ownedBy("apps/v1", "ReplicaSet", "other"), tolerating("example.com/x", corev1.TolerationOpExists))}, nil, []string{"w1"},
			[]string{"ToleratesCordon warning tolerates the cordon and may come straight back: ReplicaSet kube-system/agent [ReplicaSet/kube-system/agent]"}},
		{"DaemonSet's pods tolerate it and stay", []runtime.Object{givenNode("w1"), givenDaemonSet("kube-system/ds"),
			givenPod("kube-system/ds-1", ownedBy("apps/v1", "DaemonSet", "ds"), tolerating("", corev1.TolerationOpExists))}, nil, []string{"w1"}, nil},
		{"emptyDir", []runtime.Object{givenNode("w1"), givenPod("shop/a", withEmptyDir), givenPod("shop/b", withEmptyDir), givenPod("shop/c", withEmptyDir),
			givenPod("shop/d", withEmptyDir), givenPod("shop/e", withEmptyDir, phase(corev1.PodSucceeded))}, nil, []string{"w1"},
			[]string{"EmptyDirData info data in emptyDir volumes is lost: Pod shop/a, Pod shop/b, Pod shop/c and 1 more [Pod/shop/a Pod/shop/b Pod/shop/c Pod/shop/d]"}},
		{"budgets denied", []runtime.Object{givenNode("w1")}, func(s *kube.Store) {
			s.SetSync(kube.KindBudgets, kube.SyncState{Phase: kube.Denied, Reason: "forbidden"})
		}, []string{"w1"}, []string{`BudgetsUnknown warning disruption budgets cannot be listed: what they hold back is not known: "forbidden" []`}},
		{"owners not read yet", []runtime.Object{givenNode("w1")}, func(s *kube.Store) {
			s.SetSync(kube.KindDeployments, kube.SyncState{Phase: kube.NotSynced})
			s.SetSync(kube.KindStatefulSets, kube.SyncState{Phase: kube.Denied, Reason: "no"})
		}, []string{"w1"}, []string{`NotSynced warning the plan is made from incomplete knowledge: deployments not synced, statefulsets denied ("no") []`}},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			store := kube.StoreOf(givenNow, row.objects...)
			if row.change != nil {
				row.change(store)
			}
			var got []string
			for _, f := range mustCheck(t, store.Snapshot(), flags(force, ignoreDaemonSets, deleteEmptyDir), row.nodes...).Findings {
				if f.Code == FindingNoRoom {
					continue // these nodes have no room at all; see TestPlanSaysWhereThePodsCouldGo
				}
				got = append(got, fmt.Sprintf("%s %s %s %v", f.Code, f.Level, f.Message, f.Objects))
			}
			if !slices.Equal(got, row.want) {
				t.Errorf("findings:\n%s, want\n%s", strings.Join(got, "\n"), strings.Join(row.want, "\n"))
			}
		})
	}
}
