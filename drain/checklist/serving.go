package checklist

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// endpoints names the Services that only pods of this node serve. Endpoints are worked
// out from selectors and pods (kube.Service).
func (j *judge) endpoints() {
	const what = "whether a Service has its last ready endpoint here"
	var here []*kube.Pod
	for _, p := range j.s.PodsOn(j.Node) {
		if !p.Finished() && !p.Terminating() && !j.unread(j.s.In(p.Namespace), kube.KindServices, what) {
			here = append(here, p)
		}
	}
	leaving := slices.DeleteFunc(slices.Clone(j.With), func(node string) bool { return node == j.Node })
	leaving = append(leaving, j.Node)
	seen := map[*kube.Service]bool{}
	for _, p := range here {
		for _, service := range j.s.ServicesIn(p.Namespace) {
			if seen[service] || !service.Serves(p) {
				continue
			}
			seen[service] = true
			object := "Service/" + service.Namespace + "/" + service.Name
			switch {
			case !OnlyOn(j.s, service, leaving):
			case j.s.In(service.Namespace).InWhole(kube.KindPods):
				j.against(object, "pod "+p.Namespace+"/"+p.Name+" is the last ready endpoint of Service "+
					service.Namespace+"/"+service.Name)
			default:
				j.unknown(object, "whether another node serves Service "+service.Namespace+"/"+service.Name+
					" is not known: not all pods are read yet")
			}
		}
	}
}

// OnlyOn reports whether pods on these nodes, each named once, serve the Service, and none elsewhere is known to.
// Where not all pods of the namespace are read, a DaemonSet with more Ready pods than are on the nodes has one
// elsewhere.
func OnlyOn(s *kube.Snapshot, service *kube.Service, nodes []string) bool {
	known, served := s.In(service.Namespace).InWhole(kube.KindPods), false
	ready := map[string]int32{} // on the nodes, by DaemonSet
	for _, node := range nodes {
		for _, p := range s.PodsOn(node) {
			if p.Namespace == service.Namespace && service.Serves(p) {
				served = true
				if namesDaemonSet(p) {
					ready[p.Owner.Name]++
				}
			}
		}
	}
	if !served {
		return false
	}
	for name, n := range ready {
		if d := s.WorkloadNamed("DaemonSet", service.Namespace, name); !known && d != nil && d.ReadyReplicas > n {
			return false
		}
	}
	return !slices.ContainsFunc(s.PodsIn(service.Namespace), func(p *kube.Pod) bool {
		return p.Node != "" && !slices.Contains(nodes, p.Node) && service.Serves(p)
	})
}
