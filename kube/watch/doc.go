// Package watch brings what is in a cluster into a kube.Store and keeps it in line: a feed
// for each kind, polled usage, and reads by name of what is not watched. It must not know
// what a drain makes of it, and it changes nothing in the cluster. Start reading at Start;
// feed.go is where every list and watch passes.
package watch
