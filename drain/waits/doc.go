// Package waits knows what a pod waits for on its way off a node, with the facts behind it, and says it
// in a sentence. It must not know runs, requests or screens. Start at Wait.
package waits
