package plan

import (
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// notRemade says why the pod is not recreated once it is gone, "" where it is:
// does or it is not known. Pods of one owner follow each other, so the last
// answer is kept.
func (p *planner) notRemade(pod *kube.Pod) (why string, retried bool) {
	switch {
	case pod.Finished(), pod.Terminating():
		return "", false
	case pod.Owner == nil:
		return "it has no controller and will not be recreated", false
	case pod.Owner != p.lastOwner:
		p.lastOwner = pod.Owner
		p.lastNotRemade, p.lastRetried = p.ownerFails(pod.Namespace, pod.Owner)
	}
	return p.lastNotRemade, p.lastRetried
}

// ownerFails says why an owner makes no pods, "" if it does or is not known, and
// whether it goes on trying.
func (p *planner) ownerFails(namespace string, owner *kube.Owner) (why string, retried bool) {
	w := p.s.Workload(owner.UID)
	switch {
	case w == nil && p.s.In(namespace).Trusted(OwnersOfKind(owner)):
		return "its " + owner.Kind + " " + owner.Name + " is gone: it will not be recreated", false
	case w == nil:
		return "", false
	case w.Finished:
		return "its " + w.Kind + " " + w.Name + " has ended (" + w.FinishedAs + "): it will not be recreated", false
	case w.Kind != "Job" && w.Failure != "":
		// The ReplicaFailure condition, which carries the words of a quota or of a
		// webhook (replica_set_utils.go calculateStatus).
		return "its " + w.Kind + " " + w.Name + " cannot create pods: " + format.Quote(w.Failure), true
	}
	return "", false
}

// OwnersOfKind is the kind of the store that holds such owners, "" for those that
// it does not hold, which are never in sync. Other API groups have kinds of the
// same name.
func OwnersOfKind(owner *kube.Owner) kube.Kind {
	group, _, _ := strings.Cut(owner.APIVersion, "/")
	switch group + " " + owner.Kind {
	case "v1 ReplicationController":
		return kube.KindReplicationControllers
	case "apps Deployment":
		return kube.KindDeployments
	case "apps ReplicaSet":
		return kube.KindReplicaSets
	case "apps StatefulSet":
		return kube.KindStatefulSets
	case "batch Job":
		return kube.KindJobs
	}
	return ""
}

// advise says what would help a pod that cannot simply go.
func (p *planner) advise(plan *Pod, pod *kube.Pod) {
	if plan.Budget != nil {
		plan.Advice = plan.Budget.Advice
	}
	if plan.Action == ActionRefuse {
		plan.Advice = adviseRefused(plan)
	}
	if !plan.Moves() || plan.NotRemade == "" {
		return
	}
	advice := []budget.Advice{saved(plan)}
	if pod.Owner != nil {
		if w := p.s.Workload(pod.Owner.UID); w != nil && w.Failure != "" && w.Kind != "Job" {
			advice = budget.AdviseFailure(w)
		}
	}
	plan.Advice = append(plan.Advice[:len(plan.Advice):len(plan.Advice)], advice...)
}

// saved keeps what would not be recreated.
func saved(plan *Pod) budget.Advice {
	return budget.Advice{Text: "save it first", Command: "kubectl get pod -n " + plan.Namespace + " " + plan.Name +
		" -o yaml"}
}

// adviseRefused is what lifts a refusal, by its reasons; what only looks or keeps
// comes first.
func adviseRefused(plan *Pod) []budget.Advice {
	var advice []budget.Advice
	for _, r := range plan.Reasons {
		if r.Level != LevelError {
			continue
		}
		switch r.Code {
		case ReasonDaemonSet:
			advice = append(advice, budget.Advice{Text: "leave it there: its DaemonSet would recreate it at once",
				Command: "--ignore-daemonsets"})
		case ReasonDaemonSetUnknown:
			advice = append(advice, budget.Advice{Text: "ask for the right to list DaemonSets",
				Command: "kubectl auth can-i list daemonsets.apps -A"})
		case ReasonOrphanedDaemonSet:
			advice = append(advice, saved(plan),
				budget.Advice{Text: "accept that it is not recreated: its DaemonSet is gone", Command: "--force"})
		case ReasonEmptyDir:
			advice = append(advice, budget.Advice{Text: "accept the loss of its emptyDir data",
				Command: "--delete-emptydir-data"})
		case ReasonUnmanaged:
			advice = append(advice, saved(plan), budget.Advice{Text: "accept that it is not recreated",
				Command: "--force"})
		case ReasonForeign:
			if name, _, found := strings.Cut(strings.TrimPrefix(r.Message, "annotation "), "="); found {
				advice = append(advice, budget.Advice{Text: "remove it, if whoever set it agrees",
					Command: "kubectl annotate pod -n " + plan.Namespace + " " + plan.Name + " " + name + "-"})
			}
		case ReasonSingleReplica:
			advice = append(advice, budget.Advice{Text: "run a second pod first", Command: scaleOwner(plan)})
		}
	}
	return advice
}

// scaleOwner scales the workload that a SingleReplica reason names.
func scaleOwner(plan *Pod) string {
	for _, r := range plan.Reasons {
		if text := strings.Fields(r.Message); r.Code == ReasonSingleReplica && len(text) > 1 {
			return "kubectl scale " + format.ShellWord(strings.ToLower(text[0])) + " -n " + plan.Namespace + " " +
				format.ShellWord(text[1]) + " --replicas=2"
		}
	}
	return ""
}
