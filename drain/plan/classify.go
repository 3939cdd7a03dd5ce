package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// ReasonDaemonSetUnknown says that it cannot be told whether a pod's DaemonSet
// still exists, because DaemonSets cannot be read.
const ReasonDaemonSetUnknown ReasonCode = "DaemonSetUnknown"

// The messages of kubectl's filters (k8s.io/kubectl pkg/drain/filters.go).
const (
	daemonSetError   = "DaemonSet-managed Pods (use --ignore-daemonsets to ignore)"
	daemonSetSkipped = "ignoring DaemonSet-managed Pods"
	daemonSetLast    = "evicting DaemonSet-managed Pods after all others of their node (--evict-daemonsets), " +
		"where their DaemonSets recreate them" // ours
	emptyDirError    = "Pods with local storage (use --delete-emptydir-data to override)"
	emptyDirDeleted  = "deleting Pods with local storage"
	unmanagedError   = "Pods that declare no controller (use --force to override)"
	unmanagedDeleted = "deleting Pods that declare no controller"
)

// Classify says what a drain does with a pod, and why: kubectl's filters
// (pkg/drain/filters.go makeFilters) in kubectl's order, after --pod-selector,
// which kubectl puts into its list of pods. The first filter that stops a pod
// decides, as in kubectl; but kubectl keeps one message per pod only, the last
// one, and here every rule that had something to say is kept. Behind a filter
// that skips the pod the others say what they saw as mere information, since
// they decide nothing.
//
// Ages are taken by the server's clock, where kubectl takes that of the machine
// it runs on.
func Classify(p *kube.Pod, s *kube.Snapshot, o Options, now time.Time) Decision {
	return classify(p, s, &o, now)
}

// classify is Classify for those who ask about many pods under the same options.
func classify(p *kube.Pod, s *kube.Snapshot, o *Options, now time.Time) Decision {
	c := classified{pod: p, s: s, o: o, serverNow: s.ServerTime(now), finished: p.Finished()}
	for _, leaves := range []func(*classified) (remark, bool){notSelected, excluded} {
		if said, out := leaves(&c); out {
			return Decision{Action: said.stops, Reasons: []Reason{said.Reason}}
		}
	}
	for _, filter := range filters {
		for _, said := range filter(&c) {
			c.reasons = append(c.reasons, said.Reason)
			c.action = cmp.Or(c.action, said.stops)
		}
	}
	action := ActionEvict
	if o.DisableEviction {
		action = ActionDelete
	}
	return Decision{Action: cmp.Or(c.action, action), Reasons: c.reasons, Order: c.order}
}

// filter is one rule about a pod: what it has to say, mostly nothing.
type filter func(c *classified) []remark

// filters are kubectl's in kubectl's order, with ours between them.
var filters = []filter{
	foreignMarks, skipDeleted, daemonSet, mirror, machineDrainRule, emptyDir, unmanaged, singleReplica, finished,
}

// remark is what a filter says of a pod.
type remark struct {
	Reason
	stops Action // what is done with the pod unless an earlier filter stopped it, "" for nothing
}

func says(code ReasonCode, level Level, message string) []remark {
	return []remark{{Reason: Reason{Code: code, Level: level, Message: message}}}
}

func stops(action Action, code ReasonCode, level Level, message string) []remark {
	return []remark{{Reason{Code: code, Level: level, Message: message}, action}}
}

// classified is a pod, and what the filters so far have said of it.
type classified struct {
	pod       *kube.Pod
	s         *kube.Snapshot
	o         *Options
	serverNow time.Time
	finished  bool
	action    Action // "" while no filter has stopped the pod
	reasons   []Reason
	order     int32
}

// skipped reports whether an earlier filter has taken the pod out of the drain,
// so that nothing that is said about it counts from then on.
func (c *classified) skipped() bool { return c.action == ActionSkip }

// notSelected is --pod-selector, which leaves nothing to say for any filter.
func notSelected(c *classified) (said remark, out bool) {
	if c.o.Selector == nil || c.o.Selector.Matches(c.pod.Labels) {
		return remark{}, false
	}
	return stops(ActionSkip, ReasonNotSelected, LevelInfo, "not selected by --pod-selector="+c.o.PodSelector)[0], true
}

// excluded is --exclude-pod, which leaves nothing to say for any filter.
func excluded(c *classified) (said remark, out bool) {
	if !c.o.Excludes(c.pod.Namespace, c.pod.Name) {
		return remark{}, false
	}
	const message = "excluded by hand (--exclude-pod): it stays on its node"
	return stops(ActionSkip, ReasonExcluded, LevelWarning, message)[0], true
}

// finished says that the pod has ended: there is nothing in it to move.
func finished(c *classified) []remark {
	if !c.finished || c.skipped() {
		return nil
	}
	return says(ReasonFinished, LevelInfo, "finished ("+string(c.pod.Phase)+")")
}

// skipDeleted is kubectl's skipDeletedFilter, which counts whole seconds since
// the deletionTimestamp, that is since the end of the grace period. What it does
// not skip kubectl evicts again; our engine only waits for it to go.
func skipDeleted(c *classified) []remark {
	if !c.pod.Terminating() {
		return nil
	}
	serverNow := c.serverNow
	over, limit := int(serverNow.Sub(c.pod.Deleted).Seconds()), int(c.o.SkipWaitForDelete.Seconds())
	message := "already terminating"
	if over > 0 {
		message += fmt.Sprintf(", its grace period ended %s ago", format.Since(serverNow, c.pod.Deleted))
	}
	if len(c.pod.Finalizers) > 0 {
		message += ", held by finalizer " + strings.Join(c.pod.Finalizers, ", ")
	}
	if limit > 0 && over > limit {
		return stops(ActionSkip, ReasonTerminating, LevelInfo,
			message+fmt.Sprintf(" (--skip-wait-for-delete-timeout=%d)", limit))
	}
	return says(ReasonTerminating, LevelInfo, message)
}

// daemonSet is kubectl's daemonSetFilter. kubectl asks the server for the
// DaemonSet of each pod, by name; the snapshot answers here.
func daemonSet(c *classified) []remark {
	owner := c.pod.Owner
	switch {
	case owner == nil || owner.Kind != "DaemonSet" || c.finished:
		return nil
	case owner.APIVersion != "apps/v1" && c.skipped():
		return nil
	case owner.APIVersion != "apps/v1":
		return says(ReasonDaemonSetLike, LevelWarning, fmt.Sprintf(
			"managed by DaemonSet %s of %s: kubectl does not treat it as a DaemonSet's pod, and it may come straight back",
			owner.Name, owner.APIVersion))
	case c.skipped():
		return says(ReasonDaemonSet, LevelInfo, "managed by DaemonSet "+owner.Name)
	}
	var said []remark
	if c.s.WorkloadNamed("DaemonSet", c.pod.Namespace, owner.Name) == nil {
		missing, decided := daemonSetMissing(c, owner)
		if decided {
			return missing
		}
		said = missing
	}
	switch {
	case c.o.ChoosesDaemonSet(c.pod):
		return append(said, says(ReasonDaemonSetLast, LevelWarning, daemonSetLast)...)
	case c.o.IgnoreDaemonSets:
		return append(said, stops(ActionSkip, ReasonDaemonSet, LevelWarning, daemonSetSkipped)...)
	}
	return append(said, stops(ActionRefuse, ReasonDaemonSet, LevelError, daemonSetError)...)
}

// ChoosesDaemonSet reports whether the pod says that it is of a DaemonSet, and --evict-daemonsets selects it.
func (o *Options) ChoosesDaemonSet(p *kube.Pod) bool {
	return o.daemonSets != nil && p.Owner != nil && p.Owner.Kind == "DaemonSet" && p.Owner.APIVersion == "apps/v1" &&
		o.daemonSets.Matches(p.Labels)
}

// daemonSetMissing says what to make of a DaemonSet that the snapshot does not
// hold; it decides nothing where the pod is to be treated as if it were there.
//
//   - DaemonSets are all known: the pod is an orphan, refused without --force.
//     Its message is the server's answer to kubectl's GET.
//   - We may not list them: it cannot be told whether the pod is an orphan.
//     kubectl, which may not get it either, refuses whatever its flags are, and
//     so do we. (A right to get that is not one to list is for the one who fills
//     the store: a record that is there is believed.)
//   - They are still being read, or the connection is gone: taken for existing,
//     which evicts nothing by mistake, and said. A drain starts once they are in.
func daemonSetMissing(c *classified, owner *kube.Owner) (said []remark, decided bool) {
	sync := c.s.In(c.pod.Namespace).Sync(kube.KindDaemonSets)
	what := fmt.Sprintf("daemonsets.apps %q", owner.Name)
	switch {
	case sync.Phase == kube.Denied:
		message := what + " cannot be read, so it cannot be told whether it still exists"
		if sync.Reason != "" {
			message += ": " + format.Quote(sync.Reason)
		}
		return stops(ActionRefuse, ReasonDaemonSetUnknown, LevelError, message), true
	case !c.s.In(c.pod.Namespace).Trusted(kube.KindDaemonSets):
		return says(ReasonDaemonSetUnknown, LevelWarning, what+" is not known (yet): DaemonSets are "+
			sync.Phase.String()), false
	case c.o.Force:
		return says(ReasonOrphanedDaemonSet, LevelWarning, what+" not found"), true
	}
	return stops(ActionRefuse, ReasonOrphanedDaemonSet, LevelError, what+" not found"), true
}

// mirror is kubectl's mirrorPodFilter, which is silent and looks at finished
// pods too.
func mirror(c *classified) []remark {
	if !c.pod.Mirror() {
		return nil
	}
	return stops(ActionSkip, ReasonMirror, LevelInfo, "mirror of a static pod: only the kubelet of its node can end it")
}

// emptyDir is kubectl's localStorageFilter: emptyDir and nothing else.
func emptyDir(c *classified) []remark {
	if c.finished || !volume.HasEmptyDir(c.pod) {
		return nil
	}
	switch {
	case c.moot():
		return says(ReasonEmptyDir, LevelInfo, "has emptyDir volumes")
	case c.o.DeleteEmptyDirData:
		return says(ReasonEmptyDir, LevelWarning, emptyDirDeleted)
	}
	return stops(ActionRefuse, ReasonEmptyDir, LevelError, emptyDirError)
}

// unmanaged is kubectl's unreplicatedFilter.
func unmanaged(c *classified) []remark {
	if c.finished || c.pod.Owner != nil {
		return nil
	}
	switch {
	case c.moot():
		return says(ReasonUnmanaged, LevelInfo, "declares no controller")
	case c.o.Force:
		return says(ReasonUnmanaged, LevelWarning, unmanagedDeleted)
	}
	return stops(ActionRefuse, ReasonUnmanaged, LevelError, unmanagedError)
}

// moot reports whether the pod would stay even if all that refuses it now were
// overridden: it is skipped, or it would be, as a DaemonSet's pod under
// --ignore-daemonsets or as a mirror pod.
func (c *classified) moot() bool {
	switch {
	case c.skipped() || c.pod.Mirror():
		return true
	case slices.ContainsFunc(c.reasons, Reason.GoesLast):
		return false
	}
	return slices.ContainsFunc(c.reasons, func(r Reason) bool {
		return r.Code == ReasonDaemonSet || r.Code == ReasonDaemonSetUnknown
	})
}

// cordonTaint is the taint of a node that is unschedulable.
var cordonTaint = corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}

// ToleratesCordon follows corev1.Toleration.ToleratesTaint for the taint of a
// cordoned node, which has no value.
func ToleratesCordon(tolerations []corev1.Toleration) bool {
	for i := range tolerations {
		t := &tolerations[i]
		if t.Effect != "" && t.Effect != cordonTaint.Effect || t.Key != "" && t.Key != cordonTaint.Key {
			continue
		}
		switch t.Operator {
		case corev1.TolerationOpExists:
			return true
		case "", corev1.TolerationOpEqual:
			if t.Value == cordonTaint.Value {
				return true
			}
		}
	}
	return false
}

// Phrase says what a decision would do and why.
func (d Decision) Phrase() string {
	text := map[Action]string{ActionEvict: "evicted", ActionDelete: "deleted", ActionRefuse: "refused",
		ActionSkip: "skipped"}[d.Action]
	for _, r := range d.Reasons {
		text += " (" + r.Message + ")"
	}
	return text
}
