package preflight

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/plan/plantest"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func dnsPod(p *corev1.Pod) { p.Labels["k8s-app"] = "kube-dns" }

func TestOutages(t *testing.T) {
	two := []string{"w1", "w2"}
	table := []struct {
		name    string
		objects []runtime.Object
		nodes   []string
		want    []string // code and objects
	}{
		{"some stay elsewhere", kubetest.Ready("shop/api", 3, 3, []string{"w1", "w2", "w3"}), two, nil},
		{"one replica", kubetest.Ready("shop/api", 1, 1, []string{"w1"}), two, []string{"SingleReplica Deployment/shop/api"}},
		{"one replica of a StatefulSet", kubetest.StatefulSet("data/db", 1, "w1"), two, []string{"SingleReplica StatefulSet/data/db"}},
		{"all at once", kubetest.Ready("shop/api", 2, 2, two), two, []string{"LastReady Deployment/shop/api"}},
		{"the last one that is Ready", kubetest.Ready("shop/api", 3, 1, []string{"w1"}), two, []string{"LastReady Deployment/shop/api"}},
		{"all, but a budget lets them go one by one", append(kubetest.Ready("shop/api", 2, 2, two), kubetest.Budget("shop/api", 1, 2, 1, 2)), two, nil},
		{"all, and the budget does not mind", append(kubetest.Ready("shop/api", 2, 2, two), kubetest.Budget("shop/api", 0, 2, 2, 2)), two, []string{"LastReady Deployment/shop/api"}},
		{"DNS", kubetest.Ready("kube-system/coredns", 2, 2, two, dnsPod), two, []string{"DNS Deployment/kube-system/coredns"}},
		{"DNS under a budget", append(kubetest.Ready("kube-system/coredns", 2, 2, two, dnsPod), kubetest.Budget("kube-system/coredns", 1, 2, 1, 2)), two, nil},
		{"majority", kubetest.StatefulSet("data/etcd", 3, "w1", "w2", "w3"), two, []string{"Quorum StatefulSet/data/etcd"}},
		{"minority", kubetest.StatefulSet("data/etcd", 3, "w1", "w3", "w4"), two, nil},
		{"minority, and one is missing already", kubetest.StatefulSet("data/etcd", 2, "w1", "w3"), two, nil},
		{"the second of three", append(kubetest.StatefulSet("data/etcd", 2, "w1", "w3", "w4")[:3], kubetest.Pod("data/etcd-2", kubetest.OwnedBy("apps/v1", "StatefulSet", "etcd"), kubetest.On("w4"), kubetest.NotReady(time.Hour))), two,
			[]string{"Quorum StatefulSet/data/etcd"}},
		{"majority under a budget", append(kubetest.StatefulSet("data/etcd", 3, "w1", "w2", "w3"), kubetest.Budget("data/etcd", 2, 3, 1, 3)), two, nil},
		{"two of five", kubetest.StatefulSet("data/etcd", 5, "w1", "w2", "w3", "w4", "w5"), two, nil},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			objects := append([]runtime.Object{kubetest.Node("w1"), kubetest.Node("w2")}, row.objects...)
			var got []string
			for _, f := range mustCheck(t, kubetest.SnapshotOf(kubetest.Now, objects...), plantest.Options(), row.nodes...).Findings {
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
	objects := append(kubetest.StatefulSet("data/etcd", 3, "w1", "w2", "w3"), kubetest.Node("w1"), kubetest.Node("w2"))
	f := mustCheck(t, kubetest.SnapshotOf(kubetest.Now, objects...), plantest.Options(), "w1", "w2").Findings
	if len(f) == 0 || f[0].Message != "a majority of its members is unavailable at once: StatefulSet data/etcd (2 of 3)" {
		t.Errorf("%+v", f)
	}
}

func TestNotRemade(t *testing.T) {
	d, rs := kubetest.Deployment("shop/web", 3)
	kubetest.Failing("FailedCreate", "pods \"web-x\" is forbidden: exceeded quota: compute")(rs)
	ended := &batchv1.Job{ObjectMeta: kubetest.Meta("Job", "shop/import")}
	ended.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Message: "BackoffLimitExceeded"}}
	running := &batchv1.Job{ObjectMeta: kubetest.Meta("Job", "shop/export")}
	table := []struct {
		name    string
		pod     *corev1.Pod
		want    string
		command string // the first
	}{
		{"owner there", kubetest.Pod("shop/agent-1", kubetest.OwnedBy("apps/v1", "ReplicaSet", "agent")), "", ""},
		{"owner gone", kubetest.Pod("shop/x-1", kubetest.OwnedBy("apps/v1", "ReplicaSet", "x")), "its ReplicaSet x is gone: it will not be recreated", "kubectl get pod -n shop x-1 -o yaml"},
		{"StatefulSet gone", kubetest.Pod("shop/x-1", kubetest.OwnedBy("apps/v1", "StatefulSet", "x")), "its StatefulSet x is gone: it will not be recreated", "kubectl get pod -n shop x-1 -o yaml"},
		{"an owner that we do not hold", kubetest.Pod("shop/x-1", kubetest.OwnedBy("apps.kruise.io/v1alpha1", "StatefulSet", "x")), "", ""},
		{"quota", kubetest.Pod("shop/web-1", kubetest.ByDeployment("web")), `its ReplicaSet web-1 cannot create pods: "pods "web-x" is forbidden: exceeded quota: compute"`, "kubectl describe quota -n shop"},
		{"Job ended", kubetest.Pod("shop/import-1", kubetest.OwnedBy("batch/v1", "Job", "import")), "its Job import has ended (Failed): it will not be recreated", "kubectl get pod -n shop import-1 -o yaml"},
		{"Job runs", kubetest.Pod("shop/export-1", kubetest.OwnedBy("batch/v1", "Job", "export")), "", ""},
		{"finished", kubetest.Pod("shop/x-1", kubetest.OwnedBy("apps/v1", "ReplicaSet", "x"), kubetest.Phase(corev1.PodSucceeded)), "", ""},
		{"bare", kubetest.Pod("shop/x-1"), "it has no controller and will not be recreated", "kubectl get pod -n shop x-1 -o yaml"},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			s := kubetest.SnapshotOf(kubetest.Now, kubetest.Node("w1"), d, rs, ended, running, kubetest.ReplicaSet("shop/agent", 3), row.pod)
			planned := mustCheck(t, s, plantest.Options(plantest.Force), "w1")
			pod := planned.Nodes[0].Pods[0]
			command := ""
			if len(pod.Advice) > 0 {
				command = pod.Advice[0].Command
			}
			if pod.NotRemade != row.want || command != row.command {
				t.Errorf("%q, %q; want %q, %q", pod.NotRemade, command, row.want, row.command)
			}
			found := slices.ContainsFunc(planned.Findings, func(f plan.Finding) bool { return f.Code == FindingNotRemade })
			if want := row.want != "" && pod.Owner != ""; found != want {
				t.Errorf("finding: %v, want %v", found, want)
			}
		})
	}
}

func TestNotRemadeNeedsKnowledge(t *testing.T) {
	store := kubetest.StoreOf(kubetest.Now, kubetest.Node("w1"), kubetest.Pod("shop/x-1", kubetest.OwnedBy("apps/v1", "ReplicaSet", "x")))
	store.SetSync(kube.KindReplicaSets, kube.SyncState{Phase: kube.Denied})
	if pod := plantest.New(t, store.Snapshot(), plantest.Options(), "w1").Nodes[0].Pods[0]; pod.NotRemade != "" {
		t.Errorf("%q though ReplicaSets cannot be seen", pod.NotRemade)
	}
}

// mustCheck is mustPlan with its findings.
func mustCheck(t *testing.T, s *kube.Snapshot, o plan.Options, nodes ...string) plan.Plan {
	t.Helper()
	return Check(s, plantest.New(t, s, o, nodes...), Env{Now: kubetest.Now})
}

// A single replica that can surge: without --surge the finding says what the flag would do, with it the
// workload stays up. A StatefulSet never surges.
func TestSingleReplicaAndSurge(t *testing.T) {
	single, rs := kubetest.Deployment("shop/web", 1)
	single.Status.Replicas, single.Status.UpdatedReplicas, single.Status.ObservedGeneration = 1, 1, single.Generation
	objects := append([]runtime.Object{kubetest.Node("w1"), kubetest.Node("w2", kubetest.Roomy), single, rs, kubetest.Pod("shop/web-1", kubetest.ByDeployment("web"))},
		kubetest.StatefulSet("data/db", 1, "w1")...)
	for amount, want := range map[surge.Amount][]string{
		"":  {"SingleReplica StatefulSet/data/db,Deployment/shop/web or drain with --surge=1: it starts the replacement first, and keeps up Deployment shop/web"},
		"1": {"SingleReplica StatefulSet/data/db", "SingleReplicaSurges Deployment/shop/web"},
	} {
		s := kubetest.SnapshotOf(kubetest.Now, objects...)
		var got []string
		for _, f := range mustCheck(t, s, plantest.Options(func(o *plan.Options) { o.Surge = amount }), "w1").Findings {
			if !strings.HasPrefix(f.Code, FindingSingleReplica) {
				continue
			}
			text := f.Code + " " + strings.Join(f.Objects, ",")
			for _, a := range f.Advice {
				if strings.Contains(a.Text, "--surge") {
					text += " " + a.Text
				}
			}
			got = append(got, text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("--surge=%s: %q, want %q", amount, got, want)
		}
	}
}

// The controller of a Deployment sets its replicas back: a second pod is not advised.
func TestNoSecondPodOfWhatAControllerOwns(t *testing.T) {
	for kind, want := range map[string]bool{"": true, "CephCluster": false} {
		single, rs := kubetest.Deployment("shop/web", 1)
		if kind != "" {
			yes := true
			single.OwnerReferences = []metav1.OwnerReference{{APIVersion: "ceph.rook.io/v1", Kind: kind, Name: "rook", UID: "rook", Controller: &yes}}
		}
		s := kubetest.SnapshotOf(kubetest.Now, kubetest.Node("w1"), single, rs, kubetest.Pod("shop/web-1", kubetest.ByDeployment("web")))
		findings, advised := mustCheck(t, s, plan.DefaultOptions(), "w1").Findings, false
		for _, f := range findings {
			for _, a := range f.Advice {
				advised = advised || strings.HasPrefix(a.Text, "run a second pod of ")
			}
		}
		if len(findings) == 0 || advised != want {
			t.Errorf("owned by %q: %+v", kind, findings)
		}
	}
}

func TestPlanFindings(t *testing.T) {
	single, rs := kubetest.Deployment("shop/web", 1)
	web := kubetest.Pod("shop/web-1", kubetest.ByDeployment("web"))
	table := []struct {
		name    string
		objects []runtime.Object
		change  func(*kube.Store)
		nodes   []string
		want    []string // code level message [objects]
	}{
		{"nothing to say", append(kubetest.API(), kubetest.Node("w1")), nil, []string{"w1"}, nil},
		{"last control plane", []runtime.Object{kubetest.Node("m1", kubetest.ControlPlane), kubetest.Node("m2", kubetest.ControlPlane, kubetest.Silent)}, nil, []string{"m1"},
			[]string{"LastControlPlane error the last Ready control-plane node is to be drained: m1 [Node/m1]"}},
		{"all control planes", []runtime.Object{kubetest.Node("m1", kubetest.ControlPlane), kubetest.Node("m2", kubetest.ControlPlane)}, nil, []string{"m1", "m2"},
			[]string{"LastControlPlane error all Ready control-plane nodes are to be drained: m1 and m2 [Node/m1 Node/m2]"}},
		{"one of two control planes", []runtime.Object{kubetest.Node("m1", kubetest.ControlPlane), kubetest.Node("m2", kubetest.ControlPlane)}, nil, []string{"m1"}, nil},
		{"silent node", []runtime.Object{kubetest.Node("w1", kubetest.Silent)}, nil, []string{"w1"},
			[]string{`NodeNotReady warning node w1 is not Ready for 5m ("NodeStatusUnknown"): evictions there still need their budgets, and its pods do not terminate while its kubelet is silent [Node/w1]`}},
		{"cordoned", []runtime.Object{kubetest.Node("w1", kubetest.CordonedBy("kubectl-cordon"))}, nil, []string{"w1"},
			[]string{"AlreadyCordoned info node w1 is already cordoned by kubectl-cordon since 2026-09-01 11:00 UTC [Node/w1]"}},
		{"single replica", []runtime.Object{kubetest.Node("w1"), single, rs, web}, nil, []string{"w1"},
			[]string{"SingleReplica warning only one replica, down until its replacement is Ready: Deployment shop/web [Deployment/shop/web]"}},
		{"single replica that has finished or is leaving", []runtime.Object{kubetest.Node("w1"), single, rs, kubetest.Pod("shop/web-1", kubetest.ByDeployment("web"), kubetest.Phase(corev1.PodFailed)),
			kubetest.Pod("shop/web-2", kubetest.ByDeployment("web"), kubetest.Deleted(0))}, nil, []string{"w1"}, nil},
		{"tolerates the cordon", []runtime.Object{kubetest.Node("w1"), kubetest.ReplicaSet("kube-system/agent", 3), kubetest.ReplicaSet("kube-system/other", 3),
			kubetest.Pod("kube-system/agent-1", kubetest.OwnedBy("apps/v1", "ReplicaSet", "agent"), kubetest.Tolerating("", corev1.TolerationOpExists)),
			kubetest.Pod("kube-system/agent-2", kubetest.OwnedBy("apps/v1", "ReplicaSet", "agent"), kubetest.Tolerating("node.kubernetes.io/unschedulable", "")),
			kubetest.Pod("kube-system/other-1", kubetest.OwnedBy("apps/v1", "ReplicaSet", "other"), kubetest.Tolerating("example.com/x", corev1.TolerationOpExists))}, nil, []string{"w1"},
			[]string{"ToleratesCordon warning tolerates the cordon and may come straight back: ReplicaSet kube-system/agent [ReplicaSet/kube-system/agent]"}},
		{"DaemonSet's pods tolerate it and stay", []runtime.Object{kubetest.Node("w1"), kubetest.DaemonSet("kube-system/ds"),
			kubetest.Pod("kube-system/ds-1", kubetest.OwnedBy("apps/v1", "DaemonSet", "ds"), kubetest.Tolerating("", corev1.TolerationOpExists))}, nil, []string{"w1"}, nil},
		{"emptyDir", []runtime.Object{kubetest.Node("w1"), kubetest.Pod("shop/a", kubetest.WithEmptyDir), kubetest.Pod("shop/b", kubetest.WithEmptyDir), kubetest.Pod("shop/c", kubetest.WithEmptyDir),
			kubetest.Pod("shop/d", kubetest.WithEmptyDir), kubetest.Pod("shop/e", kubetest.WithEmptyDir, kubetest.Phase(corev1.PodSucceeded))}, nil, []string{"w1"},
			[]string{"EmptyDirData info data in emptyDir volumes is lost: Pod shop/a, Pod shop/b, Pod shop/c and 1 more [Pod/shop/a Pod/shop/b Pod/shop/c Pod/shop/d]"}},
		{"budgets denied", []runtime.Object{kubetest.Node("w1"), kubetest.Pod("shop/web-1", kubetest.On("w1"))}, func(s *kube.Store) {
			s.SetSync(kube.KindBudgets, kube.SyncState{Phase: kube.Denied, Reason: "forbidden"})
		}, []string{"w1"}, []string{`BudgetsUnknown warning disruption budgets cannot be listed: which evictions they block is not known: "forbidden" []`}},
		{"owners not read yet", []runtime.Object{kubetest.Node("w1"), kubetest.Pod("shop/web-1", kubetest.On("w1"))}, func(s *kube.Store) {
			s.SetSync(kube.KindDeployments, kube.SyncState{Phase: kube.NotSynced})
			s.SetSync(kube.KindStatefulSets, kube.SyncState{Phase: kube.Denied, Reason: "no"})
		}, []string{"w1"}, []string{`NotSynced warning the plan is based on incomplete data: deployments not synced, statefulsets denied ("no") []`}},
		{"owners not read where no pod is", []runtime.Object{kubetest.Node("w1")}, func(s *kube.Store) {
			s.SetSync(kube.KindDeployments, kube.SyncState{Phase: kube.NotSynced})
		}, []string{"w1"}, nil},
		{"one cause for several kinds", []runtime.Object{kubetest.Node("w1"), kubetest.Pod("shop/web-1", kubetest.On("w1"))}, func(s *kube.Store) {
			for _, k := range []kube.Kind{kube.KindReplicaSets, kube.KindDeployments, kube.KindJobs} {
				s.SetSync(k, kube.SyncState{Phase: kube.Denied, Reason: "no"})
			}
		}, []string{"w1"}, []string{`NotSynced warning the plan is based on incomplete data: replicasets, deployments, jobs denied ("no") []`}},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			store := kubetest.StoreOf(kubetest.Now, row.objects...)
			if row.change != nil {
				row.change(store)
			}
			var got []string
			for _, f := range mustCheck(t, store.Snapshot(), plantest.Options(plantest.Force, plantest.IgnoreDaemonSets, plantest.DeleteEmptyDir), row.nodes...).Findings {
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
