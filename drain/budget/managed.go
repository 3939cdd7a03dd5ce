package budget

import (
	"strings"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Some controllers keep a budget that allows nothing, and move their pods themselves once the node is cordoned or an
// eviction is asked for. Such a budget belongs to the object of that controller.

// keeper is what is known of one of them.
type keeper struct {
	group string // of the budget's owner
	opens string // what has to happen, after the colon
}

var keepers = []keeper{
	// The cordon has the operator choose another primary; its budget selects no other pod (cloudnative-pg
	// docs, Kubernetes upgrade; issues 2570, 3837). It waits for ever where there is one instance alone.
	{"postgresql.cnpg.io", "it lets the primary go after the switchover that the cordon starts, and a single instance never"},
	// Its budget follows the health: no pod in red, those without the last copy of a shard in yellow (cloud-on-k8s
	// docs, pod disruption budget).
	{"elasticsearch.k8s.elastic.co", "it opens while the health of the cluster is green"},
	// The webhook of the drain cleaner denies the eviction and has the operator roll the pod (strimzi
	// drain-cleaner, README).
	{"kafka.strimzi.io", "with its drain cleaner, the operator rolls the pod once the eviction is asked for"},
	{"core.strimzi.io", "with its drain cleaner, the operator rolls the pod once the eviction is asked for"},
	// virt-api answers 429 and migrates the machine (kubevirt docs, node maintenance).
	{"kubevirt.io", "the machine is migrated once the eviction is asked for, if it can be"},
	// One failure domain at a time; the budgets of the others block until all placement groups are clean (rook
	// design/ceph/ceph-managed-disruptionbudgets.md).
	{"ceph.rook.io", "it opens once the data of the failure domain that was drained before is complete again"},
}

// longhornLabel selects the instance managers of Longhorn: their budgets have no owner, and are removed once all
// volumes of the node are detached (longhorn docs, node drain policy).
const longhornLabel = "longhorn.io/component"

// describeKeeper is the command that shows what the controller says.
func describeKeeper(b *kube.Budget) string {
	kind, name := "pdb", b.Name
	if o := b.Owner; o != nil {
		group, _, _ := strings.Cut(o.APIVersion, "/")
		kind, name = strings.ToLower(o.Kind)+"."+group, o.Name
	}
	return "kubectl describe " + kind + " -n " + b.Namespace + " " + name
}

// Managed reports whether a controller keeps the budget, and opens it when it sees fit: nobody is advised to patch it.
func Managed(b *kube.Budget) bool { return managed(b) != "" }

// managed says who keeps a budget and what opens it, in a sentence without an end; "" where nobody does. Owners of the
// groups of Kubernetes itself keep none: they are named so that the budget is removed with them.
func managed(b *kube.Budget) string {
	if b.Owner == nil {
		if b.Selector != nil && strings.Contains(b.Selector.String(), longhornLabel) {
			return "Longhorn keeps " + b.Name +
				": it is removed once the volumes of the node are detached, as its node drain policy says"
		}
		return ""
	}
	group, _, _ := strings.Cut(b.Owner.APIVersion, "/")
	if !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io") {
		return ""
	}
	who := b.Owner.Kind + " " + b.Owner.Name + " keeps " + b.Name + ": "
	for _, k := range keepers {
		if k.group == group {
			return who + k.opens
		}
	}
	return who + "its controller decides"
}
