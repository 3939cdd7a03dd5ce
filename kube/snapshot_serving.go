package kube

import "strings"

// ServicesIn are the Services of a namespace, by name. Ask Sync(KindServices)
// before taking none for an answer; the same holds for all kinds below.
func (s *Snapshot) ServicesIn(namespace string) []*Service {
	var services []*Service
	s.t.serving.services.from(&Service{Namespace: namespace}, func(r *Service) bool {
		if r.Namespace != namespace {
			return false
		}
		services = append(services, r)
		return true
	})
	return services
}

// Service is the Service of that name, nil if there is none.
func (s *Snapshot) Service(namespace, name string) *Service {
	r, _ := s.t.serving.services.get(&Service{Namespace: namespace, Name: name})
	return r
}

// WebhookConfigurations are those of both kinds, the validating ones first, each
// by name.
func (s *Snapshot) WebhookConfigurations() []*WebhookConfiguration {
	return append(s.t.serving.validating.items(), s.t.serving.mutating.items()...)
}

// AutoscalerOf is the autoscaler of the workload of that kind and name, nil if
// there is none. The API version decides between kinds of one name; "" takes any.
// Where there are several, which the controller refuses to act on, it is the
// first by name.
func (s *Snapshot) AutoscalerOf(apiVersion, kind, namespace, name string) *Autoscaler {
	group, _, _ := strings.Cut(apiVersion, "/")
	var found *Autoscaler
	s.t.serving.scaled.from(&Autoscaler{Namespace: namespace, Target: Owner{Kind: kind, Name: name}}, func(a *Autoscaler) bool {
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
	var quotas []*Quota
	s.t.serving.quotas.from(&Quota{Namespace: namespace}, func(q *Quota) bool {
		if q.Namespace != namespace {
			return false
		}
		quotas = append(quotas, q)
		return true
	})
	return quotas
}
