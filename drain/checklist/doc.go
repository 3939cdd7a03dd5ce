// Package checklist knows when the machine of a node can be powered off and nothing ends or is
// lost with it: lines that are true, false or not known, each with the objects that make it so.
// It must not know runs or what they meant to do: it judges the cluster, and takes what a run
// knows besides as values. Start at Of, then Verdict.
package checklist
