package replacement

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Workload is how an owner of pods that a run moves is at one moment.
type Workload struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Namespace  string   `json:"namespace"`
	Name       string   `json:"name"`
	UID        kube.UID `json:"uid"`
	Wanted     int      `json:"wanted"`    // pods; of an owner whose number is not known, those that it has
	Available  int      `json:"available"` // of them Ready, and so for minReadySeconds
}

// missing is how many of its pods do not serve.
func (w Workload) missing() int { return max(0, w.Wanted-w.Available) }

// title is the workload as an operator would name it.
func (w Workload) title() string { return w.Kind + " " + w.Namespace + "/" + w.Name }

// Baseline is how the workloads of a run were before it moved a pod, by UID.
type Baseline []Workload

// With is the baseline with more workloads; those that it has stay as they were.
func (b Baseline) With(more []Workload) Baseline {
	all := slices.Clone(b)
	for _, w := range more {
		byUID := func(w Workload, uid kube.UID) int { return cmp.Compare(w.UID, uid) }
		if at, found := slices.BinarySearchFunc(all, w.UID, byUID); !found {
			all = slices.Insert(all, at, w)
		}
	}
	return all
}

// Controlled is a pod's controller and namespace.
type Controlled struct {
	Namespace string
	Owner     *kube.Owner
}

// Measure is how the workloads of these controllers are now, each once. Those
// whose pods are not replaced have no health that a run could compare.
func (v View) Measure(controllers []Controlled) []Workload {
	var all []Workload
	seen := map[kube.UID]bool{}
	for _, c := range controllers {
		if neverReplaced(c.Owner) != "" || seen[c.Owner.UID] {
			continue
		}
		seen[c.Owner.UID] = true
		top, _ := v.Snap.TopOwner(c.Owner)
		if top.UID != c.Owner.UID && seen[top.UID] {
			continue
		}
		seen[top.UID] = true
		w, _, _ := v.measure(Workload{APIVersion: top.APIVersion, Kind: top.Kind, Namespace: c.Namespace,
			Name: top.Name, UID: top.UID})
		all = append(all, w)
	}
	return all
}

// measure counts the pods of a workload as they are now. With it come the pod that
// says most about why some do not serve (nil for none), and when one that is Ready counts.
func (v View) measure(w Workload) (now Workload, worst *kube.Pod, wake time.Time) {
	w.Wanted, w.Available = 0, 0
	for p := range podsOf(v.Snap, w.UID, w.UID) {
		if !active(p) {
			continue
		}
		w.Wanted++
		at := availableAt(v.Snap, p)
		switch {
		case p.Ready && v.past(at):
			w.Available++
			continue
		case p.Ready:
			wake = earlier(wake, v.ours(at))
		}
		if worst == nil || telling(p) > telling(worst) {
			worst = p
		}
	}
	if known := v.Snap.Workload(w.UID); known != nil && known.APIVersion == "" {
		w.Wanted = int(surge.Wants(known)) // a raise passes
	}
	return w, worst, wake
}

// telling ranks what a pod says about why it does not serve.
func telling(p *kube.Pod) int {
	switch {
	case p.Trouble == nil:
		return 0
	case p.Trouble.Starting():
		return 1
	}
	return 2
}

// Worse is a workload of which more pods do not serve than before.
type Worse struct {
	Workload
	// MissingBefore is how many of its pods did not serve before.
	MissingBefore int    `json:"missingBefore"`
	Why           string `json:"why,omitempty"`
}

// Sentence says how the workload is and was, and why.
func (w Worse) Sentence() string {
	text := fmt.Sprintf("%s has %d of %s Ready", w.title(), w.Available, format.Count(w.Wanted, "pod"))
	if w.MissingBefore > 0 {
		text += fmt.Sprintf(" (%d missing before)", w.MissingBefore)
	}
	if w.Why != "" {
		text += ": " + w.Why
	}
	return text
}

// Counts reports whether the pods of all workloads of the baseline can be counted.
func (v View) Counts(b Baseline) bool {
	return v.Snap.Health().Live && !slices.ContainsFunc(b, func(w Workload) bool {
		return !v.Snap.In(w.Namespace).Trusted(kube.KindPods)
	})
}

// Worse are the workloads that are worse now than in the baseline, by namespace and name. Replacements
// that are on their way and may come up within their time do not count; starting is their number
// by the UID of the workload. One that was deleted is not worse. Wake is when the answer
// can change if no pod does.
func (b Baseline) Worse(v View, starting map[kube.UID]int) (worse []Worse, wake time.Time) {
	for _, before := range b {
		known := v.Snap.Workload(before.UID)
		kind := plan.OwnersOfKind(&kube.Owner{APIVersion: before.APIVersion, Kind: before.Kind})
		if known == nil && kind != "" && v.Snap.In(before.Namespace).Trusted(kind) {
			continue
		}
		now, worst, at := v.measure(before)
		if now.missing()-starting[before.UID] <= before.missing() {
			continue
		}
		wake = earlier(wake, at)
		worse = append(worse, Worse{Workload: now, MissingBefore: before.missing(), Why: whyWorse(known, worst)})
	}
	slices.SortFunc(worse, func(a, b Worse) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name),
			strings.Compare(a.Kind, b.Kind))
	})
	return worse, wake
}

// notCounted says why a Ready pod does not serve yet.
const notCounted = "Ready, counts after minReadySeconds"

func whyWorse(w *kube.Workload, worst *kube.Pod) string {
	switch {
	case worst != nil && worst.Trouble != nil:
		text := worst.Name + ": " + worst.Trouble.Reason
		if worst.Trouble.HasExit {
			text += fmt.Sprintf(" (exit code %d)", worst.Trouble.ExitCode)
		}
		if worst.Trouble.Message != "" {
			text += ", " + format.Quote(worst.Trouble.Message)
		}
		return text
	case worst != nil && worst.Ready:
		return worst.Name + ": " + notCounted
	case worst != nil:
		return worst.Name + ": not Ready"
	case w != nil && w.Failure != "":
		return "it cannot create pods: " + format.Quote(w.Failure)
	}
	return ""
}

// Gate is the health gate of a run: while it is closed, no further node begins.
type Gate struct {
	Closed    bool    `json:"closed"`
	Allowed   int     `json:"allowed"` // workloads that may be worse than before
	Workloads []Worse `json:"workloads,omitempty"`
}

// GateRun is a closed gate.
type GateRun struct {
	Gate
	Since time.Time // since when it is closed
	told  time.Time
}

// Become is the transition to what an event tells; nil is an open gate.
func (g *GateRun) Become(next Gate, at time.Time) *GateRun {
	if !next.Closed {
		return nil
	}
	closed := &GateRun{Gate: next, Since: at, told: at}
	if g != nil {
		closed.Since = g.Since
	}
	return closed
}

// Decide is what the gate becomes with these workloads that are worse than before, and whether that is
// to be told now; wake is when to decide again at the latest, zero for never.
func (g *GateRun) Decide(worse []Worse, allowed int, now time.Time) (next Gate, tell bool, wake time.Time) {
	next = Gate{Closed: len(worse) > allowed, Allowed: allowed, Workloads: worse}
	switch {
	case !next.Closed:
		next.Workloads = nil
		return next, g != nil, wake
	case g == nil || !slices.EqualFunc(g.Workloads, worse, func(a, b Worse) bool { return a.UID == b.UID }):
		return next, true, wake
	case slices.Equal(g.Workloads, worse):
		return next, false, wake
	}
	wake = tellNext(g.told, g.Since, now)
	return next, !now.Before(wake), wake
}

// Sentence says what keeps the gate closed.
func (g *Gate) Sentence() string {
	sentences := make([]string, min(len(g.Workloads), format.NamesShown))
	for i := range sentences {
		sentences[i] = g.Workloads[i].Sentence()
	}
	text := format.Plural(len(g.Workloads), "workload is", "workloads are") + " worse than before"
	if g.Allowed > 0 {
		text += fmt.Sprintf(", more than %d", g.Allowed)
	}
	text += ": " + strings.Join(sentences, "; ")
	if more := len(g.Workloads) - len(sentences); more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}
