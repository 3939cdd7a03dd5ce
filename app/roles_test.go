package app

import (
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// The cluster roles of docs/rbac.md, made from the rights that the program asks for.

// role is one of the cluster roles of docs/rbac.md.
type role struct {
	name, about string
}

// short is the end of the role's name, which tells it from the others.
func (r role) short() string { return strings.TrimPrefix(r.name, "kdrain-tui-") }

// roles are the cluster roles, each with everything that those before it have.
var roles = []role{
	{"kdrain-tui-view", "To look: the dashboard with `--read-only`, `plan`, `--dry-run=client`."},
	{"kdrain-tui-operator", "And to cordon, uncordon and evict: drains that keep to all budgets."},
	{"kdrain-tui-full", "And to delete pods past their budgets, to make and remove temporary budgets, to change replicas, and to delete drained nodes: all that any flag and any remedy asks for."},
}

// The places of the roles in roles.
const (
	roleView = iota
	roleOperator
	roleFull
)

// feature is something that the program does, what it needs for it, and what
// becomes of it without.
type feature struct {
	role    int // the least role that has it
	what    string
	rules   []request.Permission
	without string
}

// features are all that need a rule. Those that write have theirs from the
// functions whose answer is checked before the first write, so that a role can
// never lack what is asked for.
func features() []feature {
	return append(readFeatures(), writeFeatures()...)
}

func readFeatures() []feature {
	return []feature{
		{roleView, "nodes", toWatch(kube.KindNodes),
			"nothing works: exit 5, in the dashboard a notice. `get` is enough for `drain`, `plan` and `cordon` of nodes that are named"},
		{roleView, "pods", toWatch(kube.KindPods),
			"without `list` nothing works but `cordon` and `uncordon`: exit 5, in the dashboard a notice. Without `get` the details of a pod cannot be shown"},
		{roleView, "budgets", toWatch(kube.KindBudgets),
			"budgets are unknown, which is not none: the plan says so, and only the server's answer shows what may be evicted. `--guard` and `--fail-on-blockers` exit 5"},
		{roleView, "DaemonSets", toWatch(kube.KindDaemonSets),
			"without `get` a drain exits 5, as that of kubectl fails; without `list` those of the pods are read by name"},
		{roleView, "workloads", toWatch(kube.KindReplicaSets, kube.KindDeployments, kube.KindStatefulSets),
			"the plan says that it does not know them, so neither single replicas nor what comes back. `--guard` and `--block-single-replica` exit 5"},
		{roleView, "how many pods owners of other kinds want, such as a CloneSet", []request.Permission{{Verb: "get", Group: "*", Resource: "*", Subresource: "scale"}},
			"the plan says which of them it does not know. `--block-single-replica` exits 5 if a pod has such an owner; a rule for its kind alone is enough"},
		{roleView, "other owners", toWatch(kube.KindJobs, kube.KindReplicationControllers),
			"the plan cannot tell whether their pods come back"},
		{roleView, "where pods could go", toWatch(kube.KindClaims, kube.KindVolumes, kube.KindStorageClasses,
			kube.KindCSINodes, kube.KindCSIDrivers, kube.KindAttachments),
			"the landing of pods with volumes is unknown, they are not evicted in turn, and whether a node still has volumes is not known"},
		{roleView, "namespaces", toWatch(kube.KindNamespaces),
			"the landing of pods with affinity to pods of other namespaces is unknown; a run knows its cluster by the server's address instead of an ID"},
		{roleView, "what depends on pods", toWatch(kube.KindServices, kube.KindValidatingWebhooks, kube.KindMutatingWebhooks),
			"the plan says that it does not know which services and admission webhooks go out of service"},
		{roleView, "how many pods there may be", toWatch(kube.KindAutoscalers, kube.KindQuotas),
			"the plan says that it does not know the limits of autoscalers, or whether quotas allow pods to be recreated"},
		{roleView, "which other runs there are", toWatch(kube.KindLeases),
			"runs of others on a node are not seen, and no Lease keeps others off those of this one: the plan and the run say so. `rollback --node` and `resume --node` " +
				"cannot see whether the run of a mark is live on another machine, and say so"},
		{roleView, "MachineDrainRules of Cluster API, where they are served", []request.Permission{
			{Verb: "list", Group: "cluster.x-k8s.io", Resource: "machinedrainrules"},
			{Verb: "list", Group: "cluster.x-k8s.io", Resource: "machines"}, {Verb: "list", Group: "cluster.x-k8s.io", Resource: "clusters"}},
			"without the rules the plan says that it does not know them, and obeys none; without Machines or Clusters those rules are left out that select them, and the plan says so"},
		{roleView, "what controllers that own budgets report, where they are installed", ownerStatusRights(),
			"the plan and the run say that it is not known. Without it a virtual machine that cannot migrate and a last replica of Longhorn are not known as blockers"},
		{roleView, "usage", toWatch(kube.KindUsage), "no figures of use"},
		{roleView, "the log of a pod", []request.Permission{{Verb: "get", Resource: "pods", Subresource: "log"}}, "the details of a pod say that it is missing"},
		{roleView, "the events of a pod", []request.Permission{{Verb: "list", Resource: "events"}}, "the details of a pod say that they are missing"},
	}
}

// wayOutRights are those to the objects that the remedy ask-controller changes.
var wayOutRights = []request.Permission{{Verb: "patch", Group: "postgresql.cnpg.io", Resource: "clusters"},
	{Verb: "patch", Group: "longhorn.io", Resource: "nodes"}, {Verb: "patch", Resource: "pods"}}

// ownerStatusRights are those to the custom resources that own budgets and that the program knows.
func ownerStatusRights() []request.Permission {
	rules := []request.Permission{{Verb: "get", Group: "longhorn.io", Resource: "settings"}, {Verb: "list", Group: "longhorn.io", Resource: "replicas"},
		{Verb: "list", Group: "longhorn.io", Resource: "nodes"}}
	for _, owner := range []string{"clusters.postgresql.cnpg.io", "elasticsearches.elasticsearch.k8s.elastic.co", "kafkas.kafka.strimzi.io",
		"strimzipodsets.core.strimzi.io", "virtualmachineinstances.kubevirt.io", "cephclusters.ceph.rook.io"} {
		resource, group, _ := strings.Cut(owner, ".")
		rules = append(rules, request.Permission{Verb: "get", Group: group, Resource: resource})
	}
	return rules
}

func writeFeatures() []feature {
	plain, past, guarded, written := plan.DefaultOptions(), plan.DefaultOptions(), plan.DefaultOptions(), plan.DefaultOptions()
	past.DisableEviction = true
	guarded.Guard, written.Guard, written.GuardWrite = "1", "1", true
	scaled, surged := plan.DefaultOptions(), plan.DefaultOptions()
	scaled.AllowScale, surged.Surge = true, "100%"
	cordon := cordonRights(plan.DryRunNone)
	return []feature{
		{roleOperator, "cordon and uncordon", beyond(cordon, readRights),
			"`cordon`, `uncordon` and `drain` exit 5; in the dashboard the server's refusal is shown"},
		{roleOperator, "evict", beyond(drainRights(plain), slices.Concat(cordon, onlyReads(drainRights(plain)))),
			"`drain` exits 5 unless it has `--disable-eviction`; the dashboard begins no run"},
		{roleOperator, "keep other runs off", leaseRights(kube.DefaultLeaseNamespace), "the run continues without Leases, and says so. `--take-over` exits 5"},
		{roleOperator, "tell on the node", eventRights(), "the nodes have no Events of the run, and its end says so"},
		{roleFull, "delete pods past their budgets", beyond(drainRights(past), drainRights(plain)),
			"`--disable-eviction`, `--force-after`, `--max-evict-retries` and `--allow-zero-grace` exit 5; the remedies that delete are not available and name the rule"},
		{roleFull, "one more replica, or the new pod first", beyond(onlyWrites(drainRights(scaled)), drainRights(plain)),
			"`--allow-scale` exits 5; the remedy is not available and names the rule"},
		{roleFull, "what the documentation of a controller prescribes for its budget", wayOutRights, "the remedy is not available and names the rule"},
		{roleFull, "replacements first", beyond(onlyWrites(drainRights(surged)), drainRights(plain)), "`--surge` exits 5"},
		{roleFull, "delete a drained node", retireRights(),
			"`retire` exits 5 before the first write, but for one with `--yes` and without `--delete-node`, which deletes none; the result page of the dashboard says so"},
		{roleFull, "temporary budgets", beyond(drainRights(written), drainRights(guarded)),
			"`--guard-write` exits 5; `--guard` alone does not need it"},
	}
}

func onlyReads(rules []request.Permission) []request.Permission {
	return slices.DeleteFunc(slices.Clone(rules), func(r request.Permission) bool { return !onlyLooks(r) })
}

func onlyWrites(rules []request.Permission) []request.Permission {
	return slices.DeleteFunc(slices.Clone(rules), onlyLooks)
}

// onlyLooks reports whether nothing can be changed by a right.
func onlyLooks(r request.Permission) bool { return slices.Contains(readVerbs, r.Verb) }

var readVerbs = []string{"get", "list", "watch"}

// toWatch are the rules to read kinds of the store.
func toWatch(kinds ...kube.Kind) []request.Permission {
	var rules []request.Permission
	for _, k := range kinds {
		if k == kube.KindUsage { // which is no resource, and is only ever listed
			rules = append(rules, request.Permission{Verb: "list", Group: "metrics.k8s.io", Resource: "nodes"},
				request.Permission{Verb: "list", Group: "metrics.k8s.io", Resource: "pods"})
			continue
		}
		namespace := ""
		if k == kube.KindLeases { // of which there are others, that a run does not read
			namespace = kube.DefaultLeaseNamespace
		}
		for _, verb := range readVerbs {
			rules = append(rules, request.Permission{Verb: verb, Group: apiGroups[k], Resource: string(k), Namespace: namespace})
		}
	}
	return rules
}

// rulesOf are the rules of the role at that place in roles, each once.
func rulesOf(at int) []request.Permission {
	var rules []request.Permission
	for _, f := range features() {
		if f.role <= at {
			rules = append(rules, beyond(f.rules, rules)...)
		}
	}
	return rules
}

// eventRights are what a run needs to tell of itself on its nodes; it asks for none.
func eventRights() []request.Permission {
	return []request.Permission{{Verb: "create", Resource: "events", Namespace: "default"}}
}
