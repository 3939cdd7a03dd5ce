package kube

import (
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Service is the compact record of a Service. Its ready endpoints are worked out
// from the selector and the pods of the snapshot, as the endpoint slice controller
// does (kube-controller-manager pkg/controller/endpointslice), and not read from
// EndpointSlices: those repeat each pod of each Service and change whenever one
// of them does, while Services are few and hardly ever change. What is lost are
// endpoints that were written by hand for a Service without a selector; no pod
// can be told from them for sure anyway.
type Service struct {
	Namespace string
	Name      string
	UID       UID
	// Selector is nil for a Service whose endpoints somebody else writes, and for
	// one that is only another name (ExternalName).
	Selector labels.Set
	// Unready tells that pods count as endpoints before they are Ready
	// (publishNotReadyAddresses).
	Unready bool
}

// selects tells whether the pod is behind the Service. An empty selector selects
// nothing, unlike that of a budget (endpointslice_controller.go syncService).
func (s *Service) selects(p *Pod) bool {
	if len(s.Selector) == 0 || s.Namespace != p.Namespace {
		return false
	}
	for key, value := range s.Selector {
		if had, ok := p.Labels[key]; !ok || had != value {
			return false
		}
	}
	return true
}

// Serves tells whether the pod is a ready endpoint of the Service now.
func (s *Service) Serves(p *Pod) bool {
	return (p.Ready || s.Unready) && !p.Finished() && !p.Terminating() && s.selects(p)
}

// Webhook is one admission webhook.
type Webhook struct {
	Name      string
	Namespace string // of its Service
	Service   string // "" for one that is served outside of the cluster
	// Closed tells that requests fail while the webhook does not answer
	// (failurePolicy Fail).
	Closed     bool
	Rules      []admissionv1.RuleWithOperations // cleaned; API versions and scopes are left out
	Namespaces labels.Selector                  // namespaces that it is asked for
	Objects    labels.Selector                  // objects that it is asked for
	// Conditional tells of matchConditions, which are not evaluated here.
	Conditional bool
}

// Asks reports whether the webhook has a rule for the request (apiserver
// pkg/admission/plugin/webhook/predicates/rules/rules.go).
func (w *Webhook) Asks(operation admissionv1.OperationType, group, resource string) bool {
	kind, sub, _ := strings.Cut(resource, "/")
	return slices.ContainsFunc(w.Rules, func(r admissionv1.RuleWithOperations) bool {
		return (slices.Contains(r.Operations, "*") || slices.Contains(r.Operations, operation)) &&
			(slices.Contains(r.APIGroups, "*") || slices.Contains(r.APIGroups, group)) &&
			slices.ContainsFunc(r.Resources, func(want string) bool {
				wantKind, wantSub, _ := strings.Cut(want, "/")
				return (wantKind == "*" || wantKind == kind) && (wantSub == "*" || wantSub == sub)
			})
	})
}

// AsksIn reports whether the webhook is asked about objects in a namespace. The API server labels each namespace with
// its name.
func (w *Webhook) AsksIn(s *Snapshot, namespace string) bool {
	named := labels.Set{"kubernetes.io/metadata.name": namespace}
	if n := s.Namespace(namespace); n != nil {
		named = n.Labels
	}
	return w.Namespaces.Matches(named)
}

// WebhookConfiguration is the compact record of a Mutating- or
// ValidatingWebhookConfiguration.
type WebhookConfiguration struct {
	Name     string
	UID      UID
	Mutating bool
	Webhooks []Webhook
}

// Kind is the API's name of the kind.
func (c *WebhookConfiguration) Kind() string {
	if c.Mutating {
		return "MutatingWebhookConfiguration"
	}
	return "ValidatingWebhookConfiguration"
}

// Autoscaler is the compact record of a HorizontalPodAutoscaler.
type Autoscaler struct {
	Namespace string
	Name      string
	UID       UID
	Target    Owner // without a UID
	Min       int32 // 1 where the API has none
	Max       int32
	// Stuck is why it cannot scale its target, "" while it can (the AbleToScale
	// condition).
	Stuck string
}

// QuotaAmount is what a quota says of one resource, in thousandths.
type QuotaAmount struct {
	Resource   string
	Hard, Used int64
}

// Exceeded tells that nothing more of the resource is let in, whatever goes:
// even the replacement of a pod that is gone does not fit.
func (a QuotaAmount) Exceeded() bool { return a.Used > a.Hard }

// Quota is the compact record of a ResourceQuota, of what pods take of it.
type Quota struct {
	Namespace string
	Name      string
	UID       UID
	// Scoped tells that it counts only some pods of its namespace.
	Scoped  bool
	Amounts []QuotaAmount // by resource
}
