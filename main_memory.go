package main

import (
	"os"
	"runtime/debug"
)

// garbagePercent is how much garbage may pile up beside what a watched cluster
// takes. A list is nearly all garbage, so that at the peak it is this and not
// the store that counts: Go's own 100 takes 300 MB for 150,000 pods instead of
// 230 (BenchmarkLargeCluster of kube).
const garbagePercent = 60

// collectOften makes the collector come earlier, unless the operator has an opinion.
func collectOften() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
}
