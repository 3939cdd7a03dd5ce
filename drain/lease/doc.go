// Package lease knows the Leases of nodes: who holds them, and what a run does about its own (Record,
// its transitions, and Next). It must not know phases, pods or events. Start at Next, then Holds.
package lease
