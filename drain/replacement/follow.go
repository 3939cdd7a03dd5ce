package replacement

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Moved is a pod that a run moves: it is terminating, or has left its node.
type Moved struct {
	UID       kube.UID
	Namespace string
	Name      string
	Owner     *kube.Owner // its controller, nil for none
	After     time.Time   // by the server's clock, when it was on its way at the earliest
	Due       time.Time   // until when its replacement is waited for, by our clock; zero for ever
	Record    *Record
}

// View is a run's look at the cluster.
type View struct {
	Snap *kube.Snapshot
	Now  time.Time
	// Ours reports whether the pod is itself one of the run, or the replacement of another
	// that the run moved.
	Ours func(kube.UID) bool
}

// Readable reports whether the replacements of the pods of such an owner can be told: all pods of the namespace and
// what counts them are known, as far as they may be read.
func (v View) Readable(namespace string, owner *kube.Owner) bool {
	here := v.Snap.In(namespace)
	return here.Trusted(kube.KindPods) && here.Settled(kindsOf(owner)...)
}

// kindsOf are the kinds that tell how many pods the owner wants.
func kindsOf(owner *kube.Owner) []kube.Kind {
	if owner == nil {
		return nil
	}
	switch k := plan.OwnersOfKind(owner); k {
	case "":
		return nil
	case kube.KindReplicaSets:
		return []kube.Kind{k, kube.KindDeployments}
	default:
		return []kube.Kind{k}
	}
}

// Follow is what has become of the replacements, in the order of moved, and when the next of them
// is to be looked at if nothing changes before (zero for never). A replacement is a pod of
// the same workload that was created after the moved one was on its way; where owners
// give names (StatefulSet) it has the same. Each pod replaces one, and of pods that were created in
// the same second no more are taken than the owner has replaced by then.
func Follow(v View, moved []Moved) (facts []Facts, wake time.Time) {
	facts = make([]Facts, len(moved))
	var open []int // those whose replacement is not known, the last to go first
	for i := range moved {
		m := &moved[i]
		facts[i] = m.Record.Facts
		if live := v.Snap.Pod(facts[i].UID); facts[i].UID != "" && active(live) {
			continue
		}
		facts[i] = Facts{State: Awaited, Owner: facts[i].Owner, OwnerUID: facts[i].OwnerUID,
			After: cmpTime(facts[i].After, m.After), Late: facts[i].Late}
		open = append(open, i)
	}
	slices.SortStableFunc(open, func(a, b int) int { return facts[b].After.Compare(facts[a].After) })
	owners := map[kube.UID]*workload{}
	for _, i := range open {
		if neverReplaced(moved[i].Owner) == "" {
			v.workloadOf(&moved[i], &facts[i], owners).open++
		}
	}
	for _, i := range open {
		v.match(&moved[i], &facts[i], owners)
	}
	for i := range moved {
		at := v.judge(&facts[i])
		if due := moved[i].Due; !facts[i].State.Settled() && !facts[i].Late && !due.IsZero() {
			if facts[i].Late = !v.Now.Before(due); !facts[i].Late {
				at = earlier(at, due)
			}
		}
		wake = earlier(wake, at)
	}
	return facts, wake
}

func cmpTime(first, second time.Time) time.Time {
	if first.IsZero() {
		return second
	}
	return first
}

func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// active reports whether the pod counts for its owner (controller_utils.go IsPodActive).
func active(p *kube.Pod) bool { return p != nil && !p.Finished() && !p.Terminating() }

// workload is the owner of moved pods, as it is at this look.
type workload struct {
	top    *kube.Owner
	known  *kube.Workload // nil where it is gone or may not be read
	counts bool           // its number of pods is known
	active int
	open   int         // moved pods whose replacement is not known
	fresh  []*kube.Pod // its active pods that may replace one, the newest first
}

// mayTake reports whether the owner has replaced more of the open ones than were matched.
func (w *workload) mayTake() bool {
	return !w.counts || w.known == nil || w.open > int(w.known.Replicas)-w.active
}

// match finds the replacement of a pod, or why there is none.
func (v View) match(m *Moved, f *Facts, owners map[kube.UID]*workload) {
	if why := neverReplaced(m.Owner); why != "" {
		f.State, f.Why = NotWanted, why
		return
	}
	w := v.workloadOf(m, f, owners)
	f.Owner, f.OwnerUID = w.top.Kind+"/"+w.top.Name, w.top.UID
	named := m.Owner.Kind == "StatefulSet"
	at := slices.IndexFunc(w.fresh, func(p *kube.Pod) bool {
		if named {
			return p.Name == m.Name && !p.Created.Before(f.After)
		}
		// The server's moments are whole seconds: of the same one it is not known which came first.
		return !p.Created.Before(f.After.Add(time.Second)) || !p.Created.Before(f.After) && w.mayTake()
	})
	if at >= 0 {
		w.open--
		f.Pod, f.UID = w.fresh[at].Name, w.fresh[at].UID
		w.fresh = slices.Delete(w.fresh, at, at+1)
		return
	}
	switch {
	case w.known == nil && w.counts:
		f.State, f.Why = NotWanted, "its "+w.top.Kind+" "+w.top.Name+" is gone"
	case w.counts && w.known != nil && w.active >= int(w.known.Replicas):
		f.State, f.Why = NotWanted, fmt.Sprintf("%s %s wants %s, and has %d", w.top.Kind, w.top.Name,
			format.Count(int(w.known.Replicas), "pod"), w.active)
	case w.known != nil && w.known.Failure != "":
		f.Reason, f.Why = "ReplicaFailure", w.known.Failure
	}
}

// neverReplaced says why no pod of such an owner is waited for, "" where one is.
func neverReplaced(owner *kube.Owner) string {
	switch {
	case owner == nil:
		return "it has no controller"
	case plan.OwnersOfKind(owner) == kube.KindJobs:
		return "it is of Job " + owner.Name + ", whose pods run to their end"
	case owner.Kind == "DaemonSet":
		return "it is of DaemonSet " + owner.Name + ", whose pods belong to their node"
	}
	return ""
}

// workloadOf counts the pods of the workload, once for all that were moved.
func (v View) workloadOf(m *Moved, f *Facts, owners map[kube.UID]*workload) *workload {
	top, known := v.Snap.TopOwner(m.Owner)
	// Its ReplicaSet may be gone by now.
	if top.UID == m.Owner.UID && known == nil && f.OwnerUID != "" && f.OwnerUID != top.UID {
		known = v.Snap.Workload(f.OwnerUID)
		top = &kube.Owner{APIVersion: m.Owner.APIVersion, Kind: kindOf(f.Owner),
			Name: f.Owner[len(kindOf(f.Owner))+1:], UID: f.OwnerUID}
	}
	if w := owners[top.UID]; w != nil {
		return w
	}
	w := &workload{top: top, known: known}
	kind := plan.OwnersOfKind(top)
	w.counts = kind != "" && v.Snap.In(m.Namespace).Trusted(kind) && (known == nil || known.APIVersion == "")
	for p := range podsOf(v.Snap, top.UID, m.Owner.UID) {
		if !active(p) {
			continue
		}
		w.active++
		if !v.Ours(p.UID) {
			w.fresh = append(w.fresh, p)
		}
	}
	slices.SortFunc(w.fresh, func(a, b *kube.Pod) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(progress(a), progress(b)),
			cmp.Compare(a.Name, b.Name), cmp.Compare(a.UID, b.UID))
	})
	owners[top.UID] = w
	return w
}

// progress tells pods of one second apart: the newer one has come less far.
func progress(p *kube.Pod) int {
	switch {
	case p.Node == "":
		return 0
	case !p.Ready:
		return 1
	}
	return 2
}

func kindOf(owner string) string {
	for i := range owner {
		if owner[i] == '/' {
			return owner[:i]
		}
	}
	return owner
}

// podsOf are the pods of a workload: its own, those of the ReplicaSets that it controls, and
// those of a controller that is not known to be one of them.
func podsOf(s *kube.Snapshot, top, controller kube.UID) func(func(*kube.Pod) bool) {
	return func(yield func(*kube.Pod) bool) {
		controllers := []kube.UID{top}
		for _, w := range s.WorkloadsOf(top) {
			controllers = append(controllers, w.UID)
		}
		if !slices.Contains(controllers, controller) {
			controllers = append(controllers, controller)
		}
		for _, uid := range controllers {
			for p := range s.PodsOf(uid) {
				if !yield(p) {
					return
				}
			}
		}
	}
}

// judge says how the replacement is now, and when it is Available if it stays Ready.
func (v View) judge(f *Facts) (wake time.Time) {
	live := v.Snap.Pod(f.UID)
	if f.UID == "" || !active(live) || f.State == NotWanted {
		return wake
	}
	f.State, f.Node, f.Reason, f.Container, f.Exit, f.Why = Starting, live.Node, "", "", nil, ""
	t := live.Trouble
	switch {
	case live.Node == "":
		if f.State = Pending; t != nil {
			f.Reason, f.Why = t.Reason, t.Message
		}
	case live.Ready:
		if at := availableAt(v.Snap, live); !v.past(at) {
			f.Why = notCounted
			return v.ours(at)
		}
		f.State = Ready
	case t != nil && t.Container != "" && !t.Starting():
		f.State, f.Reason, f.Container, f.Why = Failing, t.Reason, t.Container, t.Message
		if t.HasExit {
			code := t.ExitCode
			f.Exit = &code
		}
	case t != nil:
		f.Reason, f.Why = t.Reason, t.Message
	}
	return wake
}

// availableAt is from when on a Ready pod counts, by the server's clock: minReadySeconds of its owner
// after it became Ready.
func availableAt(s *kube.Snapshot, live *kube.Pod) time.Time {
	if live.Owner == nil {
		return live.ReadySince
	}
	w := s.Workload(live.Owner.UID)
	if w == nil {
		return live.ReadySince
	}
	return live.AvailableAt(w.MinReadySeconds)
}

// past reports whether a moment of the server's clock has come.
func (v View) past(at time.Time) bool { return !v.Snap.ServerTime(v.Now).Before(at) }

// ours is a moment of the server's clock by ours.
func (v View) ours(at time.Time) time.Time { return v.Now.Add(at.Sub(v.Snap.ServerTime(v.Now))) }
