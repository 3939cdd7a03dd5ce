package kube

import "strings"

// ServicesIn are the Services of a namespace, by name. Ask Sync(KindServices)
// before taking none for an answer; the same holds for all kinds below.
func (s *Snapshot) ServicesIn(namespace string) []*Service {
	return rows[*Service](&s.t, KindServices).while(&Service{Namespace: namespace},
		func(r *Service) bool { return r.Namespace == namespace })
}

// Service is the Service of that name, nil if there is none.
func (s *Snapshot) Service(namespace, name string) *Service {
	return find(s, &Service{Namespace: namespace, Name: name})
}

// WebhookConfigurations are those of both kinds, the validating ones first, each
// by name.
func (s *Snapshot) WebhookConfigurations() []*WebhookConfiguration {
	return append(rows[*WebhookConfiguration](&s.t, KindValidatingWebhooks).items(),
		rows[*WebhookConfiguration](&s.t, KindMutatingWebhooks).items()...)
}

// AutoscalerOf is the autoscaler of the workload of that kind and name, nil if
// there is none. The API version decides between kinds of one name; "" takes any.
// Where there are several, which the controller refuses to act on, it is the
// first by name.
func (s *Snapshot) AutoscalerOf(apiVersion, kind, namespace, name string) *Autoscaler {
	group, _, _ := strings.Cut(apiVersion, "/")
	var found *Autoscaler
	s.t.autoscalers.from(&Autoscaler{Namespace: namespace, Target: Owner{Kind: kind, Name: name}},
		func(a *Autoscaler) bool {
			if a.Namespace != namespace || a.Target.Kind != kind || a.Target.Name != name {
				return false
			}
			if of, _, _ := strings.Cut(a.Target.APIVersion, "/"); apiVersion == "" || of == group {
				found = a
			}
			return found == nil
		})
	return found
}

// QuotasIn are the quotas of a namespace, by name.
func (s *Snapshot) QuotasIn(namespace string) []*Quota {
	return rows[*Quota](&s.t, KindQuotas).while(&Quota{Namespace: namespace},
		func(q *Quota) bool { return q.Namespace == namespace })
}

// Namespace is the namespace of that name, nil if there is none.
func (s *Snapshot) Namespace(name string) *Namespace {
	return find(s, &Namespace{Name: name})
}

// Namespaces are all namespaces, by name.
func (s *Snapshot) Namespaces() []*Namespace { return rows[*Namespace](&s.t, KindNamespaces).items() }

// PodsRepelling are the pods with a required anti-affinity that can reach pods
// of the namespace.
func (s *Snapshot) PodsRepelling(namespace string) []*Pod {
	var pods []*Pod
	for _, scope := range []string{"", namespace} {
		s.t.pods.facets.repels.from(scopedKey{scope, &podKey{}}, func(k scopedKey) bool {
			if k.scope != scope {
				return false
			}
			pods = append(pods, s.t.pods.records.get(k.pod.slot))
			return true
		})
	}
	return pods
}

// PodsWithHostPorts are the pods that take ports of their nodes, by node.
func (s *Snapshot) PodsWithHostPorts() []*Pod {
	return s.t.pods.collect(make([]*Pod, 0, s.t.pods.facets.ports.len()), &s.t.pods.facets.ports, &podKey{},
		func(*podKey) bool { return true })
}
