// Package replacement knows the pods that take the place of those a run moved (Record, its transitions
// and Follow), and whether workloads are worse than before (Baseline, Gate). It must not know phases,
// requests or events. Start at Follow, then Baseline.Worse.
package replacement
