package preflight

import (
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// The codes of the findings about what depends on pods that move.
const (
	FindingLastEndpoint    = "LastEndpoint"
	FindingWebhook         = "Webhook"
	FindingWebhookDeadlock = "WebhookDeadlock"
	FindingQuotaExceeded   = "QuotaExceeded"
	FindingServingUnknown  = "ServingUnknown"
	FindingScaleUnknown    = "ScaleUnknown"
)

// departures are the Ready pods that a plan lets go together, by namespace: those
// of the first wave, which no budget keeps apart.
type departures struct {
	all map[kube.UID]bool
	in  map[string][]*kube.Pod
}

func departuresOf(s *kube.Snapshot, p *plan.Plan) departures {
	d := departures{all: map[kube.UID]bool{}, in: map[string][]*kube.Pod{}}
	for i := range p.Nodes {
		for k := range p.Nodes[i].Pods {
			plan := &p.Nodes[i].Pods[k]
			if pod := s.Pod(plan.UID); plan.Moves() && plan.Wave == 1 && plan.Surges == "" && pod != nil &&
				!pod.Finished() && !pod.Terminating() {
				d.all[pod.UID] = true
				d.in[pod.Namespace] = append(d.in[pod.Namespace], pod)
			}
		}
	}
	return d
}

// takesAll returns the pods that go from behind a Service if they are all that
// serve there, else none.
func takesAll(d departures, service *kube.Service, inNamespace []*kube.Pod) []*kube.Pod {
	var going []*kube.Pod
	for _, pod := range d.in[service.Namespace] {
		if service.Serves(pod) {
			going = append(going, pod)
		}
	}
	if len(going) == 0 || slices.ContainsFunc(inNamespace, func(pod *kube.Pod) bool {
		return !d.all[pod.UID] && service.Serves(pod)
	}) {
		return nil
	}
	return going
}

// findUnserved finds Services and admission webhooks that lose all their ready
// endpoints at once. DNS and webhooks have a finding of their own, which says
// more.
func findUnserved(s *kube.Snapshot, p *plan.Plan, _ *Env) []plan.Finding {
	d := departuresOf(s, p)
	lost := map[*kube.Service][]*kube.Pod{}
	for namespace := range d.in {
		services := s.ServicesIn(namespace)
		if len(services) == 0 || !s.In(namespace).InWhole(kube.KindPods) {
			continue
		}
		pods := s.PodsIn(namespace)
		for _, service := range services {
			if going := takesAll(d, service, pods); going != nil {
				lost[service] = going
			}
		}
	}
	found, asked := webhooksOf(s, lost)
	var services []*kube.Service
	for service, going := range lost {
		if !asked[service] && !slices.ContainsFunc(going, isDNS) {
			services = append(services, service)
		}
	}
	slices.SortFunc(services, func(a, b *kube.Service) int {
		return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name)
	})
	var g group
	for _, service := range services {
		g.add("Service", service.Namespace, service.Name)
	}
	return append(found, g.finding(FindingLastEndpoint, plan.LevelWarning,
		"no ready endpoint is left, calls fail until a new pod is Ready: ")...)
}

func isDNS(p *kube.Pod) bool { return p.Labels[dnsLabel] == dnsValue }

// webhooksOf finds admission webhooks that do not answer while their pods
// move, and whose requests are then refused. One that is asked about the making of
// its own pods keeps itself from coming back. With them come the Services that
// they are reached by.
func webhooksOf(s *kube.Snapshot, lost map[*kube.Service][]*kube.Pod) ([]plan.Finding, map[*kube.Service]bool) {
	var deaf, deadlock group
	asked := map[*kube.Service]bool{}
	for _, c := range s.WebhookConfigurations() {
		for i := range c.Webhooks {
			hook := &c.Webhooks[i]
			service := s.Service(hook.Namespace, hook.Service)
			if !hook.Closed || service == nil || lost[service] == nil {
				continue
			}
			asked[service] = true
			if asksItself(s, hook, lost[service]) {
				deadlock.note(refusedWith(hook), c.Kind(), "", c.Name)
			} else {
				deaf.note(refusedWith(hook), c.Kind(), "", c.Name)
			}
		}
	}
	found := deadlock.finding(FindingWebhookDeadlock, plan.LevelWarning,
		"an admission webhook that must admit its own new pods is evicted, and may never come back: ")
	for i := range found {
		found[i].Advice = []budget.Advice{
			{Text: "leave one of its pods where it is, or let it run on another node before"},
			{Text: "if it happened: let requests pass without it", Command: "kubectl delete " +
				strings.ToLower(strings.Join(strings.SplitN(deadlock.objects[0], "/", 2), " "))}}
	}
	return append(found, deaf.finding(FindingWebhook, plan.LevelWarning,
		"no pod of an admission webhook is left, requests are refused until one is Ready: ")...), asked
}

// asksItself reports whether a webhook is asked before pods like these are made. What
// its conditions say is not known, so those are taken for a no.
func asksItself(s *kube.Snapshot, hook *kube.Webhook, pods []*kube.Pod) bool {
	if hook.Conditional || !hook.Asks("CREATE", "", "pods") {
		return false
	}
	pod := pods[0]
	return hook.AsksIn(s, pod.Namespace) && hook.Objects.Matches(pod.Labels)
}

// refusedWith says in short which requests fail with a webhook.
func refusedWith(hook *kube.Webhook) string {
	var text []string
	if hook.Asks("CREATE", "", "pods") {
		text = append(text, "new pods")
	}
	if hook.Asks("CREATE", "", "pods/eviction") || hook.Asks("DELETE", "", "pods") {
		text = append(text, "evictions")
	}
	var others []string
	for _, r := range hook.Rules {
		for _, resource := range r.Resources {
			switch {
			case resource == "pods", resource == "pods/eviction", slices.Contains(others, resource):
			case strings.HasPrefix(resource, "*"):
				others = append(others, "everything")
			default:
				others = append(others, resource)
			}
		}
	}
	if slices.Contains(others, "everything") {
		others = []string{"everything it is asked about"}
	}
	if len(others) > 0 {
		text = append(text, "writes of "+format.List(others, format.NamesShown))
	}
	return strings.Join(text, ", ")
}

// findExceeded finds namespaces whose quota lets fewer pods come back than go.
func findExceeded(s *kube.Snapshot, p *plan.Plan, _ *Env) []plan.Finding {
	var g group
	known := map[string]bool{}
	eachMoved(s, p, func(pod *kube.Pod) {
		if known[pod.Namespace] || pod.Owner == nil || pod.Finished() {
			return
		}
		known[pod.Namespace] = true
		for _, quota := range s.QuotasIn(pod.Namespace) {
			if i := slices.IndexFunc(quota.Amounts, kube.QuotaAmount.Exceeded); i >= 0 && !quota.Scoped {
				g.note(quota.Amounts[i].Resource, "ResourceQuota", pod.Namespace, quota.Name)
			}
		}
	})
	found := g.finding(FindingQuotaExceeded, plan.LevelWarning,
		"the quota is exceeded, so fewer pods are recreated than evicted: ")
	for i := range found {
		namespace := strings.Split(g.objects[0], "/")[1]
		found[i].Advice = []budget.Advice{{Text: "raise the quota, or free some of it",
			Command: "kubectl describe quota -n " + namespace}}
	}
	return found
}

// findUnforeseen says which of these findings could not be created. What may not be
// read is unknown, which is not none.
func findUnforeseen(s *kube.Snapshot, p *plan.Plan, _ *Env) []plan.Finding {
	var missing, namespaces []string
	eachMoved(s, p, func(pod *kube.Pod) { namespaces = append(namespaces, pod.Namespace) })
	there := s.In(slices.Compact(slices.Sorted(slices.Values(namespaces)))...)
	for _, of := range []struct {
		what  string
		sync  func(kube.Kind) kube.SyncState
		kinds []kube.Kind
	}{
		{"last endpoints of services", there.Sync, []kube.Kind{kube.KindServices, kube.KindPods}},
		{"admission webhooks without a pod", s.Sync, []kube.Kind{kube.KindServices, kube.KindPods,
			kube.KindValidatingWebhooks, kube.KindMutatingWebhooks}},
		{"minimums of autoscalers", there.Sync, []kube.Kind{kube.KindAutoscalers}},
		{"quotas", there.Sync, []kube.Kind{kube.KindQuotas}},
	} {
		for _, k := range of.kinds {
			if state := of.sync(k); state.Phase == kube.Denied || state.Phase == kube.NotSynced {
				missing = append(missing, of.what+" ("+string(k)+" "+state.Phase.String()+")")
				break
			}
		}
	}
	var found []plan.Finding
	if len(missing) > 0 {
		found = append(found, plan.Finding{Code: FindingServingUnknown, Level: plan.LevelInfo, Message: "not known: " +
			strings.Join(missing, ", ")})
	}
	var g group
	eachMoved(s, p, func(pod *kube.Pod) {
		if pod.Owner == nil || pod.Finished() {
			return
		}
		if owner, w := s.TopOwner(pod.Owner); w != nil && w.Hidden != "" {
			g.note(w.Hidden, owner.Kind, pod.Namespace, owner.Name)
		}
	})
	return append(found, g.finding(FindingScaleUnknown, plan.LevelInfo, "how many pods these want is not known: ")...)
}
