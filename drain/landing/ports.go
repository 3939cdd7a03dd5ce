package landing

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// portUse is a port of a node that a pod has.
type portUse struct {
	pod  kube.UID
	port kube.HostPort
}

// ports are those that the pods of the cluster have of their nodes.
type ports struct {
	*view
	uses map[int32][]portUse // nil until asked for
}

// on is nodeports/node_ports.go.
func (t *ports) on(g *group, i int32, self kube.UID) reason {
	if len(g.spec.HostPorts) == 0 {
		return none
	}
	if t.uses == nil {
		t.uses = map[int32][]portUse{}
		for _, p := range t.s.PodsWithHostPorts() {
			if at := t.home(p); at >= 0 && !p.Finished() {
				t.take(p, at)
			}
		}
		for _, m := range t.moved {
			if m.sign > 0 {
				t.take(m.pod, m.node)
			}
		}
	}
	for _, use := range t.uses[i] {
		for _, wanted := range g.spec.HostPorts {
			if use.pod != self && clash(wanted, use.port) {
				return portTaken
			}
		}
	}
	return none
}

func (t *ports) take(p *kube.Pod, at int32) {
	if t.uses == nil {
		return // not asked yet
	}
	for _, port := range p.Spec.HostPorts {
		t.uses[at] = append(t.uses[at], portUse{p.UID, port})
	}
}

// leave gives the ports of a pod back.
func (t *ports) leave(p *kube.Pod, at int32) {
	if uses := t.uses[at]; len(uses) > 0 {
		t.uses[at] = slices.DeleteFunc(uses, func(u portUse) bool { return u.pod == p.UID })
	}
}

// clash is HostPortInfo.CheckConflict of kube-scheduler/framework/types.go: no
// address is every address, and no protocol is TCP.
func clash(a, b kube.HostPort) bool {
	everywhere := func(ip string) bool { return ip == "" || ip == "0.0.0.0" }
	protocol := func(p corev1.Protocol) corev1.Protocol {
		if p == "" {
			return corev1.ProtocolTCP
		}
		return p
	}
	return a.Port == b.Port && protocol(a.Protocol) == protocol(b.Protocol) &&
		(everywhere(a.IP) || everywhere(b.IP) || a.IP == b.IP)
}
