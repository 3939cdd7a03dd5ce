package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// readRules are what every look at a drain needs.
var readRules = []kube.Permission{
	{Verb: "get", Resource: "nodes"},
	{Verb: "list", Resource: "pods"},
}

// drainRules are what kubectl drain needs under the same flags, and what our
// own flags ask for.
func drainRules(o drain.Options) []kube.Permission {
	rules := append([]kube.Permission{}, readRules...)
	rules = append(rules, kube.Permission{Verb: "get", Group: "apps", Resource: "daemonsets"})
	if o.DryRun == drain.DryRunClient {
		return rules
	}
	rules = append(rules, kube.Permission{Verb: "patch", Resource: "nodes"})
	if !o.DisableEviction {
		rules = append(rules, kube.Permission{Verb: "create", Resource: "pods", Subresource: "eviction"})
	}
	if o.DisableEviction || o.ForceAfter > 0 || o.MaxEvictRetries > 0 {
		rules = append(rules, kube.Permission{Verb: "delete", Resource: "pods"})
	}
	for _, more := range [][]kube.Permission{guardRules(o), ladderRules(o), refusalRules(o), takeOverRules(o)} {
		rules = append(rules, beyond(more, rules)...)
	}
	return rules
}

// refusalRules are what the flags need that refuse nodes: what is not known cannot
// be refused. The scale of an owner that is not watched is known to be needed only
// once the pods are read, see checkScales.
func refusalRules(o drain.Options) []kube.Permission {
	var rules []kube.Permission
	if o.BlockSingleReplica {
		rules = append(rules, workloadRules...)
	}
	if o.FailOnBlockers && !o.DisableEviction {
		rules = append(rules, kube.Permission{Verb: "list", Group: "policy", Resource: "poddisruptionbudgets"})
	}
	return rules
}

// takeOverRules are what it takes to see whose a node is and to have its Lease.
func takeOverRules(o drain.Options) []kube.Permission {
	if len(o.TakeOver) == 0 || o.DryRun != drain.DryRunNone {
		return nil
	}
	list := kube.Permission{Verb: "list", Group: "coordination.k8s.io", Resource: string(kube.KindLeases), Namespace: o.LeaseNamespace}
	return append(leaseRules(o.LeaseNamespace), list)
}

// ladderRules are what the rungs of the ladder need that were asked for by flag.
func ladderRules(o drain.Options) []kube.Permission {
	if o.DryRun != drain.DryRunNone {
		return nil
	}
	var rules []kube.Permission
	if o.AllowScale {
		rules = append(rules, scaleRules...)
	}
	if o.AllowZeroGrace && !o.DisableEviction && o.ForceAfter == 0 && o.MaxEvictRetries == 0 { // else it is asked for already
		rules = append(rules, kube.Permission{Verb: "delete", Resource: "pods"})
	}
	return rules
}

// scaleRules are what it takes to roll out anew and to change replicas. The list of
// autoscalers tells whose they are.
var scaleRules = []kube.Permission{
	{Verb: "list", Group: "autoscaling", Resource: "horizontalpodautoscalers"},
	{Verb: "patch", Group: "apps", Resource: "deployments"},
	kube.ScaleResources["Deployment"], kube.ScaleResources["StatefulSet"], kube.ScaleResources["ReplicaSet"],
	kube.ScaleResources["ReplicationController"],
}

// workloadRules are what it takes to know how many pods workloads want.
var workloadRules = []kube.Permission{
	{Verb: "list", Group: "apps", Resource: "replicasets"}, {Verb: "list", Group: "apps", Resource: "deployments"},
	{Verb: "list", Group: "apps", Resource: "statefulsets"},
}

// guardRules are what a guard needs: to know the workloads, and for real budgets
// to make and remove them.
func guardRules(o drain.Options) []kube.Permission {
	if o.Guard == "" {
		return nil
	}
	rules := append(slices.Clone(workloadRules), kube.Permission{Verb: "list", Group: "policy", Resource: "poddisruptionbudgets"})
	if !o.GuardWrite || o.DryRun != drain.DryRunNone {
		return rules
	}
	return append(rules, kube.Permission{Verb: "create", Group: "policy", Resource: "poddisruptionbudgets"},
		kube.Permission{Verb: "delete", Group: "policy", Resource: "poddisruptionbudgets"})
}

// leaseRules are what a run needs to take Leases and to give them back. It asks
// for none of them: without, it goes on and says so, unless it is to take some over.
func leaseRules(namespace string) []kube.Permission {
	var rules []kube.Permission
	for _, verb := range []string{"create", "update", "delete"} {
		rules = append(rules, kube.Permission{Verb: verb, Group: "coordination.k8s.io", Resource: string(kube.KindLeases), Namespace: namespace})
	}
	return rules
}

// eventRules are what a run needs to tell of itself on its nodes; it asks for none.
func eventRules() []kube.Permission {
	return []kube.Permission{{Verb: "create", Resource: "events", Namespace: "default"}}
}

// cordonRules are what cordon and uncordon need.
func cordonRules(dry drain.DryRun) []kube.Permission {
	rules := []kube.Permission{{Verb: "get", Resource: "nodes"}}
	if dry == drain.DryRunClient {
		return rules
	}
	return append(rules, kube.Permission{Verb: "patch", Resource: "nodes"})
}

// checkAccess asks for the rules before the first write; what is missing ends
// the command with its name.
func checkAccess(ctx context.Context, c *Cluster, rules []kube.Permission) error {
	access, err := askAccess(ctx, c, rules)
	if err != nil {
		return err
	}
	return denied(c, access)
}

// askAccess asks the server for each of the rules, at the same time.
func askAccess(ctx context.Context, c *Cluster, rules []kube.Permission) (drain.Access, error) {
	access := drain.Access{User: c.User}
	results, err := c.Access(ctx, rules)
	if err != nil {
		return access, err
	}
	for _, r := range results {
		if !r.Allowed {
			access.Missing = append(access.Missing, drain.MissingRight{Rule: ruleName(r.Permission), Namespace: r.Permission.Namespace, Why: r.Reason})
		}
	}
	return access, nil
}

// checkScales ends a drain with --block-single-replica that refuses a pod because the
// scale of its owner may not be read, by the name of the rule.
func checkScales(ctx context.Context, c *Cluster, s *kube.Snapshot, plan drain.Plan) error {
	var rules []kube.Permission
	for _, n := range plan.Nodes {
		for _, pod := range n.Pods {
			if !slices.ContainsFunc(pod.Reasons, func(r drain.Reason) bool { return r.Code == drain.ReasonScaleUnknown }) {
				continue
			}
			if w := drain.HiddenOwner(s, pod.UID); w != nil {
				resource, group, _ := strings.Cut(w.Resource, ".")
				rule := kube.Permission{Verb: "get", Group: group, Resource: resource, Subresource: "scale", Namespace: w.Namespace}
				rules = append(rules, beyond([]kube.Permission{rule}, rules)...)
			}
		}
	}
	if len(rules) == 0 {
		return nil
	}
	return checkAccess(ctx, c, rules)
}

// denied ends a command for want of rights, nil where none is missing.
func denied(c *Cluster, access drain.Access) error {
	if len(access.Missing) == 0 {
		return nil
	}
	var hints []string
	for _, m := range access.Missing {
		if m.Why != "" {
			hints = append(hints, m.Rule+": "+m.Why)
		}
	}
	hints = append(hints, "nothing was changed; a cluster role with these rules is needed (docs/rbac.md)")
	return &failure{
		code: ExitPermission, text: access.Words() + " (context " + c.Context + ")",
		hint: strings.Join(hints, "\n"),
	}
}

// planAccess asks for what a drain under the options would need. What already a
// plan needs ends the command; the rest is for the plan to tell.
func planAccess(ctx context.Context, c *Cluster, o drain.Options) (drain.Access, error) {
	access, err := askAccess(ctx, c, drainRules(o))
	if err != nil {
		return access, err
	}
	reads := drain.Access{User: c.User}
	for _, m := range access.Missing {
		for _, r := range readRules {
			if m.Rule == ruleName(r) {
				reads.Missing = append(reads.Missing, m)
			}
		}
	}
	return access, denied(c, reads)
}

// ruleName is a permission as RBAC and kubectl auth can-i name it.
func ruleName(p kube.Permission) string {
	resource := p.Resource
	if p.Subresource != "" {
		resource += "/" + p.Subresource
	}
	if p.Group != "" {
		resource += "." + p.Group
	}
	return p.Verb + " " + resource
}
