package budget

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Advice is something that would help, and the exact command for it: one for a
// shell, or, where it begins with --, a flag of the drain. Command is empty where
// only waiting helps. Nothing of it is ever done by the program itself.
type Advice struct {
	Text    string `json:"text"`
	Command string `json:"command,omitempty"`
}

// adviseBlocked is what helps against a budget that allows nothing now, the least
// harmful first: what costs no healthy pod before what loosens the budget.
func (l *Tracker) adviseBlocked(v Verdict, b *kube.Budget, page *page, sick SickPod) []Advice {
	switch {
	case v == VerdictManaged:
		return []Advice{{"see what its controller waits for", describeOwner(b)}}
	case v == VerdictNever:
		return l.adviseNever(b, page)
	case sick.Pod == nil:
		return l.adviseMissing(page)
	}
	var advice []Advice
	switch pod := sick.Pod; {
	case v == VerdictDeadlock && sick.Class == SickLive && pod.Phase != corev1.PodPending:
		advice = []Advice{{"allow the eviction of pods that are not Ready: that costs no healthy one",
			patchBudget(b, `{"spec":{"unhealthyPodEvictionPolicy":"AlwaysAllow"}}`)}}
		advice = append(advice, adviseSick(sick)...)
	default:
		advice = l.adviseSickPod(sick)
	}
	if more, ok := adviseScale(b, page); ok && sick.Class != SickLeaves && !Managed(b) {
		advice = append(advice, more)
	}
	return advice
}

// adviseSickPod is what helps a pod that is not healthy.
func (l *Tracker) adviseSickPod(sick SickPod) []Advice {
	switch sick.Class {
	case SickLeaves:
		return adviseLeaving(sick, l.serverNow)
	case sickDead:
		remove := format.OnPod("delete pod", sick.Pod, "")
		return []Advice{{"remove it: it has failed and will not be recreated", remove}}
	}
	return adviseSick(sick)
}

// adviseNever is what helps where arithmetic stands in the way: one more replica
// has no cost; the budget itself comes after.
func (l *Tracker) adviseNever(b *kube.Budget, page *page) []Advice {
	byNumber := Advice{
		"set minAvailable to a number, so that the pods themselves are counted",
		patchBudget(b, fmt.Sprintf(`{"spec":{"maxUnavailable":null,"minAvailable":%d}}`, max(page.running()-1, 0))),
	}
	switch page.why {
	case neverOpened:
		return l.adviseClosed(b)
	case neverComputed:
		see := Advice{"see what the controller cannot count", "kubectl describe pdb -n " + b.Namespace + " " + b.Name}
		if countsScale(b) && !page.partial {
			return []Advice{see, byNumber}
		}
		return []Advice{see}
	case neverAllowed:
		return []Advice{{"allow one pod to be unavailable", patchBudget(b, `{"spec":{"maxUnavailable":1}}`)}}
	case neverCounts:
		return []Advice{byNumber}
	}
	var advice []Advice
	if more, ok := adviseScale(b, page); ok {
		advice = append(advice, more)
	}
	text := "allow one pod to be unavailable"
	if page.steady <= 1 {
		text += ": none is available while the only pod moves"
	}
	change := `{"spec":{"minAvailable":null,"maxUnavailable":1}}`
	if !countsScale(b) {
		change = fmt.Sprintf(`{"spec":{"minAvailable":%d}}`, max(page.steady-1, 0))
	}
	return append(advice, Advice{text, patchBudget(b, change)})
}

// adviseScale is one more replica, where that gives the budget room that it does
// not have now. An autoscaler that owns the number takes it back.
func adviseScale(b *kube.Budget, page *page) (Advice, bool) {
	w := page.Scalable
	if w == nil || w.Owner != nil || Room(b, w.Replicas+1) <= max(Room(b, w.Replicas), 0) {
		return Advice{}, false
	}
	return Advice{
		"add a replica, which gives the budget room (if an autoscaler owns the number, raise its minimum)",
		fmt.Sprintf("kubectl scale %s -n %s %s --replicas=%d", strings.ToLower(w.Kind), w.Namespace, w.Name, w.Replicas+1),
	}, true
}

// Room is how many of that many healthy pods the budget lets go (disruption.go
// getExpectedPodCount; percentages round up).
func Room(b *kube.Budget, pods int32) int32 {
	scaled := func(v *intstr.IntOrString) int32 {
		n, err := intstr.GetScaledValueFromIntOrPercent(v, int(pods), true)
		if err != nil {
			return pods
		}
		return int32(n)
	}
	switch {
	case b.MaxUnavailable != nil:
		return min(scaled(b.MaxUnavailable), pods)
	case b.MinAvailable != nil:
		return pods - scaled(b.MinAvailable)
	}
	return 0
}

// adviseMissing is for a budget none of whose pods is unhealthy.
func (l *Tracker) adviseMissing(page *page) []Advice {
	for _, p := range page.pods {
		if p.Owner == nil || p.Finished() {
			continue
		}
		if w := l.s.Workload(p.Owner.UID); w != nil && w.Failure != "" {
			return AdviseFailure(w)
		}
	}
	return []Advice{{Text: "wait: the controllers are working on it"}}
}

// AdviseFailure is for an owner that cannot make its pods.
func AdviseFailure(w *kube.Workload) []Advice {
	if strings.Contains(w.Failure, "exceeded quota") {
		return []Advice{{"raise the quota, or free some of it", "kubectl describe quota -n " + w.Namespace}}
	}
	return []Advice{{
		"see why its owner cannot create pods",
		"kubectl describe " + strings.ToLower(w.Kind) + " -n " + w.Namespace + " " + w.Name,
	}}
}

// adviseLeaving is for a pod that is about to go.
func adviseLeaving(sick SickPod, serverNow time.Time) []Advice {
	switch p := sick.Pod; {
	case sick.Silent && p.Terminating():
		return []Advice{{"bring its node back; only if that machine is permanently off, taint it as out of service",
			format.OutOfService(p.Node)}}
	case Overdue(p, serverNow):
		return AdviseFinalizers(p)
	}
	return []Advice{{Text: "wait: it is about to be removed"}}
}

// AdviseFinalizers is for a pod that only its finalizers keep: who is to remove them, and the
// patch that does it by hand. It tests that they are still the same.
func AdviseFinalizers(p *kube.Pod) []Advice {
	var owners []string
	for _, f := range p.Finalizers {
		if domain, _, found := strings.Cut(f, "/"); found && !slices.Contains(owners, domain) {
			owners = append(owners, domain)
		}
	}
	whose := "its controller"
	if len(owners) > 0 {
		whose = "the controller of " + strings.Join(owners, ", ")
	}
	list, _ := json.Marshal(p.Finalizers) // strings always marshal
	patch := `[{"op":"test","path":"/metadata/finalizers","value":` + string(list) +
		`},{"op":"remove","path":"/metadata/finalizers"}]`
	names := strings.Join(p.Finalizers, ", ")
	return []Advice{
		{"see who should remove finalizer " + names, format.OnPod("get pod", p, " -o yaml")},
		{"remove finalizer " + names + " by hand; what " + whose + " was to do before is then not done",
			format.OnPod("patch pod", p, " --type=json -p "+format.ShellWord(patch))},
	}
}

// Overdue tells of a pod that only a finalizer keeps. Before its grace has expired a
// finalizer says nothing: pods of Jobs have one all their life.
func Overdue(p *kube.Pod, serverNow time.Time) bool {
	return p.Terminating() && len(p.Finalizers) > 0 && p.Deleted.Before(serverNow)
}

// adviseSick is for a pod that is not Ready. One that is recreated may come up
// elsewhere, at no cost meanwhile; what none of that would cure
// is to be read by a person.
func adviseSick(sick SickPod) []Advice {
	p := sick.Pod
	again := Advice{"delete it so that it is recreated; it serves no traffic", format.OnPod("delete pod", p, "")}
	see := Advice{"see why it is not Ready", format.OnPod("describe pod", p, "")}
	t := p.Trouble
	switch {
	case sick.Silent:
		return []Advice{{"bring its node back: its kubelet is silent", "kubectl describe node " + p.Node}}
	case p.Phase == corev1.PodPending && p.Node == "":
		return []Advice{{"make room for it: the scheduler says what is missing", see.Command}}
	case t != nil && notPulled(t.Reason):
		return []Advice{{"see why its image cannot be pulled", see.Command}}
	case p.Owner == nil:
		return []Advice{see}
	case t != nil && (t.HasExit || t.Reason == "CrashLoopBackOff"):
		flags := ""
		if t.Running { // else the kubelet shows the log of the last end (pkg/kubelet validateContainerLogStatus)
			flags = " --previous"
		}
		if t.Container != "" {
			flags += " -c " + t.Container
		}
		return []Advice{again, {"see why it ends", format.OnPod("logs", p, flags)}}
	}
	return []Advice{see, again}
}

// notPulled tells of the kubelet's reasons about images (k8s.io/kubernetes
// pkg/kubelet/images/types.go).
func notPulled(reason string) bool {
	switch reason {
	case "ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError":
		return true
	}
	return false
}

// adviseSeveral names the budgets that stand in each other's way. The one that
// allows most is the one that is missed least.
func adviseSeveral(budgets []*kube.Budget) []Advice {
	loosest := budgets[0]
	for _, b := range budgets[1:] {
		if cmp.Or(cmp.Compare(b.DisruptionsAllowed, loosest.DisruptionsAllowed),
			cmp.Compare(b.Name, loosest.Name)) > 0 {
			loosest = b
		}
	}
	name := "pdb -n " + loosest.Namespace + " " + loosest.Name
	return []Advice{
		{"narrow the selector of " + loosest.Name + ", so that one budget is left", "kubectl edit " + name},
		{"remove " + loosest.Name + ", which asks for least", "kubectl delete " + name},
	}
}

func adviseSyncing(b *kube.Budget) []Advice {
	return []Advice{{"wait a moment; if nothing changes, no controller manager is running",
		"kubectl get pdb -n " + b.Namespace + " " + b.Name + ` -o jsonpath='{.metadata.generation} {.status.observedGeneration}'`}}
}

var adviseUnseen = []Advice{{"ask for the right to list budgets",
	"kubectl auth can-i list poddisruptionbudgets.policy -A"}}

func patchBudget(b *kube.Budget, change string) string {
	return "kubectl patch pdb -n " + b.Namespace + " " + b.Name + " --type=merge -p '" + change + "'"
}
