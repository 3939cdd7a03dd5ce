package budget

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Some controllers keep a budget that allows nothing. They move their pods themselves after a cordon or an eviction
// request. The budget is owned by the custom resource of the controller.

// opens says for the API group of a budget's owner when its controller allows an eviction.
var opens = map[string]string{
	// docs "Kubernetes upgrade", cloudnative-pg issues 2570 and 3837: its budget then selects the new primary.
	cnpg: "CloudNativePG opens it after the switchover that the cordon triggers",
	// docs "Pod disruption budget" of cloud-on-k8s: no pod in red, no last copy of a shard in yellow.
	"elasticsearch.k8s.elastic.co": "ECK opens it while the health of the cluster is green",
	// README of strimzi/drain-cleaner: its webhook denies the eviction and requests a rolling update.
	"kafka.strimzi.io": strimzi,
	"core.strimzi.io":  strimzi,
	// docs "Node maintenance" of kubevirt: virt-api answers 429.
	kubevirt: "KubeVirt migrates the virtual machine after the eviction request, if it can be migrated",
	// rook design/ceph/ceph-managed-disruptionbudgets.md: one failure domain at a time.
	"ceph.rook.io": "Rook opens it when the data of the previously drained failure domain is complete again",
}

const (
	cnpg     = "postgresql.cnpg.io"
	kubevirt = "kubevirt.io"
)

const strimzi = "with its drain cleaner installed, Strimzi restarts the pod after the eviction request"

// longhornLabel is in the selector of the budgets of Longhorn's instance managers, which have no owner.
const longhornLabel = "longhorn.io/component"

// Managed reports whether a controller opens and closes the budget. A change by hand does not last there.
func Managed(b *kube.Budget) bool { return b.OwnerGroup() != "" || ofLonghorn(b) }

// MayAct reports whether a controller may act on the eviction request for a pod although the budget of the pod is
// closed: the budget is Managed, or an admission webhook is asked. The conditions of a webhook are not evaluated. An
// eviction has no labels.
func MayAct(s *kube.Snapshot, p *kube.Pod, b *kube.Budget) bool {
	return Managed(b) || asked(s, p.Namespace)
}

// asked reports whether an admission webhook is asked before a pod of the namespace is evicted.
func asked(s *kube.Snapshot, namespace string) bool {
	return slices.ContainsFunc(s.WebhookConfigurations(), func(c *kube.WebhookConfiguration) bool {
		return slices.ContainsFunc(c.Webhooks, func(w kube.Webhook) bool {
			return w.Asks("CREATE", "", "pods/eviction") && w.Objects.Matches(labels.Set{}) && w.AsksIn(s, namespace)
		})
	})
}

func ofLonghorn(b *kube.Budget) bool {
	if b.Owner != nil || b.Selector == nil {
		return false
	}
	requirements, _ := b.Selector.Requirements()
	return slices.ContainsFunc(requirements, func(r labels.Requirement) bool { return r.Key() == longhornLabel })
}

// managedWords say who controls a Managed budget, when that controller opens it, and what it reports.
func (l *Tracker) managedWords(b *kube.Budget) string {
	when, known := opens[b.OwnerGroup()]
	switch {
	case b.OwnerGroup() == "":
		when = "Longhorn deletes it when the volumes of the node are detached"
	case !known:
		when = "its controller decides when it opens"
	}
	return managedBy(b) + "; " + when + l.reportWords(b)
}

func managedBy(b *kube.Budget) string {
	if b.OwnerGroup() == "" {
		return "budget " + b.Name + " is controlled by Longhorn"
	}
	return "budget " + b.Name + " is controlled by " + b.Owner.Kind + " " + b.Owner.Name
}

// reportWords are what the controller of a budget reports now, "" where that is not known.
func (l *Tracker) reportWords(b *kube.Budget) string {
	status := l.statusOf(b)
	if status.Hidden != "" {
		return "; its status is not known: " + status.Hidden
	}
	if now := report(b.OwnerGroup(), status.Fields); now != "" {
		return "; now: " + now
	}
	return ""
}

// statusOf is what was read of the custom resource that controls a budget. Under a budget of Longhorn is one instance
// manager.
func (l *Tracker) statusOf(b *kube.Budget) kube.OwnerStatus {
	if b.OwnerGroup() != "" {
		return l.s.OwnerStatus[b.Owner.UID]
	}
	for _, p := range l.s.PodsUnder(b) {
		if p.Owner != nil {
			return l.s.OwnerStatus[p.Owner.UID]
		}
	}
	return kube.OwnerStatus{}
}

// report is what the status of a custom resource of the group says of the move of its pods.
func report(group string, status map[string]string) string {
	switch group {
	case "":
		if last := status["lastReplicaOf"]; last != "" {
			return "the last healthy replica of " + last + " is on its node"
		}
		return ""
	case cnpg:
		if from, to := status["currentPrimary"], status["targetPrimary"]; from != to && to != "" {
			return "switchover from " + from + " to " + to
		}
	case kubevirt:
		return migration(status)
	}
	var told []string
	for _, field := range []string{"health", "ceph.health", "phase"} {
		if status[field] != "" {
			told = append(told, status[field])
		}
	}
	if status["conditions.Ready"] == "False" {
		told = append(told, cmp.Or(status["conditions.Ready.message"], "not Ready"))
	}
	return strings.Join(told, ", ")
}

// migration is how far a virtual machine is moved (kubevirt api/core/v1 VirtualMachineInstanceMigrationState).
func migration(status map[string]string) string {
	switch to := status["migrationState.targetNode"]; {
	case status["evacuationNodeName"] == "":
		return ""
	case status["migrationState.failed"] == "true":
		return "the migration failed: " + cmp.Or(status["migrationState.failureReason"], "no reason is given")
	case to == "" || status["migrationState.completed"] == "true":
		return "its migration is requested"
	default:
		return "it migrates to " + to
	}
}

// closed is why the controller of a budget does not open it whatever is evicted, "" if it may; none tells that the
// budget allows nothing while all its pods are healthy.
func (l *Tracker) closed(b *kube.Budget, none bool) string {
	if !Managed(b) {
		return ""
	}
	status := l.statusOf(b).Fields
	switch group := b.OwnerGroup(); {
	case group == cnpg && l.single(b):
		return "CloudNativePG never opens it for a single instance"
	case group == kubevirt && status["conditions.LiveMigratable"] == "False": // its webhook pod-eviction-admitter.go
		return "the virtual machine cannot be migrated: " +
			format.Quote(cmp.Or(status["conditions.LiveMigratable.message"], "no reason is given"))
	case opens[group] == strimzi && none && l.s.Trusted(kube.KindValidatingWebhooks) &&
		!asked(l.s, b.Namespace):
		return "its drain cleaner is not installed: nothing asks Strimzi to restart the pod"
	case group == "" && status["lastReplicaOf"] != "" && status["nodeDrainPolicy"] == blockLast:
		return "Longhorn keeps it while " + report("", status) + " (setting node-drain-policy)"
	}
	return ""
}

// blockLast is the default of Longhorn's setting node-drain-policy. Others move the replicas away or allow the drain.
const blockLast = "block-if-contains-last-replica"

// single reports whether a budget of CloudNativePG covers the only instance of its Cluster: there is no other to switch
// over to (cloudnative-pg issue 2570). Its instances, and no jobs or poolers, are controlled by the Cluster.
func (l *Tracker) single(b *kube.Budget) bool {
	if b.OwnerGroup() != cnpg || !l.s.In(b.Namespace).InWhole(kube.KindPods) {
		return false
	}
	instances := 0
	for p := range l.s.PodsOf(b.Owner.UID) {
		if !p.Finished() {
			instances++
		}
	}
	return instances == 1
}

// adviseClosed is what helps against a budget that its controller does not open. The budget itself is never patched.
func (l *Tracker) adviseClosed(b *kube.Budget) []Advice {
	if b.OwnerGroup() == kubevirt {
		return []Advice{{"shut the virtual machine down, and start it again after the drain",
			"virtctl stop -n " + b.Namespace + " " + b.Owner.Name}}
	}
	if opens[b.OwnerGroup()] == strimzi { // it removes the annotation itself
		return []Advice{{Text: "install the drain cleaner of Strimzi, or use ask-controller in the run for each pod: " +
			strimziWayOut.cost}}
	}
	var advice []Advice
	if b.OwnerGroup() == cnpg {
		advice = []Advice{{"add an instance, to which CloudNativePG can switch over",
			"kubectl patch " + ownerPath(b) + ` --type=merge -p '{"spec":{"instances":2}}'`}}
	}
	for _, p := range l.s.PodsUnder(b) {
		out, _ := l.WayOut(p, b)
		text := out.Does + ", and undo that after the drain: " + out.Cost
		return append(advice, Advice{text, PatchLine(out.SetFields)})
	}
	return advice
}

// describeOwner is the command that shows the status of a Managed budget's owner, of Longhorn that of the budget.
func describeOwner(b *kube.Budget) string {
	if b.OwnerGroup() == "" {
		return "kubectl describe pdb -n " + b.Namespace + " " + b.Name
	}
	return "kubectl describe " + ownerPath(b)
}

// ownerPath names a Managed budget's owner to kubectl.
func ownerPath(b *kube.Budget) string {
	return strings.ToLower(b.Owner.Kind) + "." + b.OwnerGroup() + " -n " + b.Namespace + " " + b.Owner.Name
}
