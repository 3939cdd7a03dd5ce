// Package forecast knows how long a plan takes: it plays the rules of a run (drain.Simulate) on a
// small model of the cluster. It must not have rules of a drain of its own. Start at Of.
package forecast
