// Package eviction knows a pod of a run on its way off its node: its record with its transitions, which request may be
// sent for it now, what an answer says about it, and for how long its budget may hold it. It must not know phases,
// Leases, the turns of nodes or events. Start at Record, then View.Release.
package eviction
