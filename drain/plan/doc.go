// Package plan knows what a drain would do: its options, the action and the reasons of each
// pod (Classify), the order of nodes and waves. It must not know how a run goes on, nor findings.
// Start at New.
package plan
