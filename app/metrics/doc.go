// Package metrics keeps a file of metrics for the textfile collector of Prometheus' node exporter. It must
// not know which metrics there are. Start at File.
package metrics
