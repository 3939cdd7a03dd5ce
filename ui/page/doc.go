// Package page says what the pages show: pure functions from the cluster, a
// plan or a run to lines of text with semantic tokens. No clock, no escape
// codes, no state; the same input gives the same words.
package page
