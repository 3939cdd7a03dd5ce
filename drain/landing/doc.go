// Package landing answers where the replacement of an evicted pod could be
// scheduled, by the rules of the Kubernetes scheduler's default profile, from a
// snapshot alone.
//
// The replacement is taken to have the spec of the running pod: an owner whose
// template changed since, or a webhook, makes another one. Pods that wait to be
// scheduled are not counted. Room that preemption could make, and whatever is not
// modelled, makes the answer Unknown, never Fits.
//
// The rules are those of k8s.io/kubernetes/pkg/scheduler/framework/plugins,
// named where they are followed; comparisons with the real scheduler are in
// lab/landing.
package landing
