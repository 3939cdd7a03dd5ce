package app

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// readRights are what every look at a drain needs.
var readRights = []kube.Permission{
	{Verb: "get", Resource: "nodes"},
	{Verb: "list", Resource: "pods"},
}

// drainRights are what kubectl drain needs under the same flags, and what our
// own flags ask for.
func drainRights(o plan.Options) []kube.Permission {
	rules := append([]kube.Permission{}, readRights...)
	rules = append(rules, kube.Permission{Verb: "get", Group: "apps", Resource: "daemonsets"})
	if o.DryRun == plan.DryRunClient {
		return rules
	}
	rules = append(rules, kube.Permission{Verb: "patch", Resource: "nodes"})
	if !o.DisableEviction {
		rules = append(rules, kube.Permission{Verb: "create", Resource: "pods", Subresource: "eviction"})
	}
	if o.DisableEviction || o.ForceAfter > 0 || o.MaxEvictRetries > 0 {
		rules = append(rules, kube.Permission{Verb: "delete", Resource: "pods"})
	}
	for _, more := range [][]kube.Permission{guardRights(o), remedyRights(o), refusalRights(o), takeOverRights(o)} {
		rules = append(rules, beyond(more, rules)...)
	}
	return rules
}

// refusalRights are what the flags need that refuse nodes: what is not known cannot
// be refused. The scale of an owner that is not watched is known to be needed only
// once the pods are read, see checkScales.
func refusalRights(o plan.Options) []kube.Permission {
	var rules []kube.Permission
	if o.BlockSingleReplica {
		rules = append(rules, workloadRights...)
	}
	if o.FailOnBlockers && !o.DisableEviction {
		rules = append(rules, kube.Permission{Verb: "list", Group: "policy", Resource: "poddisruptionbudgets"})
	}
	return rules
}

// takeOverRights are what it takes to see whose a node is and to have its Lease.
func takeOverRights(o plan.Options) []kube.Permission {
	if len(o.TakeOver) == 0 || o.DryRun != plan.DryRunNone {
		return nil
	}
	list := kube.Permission{Verb: "list", Group: "coordination.k8s.io", Resource: string(kube.KindLeases), Namespace: o.LeaseNamespace}
	return append(leaseRights(o.LeaseNamespace), list)
}

// remedyRights are what the remedies of the ladder need that were asked for by flag.
func remedyRights(o plan.Options) []kube.Permission {
	if o.DryRun != plan.DryRunNone {
		return nil
	}
	var rules []kube.Permission
	if o.AllowScale {
		rules = append(rules, scaleRights...)
	}
	if o.AllowZeroGrace && !o.DisableEviction && o.ForceAfter == 0 && o.MaxEvictRetries == 0 { // else it is asked for already
		rules = append(rules, kube.Permission{Verb: "delete", Resource: "pods"})
	}
	return rules
}

// scaleRights are what it takes to restart a rollout and to change replicas. The list of
// autoscalers tells whose they are.
var scaleRights = []kube.Permission{
	{Verb: "list", Group: "autoscaling", Resource: "horizontalpodautoscalers"},
	{Verb: "patch", Group: "apps", Resource: "deployments"},
	kube.ScaleResources["Deployment"], kube.ScaleResources["StatefulSet"], kube.ScaleResources["ReplicaSet"],
	kube.ScaleResources["ReplicationController"],
}

// workloadRights are what it takes to know how many pods workloads want.
var workloadRights = []kube.Permission{
	{Verb: "list", Group: "apps", Resource: "replicasets"}, {Verb: "list", Group: "apps", Resource: "deployments"},
	{Verb: "list", Group: "apps", Resource: "statefulsets"},
}

// guardRights are what a guard needs: to know the workloads, and for real budgets
// to make and remove them.
func guardRights(o plan.Options) []kube.Permission {
	if o.Guard == "" {
		return nil
	}
	rules := append(slices.Clone(workloadRights), kube.Permission{Verb: "list", Group: "policy", Resource: "poddisruptionbudgets"})
	if !o.GuardWrite || o.DryRun != plan.DryRunNone {
		return rules
	}
	return append(rules, kube.Permission{Verb: "create", Group: "policy", Resource: "poddisruptionbudgets"},
		kube.Permission{Verb: "delete", Group: "policy", Resource: "poddisruptionbudgets"})
}

// leaseRights are what a run needs to take Leases and to give them back. It asks
// for none of them: without, it goes on and says so, unless it is to take some over.
func leaseRights(namespace string) []kube.Permission {
	var rules []kube.Permission
	for _, verb := range []string{"create", "update", "delete"} {
		rules = append(rules, kube.Permission{Verb: verb, Group: "coordination.k8s.io", Resource: string(kube.KindLeases), Namespace: namespace})
	}
	return rules
}

// cordonRights are what cordon and uncordon need.
func cordonRights(dry plan.DryRun) []kube.Permission {
	rules := []kube.Permission{{Verb: "get", Resource: "nodes"}}
	if dry == plan.DryRunClient {
		return rules
	}
	return append(rules, kube.Permission{Verb: "patch", Resource: "nodes"})
}

// beyond are the rules that are not among the others.
func beyond(rules, others []kube.Permission) []kube.Permission {
	return slices.DeleteFunc(slices.Clone(rules), func(r kube.Permission) bool { return slices.Contains(others, r) })
}

// apiGroups are the API groups of the watched kinds that are not in the core group.
var apiGroups = map[kube.Kind]string{
	kube.KindBudgets:     "policy",
	kube.KindLeases:      "coordination.k8s.io",
	kube.KindReplicaSets: "apps", kube.KindDeployments: "apps", kube.KindStatefulSets: "apps", kube.KindDaemonSets: "apps",
	kube.KindJobs:           "batch",
	kube.KindStorageClasses: "storage.k8s.io", kube.KindCSINodes: "storage.k8s.io",
	kube.KindCSIDrivers: "storage.k8s.io", kube.KindAttachments: "storage.k8s.io",
	kube.KindValidatingWebhooks: "admissionregistration.k8s.io", kube.KindMutatingWebhooks: "admissionregistration.k8s.io",
	kube.KindAutoscalers: "autoscaling",
}
