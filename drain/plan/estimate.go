package plan

import "time"

func EachMove(plan Plan, do func(*Pod)) {
	for i := range plan.Nodes {
		for k := range plan.Nodes[i].Pods {
			if plan.Nodes[i].Pods[k].Moves() {
				do(&plan.Nodes[i].Pods[k])
			}
		}
	}
}

// Estimate is how long the evictions of a plan take, counted from the first. It
// is a guess from what the cluster shows of its own past, and says so.
type Estimate struct {
	// Total is until the last pod has left that nothing holds for good.
	Total time.Duration
	// LowerBound is what long grace periods alone take; zero where no pod has one.
	LowerBound time.Duration
	// Longest is the pod that LowerBound comes from, "namespace/name".
	Longest string
	// LongestGrace is the grace period of that pod.
	LongestGrace time.Duration
	// Because says what determines the time, in one line.
	Because string
	// Waves are the pods that go at once, those that go once the first are Ready
	// elsewhere, and so on.
	Waves []int
	// Held are the pods that would not go in the cluster as it is.
	Held int
	// Rough tells that the plan was too large to be played through, and is only
	// counted.
	Rough bool
}
