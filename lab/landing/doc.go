// Package landing compares the simulated scheduling of drain/landing with the
// real scheduler of a lab, in random clusters:
//
//	go test -tags landing ./landing -v -args -n 1000 -seed 42
//
// Every case is a pod in a cluster of some nodes, pods, volumes and claims, made
// through the API server. Half of the pods are new, half are pods of a node that
// is cordoned, deleted and made again. What our side said before is held against
// what the scheduler does: the node that it binds the pod to is one of ours and
// it counts as many feasible nodes, or it refuses the pod in the same words.
package landing
