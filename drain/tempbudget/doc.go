// Package tempbudget knows temporary budgets: those that a run makes (Wanted; Record, its transitions
// and decisions) and those that runs have left in the cluster. It must not know phases, pods in a run
// or events. Start at Record, then Leftovers.
package tempbudget
