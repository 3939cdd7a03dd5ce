package surge

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Code names a reason why a workload cannot surge.
type Code string

// The reasons. Those that pass may be over in a moment.
const (
	CodeKind       Code = "Kind"       // its kind does not remove the pods of the lowest deletion cost first
	CodeUnseen     Code = "Unseen"     // what decides it cannot be read
	CodeUnknown    Code = "Unknown"    // what decides it is not read yet
	CodeScaledDown Code = "ScaledDown" // it wants no pods
	CodeRollout    Code = "Rollout"    // its pods are being replaced
	CodeOtherRun   Code = "OtherRun"   // another run has raised it
	CodeAutoscaler Code = "Autoscaler" // its number is an autoscaler's
	CodeManaged    Code = "Managed"    // its number is that of another tool
	CodeVolume     Code = "Volume"     // one node alone can use a volume of its pods
	CodeNoRoom     Code = "NoRoom"     // no replacement finds room beside it
	CodeQuota      Code = "Quota"      // its quota lets no further pod in
	CodeOrder      Code = "Order"      // other pods have to leave first
	CodeStays      Code = "Stays"      // its controller would remove a pod that is to stay
)

// Reason is why a workload cannot surge, in a sentence without an end.
type Reason struct {
	Code Code   `json:"code"`
	Text string `json:"text"`
}

// Passes reports whether the reason may end by itself, so that it is waited for; none has.
func (r *Reason) Passes() bool { return r == nil || r.Code == CodeRollout || r.Code == CodeOtherRun }

// Kinds are the watched kinds that decide whether a workload can surge.
var Kinds = []kube.Kind{kube.KindPods, kube.KindReplicaSets, kube.KindDeployments, kube.KindAutoscalers}

// Of is the workload whose replicas are raised for a pod, or the reason why there is none.
func Of(s *kube.Snapshot, p *kube.Pod) (*kube.Workload, *Reason) {
	if p.Owner == nil {
		return nil, &Reason{CodeKind, "no controller makes another pod in its place"}
	}
	owner := p.Owner
	rs := s.Workload(owner.UID)
	if owner.Kind == "ReplicaSet" && rs == nil {
		return nil, unseen(s, kube.KindReplicaSets, p.Namespace, owner)
	}
	if owner.Kind == "ReplicaSet" && rs.Owner != nil {
		owner = rs.Owner
	}
	w := budget.ScaledBy(s, p.Owner)
	switch {
	case owner.Kind == "StatefulSet":
		return nil, &Reason{CodeKind, "StatefulSet " + owner.Name +
			" gives each pod a name: a further pod would be a further member"}
	case owner.Kind == "Job":
		return nil, &Reason{CodeKind, "Job " + owner.Name + " runs its pods to their end"}
	case owner.Kind != "Deployment" && owner.Kind != "ReplicaSet", w != nil && w.APIVersion != "":
		return nil, &Reason{CodeKind, owner.Kind + " " + owner.Name +
			" is not known to remove the pods of the lowest deletion cost first"}
	case w == nil:
		return nil, unseen(s, kube.KindDeployments, p.Namespace, owner)
	}
	return w, nil
}

// Owned are those of the pods that the workload still has.
func Owned(s *kube.Snapshot, pods []*kube.Pod, workload kube.UID) []*kube.Pod {
	return slices.DeleteFunc(slices.Clone(pods), func(p *kube.Pod) bool {
		w, _ := Of(s, p)
		return w == nil || w.UID != workload
	})
}

// unseen is the reason where an owner is not shown: whether there is one is not known before all of
// its kind are read, unless they may not be read.
func unseen(s *kube.Snapshot, kind kube.Kind, namespace string, owner *kube.Owner) *Reason {
	if !s.In(namespace).Settled(kind) {
		return &Reason{CodeUnknown, owner.Kind + " " + owner.Name + " is not read yet"}
	}
	return &Reason{CodeUnseen, owner.Kind + " " + owner.Name + " cannot be seen"}
}

// FactsOf are those of a pod's workload, or of its owner where that cannot surge, and why. stays tells which pods are
// not to leave their nodes.
func FactsOf(s *kube.Snapshot, pod *kube.Pod, managed bool, stays func(*kube.Pod) bool) (Facts, *Reason) {
	w, not := ForPod(s, pod, managed)
	if w != nil && not == nil {
		not = losesOther(s, w, stays)
	}
	switch {
	case w != nil:
		return Facts{Kind: w.Kind, Namespace: w.Namespace, Name: w.Name, UID: w.UID}, not
	case pod.Owner != nil:
		return Facts{Kind: pod.Owner.Kind, Namespace: pod.Namespace, Name: pod.Owner.Name, UID: pod.Owner.UID}, not
	}
	return Facts{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID}, not
}

// ForPod is the workload that would surge for a pod, and why it cannot, nil where it can. The
// workload is nil where there is none.
func ForPod(s *kube.Snapshot, p *kube.Pod, managed bool) (*kube.Workload, *Reason) {
	w, not := Of(s, p)
	if w == nil {
		return nil, not
	}
	if not = whyNot(s, w, "", managed); not == nil {
		not = volumeReason(s, p)
	}
	return w, not
}

// whyNot is why the replicas of a workload cannot be raised for a run now, nil where they
// can. Managed takes a number that belongs to another tool.
func whyNot(s *kube.Snapshot, w *kube.Workload, run string, managed bool) *Reason {
	name := w.Kind + " " + w.Name
	if other := RaisedByOther(w, run); other != "" {
		return &Reason{CodeOtherRun, other}
	}
	switch {
	case w.Replicas < 1:
		return &Reason{CodeScaledDown, name + " wants no pods"}
	case w.Unobserved:
		return &Reason{CodeRollout, "the controller of " + name + " has not seen its last change yet"}
	case w.RollingOut:
		return &Reason{CodeRollout, "a rollout of " + name + " is in progress"}
	}
	if why := autoscaled(s, w); why != "" {
		return &Reason{CodeAutoscaler, why}
	}
	switch {
	case managed:
	case w.ReplicasBy != "":
		return &Reason{CodeManaged, "the replicas of " + name + " belong to " +
			w.ReplicasBy + ", which would set them back (--surge-managed)"}
	case w.Owner != nil:
		return &Reason{CodeManaged, w.Owner.Kind + " " + w.Owner.Name + " owns " + name +
			" and may set its replicas back (--surge-managed)"}
	}
	return nil
}

// losesOther is the reason where a pod of the workload is to stay on its node and is not Ready: when the replicas are
// set back, the ReplicaSet controller removes it before it compares deletion costs (ActivePodsWithRanks.Less).
func losesOther(s *kube.Snapshot, w *kube.Workload, stays func(*kube.Pod) bool) *Reason {
	for _, p := range activeOf(s, w) {
		if !p.Ready && stays(p) {
			return &Reason{CodeStays, "pod " + p.Name +
				", which is to stay, is not Ready: when the replicas are set back, it is removed first"}
		}
	}
	return nil
}

// RaisedByOther says which other run surges a workload, "" for none. An annotation whose number the workload does not
// have is an old copy, which `kubectl rollout undo` brings back from a ReplicaSet.
func RaisedByOther(w *kube.Workload, run string) string {
	if mark, marked := parseMark(w.SurgeMark); !marked || mark.Run == run || mark.To != w.Replicas {
		return ""
	}
	return Raised(w)
}

// Raised says which run surges a workload, "" for none.
func Raised(w *kube.Workload) string {
	mark, marked := parseMark(w.SurgeMark)
	switch name := w.Kind + " " + w.Name; {
	case !marked:
		return ""
	case mark.lowered():
		return fmt.Sprintf("run %s gives the pods of %s their deletion costs back", mark.Run, name)
	default:
		return fmt.Sprintf("run %s has raised %s from %d to %d replicas", mark.Run, name, mark.Was, mark.To)
	}
}

func autoscaled(s *kube.Snapshot, w *kube.Workload) string {
	if !s.In(w.Namespace).Trusted(kube.KindAutoscalers) {
		return "whether an autoscaler owns the replicas of " + w.Kind + " " + w.Name + " cannot be seen"
	}
	if a := budget.AutoscalerOf(s, w); a != nil {
		return "autoscaler " + a.Name + " owns the replicas of " + w.Kind + " " + w.Name
	}
	return ""
}

// volumeReason is why a second pod cannot run beside this one for the sake of a volume,
// nil where it can: a volume of one node (ReadWriteOnce, a local disk) goes only with its
// pod. Volumes made for each pod alone are no obstacle.
func volumeReason(s *kube.Snapshot, p *kube.Pod) *Reason {
	for i := range p.Spec.Volumes {
		v := &p.Spec.Volumes[i]
		if v.Kind == kube.VolumeDisk || v.Kind == kube.VolumeInline {
			return &Reason{CodeVolume, "volume " + v.Name + " may be usable by one node only"}
		}
		if v.Kind != kube.VolumeClaim {
			continue
		}
		claim := s.Storage().Claim(p.Namespace, v.Claim)
		if claim == nil {
			return &Reason{CodeUnseen, "claim " + v.Claim + " cannot be seen: it may be usable by one node only"}
		}
		shared := slices.Contains(claim.AccessModes, corev1.ReadWriteMany) ||
			slices.Contains(claim.AccessModes, corev1.ReadOnlyMany)
		volume := s.Storage().Volume(claim.Volume)
		if !shared || volume != nil && (volume.Local || volume.HostPath) {
			return &Reason{CodeVolume, "claim " + v.Claim + " can be used by one node only"}
		}
	}
	return nil
}

// quotaRoom is how many further pods like this one the quotas of its namespace let in,
// below zero for no limit. What a quota counts only for some pods, and limits, which are
// not known here, are left to the server.
func quotaRoom(s *kube.Snapshot, p *kube.Pod) int64 {
	room := int64(-1)
	for _, quota := range s.QuotasIn(p.Namespace) {
		if quota.Scoped {
			continue
		}
		for _, a := range quota.Amounts {
			if each := takes(p, a.Resource); each > 0 {
				fits := max(0, a.Hard-a.Used) / each
				if room < 0 || fits < room {
					room = fits
				}
			}
		}
	}
	return room
}

// takes is what a pod takes of a resource of a quota, in thousandths.
func takes(p *kube.Pod, resource string) int64 {
	switch resource {
	case "pods", "count/pods":
		return 1000
	case "cpu", "requests.cpu":
		return p.Spec.Requests.CPUMilli
	case "memory", "requests.memory":
		return p.Spec.Requests.MemoryBytes * 1000
	}
	return 0
}
