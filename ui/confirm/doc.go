// Package confirm is what the questions about a plan have in common: what stands in
// them (what changed, what it costs, who holds a node), and the check that what was
// shown still holds at the moment of the answer. It opens no dialog and starts nothing.
// Start reading at Check.
package confirm
