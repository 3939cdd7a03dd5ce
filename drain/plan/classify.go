package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/drain/words"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// ReasonDaemonSetUnknown says that it cannot be told whether a pod's DaemonSet
// still exists, because DaemonSets cannot be read.
const ReasonDaemonSetUnknown ReasonCode = "DaemonSetUnknown"

// The messages of kubectl's filters (k8s.io/kubectl pkg/drain/filters.go).
const (
	daemonSetError   = "DaemonSet-managed Pods (use --ignore-daemonsets to ignore)"
	daemonSetSkipped = "ignoring DaemonSet-managed Pods"
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
	c := classifier{pod: p, s: s, o: o, finished: p.Finished()}
	if o.Selector != nil && !o.Selector.Matches(p.Labels) {
		c.stop(ActionSkip, ReasonNotSelected, LevelInfo, "not selected by --pod-selector="+o.PodSelector)
		return c.decision()
	}
	c.foreign(s.ServerTime(now))
	c.skipDeleted(s.ServerTime(now))
	c.daemonSet()
	c.mirror()
	c.emptyDir()
	c.unmanaged()
	c.singleReplica()
	if c.finished && c.action != ActionSkip {
		c.say(ReasonFinished, LevelInfo, "finished ("+string(p.Phase)+")")
	}
	return c.decision()
}

// classifier runs the filters over one pod.
type classifier struct {
	pod      *kube.Pod
	s        *kube.Snapshot
	o        *Options
	finished bool
	action   Action // "" while no filter has stopped the pod
	reasons  []Reason
}

func (c *classifier) decision() Decision {
	action := c.action
	switch {
	case action != "":
	case c.o.DisableEviction:
		action = ActionDelete
	default:
		action = ActionEvict
	}
	return Decision{Action: action, Reasons: c.reasons}
}

func (c *classifier) say(code ReasonCode, level Level, message string) {
	c.reasons = append(c.reasons, Reason{Code: code, Level: level, Message: message})
}

// stop says something and stops the pod, unless an earlier filter has.
func (c *classifier) stop(action Action, code ReasonCode, level Level, message string) {
	c.say(code, level, message)
	if c.action == "" {
		c.action = action
	}
}

// skipped tells whether an earlier filter has taken the pod out of the drain,
// so that nothing that is said about it counts any more.
func (c *classifier) skipped() bool { return c.action == ActionSkip }

// skipDeleted is kubectl's skipDeletedFilter, which counts whole seconds since
// the deletionTimestamp, that is since the end of the grace period. What it does
// not skip kubectl evicts again; our engine only waits for it to go.
func (c *classifier) skipDeleted(serverNow time.Time) {
	if !c.pod.Terminating() {
		return
	}
	over, limit := int(serverNow.Sub(c.pod.Deleted).Seconds()), int(c.o.SkipWaitForDelete.Seconds())
	said := "already terminating"
	if over > 0 {
		said += fmt.Sprintf(", its grace period ended %s ago", words.Age(serverNow, c.pod.Deleted))
	}
	if len(c.pod.Finalizers) > 0 {
		said += ", held by finalizer " + strings.Join(c.pod.Finalizers, ", ")
	}
	if limit > 0 && over > limit {
		c.stop(ActionSkip, ReasonTerminating, LevelInfo, said+fmt.Sprintf(" (--skip-wait-for-delete-timeout=%d)", limit))
		return
	}
	c.say(ReasonTerminating, LevelInfo, said)
}

// daemonSet is kubectl's daemonSetFilter. kubectl asks the server for the
// DaemonSet of each pod, by name; the snapshot answers here.
func (c *classifier) daemonSet() {
	owner := c.pod.Owner
	if owner == nil || owner.Kind != "DaemonSet" || c.finished {
		return
	}
	if owner.APIVersion != "apps/v1" {
		if !c.skipped() {
			c.say(ReasonDaemonSetLike, LevelWarning, fmt.Sprintf(
				"managed by DaemonSet %s of %s: kubectl does not take it for a DaemonSet's, and it may come straight back",
				owner.Name, owner.APIVersion))
		}
		return
	}
	if c.skipped() {
		c.say(ReasonDaemonSet, LevelInfo, "managed by DaemonSet "+owner.Name)
		return
	}
	if c.s.WorkloadNamed("DaemonSet", c.pod.Namespace, owner.Name) == nil && c.daemonSetMissing(owner) {
		return
	}
	if c.o.IgnoreDaemonSets {
		c.stop(ActionSkip, ReasonDaemonSet, LevelWarning, daemonSetSkipped)
	} else {
		c.stop(ActionRefuse, ReasonDaemonSet, LevelError, daemonSetError)
	}
}

// daemonSetMissing says what to make of a DaemonSet that the snapshot does not
// hold, and returns false where the pod is to be treated as if it were there.
//
//   - DaemonSets are all known: the pod is an orphan, refused without --force.
//     Its message is the server's answer to kubectl's GET.
//   - We may not list them: it cannot be told whether the pod is an orphan.
//     kubectl, which may not get it either, refuses whatever its flags are, and
//     so do we. (A right to get that is not one to list is for the one who fills
//     the store: a record that is there is believed.)
//   - They are still being read, or the connection is gone: taken for existing,
//     which evicts nothing by mistake, and said. A drain starts once they are in.
func (c *classifier) daemonSetMissing(owner *kube.Owner) bool {
	sync := c.s.Sync(kube.KindDaemonSets)
	what := fmt.Sprintf("daemonsets.apps %q", owner.Name)
	switch {
	case sync.Phase == kube.Denied:
		message := what + " cannot be read, so it cannot be told whether it still exists"
		if sync.Reason != "" {
			message += ": " + words.Quote(sync.Reason)
		}
		c.stop(ActionRefuse, ReasonDaemonSetUnknown, LevelError, message)
		return true
	case !c.s.Trusted(kube.KindDaemonSets):
		c.say(ReasonDaemonSetUnknown, LevelWarning, what+" is not known (yet): DaemonSets are "+sync.Phase.String())
		return false
	case c.o.Force:
		c.say(ReasonOrphanedDaemonSet, LevelWarning, what+" not found")
	default:
		c.stop(ActionRefuse, ReasonOrphanedDaemonSet, LevelError, what+" not found")
	}
	return true
}

// mirror is kubectl's mirrorPodFilter, which is silent and looks at finished
// pods too.
func (c *classifier) mirror() {
	if !c.pod.Mirror() {
		return
	}
	c.stop(ActionSkip, ReasonMirror, LevelInfo, "mirror of a static pod: only the kubelet of its node can end it")
}

// emptyDir is kubectl's localStorageFilter: emptyDir and nothing else.
func (c *classifier) emptyDir() {
	if c.finished || !volume.HasEmptyDir(c.pod) {
		return
	}
	switch {
	case c.moot():
		c.say(ReasonEmptyDir, LevelInfo, "has emptyDir volumes")
	case c.o.DeleteEmptyDirData:
		c.say(ReasonEmptyDir, LevelWarning, emptyDirDeleted)
	default:
		c.stop(ActionRefuse, ReasonEmptyDir, LevelError, emptyDirError)
	}
}

// unmanaged is kubectl's unreplicatedFilter.
func (c *classifier) unmanaged() {
	if c.finished || c.pod.Owner != nil {
		return
	}
	switch {
	case c.moot():
		c.say(ReasonUnmanaged, LevelInfo, "declares no controller")
	case c.o.Force:
		c.say(ReasonUnmanaged, LevelWarning, unmanagedDeleted)
	default:
		c.stop(ActionRefuse, ReasonUnmanaged, LevelError, unmanagedError)
	}
}

// moot tells whether the pod would stay even if all that refuses it now were
// overridden: it is skipped, or it would be, as a DaemonSet's pod under
// --ignore-daemonsets or as a mirror pod.
func (c *classifier) moot() bool {
	if c.skipped() || c.pod.Mirror() {
		return true
	}
	return slices.ContainsFunc(c.reasons, func(r Reason) bool {
		return r.Code == ReasonDaemonSet || r.Code == ReasonDaemonSetUnknown
	})
}

// cordonTaint is the taint of a node that is unschedulable.
var cordonTaint = corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}

// toleratesCordon follows corev1.Toleration.ToleratesTaint for the taint of a
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

// phrase says what a decision would do and why.
func (d Decision) Phrase() string {
	text := map[Action]string{ActionEvict: "evicted", ActionDelete: "deleted", ActionRefuse: "refused", ActionSkip: "skipped"}[d.Action]
	for _, r := range d.Reasons {
		text += " (" + r.Message + ")"
	}
	return text
}
