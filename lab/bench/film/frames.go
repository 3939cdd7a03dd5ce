package film

import (
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

// PodFrame is a pod from one change to the next.
type PodFrame struct {
	At              time.Time // when the change was seen
	Version         uint64
	UID             types.UID
	Namespace, Name string
	Node            string
	Labels          map[string]string
	Annotations     map[string]string
	Owner           string // "ReplicaSet/web-1", "" where there is none
	Phase           corev1.PodPhase
	Ready           bool
	Deleted         time.Time // deletionTimestamp, zero while it is not being deleted
	Finalizers      []string
	Gone            bool // the last frame
}

// Terminating tells whether the pod is on its way out.
func (p PodFrame) Terminating() bool { return !p.Deleted.IsZero() && !p.Gone }

// Title is the pod as people name it.
func (p PodFrame) Title() string { return p.Namespace + "/" + p.Name }

func podFrame(pod *corev1.Pod, gone bool, now time.Time) PodFrame {
	frame := PodFrame{
		At: now, Version: number(pod.ResourceVersion), UID: pod.UID, Namespace: pod.Namespace, Name: pod.Name,
		Node: pod.Spec.NodeName, Labels: pod.Labels, Annotations: pod.Annotations, Phase: pod.Status.Phase,
		Finalizers: pod.Finalizers, Gone: gone,
	}
	if pod.DeletionTimestamp != nil {
		frame.Deleted = pod.DeletionTimestamp.Time
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			frame.Ready = condition.Status == corev1.ConditionTrue
		}
	}
	if owner := metav1.GetControllerOf(pod); owner != nil {
		frame.Owner = owner.Kind + "/" + owner.Name
	}
	return frame
}

// BudgetFrame is a budget from one change to the next.
type BudgetFrame struct {
	At                        time.Time
	Version                   uint64
	UID                       types.UID
	Namespace, Name           string
	Selector                  labels.Selector
	AlwaysAllow               bool // unhealthyPodEvictionPolicy
	Observed                  bool
	Allowed, Current, Desired int
	Disrupted                 []string // names of pods
	Gone                      bool
}

// Allows tells whether the budget lets one pod go.
func (b BudgetFrame) Allows() bool { return !b.Gone && b.Observed && b.Allowed > 0 }

// Selects tells whether the pod is the budget's.
func (b BudgetFrame) Selects(p PodFrame) bool {
	return b.Namespace == p.Namespace && b.Selector.Matches(labels.Set(p.Labels))
}

func budgetFrame(budget *policyv1.PodDisruptionBudget, gone bool, now time.Time) BudgetFrame {
	selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector)
	if err != nil {
		selector = labels.Nothing() // the server does the same
	}
	policy := budget.Spec.UnhealthyPodEvictionPolicy
	return BudgetFrame{
		At: now, Version: number(budget.ResourceVersion), UID: budget.UID, Namespace: budget.Namespace, Name: budget.Name,
		Selector: selector, AlwaysAllow: policy != nil && *policy == policyv1.AlwaysAllow,
		Observed: budget.Status.ObservedGeneration >= budget.Generation,
		Allowed:  int(budget.Status.DisruptionsAllowed), Current: int(budget.Status.CurrentHealthy), Desired: int(budget.Status.DesiredHealthy),
		Disrupted: slices.Sorted(maps.Keys(budget.Status.DisruptedPods)), Gone: gone,
	}
}

// Pods are the frames of all pods, each in order, without the film's own.
func (f *Film) Pods() map[types.UID][]PodFrame {
	f.mu.Lock()
	defer f.mu.Unlock()
	pods := map[types.UID][]PodFrame{}
	for uid, frames := range f.pods {
		if frames[0].Namespace != markers {
			pods[uid] = slices.Clone(frames)
		}
	}
	return pods
}

// Budgets are the frames of all budgets, each in order, without the film's own.
func (f *Film) Budgets() map[types.UID][]BudgetFrame {
	f.mu.Lock()
	defer f.mu.Unlock()
	budgets := map[types.UID][]BudgetFrame{}
	for uid, frames := range f.budgets {
		if frames[0].Namespace != markers {
			budgets[uid] = slices.Clone(frames)
		}
	}
	return budgets
}
