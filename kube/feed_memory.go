package kube

import (
	"context"
	"os"
	"runtime/debug"
	"sync"
)

// garbagePercent is how much garbage may pile up beside what a watched cluster
// takes. A list is nearly all garbage, so that at the peak it is this and not
// the store that counts: Go's own 100 takes 300 MB for 150,000 pods instead of
// 230 (BenchmarkLargeCluster).
const garbagePercent = 60

var garbage struct {
	sync.Mutex
	watchers int
	before   int
}

// collectOften makes the collector come earlier until the context ends, unless
// the operator has an opinion.
func collectOften(ctx context.Context) {
	if os.Getenv("GOGC") != "" {
		return
	}
	garbage.Lock()
	defer garbage.Unlock()
	if garbage.watchers == 0 {
		garbage.before = debug.SetGCPercent(garbagePercent)
	}
	garbage.watchers++
	context.AfterFunc(ctx, func() {
		garbage.Lock()
		defer garbage.Unlock()
		if garbage.watchers--; garbage.watchers == 0 {
			debug.SetGCPercent(garbage.before)
		}
	})
}
