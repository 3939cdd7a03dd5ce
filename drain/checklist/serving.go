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
		if !p.Finished() && !p.Terminating() {
			here = append(here, p)
		}
	}
	if len(here) == 0 || j.unread(kube.KindServices, what) {
		return
	}
	seen := map[*kube.Service]bool{}
	for _, p := range here {
		for _, service := range j.s.ServicesIn(p.Namespace) {
			if seen[service] || !service.Serves(p) {
				continue
			}
			seen[service] = true
			object := "Service/" + service.Namespace + "/" + service.Name
			switch {
			case j.servedElsewhere(service):
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

// servedElsewhere reports whether a pod on a node that stays is a ready endpoint.
func (j *judge) servedElsewhere(service *kube.Service) bool {
	return slices.ContainsFunc(j.s.PodsIn(service.Namespace), func(p *kube.Pod) bool {
		return p.Node != "" && !j.leaves(p.Node) && service.Serves(p)
	})
}
