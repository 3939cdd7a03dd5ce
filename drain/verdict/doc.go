// Package verdict sums a plan up: how many pods have each effect (OfNode, OfPlan), and how a drain
// of it would end (Of), which colours it, ends its text and decides the exit code. It must not know
// the cluster. Start at Of.
package verdict
