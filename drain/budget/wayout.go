package budget

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// WayOut is a change that the documentation of a controller prescribes for a pod under a budget that the controller
// does not open. The budget itself is never changed: its controller would change it back.
type WayOut struct {
	request.SetFields
	Does string
	Cost string // a clause
}

// wayOut is what the documentation of one controller prescribes, with the source.
type wayOut struct {
	kind, resource, under string
	set                   map[string]any // values of the fields
	does, cost            string
}

// waysOut has the API group of the budget's owner as key, "" for Longhorn.
var waysOut = map[string]wayOut{
	// cloudnative-pg docs "Kubernetes upgrade and maintenance", issue 2570.
	cnpg: {"Cluster", "clusters", "spec", map[string]any{"enablePDB": false},
		"let CloudNativePG remove the budget", "the database is down while its only pod moves"},
	// longhorn docs "Evicting replicas on disabled disks or nodes". Its webhook allows the eviction of replicas only
	// from a node that takes no new ones (longhorn-manager webhook/resources/node/validator.go).
	"": {"Node", "nodes", "spec", map[string]any{"allowScheduling": false, "evictionRequested": true},
		"let Longhorn move the replicas away", "Longhorn copies all replicas of the node to other nodes"},
	"kafka.strimzi.io": strimziWayOut,
	"core.strimzi.io":  strimziWayOut,
}

// strimziWayOut: strimzi docs "Rolling pods manually"; its drain cleaner sets the same annotation.
var strimziWayOut = wayOut{"Pod", "pods", "metadata.annotations",
	map[string]any{"strimzi.io/manual-rolling-update": "true"},
	"let Strimzi restart the pod", "Strimzi restarts it in its next reconciliation, by default every two minutes"}

// HasWayOut reports whether the documentation of the controller of a budget prescribes a change.
func HasWayOut(b *kube.Budget) bool {
	_, known := waysOut[b.OwnerGroup()]
	return known && Managed(b)
}

// WayOut is what the documentation of the controller of the pod's budget prescribes, or why that is not available. The
// budget must have one.
func (l *Tracker) WayOut(p *kube.Pod, b *kube.Budget) (out WayOut, why string) {
	of := waysOut[b.OwnerGroup()]
	out = WayOut{Does: of.does, Cost: of.cost, SetFields: l.prescribed(of, p, b)}
	status := l.statusOf(b)
	switch {
	case of.kind == "Pod" && !l.s.Trusted(kube.KindValidatingWebhooks):
		return out, "whether the drain cleaner of Strimzi is installed cannot be seen"
	case of.kind == "Pod" && asked(l.s, p.Namespace):
		return out, "an admission webhook is asked before the eviction: the drain cleaner of Strimzi does the same"
	case of.kind == "Pod":
		return out, ""
	case status.Hidden != "":
		return out, "its status is not known: " + status.Hidden
	case out.UID == "" || len(status.Fields) == 0:
		return out, out.Kind + " " + out.Name + " of its controller is not read yet, or may not be"
	case l.Page(b).why != neverOpened:
		return out, "its controller may still open it: " + l.managedWords(b)
	case out.From == out.To:
		return out, out.Kind + " " + out.Name + " has these values already: its controller is working on it"
	}
	return out, ""
}

// prescribed is the change with what the fields have now. Annotations of pods are not read: they count as not set,
// which the request tests.
func (l *Tracker) prescribed(of wayOut, p *kube.Pod, b *kube.Budget) request.SetFields {
	fields := l.statusOf(b).Fields
	set := request.SetFields{Kind: of.kind, Namespace: b.Namespace,
		Fields: request.Fields{Resource: of.resource, Under: of.under}}
	switch of.kind {
	case "Pod":
		set.APIVersion, set.Name, set.UID = "v1", p.Name, p.UID
	case "Cluster":
		set.APIVersion, set.Name, set.UID = b.Owner.APIVersion, b.Owner.Name, b.Owner.UID
	default: // of Longhorn, with the name of the node
		set.APIVersion, set.Name, set.UID = "longhorn.io/v1beta2", p.Node, kube.UID(fields["node.uid"])
	}
	from := map[string]any{}
	for name := range of.set {
		from[name] = nil
		if now := fields[of.under+"."+name]; now == "true" || now == "false" {
			from[name] = now == "true"
		}
	}
	set.From, set.To = asJSON(from), asJSON(of.set)
	return set
}

// asJSON writes values that are known to have a form in JSON, with their keys in order.
func asJSON(values map[string]any) string {
	text, _ := json.Marshal(values)
	return string(text)
}

// PatchLine is the command that gives the fields their new values.
func PatchLine(r request.SetFields) string {
	patch := r.To
	for _, parent := range slices.Backward(strings.Split(r.Under, ".")) {
		patch = `{"` + parent + `":` + patch + `}`
	}
	resource := r.Resource
	if group, _, found := strings.Cut(r.APIVersion, "/"); found {
		resource += "." + group
	}
	return "kubectl patch " + resource + " -n " + r.Namespace + " " + r.Name + " --type=merge -p '" + patch + "'"
}
