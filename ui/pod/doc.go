// Package pod is the page of one pod: its containers, its events, what it waits for. It must not know
// the other pages. Start at Page.
package pod
