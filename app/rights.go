package app

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// readRights are what every look at a drain needs.
var readRights = []request.Permission{
	{Verb: "get", Resource: "nodes"},
	{Verb: "list", Resource: "pods"},
}

// drainRights are what kubectl drain needs under the same flags, and what our
// own flags ask for.
func drainRights(o plan.Options) []request.Permission {
	rules := append([]request.Permission{}, readRights...)
	rules = append(rules, request.Permission{Verb: "get", Group: "apps", Resource: "daemonsets"})
	if o.DryRun == plan.DryRunClient {
		return rules
	}
	rules = append(rules, request.Permission{Verb: "patch", Resource: "nodes"})
	if !o.DisableEviction {
		rules = append(rules, request.Permission{Verb: "create", Resource: "pods", Subresource: "eviction"})
	}
	if o.DisableEviction || o.ForceAfter > 0 || o.MaxEvictRetries > 0 {
		rules = append(rules, request.Permission{Verb: "delete", Resource: "pods"})
	}
	for _, more := range [][]request.Permission{guardRights(o), remedyRights(o), refusalRights(o), takeOverRights(o),
		surgeRights(o)} {
		rules = append(rules, beyond(more, rules)...)
	}
	return rules
}

// refusalRights are what the flags need that refuse nodes, or begin none while workloads are
// worse than before: what is not known cannot be judged. The scale of an owner that is not watched is known to
// be needed only once the pods are read, see checkScales.
func refusalRights(o plan.Options) []request.Permission {
	var rules []request.Permission
	if o.BlockSingleReplica {
		rules = append(rules, workloadRights...)
	}
	if o.WaitReplacements > 0 {
		rules = append(rules, beyond(workloadRights, rules)...)
	}
	if o.FailOnBlockers && !o.DisableEviction {
		rules = append(rules, request.Permission{Verb: "list", Group: "policy", Resource: "poddisruptionbudgets"})
	}
	return rules
}

// takeOverRights are what it takes to see whose a node is and to have its Lease.
func takeOverRights(o plan.Options) []request.Permission {
	if len(o.TakeOver) == 0 || o.DryRun != plan.DryRunNone {
		return nil
	}
	list := request.Permission{Verb: "list", Group: "coordination.k8s.io", Resource: string(kube.KindLeases),
		Namespace: o.LeaseNamespace}
	return append(leaseRights(o.LeaseNamespace), list)
}

// surgeRights are what it takes to know which workloads can surge, to raise and lower their
// replicas and to say which of their pods are removed.
func surgeRights(o plan.Options) []request.Permission {
	if o.Surge == "" {
		return nil
	}
	rules := []request.Permission{
		{Verb: "list", Group: "apps", Resource: "replicasets"}, {Verb: "list", Group: "apps", Resource: "deployments"},
		{Verb: "list", Group: "autoscaling", Resource: "horizontalpodautoscalers"},
	}
	if o.DryRun != plan.DryRunNone {
		return rules
	}
	return append(rules, request.SurgeResources["Deployment"], request.SurgeResources["ReplicaSet"],
		request.Permission{Verb: "patch", Resource: "pods"})
}

// remedyRights are what the remedies need that were asked for by flag.
func remedyRights(o plan.Options) []request.Permission {
	if o.DryRun != plan.DryRunNone {
		return nil
	}
	var rules []request.Permission
	if o.AllowScale {
		rules = append(rules, scaleRights...)
	}
	// else it is asked for already
	if o.AllowZeroGrace && !o.DisableEviction && o.ForceAfter == 0 && o.MaxEvictRetries == 0 {
		rules = append(rules, request.Permission{Verb: "delete", Resource: "pods"})
	}
	return rules
}

// scaleRights are what it takes to restart a rollout and to change replicas. The list of
// autoscalers tells whose they are.
var scaleRights = []request.Permission{
	{Verb: "list", Group: "autoscaling", Resource: "horizontalpodautoscalers"},
	{Verb: "patch", Group: "apps", Resource: "deployments"},
	request.ScaleResources["Deployment"], request.ScaleResources["StatefulSet"], request.ScaleResources["ReplicaSet"],
	request.ScaleResources["ReplicationController"],
}

// workloadRights are what it takes to know how many pods workloads want.
var workloadRights = []request.Permission{
	{Verb: "list", Group: "apps", Resource: "replicasets"}, {Verb: "list", Group: "apps", Resource: "deployments"},
	{Verb: "list", Group: "apps", Resource: "statefulsets"},
}

// guardRights are what a guard needs: to know the workloads, and for real budgets
// to make and remove them.
func guardRights(o plan.Options) []request.Permission {
	if o.Guard == "" {
		return nil
	}
	rules := append(slices.Clone(workloadRights), request.Permission{Verb: "list", Group: "policy",
		Resource: "poddisruptionbudgets"})
	if !o.GuardWrite || o.DryRun != plan.DryRunNone {
		return rules
	}
	return append(rules, request.Permission{Verb: "create", Group: "policy", Resource: "poddisruptionbudgets"},
		request.Permission{Verb: "delete", Group: "policy", Resource: "poddisruptionbudgets"})
}

// leaseRights are what a run needs to take Leases and to give them back. It asks
// for none of them: without, it goes on and says so, unless it is to take some over.
func leaseRights(namespace string) []request.Permission {
	var rules []request.Permission
	for _, verb := range []string{"create", "update", "delete"} {
		rules = append(rules, request.Permission{Verb: verb, Group: "coordination.k8s.io",
			Resource: string(kube.KindLeases), Namespace: namespace})
	}
	return rules
}

// retireRights are what it takes beside a drain until a node has left the cluster.
func retireRights() []request.Permission {
	return []request.Permission{{Verb: "delete", Resource: "nodes"}}
}

// cordonRights are what cordon and uncordon need.
func cordonRights(dry plan.DryRun) []request.Permission {
	rules := []request.Permission{{Verb: "get", Resource: "nodes"}}
	if dry == plan.DryRunClient {
		return rules
	}
	return append(rules, request.Permission{Verb: "patch", Resource: "nodes"})
}

// beyond are the rules that are not among the others.
func beyond(rules, others []request.Permission) []request.Permission {
	return slices.DeleteFunc(slices.Clone(rules), func(r request.Permission) bool { return slices.Contains(others, r) })
}

// apiGroups are the API groups of the watched kinds that are not in the core group.
var apiGroups = map[kube.Kind]string{
	kube.KindBudgets:     "policy",
	kube.KindLeases:      "coordination.k8s.io",
	kube.KindReplicaSets: "apps", kube.KindDeployments: "apps", kube.KindStatefulSets: "apps",
	kube.KindDaemonSets:     "apps",
	kube.KindJobs:           "batch",
	kube.KindStorageClasses: "storage.k8s.io", kube.KindCSINodes: "storage.k8s.io",
	kube.KindCSIDrivers: "storage.k8s.io", kube.KindAttachments: "storage.k8s.io",
	kube.KindValidatingWebhooks: "admissionregistration.k8s.io",
	kube.KindMutatingWebhooks:   "admissionregistration.k8s.io",
	kube.KindAutoscalers:        "autoscaling",
}
