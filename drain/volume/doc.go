// Package volume knows the volumes of pods: which must be detached before the next pod with
// volumes is evicted, and what of them can be read. It must not know runs or the order of pods.
// Start at Facts.
package volume
