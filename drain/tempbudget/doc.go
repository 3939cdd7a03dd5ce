// Package tempbudget knows the temporary budgets that runs have left in the cluster. It must not know
// the run of this process. Start at Leftovers.
package tempbudget
