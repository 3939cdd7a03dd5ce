// Package runs is the page of the runs and rolls of this machine: which there are, how they ended, and what
// can still be done with each. It must not read journals: it asks frame.Runs. Start at Page.
package runs
