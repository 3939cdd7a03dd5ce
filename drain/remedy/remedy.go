package remedy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// Kind is a remedy for one pod that does not go: each next one costs
// more, and none but the first is ever applied without the operator's confirmation of it.
type Kind string

// The remedies, the least harmful first.
const (
	Wait           Kind = "wait"
	EvictUnhealthy Kind = "evict-unhealthy" // evict the unhealthy pod that blocks its budget
	Surge          Kind = "surge"           // one more replica, and the pod leaves once that is Ready
	RolloutRestart Kind = "rollout-restart" // restart the rollout of its Deployment: the new pod starts first
	Scale          Kind = "scale"           // one more replica, for the time of the run
	AskController  Kind = "ask-controller"  // what the documentation of the controller of its budget prescribes
	Delete         Kind = "delete"          // past its budget, with a grace period
	ForceDelete    Kind = "force-delete"    // with a grace period of zero
	OutOfService   Kind = "out-of-service"  // taint its node: its machine is off
)

// Kinds are all remedies, in order.
var Kinds = []Kind{Wait, EvictUnhealthy, Surge, RolloutRestart, Scale, AskController, Delete, ForceDelete, OutOfService}

// OffOnItsWay is why no remedy can be taken while a request for the pod has no answer
// yet: a matter of moments.
const OffOnItsWay = "a request for it is in flight"

// Facts say what a remedy changes, for which pod of the run. What was confirmed and
// what is done are equal, or nothing is done.
type Facts struct {
	ID   int      `json:"id,omitempty"` // its number in the run, 0 before it is taken
	Kind Kind     `json:"kind"`
	Pod  kube.UID `json:"pod"` // of the run
	For  string   `json:"for"` // its namespace/name
	// The object that is changed.
	Object    string   `json:"object,omitempty"` // its kind
	Namespace string   `json:"namespace,omitempty"`
	Name      string   `json:"name,omitempty"`
	UID       kube.UID `json:"uid,omitempty"`
	// From and To are its replicas before and after (Scale), or meanwhile (Surge).
	From int32 `json:"from,omitempty"`
	To   int32 `json:"to,omitempty"`
	// Fields are what is changed in the object (AskController).
	Fields request.Fields `json:"fields,omitzero"`
	// Grace is the grace period in seconds (Delete, ForceDelete), below zero the pod's own.
	Grace int64 `json:"grace,omitempty"`
}

// Remedy is one remedy for one pod, as it is at this moment.
type Remedy struct {
	Facts
	Title          string
	DisabledReason string // why it cannot be taken now, "" if it can
	Call           string // the request that it sends
	Command        string // the same for a shell, "" where kubectl has no word for it
	Risk           string
	Warnings       []string
	Word           string // to be typed; "" for the wait, which takes none
	Needs          []request.Permission
}

// View is what the remedies of one pod of a run are made from.
type View struct {
	UID             kube.UID
	Namespace, Name string
	Live            *kube.Pod  // nil if it is gone
	Node            *kube.Node // nil if it is gone
	On              string     // the name of the node that is drained
	OnUID           kube.UID
	Blocked         bool   // something refuses its eviction
	BudgetBlocked   bool   // a budget does
	Stuck           bool   // it is terminating for longer than its grace
	Grace           int64  // of the run, in seconds; below zero each pod's own
	InFlight        bool   // a request for it has no answer yet
	Managed         bool   // the number of replicas may be another tool's (--surge-managed)
	Closed          string // why the run lets no remedy be taken, "" if it does

	Records []*Record           // the remedies that the run has confirmed
	Planned func(kube.UID) bool // the pod is in the run
	Snap    *kube.Snapshot
	Now     time.Time
}

// Of are the remedies for a pod, in order, each with what it would do now or why it is not
// available.
func Of(v View) []Remedy {
	remedies := []Remedy{v.wait(), v.free(), v.surge(), v.restart(), v.scale(), v.delete(), v.kill(), v.taint()}
	if ask, ok := v.askController(); ok {
		before := slices.IndexFunc(remedies, func(r Remedy) bool { return r.Kind == Delete })
		remedies = slices.Insert(remedies, before, ask)
	}
	closed := cmp.Or(v.Closed, v.unavailable())
	for i := range remedies {
		r := &remedies[i]
		r.Pod, r.For = v.UID, v.Namespace+"/"+v.Name
		if r.Kind != Wait && closed != "" {
			r.DisabledReason = closed
		}
		r.Call, r.Command, r.Needs = r.Request(), r.command(), r.needs()
	}
	return remedies
}

// unavailable is why no remedy can be taken as the pod is, "" if some can.
func (v *View) unavailable() string {
	switch {
	case !v.Snap.On(v.On).Trusted(kube.KindNodes, kube.KindPods):
		return "the view of the cluster is not live"
	case v.Live == nil || v.Node == nil || v.Node.UID != v.OnUID:
		return "it no longer exists in the cluster"
	case v.InFlight || slices.ContainsFunc(v.Records, func(r *Record) bool {
		return r.Pod == v.UID && r.InFlight != 0
	}):
		return OffOnItsWay
	case !v.Blocked && !v.Stuck && !v.notReady():
		return "it is neither blocked nor stuck"
	}
	return ""
}

// notReady reports whether the node is off, or not known to be Ready.
func (v *View) notReady() bool { return v.Node != nil && v.Node.Ready != kube.NodeReady }

// budget is the one budget that holds the pod, or why there is none to speak of.
func (v *View) budget() (*kube.Budget, string) {
	if v.Live == nil {
		return nil, "it no longer exists in the cluster"
	}
	if !v.Snap.In(v.Live.Namespace).Trusted(kube.KindBudgets) {
		return nil, "budgets cannot be seen"
	}
	budgets := v.Snap.BudgetsOf(v.Live)
	switch {
	case v.Live.Terminating():
		return nil, "it is already terminating: no budget blocks it"
	case len(budgets) > 1:
		return nil, "several budgets select it: the server evicts no such pod, whatever the budgets allow"
	case len(budgets) == 0 || budget.Predict(v.Live, budgets, v.Live.UID).Goes() || !v.BudgetBlocked:
		return nil, "no budget blocks it"
	}
	return budgets[0], ""
}

func (v *View) wait() Remedy {
	return Remedy{Facts: Facts{Kind: Wait}, Title: "wait",
		Risk: "Nothing is done: it is retried as soon as what it waits for happens."}
}

// workload is the owner whose replicas count, or why there is none.
func (v *View) workload() (*kube.Workload, string) {
	switch {
	case v.Live == nil:
		return nil, "it no longer exists in the cluster"
	case v.Live.Terminating():
		return nil, "it is already terminating"
	case v.Live.Owner == nil:
		return nil, "it has no owner"
	case !v.Snap.In(v.Live.Namespace).Trusted(kube.KindReplicaSets, kube.KindDeployments, kube.KindStatefulSets):
		return nil, "its owner is not known: workloads cannot be seen"
	}
	w := budget.ScaledBy(v.Snap, v.Live.Owner)
	switch {
	case w != nil && w.APIVersion == "":
		return w, ""
	case w != nil:
		return nil, "only built-in workloads can be changed, and its owner is " + w.Kind + " " + w.Name
	}
	return nil, "its owner, " + v.Live.Owner.Kind + " " + v.Live.Owner.Name + ", has no replicas to change"
}

func (r *Remedy) about(w *kube.Workload) {
	r.Object, r.Namespace, r.Name, r.UID = w.Kind, w.Namespace, w.Name, w.UID
	r.Word = string(r.Kind) + " " + w.Name
	if w.DeployedBy != "" {
		r.Warnings = append(r.Warnings, w.DeployedBy+" manages it, and may revert the change at any time")
	}
}

// ofWorkload begins a remedy that changes the workload of the pod; where there is
// none that can be changed it is nil, and the remedy says why.
func (v *View) ofWorkload(kind Kind, title string) (Remedy, *kube.Workload) {
	r := Remedy{Facts: Facts{Kind: kind}, Title: title}
	w, why := v.workload()
	if w == nil {
		r.DisabledReason = why
		return r, nil
	}
	r.about(w)
	return r, w
}

func (v *View) restart() Remedy {
	r, w := v.ofWorkload(RolloutRestart, "restart its workload")
	if w == nil {
		return r
	}
	r.Title = "restart " + w.Kind + " " + w.Name
	r.Risk = "The Deployment starts a new pod on another node and deletes this one, past its budget, once the new one is Ready. Its annotation stays."
	switch raised := surge.Raised(w); {
	case raised != "":
		r.DisabledReason = raised
	case w.Kind != "Deployment" || w.Rollout == nil:
		r.DisabledReason = w.Kind + " " + w.Name + " deletes the old pod before it creates a new one"
	case w.Replicas != 1:
		r.DisabledReason = fmt.Sprintf("%s has %d replicas: a restart would move pods outside the plan", w.Name,
			w.Replicas)
	case w.Rollout.Paused:
		r.DisabledReason = "the rollout of " + w.Name + " is paused"
	case w.Rollout.Surge < 1:
		r.DisabledReason = w.Name + " may not have an extra pod during a rollout (maxSurge 0, or Recreate)"
	case w.Rollout.Unavailable > 0:
		r.DisabledReason = w.Name + " may lose its only pod before the new one is Ready (maxUnavailable 1 or more)"
	}
	return r
}

func (v *View) scale() Remedy {
	r, w := v.ofWorkload(Scale, "one more replica")
	if w == nil {
		return r
	}
	r.From, r.To = w.Replicas, w.Replicas+1
	r.Title += fmt.Sprintf(" of %s %s, %d to %d", w.Kind, w.Name, r.From, r.To)
	r.Risk = "The new pod needs room and must become Ready. The number is set back at the end of the run, unless somebody else changed it."
	if w.Kind == "StatefulSet" {
		r.Warnings = append(r.Warnings, "a new member joins the set and is removed at the end; its claims may remain")
	}
	r.DisabledReason = v.cannotScale(w)
	return r
}

// cannotScale is why one more replica is not to be had, or would not help.
func (v *View) cannotScale(w *kube.Workload) string {
	if w.Replicas < 1 {
		return w.Name + " is scaled to zero"
	}
	if w.Owner != nil {
		return w.Owner.Kind + " " + w.Owner.Name + " owns " + w.Name + " and would set its replicas back"
	}
	if why := cmp.Or(surge.Raised(w), autoscaled(v.Snap, w)); why != "" {
		return why
	}
	for _, r := range v.Records {
		if r.Kind == Scale && r.UID == w.UID && r.Open() {
			return w.Name + " already has one more replica"
		}
	}
	b, why := v.budget()
	if b == nil {
		return why
	}
	if page := budget.NewTracker(v.Snap, v.Now).Page(b); page.Scalable == w &&
		budget.Room(b, w.Replicas+1) <= max(budget.Room(b, w.Replicas), 0) {
		return fmt.Sprintf("budget %s would allow no more with %d replicas", b.Name, w.Replicas+1)
	}
	return ""
}

// itself makes the pod the object of the remedy.
func (v *View) itself(r *Remedy) {
	r.Object, r.Namespace, r.Name, r.UID = "Pod", v.Namespace, v.Name, v.UID
	r.Word = string(r.Kind) + " " + v.Name
}

func (v *View) delete() Remedy {
	r := Remedy{Facts: Facts{Kind: Delete, Grace: v.Grace},
		Title: "delete it past its budget, with its own grace period"}
	v.itself(&r)
	if r.Grace >= 0 {
		r.Title = fmt.Sprintf("delete it past its budget, with %d s of grace", r.Grace)
	}
	r.Risk = "No budget is consulted: there may be fewer Ready pods than the application needs."
	switch {
	case r.Grace == 0:
		r.DisabledReason = "the grace period of the run is zero: that is force-delete"
	case v.Live != nil && v.Live.Terminating():
		r.DisabledReason = "it is already terminating: its deletion was accepted"
	}
	return r
}

func (v *View) kill() Remedy {
	r := Remedy{Facts: Facts{Kind: ForceDelete}, Title: "delete it with a grace period of zero"}
	v.itself(&r)
	r.Risk = "The pod is removed from the API at once, without its kubelet: the process may still run, write to its volumes and hold its addresses."
	if v.Live != nil && v.Live.Owner != nil && v.Live.Owner.Kind == "StatefulSet" {
		r.Warnings = append(r.Warnings, "two pods of the StatefulSet may run under one name, which a StatefulSet is meant to prevent")
	}
	if v.Live == nil {
		return r
	}
	over := v.Live.Terminating() && v.Live.Deleted.Before(v.Snap.ServerTime(v.Now))
	switch {
	case over && len(v.Live.Finalizers) > 0:
		r.DisabledReason = "finalizer " + strings.Join(v.Live.Finalizers, ", ") +
			" blocks it: no deletion gets past a finalizer"
	case !v.notReady() && !v.Stuck:
		r.DisabledReason = "its node is Ready and it is not stuck: its kubelet can still terminate it"
	}
	return r
}

func (v *View) taint() Remedy {
	r := Remedy{Facts: Facts{Kind: OutOfService}, Title: "taint its node as out of service: its machine is off"}
	if v.Node == nil {
		return r
	}
	r.Object, r.Name, r.UID = "Node", v.Node.Name, v.Node.UID
	r.Word = v.Node.Name + " is off"
	r.Risk = "The machine must really be off. All pods on it are removed from the API, also those that the plan leaves there, and their volumes " +
		"are attached elsewhere at once: if it still runs, two machines write to them. The taint is removed when the node returns, or by rollback."
	switch {
	case !v.notReady():
		r.DisabledReason = v.Node.Name + " is Ready"
	case v.Node.OutOfService():
		r.DisabledReason = v.Node.Name + " already has the taint"
	}
	return r
}

// autoscaled is why the number of replicas is not ours to change: an autoscaler
// owns it, or may own it without our seeing it. It is "" where none does.
func autoscaled(snap *kube.Snapshot, w *kube.Workload) string {
	if !snap.In(w.Namespace).Trusted(kube.KindAutoscalers) {
		return "whether an autoscaler owns the number of replicas cannot be seen"
	}
	if a := budget.AutoscalerOf(snap, w); a != nil {
		return "autoscaler " + a.Name + " owns the number of replicas and would revert it: raise its minimum instead"
	}
	return ""
}
