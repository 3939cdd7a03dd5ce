// Package e2e drives the programs as they are shipped: kdrain-tui without a
// terminal and in tmux, each story on a real control plane of its own or on one
// that it leaves as it found it. All of it is behind the build tag e2e:
//
//	KDRAIN_BIN=... KDRAIN_LAB=... go test -tags e2e ./e2e
//
// KDRAIN_BIN is the built kdrain-tui, KDRAIN_LAB the built lab.
package e2e
