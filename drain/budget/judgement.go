package budget

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Verdict is whether the budgets of a pod let it go.
type Verdict string

// The verdicts of the contract.
const (
	VerdictEvictable Verdict = "Evictable"
	VerdictWait      Verdict = "Wait"     // blocked now, by something that can pass
	VerdictNever     Verdict = "Never"    // blocked by arithmetic, whatever happens to pods
	VerdictManaged   Verdict = "Managed"  // blocked until the controller of the budget opens it
	VerdictDeadlock  Verdict = "Deadlock" // waits for pods that wait for this drain
	VerdictMultiple  Verdict = "Multiple" // more than one budget: the server answers 500
	VerdictSyncing   Verdict = "Syncing"  // the controller has not observed the budget yet
	VerdictUnknown   Verdict = "Unknown"  // budgets cannot be seen
)

// UnhealthyPod is the pod under the same budget whose trouble holds it.
type UnhealthyPod struct {
	Namespace string    `json:"namespace"`
	Name      string    `json:"name"`
	Node      string    `json:"node,omitempty"`
	Since     time.Time `json:"since,omitzero"` // since when it is not Ready
	// Starting tells that it, or what replaces it, should be Ready in a moment.
	Starting bool   `json:"starting,omitempty"`
	Reason   string `json:"reason"` // CrashLoopBackOff, ImagePullBackOff, not Ready, terminating, ...
	Message  string `json:"message,omitempty"`
	ExitCode *int32 `json:"exitCode,omitempty"`
	// Termination is what its container left as its last words, often lines of its
	// log. A screen shows them; no journal, report or Event has them.
	Termination string `json:"-"`
	// Phase is Pending or Failed, "" for any other; Silent tells that the kubelet of
	// its node does not answer.
	Phase  corev1.PodPhase `json:"phase,omitempty"`
	Silent bool            `json:"silent,omitempty"`
}

// Numbers are the figures of a budget at one moment.
type Numbers struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Needed    int32  `json:"needed"`  // desiredHealthy
	Present   int32  `json:"present"` // currentHealthy
	Allowed   int32  `json:"allowed"` // disruptionsAllowed
	Expected  int32  `json:"expected"`
}

// Judgement is what the budgets say of a pod: Judge computes it.
type Judgement struct {
	Verdict      Verdict       `json:"verdict"`
	Names        []string      `json:"names"` // of the budgets that select the pod, sorted
	Why          string        `json:"why,omitempty"`
	Budgets      []Numbers     `json:"budgets,omitempty"`
	UnhealthyPod *UnhealthyPod `json:"unhealthyPod,omitempty"`
	Advice       []Advice      `json:"advice,omitempty"` // the least harmful first
}

// Sentence says which pod is in trouble, where and why.
func (s *UnhealthyPod) Sentence() string {
	where := ""
	if s.Node != "" {
		where = " on " + s.Node
	}
	reason := s.Reason
	if s.ExitCode != nil {
		reason = fmt.Sprintf("%s (exit code %d)", reason, *s.ExitCode)
	}
	return s.Name + where + ": " + reason
}

// GuardOf is the workload that the guard of a plan counts the pod with, as
// "Kind/name"; "" where a budget of the cluster counts it, or nothing does.
func (j *Judgement) GuardOf() string {
	if j == nil || len(j.Names) > 0 || len(j.Budgets) == 0 {
		return ""
	}
	return j.Budgets[0].Name
}

// Holder names what blocks the pods of a budget: the unhealthy pod, else the budget.
func (j *Judgement) Holder() string {
	if j.UnhealthyPod != nil {
		return j.UnhealthyPod.Name + " " + j.UnhealthyPod.freed()
	}
	if of := j.GuardOf(); of != "" {
		return "the temporary budget for " + of + " allows it"
	}
	return strings.Join(j.Names, ", ") + " allows it"
}
