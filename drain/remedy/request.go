package remedy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// Request is the request that the remedy sends, as the API server gets it.
func (f Facts) Request() string {
	pod := "/api/v1/namespaces/" + f.Namespace + "/pods/" + f.Name
	if f.Name == "" {
		return ""
	}
	switch f.Kind {
	case EvictUnhealthy:
		return "POST " + pod + "/eviction, UID " + string(f.UID)
	case Delete, ForceDelete:
		grace := ""
		if f.Grace >= 0 {
			grace = fmt.Sprintf(", gracePeriodSeconds %d", f.Grace)
		}
		return "DELETE " + pod + ", UID " + string(f.UID) + grace
	case RolloutRestart:
		return "PATCH " + f.path() + ", pod template annotation " + kube.RestartedAtAnnotation
	case Surge:
		return fmt.Sprintf("PATCH %s, replicas %d to %d and back; PATCH pod, its deletion cost", f.path(), f.From, f.To)
	case Scale:
		return fmt.Sprintf("PATCH %s/scale, replicas %d to %d", f.path(), f.From, f.To)
	case AskController:
		r := f.fieldsRequest(f.Fields)
		return fmt.Sprintf("PATCH %s, %s %s to %s", r.Path(), r.Under, r.From, r.To)
	case OutOfService:
		return "PATCH /api/v1/nodes/" + f.Name + ", taint " + kube.OutOfService.ToString()
	}
	return ""
}

// path is that of the workload that the remedy changes.
func (f Facts) path() string {
	of := request.ScaleResources[f.Object]
	root := "/api/v1"
	if of.Group != "" {
		root = "/apis/" + of.Group + "/v1"
	}
	return root + "/namespaces/" + f.Namespace + "/" + of.Resource + "/" + f.Name
}

// command is the same as a command of kubectl, without the precondition on the UID,
// "" where kubectl has none.
func (f Facts) command() string {
	if f.Name == "" {
		return ""
	}
	switch f.Kind {
	case Delete, ForceDelete:
		text := "kubectl delete pod -n " + f.Namespace + " " + f.Name
		switch {
		case f.Grace == 0:
			return text + " --grace-period=0 --force"
		case f.Grace > 0:
			return text + fmt.Sprintf(" --grace-period=%d", f.Grace)
		}
		return text
	case RolloutRestart:
		return "kubectl rollout restart -n " + f.Namespace + " deployment/" + f.Name
	case Scale:
		return f.scaleTo(f.To)
	case AskController:
		return budget.PatchLine(f.fieldsRequest(f.Fields))
	case OutOfService:
		return format.OutOfService(f.Name)
	}
	return ""
}

func (f Facts) scaleTo(replicas int32) string {
	return fmt.Sprintf("kubectl scale -n %s %s --replicas=%d", f.Namespace,
		format.ShellWord(strings.ToLower(f.Object)+"/"+f.Name), replicas)
}

// ByHand is the command that takes the remedy back by hand, "" where nothing is.
func (f Facts) ByHand() string {
	switch f.Kind {
	case Scale:
		return f.scaleTo(f.From)
	case AskController:
		return budget.PatchLine(f.fieldsRequest(f.Fields.Back()))
	case OutOfService:
		return format.OutOfService(f.Name) + "-"
	}
	return ""
}

// What names what the remedy did, for a report.
func (f Facts) What() string {
	switch f.Kind {
	case EvictUnhealthy:
		return "eviction of " + f.Namespace + "/" + f.Name
	case RolloutRestart:
		return "restart of " + f.Object + " " + f.Namespace + "/" + f.Name
	case Surge:
		return "surge of " + f.Object + " " + f.Namespace + "/" + f.Name
	case Scale:
		return fmt.Sprintf("%s %s/%s from %d to %d replicas", f.Object, f.Namespace, f.Name, f.From, f.To)
	case AskController:
		return fmt.Sprintf("%s of %s %s/%s from %s to %s", f.Fields.Under, f.Object, f.Namespace, f.Name,
			f.Fields.From, f.Fields.To)
	case Delete:
		return "deletion past its budget"
	case ForceDelete:
		return "deletion with zero grace"
	case OutOfService:
		return "out-of-service taint on node " + f.Name
	}
	return string(f.Kind)
}

// needs are the rights that the remedy takes.
func (f Facts) needs() []request.Permission {
	switch f.Kind {
	case EvictUnhealthy:
		return []request.Permission{{Verb: "create", Resource: "pods", Subresource: "eviction", Namespace: f.Namespace}}
	case RolloutRestart:
		return []request.Permission{{Verb: "patch", Group: "apps", Resource: "deployments", Namespace: f.Namespace}}
	case Surge:
		right := request.SurgeResources[f.Object]
		right.Namespace = f.Namespace
		return []request.Permission{right, {Verb: "patch", Resource: "pods", Namespace: f.Namespace}}
	case Scale:
		right := request.ScaleResources[f.Object]
		right.Namespace = f.Namespace
		return []request.Permission{right}
	case AskController:
		return []request.Permission{f.fieldsRequest(f.Fields).Right()}
	case Delete, ForceDelete:
		return []request.Permission{{Verb: "delete", Resource: "pods", Namespace: f.Namespace}}
	case OutOfService:
		return []request.Permission{{Verb: "patch", Resource: "nodes"}}
	}
	return nil
}

// Needs are the rights that the remedies take, each once.
func Needs(remedies []Remedy) []request.Permission {
	var needs []request.Permission
	for _, r := range remedies {
		for _, need := range r.Needs {
			if !slices.Contains(needs, need) {
				needs = append(needs, need)
			}
		}
	}
	return needs
}

// DisableForbidden switches off the remedies whose rights are missing, and names the rule.
func DisableForbidden(remedies []Remedy, results []request.AccessResult) {
	for i := range remedies {
		for _, need := range remedies[i].Needs {
			for _, r := range results {
				if r.Permission == need && !r.Allowed && r.Err == nil && remedies[i].DisabledReason == "" {
					remedies[i].DisabledReason = "you may not " + need.String()
				}
			}
		}
	}
}
