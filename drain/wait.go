package drain

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
)

// Recorded is the wait as journals, reports and Events may have it: without a
// container's own words.
func (w *Wait) Recorded() *Wait {
	if w == nil || w.UnhealthyPod == nil || w.UnhealthyPod.Termination == "" {
		return w
	}
	told, unhealthyPod := *w, *w.UnhealthyPod
	unhealthyPod.Termination = ""
	told.UnhealthyPod = &unhealthyPod
	return &told
}

// sameWait tells whether two waits say the same, apart from the moment of the
// next try, which moves without anything having happened.
func sameWait(a, b *Wait) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.For == b.For && a.Never == b.Never && a.Words == b.Words &&
		sameNumbers(a.Budget, b.Budget) && sameUnhealthyPod(a.UnhealthyPod, b.UnhealthyPod) &&
		a.Driver == b.Driver && sameAhead(a.Ahead, b.Ahead) && slices.Equal(a.Volumes, b.Volumes) &&
		a.Since.Equal(b.Since) && a.PreStop == b.PreStop && slices.Equal(a.Budgets, b.Budgets) && slices.Equal(a.Finalizers, b.Finalizers)
}

func sameNumbers(a, b *budget.Numbers) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// sameUnhealthyPod compares what a person would read of a sibling.
func sameUnhealthyPod(a, b *budget.UnhealthyPod) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Namespace == b.Namespace && a.Name == b.Name && a.Node == b.Node && a.Reason == b.Reason && a.Starting == b.Starting
}

func sameAhead(a, b *Ahead) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Namespace == b.Namespace && a.Pod == b.Pod && a.Node == b.Node && slices.Equal(a.Volumes, b.Volumes)
}
