package budget

import (
	"slices"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// NumbersOf are the figures of a budget as its status has them.
func NumbersOf(b *kube.Budget) Numbers {
	return Numbers{
		Namespace: b.Namespace, Name: b.Name, Needed: b.DesiredHealthy, Present: b.CurrentHealthy,
		Allowed: b.DisruptionsAllowed, Expected: b.ExpectedPods,
	}
}

// Tracker keeps what has been worked out of each budget of one snapshot, so that
// a plan of many pods asks once per budget.
type Tracker struct {
	s         *kube.Snapshot
	serverNow time.Time
	pages     map[kube.UID]*page
	Advises   bool   // also what would help, which only a plan tells
	Own       string // a run whose temporary budgets are left out, "" for none
	covers    map[*kube.Owner]*cover
	guards    map[guardOver]*PlanGuard
	healthy   map[*kube.Workload]*HealthyPods
	byOwner   map[*kube.Owner]*HealthyPods
}

// HealthyPods counts the healthy pods of a workload.
type HealthyPods struct{ Count int }

// HealthyPodsOf are those of the workload that has the owner, counted once; nil where the owner
// has no scale. Owners are shared by all records that name the same one.
func (l *Tracker) HealthyPodsOf(owner *kube.Owner) *HealthyPods {
	if known, ok := l.byOwner[owner]; ok {
		return known
	}
	if l.byOwner == nil {
		l.byOwner, l.healthy = map[*kube.Owner]*HealthyPods{}, map[*kube.Workload]*HealthyPods{}
	}
	w := ScaledBy(l.s, owner)
	if w == nil {
		l.byOwner[owner] = nil
		return nil
	}
	of := l.healthy[w]
	if of == nil {
		of = &HealthyPods{}
		for p := range podsOfWorkload(l.s, w) {
			if p.Healthy() {
				of.Count++
			}
		}
		l.healthy[w] = of
	}
	l.byOwner[owner] = of
	return of
}

// page is what a ledger knows of one budget that allows nothing now.
type page struct {
	pods   []*kube.Pod
	sick   []SickPod // most telling first
	steady int32     // pods it would count if all its owners had what they want
	sure   bool      // steady comes from the owners, not from the status
	bare   bool      // no pod of it has an owner
	// partial tells that pods on other nodes are still being read: who is unhealthy there,
	// and whether all wait for this drain, is not known.
	partial bool
	why     never  // why it can never allow a disruption, "" if it can
	never   string // the same in words
	// scalable is the one workload that all its pods belong to, nil where there
	// are several or it is not known.
	Scalable *kube.Workload
	last     *blocked // what was last said of a pod that it holds
}

// blocked is what is said of all pods that a budget blocks because of one unhealthy
// pod.
type blocked struct {
	verdict      Verdict
	sick         kube.UID
	itself       bool // the unhealthy pod is the one that is blocked
	why          string
	unhealthyPod *UnhealthyPod
	advice       []Advice
}

// never is why a budget cannot allow a disruption whatever happens to its pods.
type never string

const (
	neverComputed never = "computed" // the controller cannot compute it
	neverAllowed  never = "allowed"  // maxUnavailable 0
	neverCounts   never = "counts"   // it counts owners, and there are none
	neverRoom     never = "room"     // it needs all pods that its owners want
	neverOpened   never = "opened"   // its controller does not open it
)

func NewTracker(s *kube.Snapshot, now time.Time) *Tracker {
	return &Tracker{s: s, serverNow: s.ServerTime(now)}
}

// unseen reports whether the budgets of a namespace cannot be seen, or not yet.
func (l *Tracker) unseen(namespace string) bool { return !l.s.In(namespace).InWhole(kube.KindBudgets) }

// Page looks a budget up, and works it out the first time.
func (l *Tracker) Page(b *kube.Budget) *page {
	if known, ok := l.pages[b.UID]; ok {
		return known
	}
	pods := l.s.PodsUnder(b)
	p := &page{pods: pods, sick: SickUnder(b, l.s, pods, l.serverNow)}
	if l.s.In(b.Namespace).InWhole(kube.KindPods) {
		l.count(p, b)
		p.bare = !slices.ContainsFunc(pods, func(pod *kube.Pod) bool { return pod.Owner != nil })
	} else {
		p.partial, p.steady = true, b.ExpectedPods
	}
	p.why = neverAllows(b, p)
	p.never = neverWords(b, p)
	if why := l.closed(b, p.why != "" && p.why != neverComputed); why != "" {
		p.why, p.never = neverOpened, managedBy(b)+"; "+why
	}
	if l.pages == nil {
		l.pages = make(map[kube.UID]*page)
	}
	l.pages[b.UID] = p
	return p
}

// countsScale reports whether the controller takes the number of expected pods
// from the scale of their owners (and so counts none without an owner), as it
// does for maxUnavailable and for percentages, or just counts the pods
// (disruption.go getExpectedPodCount).
func countsScale(b *kube.Budget) bool {
	return b.MaxUnavailable != nil || b.MinAvailable != nil && b.MinAvailable.Type == intstr.String
}

// count works out how many pods the budget counts once every owner has as many
// as it wants, and whether the owners are all known. The status is not enough:
// where the pods themselves are counted, it drops while one of them is replaced.
func (l *Tracker) count(p *page, b *kube.Budget) {
	var bare, scale int32
	var last *kube.Owner
	var counted []*kube.Workload // few: most budgets have one owner
	for _, pod := range p.pods {
		if pod.Owner == nil {
			if !pod.Finished() && !pod.Terminating() {
				bare++
			}
			continue
		}
		if last != nil && pod.Owner.UID == last.UID {
			continue
		}
		last = pod.Owner
		w := ScaledBy(l.s, last)
		if w == nil {
			p.steady = b.ExpectedPods
			return
		}
		if !slices.Contains(counted, w) {
			counted = append(counted, w)
			scale += w.Replicas
		}
	}
	p.steady, p.sure = scale, true
	if !countsScale(b) {
		p.steady += bare
	}
	if len(counted) == 1 && bare == 0 {
		p.Scalable = counted[0]
	}
}

// running counts the pods that have not ended.
func (p *page) running() int {
	n := 0
	for _, pod := range p.pods {
		if !pod.Finished() {
			n++
		}
	}
	return n
}

// ScaledBy is the workload that decides how many pods like those of the owner there are: the
// Deployment of a ReplicaSet that has one, and any other owner with a scale, such as a CloneSet,
// whose figures were read (watch.Owners). The disruption controller takes the same scale
// (disruption.go getPodReplicaSet, getPodDeployment, getScaleController). It is nil where that is
// not known, and for owners without a scale.
func ScaledBy(s *kube.Snapshot, owner *kube.Owner) *kube.Workload {
	if _, w := s.TopOwner(owner); w != nil && hasScale(w) {
		return w
	}
	return nil
}

// scaledAs is the workload whose scale is that of w.
func scaledAs(w *kube.Workload) kube.UID {
	if w.Kind == "ReplicaSet" && w.Owner != nil {
		return w.Owner.UID
	}
	return w.UID
}

// hasScale reports whether a workload has a scale, and its figures are known.
func hasScale(w *kube.Workload) bool {
	if w.APIVersion != "" { // no built-in workload
		return w.Resource != "" && w.Hidden == ""
	}
	return w.Kind == "ReplicaSet" || w.Kind == "StatefulSet" || w.Kind == "ReplicationController" ||
		w.Kind == "Deployment"
}

// neverAllows says why the budget cannot allow a disruption whatever happens to
// its pods, and is "" where it can. Pods whose owners want none of them are
// removed by those, so nothing is said of them.
func neverAllows(b *kube.Budget, p *page) never {
	switch {
	case b.ConditionReason == policyv1.SyncFailedReason:
		return neverComputed
	case isZero(b.MaxUnavailable):
		return neverAllowed
	case countsScale(b) && p.bare:
		return neverCounts
	case p.steady > 0 && b.DesiredHealthy >= p.steady && (p.sure || b.CurrentHealthy >= p.steady):
		return neverRoom
	}
	return ""
}

// neverWords says it to an operator.
func neverWords(b *kube.Budget, p *page) string {
	name := "budget " + b.Name
	switch p.why {
	case neverComputed:
		return name + " cannot be computed: " + format.Quote(b.ConditionMessage)
	case neverAllowed:
		return name + " has maxUnavailable " + b.MaxUnavailable.String() + ": it allows no disruption at all"
	case neverCounts:
		return name + " counts none of its pods, since they have no controller: it allows no disruption at all"
	case neverRoom:
		return name + " needs " + healthyPods(b.DesiredHealthy) + specWords(b) + " of " + format.Number(p.steady) +
			": it allows no disruption at all"
	}
	return ""
}

// specWords names what a budget asks for where its figures do not show it.
func specWords(b *kube.Budget) string {
	switch {
	case b.MinAvailable != nil && b.MinAvailable.Type == intstr.String:
		return " (minAvailable " + b.MinAvailable.StrVal + ")"
	case b.MaxUnavailable != nil:
		return " (maxUnavailable " + b.MaxUnavailable.String() + ")"
	}
	return ""
}

// isZero tells of 0 and 0%.
func isZero(v *intstr.IntOrString) bool {
	if v == nil {
		return false
	}
	scaled, err := intstr.GetScaledValueFromIntOrPercent(v, 100, true)
	return err == nil && scaled == 0
}

// PerWave is how many pods a budget lets go at a time that allows none now,
// once all of its pods are healthy.
func (l *Tracker) PerWave(b *kube.Budget) int {
	return max(1, int(l.Page(b).steady-b.DesiredHealthy))
}
