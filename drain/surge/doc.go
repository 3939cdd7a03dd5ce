// Package surge knows how a workload gets its replacements before its pods leave: which workloads can,
// how many pods at a time, and the record of each in a run with its transitions and decisions. It must
// not know phases, events or screens. Start at Record, then Decide; WhyNot says which workloads cannot.
package surge
