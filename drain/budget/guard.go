package budget

import (
	"cmp"
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Guard is a budget that the run itself keeps for workloads that have none: how
// many of a workload's pods may be away at a time, as a number or a percentage
// of its replicas (rounded up, as the disruption controller does). The empty
// guard guards nothing.
type Guard string

// Set reads "25%" or "2"; the empty text is no guard.
func (g *Guard) Set(text string) error {
	number, percent := strings.CutSuffix(text, "%")
	n, err := strconv.ParseInt(number, 10, 32) // as replicas are
	if text != "" && (err != nil || n < 1 || percent && n > 100) {
		return errors.New("must be a number above zero or a percentage like 25%")
	}
	*g = Guard(text)
	return nil
}

func (g *Guard) String() string { return string(*g) }

// Type is that of the flag.
func (g *Guard) Type() string { return "string" }

// away is how many of the replicas may be missing.
func (g Guard) away(replicas int32) int32 {
	value := intstr.Parse(string(g))
	n, err := intstr.GetScaledValueFromIntOrPercent(&value, int(replicas), true)
	if err != nil {
		return 0 // Set lets nothing through that cannot be scaled
	}
	return int32(n)
}

// GuardTracker is the guard's budget of one workload at one moment.
type GuardTracker struct {
	Key     kube.UID // under which its grants are kept
	Numbers Numbers
	Free    int
	present map[kube.UID]bool // the pods that serve
}

// GuardSees reports whether the owners of all pods are known that a guard counts. It needs no
// ReplicationControllers where they may not be read: the plan names what is left out.
func GuardSees(s *kube.Snapshot) bool {
	return s.Trusted(kube.KindPods, kube.KindReplicaSets, kube.KindDeployments, kube.KindStatefulSets) &&
		s.All().Settled(kube.KindReplicationControllers)
}

// GuardBlind is the first of the kinds without which GuardSees sees nothing that may not be read, "" for none:
// no waiting cures that.
func GuardBlind(s *kube.Snapshot) kube.Kind {
	for _, k := range []kube.Kind{kube.KindPods, kube.KindReplicaSets, kube.KindDeployments, kube.KindStatefulSets} {
		if s.Sync(k).Phase == kube.Denied {
			return k
		}
	}
	return ""
}

// GuardedBy is the workload whose pods the guard counts together with a pod that
// no budget covers, nil where the guard has nothing to say: a bare pod, a single
// replica (holding it back would never end), a pod that serves no traffic anyway.
func GuardedBy(s *kube.Snapshot, p *kube.Pod) *kube.Workload {
	if p.Owner == nil || !p.Healthy() {
		return nil
	}
	w := ScaledBy(s, p.Owner)
	if w == nil { // its scale may have been read before, and be hidden by now
		_, w = s.TopOwner(p.Owner)
		if w == nil || w.Hidden == "" {
			return nil
		}
	}
	if w.Replicas >= 2 {
		return w
	}
	return nil
}

// podsOfWorkload are the pods of a workload in no order: those for whose owner ScaledBy
// finds it.
func podsOfWorkload(s *kube.Snapshot, w *kube.Workload) iter.Seq[*kube.Pod] {
	return func(yield func(*kube.Pod) bool) {
		for _, owner := range append(s.WorkloadsOf(w.UID), w) {
			if owner != w && !hasScale(owner) || scaledAs(owner) != w.UID {
				continue
			}
			for p := range s.PodsOf(owner.UID) {
				if !yield(p) {
					return
				}
			}
		}
	}
}

// CountedWith are the pods of a workload, by name.
func CountedWith(s *kube.Snapshot, w *kube.Workload) []*kube.Pod {
	pods := slices.Collect(podsOfWorkload(s, w))
	slices.SortFunc(pods, func(a, b *kube.Pod) int { return cmp.Compare(a.Name, b.Name) })
	return pods
}

// book counts the pods of a workload.
func (g Guard) book(s *kube.Snapshot, w *kube.Workload) *GuardTracker {
	present := map[kube.UID]bool{}
	for _, p := range CountedWith(s, w) {
		if p.Healthy() {
			present[p.UID] = true
		}
	}
	book := &GuardTracker{Key: "guard/" + w.UID, present: present, Numbers: Numbers{
		Namespace: w.Namespace, Name: w.Kind + "/" + w.Name, Expected: w.Replicas,
		Needed: w.Replicas - g.away(w.Replicas), Present: int32(len(present)),
	}}
	book.Numbers.Allowed = max(0, book.Numbers.Present-book.Numbers.Needed)
	book.Free = int(book.Numbers.Allowed)
	return book
}

// GuardTrackers are those of one look, by workload.
type GuardTrackers map[kube.UID]*GuardTracker

// Of is the guard's book for a pod that no budget covers, nil where there is
// no guard or it has nothing to say.
func (t *GuardTrackers) Of(g Guard, s *kube.Snapshot, live *kube.Pod) *GuardTracker {
	if g == "" {
		return nil
	}
	w := GuardedBy(s, live)
	if w == nil {
		return nil
	}
	if *t == nil {
		*t = GuardTrackers{}
	}
	if (*t)[w.UID] == nil {
		(*t)[w.UID] = g.book(s, w)
	}
	return (*t)[w.UID]
}
