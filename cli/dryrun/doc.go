// Package dryrun goes over the plan of a drain and prints what each step would do, after
// asking the API server where that is wanted. It must not change anything: all that it
// asks of a cluster is its Session. Start at Do.
package dryrun
