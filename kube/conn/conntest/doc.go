// Package conntest connects tests to a server of their own. It knows connections and the
// server of kubetest, and must not know what is watched or written. Start at To.
package conntest
