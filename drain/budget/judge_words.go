package budget

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

func healthyPods(n int32) string {
	if n == 1 {
		return "1 healthy pod"
	}
	return format.Number(n) + " healthy pods"
}

func needsAndHas(b *kube.Budget) string {
	pods := " healthy pods and has "
	if b.DesiredHealthy == 1 {
		pods = " healthy pod and has "
	}
	return "budget " + b.Name + " needs " + format.Number(b.DesiredHealthy) + pods + format.Number(b.CurrentHealthy)
}

func ignoredWords(p *kube.Pod) string {
	switch {
	case p.Terminating():
		return "it is terminating: budgets do not apply"
	case p.Finished():
		return "it is finished: budgets do not apply"
	}
	return "it is Pending: budgets do not apply"
}

func unseenWords(sync kube.SyncState) string {
	if sync.Phase == kube.NotSynced {
		return "budgets are still being read: whether one blocks it is not known yet"
	}
	if sync.Reason == "" {
		return "budgets cannot be listed: whether one blocks it is not known"
	}
	return "budgets cannot be listed (" + format.Quote(sync.Reason) + "): whether one blocks it is not known"
}

func multipleWords(names []string) string {
	return format.Number(int32(len(names))) + " budgets select it (" + strings.Join(names, ", ") +
		"): the server evicts no pod that more than one selects"
}

func freeWords(b *kube.Budget) string {
	if b.DesiredHealthy > 0 && b.CurrentHealthy >= b.DesiredHealthy {
		return "it is not Ready, and " + needsAndHas(b) + " without it"
	}
	return "it is not Ready, and budget " + b.Name + " allows the eviction of such pods (AlwaysAllow)"
}

func syncingWords(b *kube.Budget) string {
	return "budget " + b.Name + " is new or was changed: the controller has not observed it yet"
}

func laggingWords(b *kube.Budget) string {
	if b.DisruptionsAllowed < 0 {
		return "budget " + b.Name + " allows " + format.Number(b.DisruptionsAllowed) +
			": the controller has not updated it yet"
	}
	return "budget " + b.Name + " has " + format.Number(int32(len(b.DisruptedPods))) +
		" evictions that the controller has not seen yet"
}

func allowsWords(b *kube.Budget) string {
	return needsAndHas(b) + ": it allows " + format.Number(b.DisruptionsAllowed) + " now"
}

// blockedWords is the line for a pod that its budget holds back: the arithmetic
// first, then whose trouble it is.
func (l *Tracker) blockedWords(v Verdict, b *kube.Budget, page *page, sick SickPod, itself bool) string {
	line := needsAndHas(b)
	switch {
	case sick.Pod == nil:
		return line + "; " + l.missingWords(b, page)
	case itself:
		line += "; the pod itself " + l.stateWords(sick)
	default:
		line += "; " + l.sickWords(sick)
	}
	if v == VerdictDeadlock {
		line += deadlockWords(page)
	}
	return line
}

// sickWords say which pod is unhealthy, where, and what is wrong with it.
func (l *Tracker) sickWords(sick SickPod) string {
	if sick.Pod.Node == "" {
		return sick.Pod.Name + " " + l.stateWords(sick)
	}
	return sick.Pod.Name + " on " + sick.Pod.Node + " " + l.stateWords(sick)
}

// stateWords says what is wrong with an unhealthy pod.
func (l *Tracker) stateWords(sick SickPod) string {
	return sick.unhealthyPod(l.serverNow).State(l.serverNow)
}

// leaves reports whether the unhealthy pod is about to go, so that this ends by itself.
func (s *UnhealthyPod) leaves() bool {
	return s.Reason == reasonTerminating || s.Reason == reasonEvicted
}

// Brief says what is wrong with the unhealthy pod in two or three words, as they follow its
// name: "is not Ready".
func (s *UnhealthyPod) Brief() string {
	switch {
	case s.Reason == reasonTerminating:
		return "is terminating"
	case s.Reason == reasonEvicted:
		return "is being evicted"
	case s.Phase == corev1.PodFailed:
		return "has failed"
	case s.Reason == reasonPending, s.unschedulable():
		return "is Pending"
	}
	return "is not Ready"
}

// unschedulable reports whether the scheduler said why it finds no node for the pod.
func (s *UnhealthyPod) unschedulable() bool {
	return s.Phase == corev1.PodPending && s.Reason == corev1.PodReasonUnschedulable && s.Message != ""
}

// freed says when the unhealthy pod no longer blocks the others, as it follows its name.
func (s *UnhealthyPod) freed() string {
	switch {
	case s.leaves():
		return "is replaced"
	case s.Phase == corev1.PodFailed:
		return "is deleted"
	}
	return "is Ready"
}

// State says what is wrong with the unhealthy pod, as it follows its name: "is not Ready for
// 4m: "CrashLoopBackOff" (exit code 1)". now is the server's clock.
func (s *UnhealthyPod) State(now time.Time) string {
	text := s.Brief()
	if s.Phase == corev1.PodFailed && !s.leaves() {
		return text + ": " + format.Quote(s.Reason)
	}
	if !s.Since.IsZero() {
		text += " for " + format.Since(now, s.Since)
	}
	switch {
	case s.Reason == reasonTerminating && s.Silent:
		return text + ", and the kubelet of its node is silent"
	case s.Reason == reasonNodeSilent:
		return text + ": the kubelet of its node is silent"
	case s.leaves(), s.Reason == reasonPending:
		return text
	case s.unschedulable():
		return text + ": " + format.Quote(s.Message)
	case (s.Reason == "" || unspecific(s.Reason)) && s.Message == "":
		return text
	case unspecific(s.Reason):
		return text + ": " + format.Quote(s.Message)
	}
	text += ": " + format.Quote(s.Reason)
	if s.ExitCode != nil {
		text += " (exit code " + format.Number(*s.ExitCode) + ")"
	}
	return text
}

// unspecific tells of reasons that say no more than that a pod is not Ready: our
// own, that of records without one, and the kubelet's for a probe that fails.
func unspecific(reason string) bool {
	return reason == ReasonNotReady || reason == "NotReady" || reason == "ContainersNotReady"
}

// missingWords is for a budget that allows nothing though all its pods are healthy.
func (l *Tracker) missingWords(b *kube.Budget, page *page) string {
	var live int32
	for _, p := range page.pods {
		if p.Finished() {
			continue
		}
		live++
		if p.Owner == nil {
			continue
		}
		if w := l.s.Workload(p.Owner.UID); w != nil && w.Failure != "" {
			return w.Kind + " " + w.Name + " cannot create its pods: " + format.Quote(w.Failure)
		}
	}
	if page.partial {
		return "the pods on other nodes are still being read"
	}
	if missing := page.steady - live; missing > 0 {
		return format.Number(missing) + " of its pods not created yet"
	}
	if b.CurrentHealthy > b.DesiredHealthy {
		return "the controller has not updated it yet"
	}
	return "all its pods are healthy: the controller has not updated it yet"
}

func deadlockWords(page *page) string {
	for _, sick := range page.sick {
		if sick.Class == SickLive && sick.Pod.Phase != corev1.PodPending {
			return "; deadlock: it can only be replaced once this drain evicts it"
		}
	}
	return ", and this drain makes no room for it"
}

// lacksRoom reports whether the scheduler found no node with room for the pod
// (its messages: "Insufficient cpu", "Too many pods", "were unschedulable").
func lacksRoom(p *kube.Pod) bool {
	t := p.Trouble
	if p.Node != "" || t == nil || t.Reason != corev1.PodReasonUnschedulable {
		return false
	}
	for _, words := range []string{"Insufficient ", "Too many pods", "were unschedulable"} {
		if strings.Contains(t.Message, words) {
			return true
		}
	}
	return false
}
