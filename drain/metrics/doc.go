// Package metrics knows which figures of a run and a roll are worth a graph or an alert, and writes them in
// the text format of Prometheus. It must not know where that text goes. Start at Shown.
package metrics
