package kube

import (
	"cmp"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// podFacets find the few pods that stand in the way of others: by a required
// anti-affinity, by a port of the node, by a claim. Of a pod's spec only what
// is not read here can change while it lives.
type podFacets struct {
	repels index[scopedKey] // by scope, namespace, name
	ports  index[*podKey]   // by node, namespace, name
	claims index[claimUser] // by namespace, claim, pod
}

// scopedKey is a pod whose anti-affinity reaches the pods of its own namespace
// (scope is the namespace), or also of others (scope is "").
type scopedKey struct {
	scope string
	pod   *podKey
}

// claimUser is a pod that names a claim.
type claimUser struct {
	claim string
	pod   *podKey
}

func newPodFacets() podFacets {
	return podFacets{
		repels: newIndex(func(a, b scopedKey) bool {
			return cmp.Or(strings.Compare(a.scope, b.scope), compareNames(a.pod, b.pod)) < 0
		}),
		ports: newIndex(byNode),
		claims: newIndex(func(a, b claimUser) bool {
			return cmp.Or(strings.Compare(a.pod.namespace, b.pod.namespace), strings.Compare(a.claim, b.claim),
				compareNames(a.pod, b.pod)) < 0
		}),
	}
}

func (f *podFacets) freeze() podFacets {
	return podFacets{repels: f.repels.freeze(), ports: f.ports.freeze(), claims: f.claims.freeze()}
}

func (f *podFacets) add(key *podKey, p *Pod) {
	if p.Spec == nil {
		return
	}
	if scope, ok := repels(p); ok {
		f.repels.set(scopedKey{scope, key})
	}
	if len(p.Spec.HostPorts) > 0 {
		f.ports.set(key)
	}
	for _, v := range p.Spec.Volumes {
		if v.Claim != "" {
			f.claims.set(claimUser{v.Claim, key})
		}
	}
}

func (f *podFacets) remove(key *podKey, p *Pod) {
	if p.Spec == nil {
		return
	}
	if scope, ok := repels(p); ok {
		f.repels.remove(scopedKey{scope, key})
	}
	if len(p.Spec.HostPorts) > 0 {
		f.ports.remove(key)
	}
	for _, v := range p.Spec.Volumes {
		if v.Claim != "" {
			f.claims.remove(claimUser{v.Claim, key})
		}
	}
}

// repels tells whether the pod has a required anti-affinity, and how far it
// reaches.
func repels(p *Pod) (scope string, ok bool) {
	terms := p.Spec.AntiAffinity()
	for i := range terms {
		if terms[i].NamespaceSelector != nil || len(terms[i].Namespaces) > 0 {
			return "", true
		}
	}
	return p.Namespace, len(terms) > 0
}

// AntiAffinity are the terms of the required anti-affinity to other pods.
func (s *PodSpec) AntiAffinity() []corev1.PodAffinityTerm {
	if s.Affinity == nil || s.Affinity.PodAntiAffinity == nil {
		return nil
	}
	return s.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
}

// PodAffinity are the terms of the required affinity to other pods.
func (s *PodSpec) PodAffinity() []corev1.PodAffinityTerm {
	if s.Affinity == nil || s.Affinity.PodAffinity == nil {
		return nil
	}
	return s.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
}
