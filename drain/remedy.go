package drain

import (
	"fmt"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// RemedyKind is a remedy of the ladder for one pod that does not go: each next one costs
// more, and none but the first is ever taken without the operator's word for it.
type RemedyKind string

// The remedies, the least harmful first.
const (
	RemedyWait           RemedyKind = "wait"
	RemedyEvictUnhealthy RemedyKind = "free"    // evict the sick sibling that holds its budget
	RemedyRolloutRestart RemedyKind = "restart" // roll its Deployment out anew: the new pod comes first
	RemedyScale          RemedyKind = "scale"   // one more replica, for the time of the run
	RemedyDelete         RemedyKind = "delete"  // past its budget, with a grace period
	RemedyForceDelete    RemedyKind = "kill"    // with a grace period of zero
	RemedyOutOfService   RemedyKind = "taint"   // declare its machine off
)

// RemedyKinds are all remedies, in order.
var RemedyKinds = []RemedyKind{RemedyWait, RemedyEvictUnhealthy, RemedyRolloutRestart, RemedyScale, RemedyDelete, RemedyForceDelete, RemedyOutOfService}

// OffOnItsWay is why no remedy can be taken while a request for the pod has no answer
// yet: a matter of moments.
const OffOnItsWay = "a request for it is on its way"

// RemedyFacts say what a remedy changes, for which pod of the run. What was confirmed and
// what is done are equal, or nothing is done.
type RemedyFacts struct {
	ID   int        `json:"id,omitempty"` // its number in the run, 0 before it is taken
	Kind RemedyKind `json:"kind"`
	Pod  kube.UID   `json:"pod"` // of the run
	For  string     `json:"for"` // its namespace/name
	// The object that is changed.
	Object    string   `json:"object,omitempty"` // its kind
	Namespace string   `json:"namespace,omitempty"`
	Name      string   `json:"name,omitempty"`
	UID       kube.UID `json:"uid,omitempty"`
	// From and To are its replicas before and after (RemedyScale).
	From int32 `json:"from,omitempty"`
	To   int32 `json:"to,omitempty"`
	// Grace is the grace period in seconds (RemedyDelete, RemedyForceDelete), below zero the pod's own.
	Grace int64 `json:"grace,omitempty"`
}

// Remedy is one remedy for one pod, as it is at this moment.
type Remedy struct {
	RemedyFacts
	Title          string
	DisabledReason string // why it cannot be taken now, "" if it can
	Call           string // the request that it sends
	Command        string // the same for a shell, "" where kubectl has no word for it
	Risk           string
	Warnings       []string
	Word           string // to be typed; "" for the wait, which takes none
	Needs          []kube.Permission
}

// Remedies are the remedies for a pod of the run, in order, each with what it would do
// now or why it cannot be taken. It is nil for a pod that is not in the run.
func Remedies(s *State, snap *kube.Snapshot, pod kube.UID, now time.Time) []Remedy {
	p := s.Pod(pod)
	if p == nil {
		return nil
	}
	l := &remedies{s: s, snap: snap, p: p, now: now, live: snap.Pod(pod), node: snap.Node(p.Node)}
	remedies := []Remedy{l.wait(), l.free(), l.restart(), l.scale(), l.delete(), l.kill(), l.taint()}
	shut := l.shut()
	for i := range remedies {
		r := &remedies[i]
		r.Pod, r.For = p.UID, p.Namespace+"/"+p.Name
		if r.Kind != RemedyWait && shut != "" {
			r.DisabledReason = shut
		}
		r.Call, r.Command, r.Needs = r.Request(), r.command(), r.needs()
	}
	return remedies
}

// ladder is what the remedies of one pod look at.
type remedies struct {
	s    *State
	snap *kube.Snapshot
	p    *PodRun
	live *kube.Pod  // nil if it is gone
	node *kube.Node // nil if it is gone
	now  time.Time
}

// shut is why no remedy can be taken now, "" if some can.
func (l *remedies) shut() string {
	n := l.s.Node(l.p.Node)
	switch {
	case l.s.Outcome != "":
		return "the run has ended"
	case l.s.Aborting:
		return "the run is being aborted"
	case l.s.Paused:
		return "the run is paused: nothing is sent"
	case l.p.State.Final():
		return "nothing more happens to it"
	case l.s.Phase != PhaseEvict || n == nil || n.State != NodeDraining:
		return "its node is not being drained now"
	case !l.snap.TrustedOn(l.p.Node):
		return "the view of the cluster is not live"
	case l.live == nil || l.node == nil || l.node.UID != n.UID:
		return "the cluster shows it no more"
	case l.p.InFlight != 0 || l.taken():
		return OffOnItsWay
	case !l.p.State.Blocked() && l.p.State != PodStuckTerminating && !l.silent():
		return "it is neither blocked nor stuck"
	}
	return ""
}

// taken tells whether the request of a remedy for this pod is out.
func (l *remedies) taken() bool {
	for _, r := range l.s.Remedies {
		if r.Pod == l.p.UID && r.InFlight != 0 {
			return true
		}
	}
	return false
}

// silent tells whether the node is off, or does not say how it is.
func (l *remedies) silent() bool { return l.node != nil && l.node.Ready != kube.NodeReady }

// budget is the one budget that holds the pod, or why there is none to speak of.
func (l *remedies) budget() (*kube.Budget, string) {
	if l.live == nil {
		return nil, "the cluster shows it no more"
	}
	if !l.snap.Trusted(kube.KindBudgets) {
		return nil, "budgets cannot be seen"
	}
	budgets := l.snap.BudgetsOf(l.live)
	switch {
	case l.live.Terminating():
		return nil, "it is ending already: no budget holds it"
	case len(budgets) > 1:
		return nil, "several budgets select it: the server evicts no such pod, whatever they allow"
	case len(budgets) == 0 || budget.Predict(l.live, budgets, l.live.UID).Goes() || l.p.State != PodBudgetBlocked:
		return nil, "no budget holds it"
	}
	return budgets[0], ""
}

func (l *remedies) wait() Remedy {
	return Remedy{RemedyFacts: RemedyFacts{Kind: RemedyWait}, Title: "wait",
		Risk: "None. It is tried again on the event that it waits for."}
}

// sibling is the sick pod whose eviction would free the budget of the pod.
func (l *remedies) unhealthyPod() (*kube.Pod, string) {
	b, why := l.budget()
	if b == nil {
		return nil, why
	}
	leaves := ""
	for _, sick := range budget.SickUnder(b, l.snap, l.snap.PodsUnder(b), l.snap.ServerTime(l.now)) {
		switch {
		case sick.Pod.UID == l.p.UID:
		case sick.Class == budget.SickLeaves:
			leaves = sick.Pod.Name
		default:
			return sick.Pod, ""
		}
	}
	if leaves != "" {
		return nil, leaves + " is ending already: that frees the budget when it is replaced"
	}
	if !kube.InWhole(l.snap, kube.KindPods) {
		return nil, "the pods on other nodes are still being read"
	}
	return nil, "no other pod under budget " + b.Name + " is sick"
}

func (l *remedies) free() Remedy {
	r := Remedy{RemedyFacts: RemedyFacts{Kind: RemedyEvictUnhealthy}, Title: "evict the sick sibling"}
	sick, why := l.unhealthyPod()
	if sick == nil {
		r.DisabledReason = why
		return r
	}
	r.Object, r.Namespace, r.Name, r.UID = "Pod", sick.Namespace, sick.Name, sick.UID
	r.Title, r.Word = "evict the sick sibling "+sick.Name, "evict "+sick.Name
	r.Risk = "It moves a pod that is not in the plan, by its UID, with its own grace period. It frees the budget only once its replacement is Ready."
	budgets := l.snap.BudgetsOf(sick)
	predicted := budget.Predict(sick, budgets, sick.UID)
	switch {
	case l.s.Pod(sick.UID) != nil:
		r.DisabledReason = sick.Name + " is in the plan itself: the run does with it what was confirmed"
	case sick.Mirror():
		r.DisabledReason = sick.Name + " is a static pod: only the files of its node remove it"
	case sick.Owner == nil:
		r.DisabledReason = "nobody would make " + sick.Name + " anew: that frees nothing"
	case !predicted.Goes():
		r.DisabledReason = "the server would refuse it: " + refusalWords(predicted, sick, budgets)
	}
	return r
}

// refusalWords say why the server would not evict a pod.
func refusalWords(predicted budget.Prediction, p *kube.Pod, budgets []*kube.Budget) string {
	switch predicted.Cause {
	case budget.CauseMultiple:
		return "several budgets select " + p.Name
	case budget.CauseNotObserved:
		return "the controller has not looked at budget " + budgets[0].Name + " yet"
	case budget.CauseBudget:
		if !p.Ready && (budgets[0].UnhealthyPolicy == "" || budgets[0].UnhealthyPolicy == "IfHealthyBudget") {
			return fmt.Sprintf("budget %s lets a pod that is not Ready go only while it has the %d it needs (IfHealthyBudget); it has %d",
				budgets[0].Name, budgets[0].DesiredHealthy, budgets[0].CurrentHealthy)
		}
		return "budget " + budgets[0].Name + " does not allow that either"
	}
	return "the controller is behind with budget " + budgets[0].Name
}

// workload is the owner whose replicas count, or why there is none.
func (l *remedies) workload() (*kube.Workload, string) {
	switch {
	case l.live == nil:
		return nil, "the cluster shows it no more"
	case l.live.Terminating():
		return nil, "it is ending already"
	case l.live.Owner == nil:
		return nil, "it has no owner"
	case !l.snap.Trusted(kube.KindReplicaSets, kube.KindDeployments, kube.KindStatefulSets):
		return nil, "its owner is not known: workloads cannot be seen"
	}
	if w := budget.ScaledBy(l.snap, l.live.Owner); w != nil {
		return w, ""
	}
	return nil, "its owner, " + l.live.Owner.Kind + " " + l.live.Owner.Name + ", has no replicas to change"
}

func (r *Remedy) about(w *kube.Workload) {
	r.Object, r.Namespace, r.Name, r.UID = w.Kind, w.Namespace, w.Name, w.UID
	r.Word = string(r.Kind) + " " + w.Name
	if w.DeployedBy != "" {
		r.Warnings = append(r.Warnings, w.DeployedBy+" deploys it, and may take the change back at any time")
	}
}

// ofWorkload begins a remedy that changes the workload of the pod; where there is
// none that can be changed it is nil, and the remedy says why.
func (l *remedies) ofWorkload(kind RemedyKind, title string) (Remedy, *kube.Workload) {
	r := Remedy{RemedyFacts: RemedyFacts{Kind: kind}, Title: title}
	w, why := l.workload()
	if w == nil {
		r.DisabledReason = why
		return r, nil
	}
	r.about(w)
	return r, w
}

func (l *remedies) restart() Remedy {
	r, w := l.ofWorkload(RemedyRolloutRestart, "start its replacement first")
	if w == nil {
		return r
	}
	r.Title += ": restart " + w.Kind + " " + w.Name
	r.Risk = "The Deployment starts a new pod elsewhere, and ends this one past its budget as soon as that is Ready. Its annotation stays."
	switch {
	case w.Kind != "Deployment" || w.Rollout == nil:
		r.DisabledReason = w.Kind + " " + w.Name + " ends the old pod before it makes a new one"
	case w.Replicas != 1:
		r.DisabledReason = fmt.Sprintf("%s has %d replicas: a restart would move pods outside the plan", w.Name, w.Replicas)
	case w.Rollout.Paused:
		r.DisabledReason = "the rollout of " + w.Name + " is paused"
	case w.Rollout.Surge < 1:
		r.DisabledReason = w.Name + " may not have a pod more for a moment (maxSurge 0, or Recreate)"
	case w.Rollout.Unavailable > 0:
		r.DisabledReason = w.Name + " may lose its only pod before the new one is Ready (maxUnavailable 1 or more)"
	}
	return r
}

func (l *remedies) scale() Remedy {
	r, w := l.ofWorkload(RemedyScale, "one more replica")
	if w == nil {
		return r
	}
	r.From, r.To = w.Replicas, w.Replicas+1
	r.Title += fmt.Sprintf(" of %s %s, %d to %d", w.Kind, w.Name, r.From, r.To)
	r.Risk = "The new pod must find room, and get Ready. The number is taken back at the end of the run, if it is still ours."
	if w.Kind == "StatefulSet" {
		r.Warnings = append(r.Warnings, "a new member joins the set, and leaves it again at the end; its claims may stay")
	}
	r.DisabledReason = l.cannotScale(w)
	return r
}

// cannotScale is why one more replica is not to be had, or would not help.
func (l *remedies) cannotScale(w *kube.Workload) string {
	if w.Replicas < 1 {
		return w.Name + " is scaled to zero"
	}
	if why := autoscaled(l.snap, w); why != "" {
		return why
	}
	for _, r := range l.s.Remedies {
		if r.Kind == RemedyScale && r.UID == w.UID && r.open() {
			return w.Name + " has one more replica already"
		}
	}
	b, why := l.budget()
	if b == nil {
		return why
	}
	if page := budget.NewTracker(l.snap, l.now).Page(b); page.Scalable == w && budget.Room(b, w.Replicas+1) <= max(budget.Room(b, w.Replicas), 0) {
		return fmt.Sprintf("budget %s would allow no more with %d replicas", b.Name, w.Replicas+1)
	}
	return ""
}

// itself makes the pod the object of the remedy.
func (l *remedies) itself(r *Remedy) {
	r.Object, r.Namespace, r.Name, r.UID = "Pod", l.p.Namespace, l.p.Name, l.p.UID
	r.Word = string(r.Kind) + " " + l.p.Name
}

func (l *remedies) delete() Remedy {
	r := Remedy{RemedyFacts: RemedyFacts{Kind: RemedyDelete, Grace: int64(l.s.Run.Options.GracePeriodSeconds)}, Title: "delete it past its budget, with its own grace period"}
	l.itself(&r)
	if r.Grace >= 0 {
		r.Title = fmt.Sprintf("delete it past its budget, with %d s of grace", r.Grace)
	}
	r.Risk = "No budget is asked: there may be fewer Ready pods than the application needs."
	switch {
	case r.Grace == 0:
		r.DisabledReason = "the run gives no grace period: that is the next rung"
	case l.live != nil && l.live.Terminating():
		r.DisabledReason = "it is ending already: its deletion was accepted"
	}
	return r
}

func (l *remedies) kill() Remedy {
	r := Remedy{RemedyFacts: RemedyFacts{Kind: RemedyForceDelete}, Title: "forget it: delete it with zero grace"}
	l.itself(&r)
	r.Risk = "The pod leaves the API at once, and nobody asks its kubelet: the process may still run, write to its volumes and hold its addresses."
	if l.live != nil && l.live.Owner != nil && l.live.Owner.Kind == "StatefulSet" {
		r.Warnings = append(r.Warnings, "two pods of the StatefulSet may run under one name, which it was made to prevent")
	}
	if l.live == nil {
		return r
	}
	over := l.live.Terminating() && l.live.Deleted.Before(l.snap.ServerTime(l.now))
	switch {
	case over && len(l.live.Finalizers) > 0:
		r.DisabledReason = "finalizer " + strings.Join(l.live.Finalizers, ", ") + " holds it: no deletion gets past that"
	case !l.silent() && l.p.State != PodStuckTerminating:
		r.DisabledReason = "its node is Ready and it is not stuck: its kubelet can still end it"
	}
	return r
}

func (l *remedies) taint() Remedy {
	r := Remedy{RemedyFacts: RemedyFacts{Kind: RemedyOutOfService}, Title: "declare its machine off: the out-of-service taint"}
	if l.node == nil {
		return r
	}
	r.Object, r.Name, r.UID = "Node", l.node.Name, l.node.UID
	r.Word = l.node.Name + " is off"
	r.Risk = "It must be true that the machine is off. All pods on it are forgotten, those too that the plan leaves there, and their volumes " +
		"are attached elsewhere at once: if it still runs, two machines write to them. Taken back when the node returns, or by rollback."
	switch {
	case !l.silent():
		r.DisabledReason = l.node.Name + " is Ready"
	case l.node.OutOfService():
		r.DisabledReason = l.node.Name + " has the taint already"
	}
	return r
}
