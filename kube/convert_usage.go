package kube

import (
	metricsv1 "k8s.io/metrics/pkg/apis/metrics/v1"
)

func nodeUsage(m *metricsv1.NodeMetrics) Usage {
	r := amounts(m.Usage)
	return Usage{CPUMilli: r.CPUMilli, MemoryBytes: r.MemoryBytes, At: m.Timestamp.Time}
}
