package budget

import (
	"slices"
	"strings"
	"testing"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// What a controller reports stands beside what it does. Where its status shows that it does not open the budget, the
// verdict is Never, with the commands that its documentation advises.
func TestControllersReport(t *testing.T) {
	fields := func(of ...string) (status kube.OwnerStatus) {
		status.Fields = map[string]string{}
		for pair := range slices.Chunk(of, 2) {
			status.Fields[pair[0]] = pair[1]
		}
		return status
	}
	virtctl := []string{"shut the virtual machine down, and start it again after the drain: virtctl stop -n shop db"}
	evict := []string{"let Longhorn move the replicas away, and undo that after the drain: Longhorn copies all replicas of the node to other nodes: " +
		"kubectl patch nodes.longhorn.io -n shop w1 --type=merge -p '" + `{"spec":{"allowScheduling":false,"evictionRequested":true}}'`}
	cleaner := []string{"install the drain cleaner of Strimzi, or use ask-controller in the run for each pod: " +
		"Strimzi restarts it in its next reconciliation, by default every two minutes"}
	for name, of := range map[string]struct {
		group, kind string // none: Longhorn
		status      kube.OwnerStatus
		verdict     Verdict
		end         string   // of what is said
		advice      []string // nil: see what it waits for
	}{
		"nothing was read":      {"ceph.rook.io", "CephCluster", kube.OwnerStatus{}, VerdictManaged, "failure domain is complete again", nil},
		"no right":              {"ceph.rook.io", "CephCluster", kube.OwnerStatus{Hidden: "no right to get cephclusters.ceph.rook.io"}, VerdictManaged, "complete again; its status is not known: no right to get cephclusters.ceph.rook.io", nil},
		"Rook":                  {"ceph.rook.io", "CephCluster", fields("ceph.health", "HEALTH_WARN", "phase", "Ready"), VerdictManaged, "; now: HEALTH_WARN, Ready", nil},
		"ECK":                   {"elasticsearch.k8s.elastic.co", "Elasticsearch", fields("health", "yellow", "phase", "MigratingData"), VerdictManaged, "; now: yellow, MigratingData", nil},
		"no drain cleaner":      {"kafka.strimzi.io", "Kafka", kube.OwnerStatus{}, VerdictNever, "by Kafka db; its drain cleaner is not installed: nothing asks Strimzi to restart the pod", cleaner},
		"Strimzi":               {"kafka.strimzi.io", "Kafka", fields("conditions.Ready", "False", "conditions.Ready.message", "rolling broker 2"), VerdictManaged, "; now: rolling broker 2", nil},
		"not Ready, no message": {"example.org", "Cache", fields("conditions.Ready", "False"), VerdictManaged, "; now: not Ready", nil},
		"a phase":               {"example.org", "Cache", fields("phase", "Moving"), VerdictManaged, "decides when it opens; now: Moving", nil},
		"no switchover yet":     {cnpg, "Cluster", fields("phase", "Cluster in healthy state", "currentPrimary", "db-1", "targetPrimary", "db-1"), VerdictManaged, "; now: Cluster in healthy state", nil},
		"a switchover":          {cnpg, "Cluster", fields("phase", "Switchover in progress", "currentPrimary", "db-1", "targetPrimary", "db-2"), VerdictManaged, "; now: switchover from db-1 to db-2", nil},
		"no migration yet":      {kubevirt, "VirtualMachineInstance", fields("phase", "Running", "conditions.LiveMigratable", "True"), VerdictManaged, "if it can be migrated", nil},
		"asked to migrate":      {kubevirt, "VirtualMachineInstance", fields("evacuationNodeName", "w1"), VerdictManaged, "; now: its migration is requested", nil},
		"an older migration":    {kubevirt, "VirtualMachineInstance", fields("evacuationNodeName", "w1", "migrationState.targetNode", "w1", "migrationState.completed", "true"), VerdictManaged, "; now: its migration is requested", nil},
		"migrates":              {kubevirt, "VirtualMachineInstance", fields("evacuationNodeName", "w1", "migrationState.targetNode", "w2"), VerdictManaged, "; now: it migrates to w2", nil},
		"failed to migrate":     {kubevirt, "VirtualMachineInstance", fields("evacuationNodeName", "w1", "migrationState.targetNode", "w2", "migrationState.completed", "true", "migrationState.failed", "true", "migrationState.failureReason", "no CPU"), VerdictManaged, "; now: the migration failed: no CPU", nil},
		"cannot migrate":        {kubevirt, "VirtualMachineInstance", fields("conditions.LiveMigratable", "False", "conditions.LiveMigratable.message", "host device"), VerdictNever, `db; the virtual machine cannot be migrated: "host device"`, virtctl},
		"last replica":          {"", "", fields("lastReplicaOf", "pvc-1", "nodeDrainPolicy", blockLast), VerdictNever, "by Longhorn; Longhorn keeps it while the last healthy replica of pvc-1 is on its node (setting node-drain-policy)", evict},
		"last replica, allowed": {"", "", fields("lastReplicaOf", "pvc-1", "nodeDrainPolicy", "block-for-eviction-if-contains-last-replica"), VerdictManaged, "are detached; now: the last healthy replica of pvc-1 is on its node", nil},
		"other replicas":        {"", "", fields("lastReplicaOf", "", "nodeDrainPolicy", blockLast), VerdictManaged, "volumes of the node are detached", nil},
	} {
		t.Run(name, func(t *testing.T) {
			objects := controlled(of.group+"/v1", of.kind, "db")
			if of.group == "" {
				objects = full(func(b *policyv1.PodDisruptionBudget) {
					b.Spec.Selector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
						{Key: longhornLabel, Operator: metav1.LabelSelectorOpDoesNotExist}}}
				})
			}
			if name != "no drain cleaner" {
				objects = append(objects, hook("pods/eviction", nil))
			}
			store := kubetest.StoreOf(kubetest.Now, objects...)
			pod, owner := store.Snapshot().PodNamed("shop", "cart-1"), store.Snapshot().BudgetNamed("shop", "cart").Owner
			if owner == nil {
				owner = pod.Owner
			}
			store.SetOwnerStatus(map[kube.UID]kube.OwnerStatus{owner.UID: of.status})
			j := Judge(pod, store.Snapshot(), kubetest.Nobody, kubetest.Now)
			if j.Verdict != of.verdict || !strings.HasSuffix(j.Why, of.end) {
				t.Errorf("%s: %s, want %s: ...%s", j.Verdict, j.Why, of.verdict, of.end)
			}
			got := helps(j.Advice)
			if of.advice == nil && (len(got) != 1 || !strings.HasPrefix(got[0], "see what its controller waits for: ")) ||
				of.advice != nil && !slices.Equal(got, of.advice) {
				t.Errorf("helps: %q, want %q", got, of.advice)
			}
		})
	}
}
