package drain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/words"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Request is the request that the rung sends, as the API server gets it.
func (f RungFacts) Request() string {
	pod := "/api/v1/namespaces/" + f.Namespace + "/pods/" + f.Name
	if f.Name == "" {
		return ""
	}
	switch f.Kind {
	case RungFree:
		return "POST " + pod + "/eviction, UID " + string(f.UID)
	case RungDelete, RungKill:
		grace := ""
		if f.Grace >= 0 {
			grace = fmt.Sprintf(", gracePeriodSeconds %d", f.Grace)
		}
		return "DELETE " + pod + ", UID " + string(f.UID) + grace
	case RungRestart:
		return "PATCH " + f.path() + ", pod template annotation " + kube.RestartedAtAnnotation
	case RungScale:
		return fmt.Sprintf("PATCH %s/scale, replicas %d to %d", f.path(), f.From, f.To)
	case RungTaint:
		return "PATCH /api/v1/nodes/" + f.Name + ", taint " + kube.OutOfService.ToString()
	}
	return ""
}

// path is that of the workload that the rung changes.
func (f RungFacts) path() string {
	of := kube.ScaleResources[f.Object]
	root := "/api/v1"
	if of.Group != "" {
		root = "/apis/" + of.Group + "/v1"
	}
	return root + "/namespaces/" + f.Namespace + "/" + of.Resource + "/" + f.Name
}

// command is the same as a command of kubectl, without the precondition on the UID,
// "" where kubectl has none.
func (f RungFacts) command() string {
	if f.Name == "" {
		return ""
	}
	switch f.Kind {
	case RungDelete, RungKill:
		text := "kubectl delete pod -n " + f.Namespace + " " + f.Name
		switch {
		case f.Grace == 0:
			return text + " --grace-period=0 --force"
		case f.Grace > 0:
			return text + fmt.Sprintf(" --grace-period=%d", f.Grace)
		}
		return text
	case RungRestart:
		return "kubectl rollout restart -n " + f.Namespace + " deployment/" + f.Name
	case RungScale:
		return f.scaleTo(f.To)
	case RungTaint:
		return words.OutOfService(f.Name)
	}
	return ""
}

func (f RungFacts) scaleTo(replicas int32) string {
	return fmt.Sprintf("kubectl scale -n %s %s --replicas=%d", f.Namespace, words.ShellWord(strings.ToLower(f.Object)+"/"+f.Name), replicas)
}

// Undo is the command that takes the rung back by hand, "" where nothing is.
func (f RungFacts) Undo() string {
	switch f.Kind {
	case RungScale:
		return f.scaleTo(f.From)
	case RungTaint:
		return words.OutOfService(f.Name) + "-"
	}
	return ""
}

// What names what the rung did, for a report.
func (f RungFacts) What() string {
	switch f.Kind {
	case RungFree:
		return "eviction of " + f.Namespace + "/" + f.Name
	case RungRestart:
		return "restart of " + f.Object + " " + f.Namespace + "/" + f.Name
	case RungScale:
		return fmt.Sprintf("%s %s/%s from %d to %d replicas", f.Object, f.Namespace, f.Name, f.From, f.To)
	case RungDelete:
		return "deletion past its budget"
	case RungKill:
		return "deletion with zero grace"
	case RungTaint:
		return "out-of-service taint on node " + f.Name
	}
	return string(f.Kind)
}

// needs are the rights that the rung takes.
func (f RungFacts) needs() []kube.Permission {
	switch f.Kind {
	case RungFree:
		return []kube.Permission{{Verb: "create", Resource: "pods", Subresource: "eviction", Namespace: f.Namespace}}
	case RungRestart:
		return []kube.Permission{{Verb: "patch", Group: "apps", Resource: "deployments", Namespace: f.Namespace}}
	case RungScale:
		right := kube.ScaleResources[f.Object]
		right.Namespace = f.Namespace
		return []kube.Permission{right}
	case RungDelete, RungKill:
		return []kube.Permission{{Verb: "delete", Resource: "pods", Namespace: f.Namespace}}
	case RungTaint:
		return []kube.Permission{{Verb: "patch", Resource: "nodes"}}
	}
	return nil
}

// Rights asks the server which of the rights we have, all at once.
type Rights func(context.Context, []kube.Permission) ([]kube.AccessResult, error)

// Needs are the rights that the rungs take, each once.
func Needs(rungs []Rung) []kube.Permission {
	var needs []kube.Permission
	for _, r := range rungs {
		for _, need := range r.Needs {
			if !slices.Contains(needs, need) {
				needs = append(needs, need)
			}
		}
	}
	return needs
}

// Withhold switches off the rungs whose rights are missing, and names the rule.
func Withhold(rungs []Rung, results []kube.AccessResult) {
	for i := range rungs {
		for _, need := range rungs[i].Needs {
			for _, r := range results {
				if r.Permission == need && !r.Allowed && r.Err == nil && rungs[i].Off == "" {
					rungs[i].Off = "you may not " + need.String()
				}
			}
		}
	}
}
