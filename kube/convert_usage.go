package kube

import (
	metricsv1 "k8s.io/metrics/pkg/apis/metrics/v1"
)

func nodeUsage(m *metricsv1.NodeMetrics) Usage {
	r := amounts(m.Usage)
	return Usage{CPUMilli: r.CPUMilli, MemoryBytes: r.MemoryBytes, At: m.Timestamp.Time}
}

// podUsage sums over the containers of a pod.
func podUsage(m *metricsv1.PodMetrics) Usage {
	u := Usage{At: m.Timestamp.Time}
	for i := range m.Containers {
		r := amounts(m.Containers[i].Usage)
		u.CPUMilli += r.CPUMilli
		u.MemoryBytes += r.MemoryBytes
	}
	return u
}
