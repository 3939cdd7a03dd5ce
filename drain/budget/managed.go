package budget

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

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
	"kubevirt.io": "KubeVirt migrates the virtual machine after the eviction request, if it can be migrated",
	// rook design/ceph/ceph-managed-disruptionbudgets.md: one failure domain at a time.
	"ceph.rook.io": "Rook opens it when the data of the previously drained failure domain is complete again",
}

const cnpg = "postgresql.cnpg.io"

const strimzi = "with its drain cleaner installed, Strimzi restarts the pod after the eviction request"

// longhornLabel is in the selector of the budgets of Longhorn's instance managers, which have no owner.
const longhornLabel = "longhorn.io/component"

// Managed reports whether a controller opens and closes the budget. A change by hand does not last there.
func Managed(b *kube.Budget) bool { return ownerGroup(b) != "" || ofLonghorn(b) }

// MayAct reports whether a controller may act on the eviction request for a pod although the budget of the pod is
// closed: the budget is Managed, or an admission webhook is asked. The conditions of a webhook are not evaluated. An
// eviction has no labels.
func MayAct(s *kube.Snapshot, p *kube.Pod, b *kube.Budget) bool {
	return Managed(b) || slices.ContainsFunc(s.WebhookConfigurations(), func(c *kube.WebhookConfiguration) bool {
		return slices.ContainsFunc(c.Webhooks, func(w kube.Webhook) bool {
			return w.Asks("CREATE", "", "pods/eviction") && w.Objects.Matches(labels.Set{}) && w.AsksIn(s, p.Namespace)
		})
	})
}

// ownerGroup is the API group of a budget's owner, "" if no custom resource owns the budget. A built-in owner, like a
// Deployment, only makes the garbage collector delete the budget with it.
func ownerGroup(b *kube.Budget) string {
	if b.Owner == nil {
		return ""
	}
	group, _, _ := strings.Cut(b.Owner.APIVersion, "/")
	if !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io") {
		return ""
	}
	return group
}

func ofLonghorn(b *kube.Budget) bool {
	if b.Owner != nil || b.Selector == nil {
		return false
	}
	requirements, _ := b.Selector.Requirements()
	return slices.ContainsFunc(requirements, func(r labels.Requirement) bool { return r.Key() == longhornLabel })
}

// managedWords say who controls a Managed budget and when that controller opens it.
func managedWords(b *kube.Budget) string {
	group := ownerGroup(b)
	if group == "" {
		return "budget " + b.Name +
			" is controlled by Longhorn, which deletes it when the volumes of the node are detached"
	}
	when, known := opens[group]
	if !known {
		when = "its controller decides when it opens"
	}
	return managedBy(b) + "; " + when
}

func managedBy(b *kube.Budget) string {
	return "budget " + b.Name + " is controlled by " + b.Owner.Kind + " " + b.Owner.Name
}

// single reports whether a budget of CloudNativePG covers the only instance of its Cluster: there is no other to switch
// over to (cloudnative-pg issue 2570). Its instances, and no jobs or poolers, are controlled by the Cluster.
func (l *Tracker) single(b *kube.Budget) bool {
	if ownerGroup(b) != cnpg || !l.s.InWhole(kube.KindPods) {
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

// adviseSingle is what helps against the budget of a single instance, which is never to be patched itself.
func adviseSingle(b *kube.Budget) []Advice {
	patch := "kubectl patch " + ownerPath(b) + " --type=merge -p '"
	return []Advice{
		{"add an instance, to which CloudNativePG can switch over", patch + `{"spec":{"instances":2}}'`},
		{"let CloudNativePG remove the budget, and set enablePDB back to true after the drain: the database is down " +
			"while its only pod moves", patch + `{"spec":{"enablePDB":false}}'`},
	}
}

// describeOwner is the command that shows the status of a Managed budget's owner, of Longhorn that of the budget.
func describeOwner(b *kube.Budget) string {
	if ownerGroup(b) == "" {
		return "kubectl describe pdb -n " + b.Namespace + " " + b.Name
	}
	return "kubectl describe " + ownerPath(b)
}

// ownerPath names a Managed budget's owner to kubectl.
func ownerPath(b *kube.Budget) string {
	return strings.ToLower(b.Owner.Kind) + "." + ownerGroup(b) + " -n " + b.Namespace + " " + b.Owner.Name
}
