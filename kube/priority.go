package kube

// SystemCriticalPriority is the lowest priority of the system's own classes
// (k8s.io/kubernetes pkg/apis/scheduling SystemCriticalPriority).
const SystemCriticalPriority = 2_000_000_000
