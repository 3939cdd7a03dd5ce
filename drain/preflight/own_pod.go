package preflight

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/checklist"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// The codes of the findings about ourselves.
const (
	FindingOwnPod       = "OwnPod"
	FindingOwnAPIServer = "OwnAPIServer"
)

// Self is where this program stands in the cluster that it drains.
type Self struct {
	// Namespace and Pod name the pod that it runs in, "" outside of a cluster.
	Namespace, Pod string
	// UID is the pod's, "" where it is not known: then the names count.
	UID kube.UID
	// Server is the URL of the API server that it talks to, and Addresses what
	// its host resolves to.
	Server    string
	Addresses []string
}

// selfLast has the nodes of our own pod and API server go last, and our own pod last
// of all.
func selfLast(s *kube.Snapshot, planned plan.Plan, self Self) plan.Plan {
	last := map[string]int{} // nodes by how late they should go
	planned.Nodes = slices.Clone(planned.Nodes)
	for i := range planned.Nodes {
		n := &planned.Nodes[i]
		if self.serverOn(s, n.Name) {
			last[n.Name] = 1
		}
		at := slices.IndexFunc(n.Pods, func(p plan.Pod) bool {
			return self.Pod != "" && p.Namespace == self.Namespace && p.Name == self.Pod &&
				(self.UID == "" || p.UID == self.UID) && p.Moves()
		})
		if at >= 0 {
			n.Pods = slices.Clone(n.Pods)
			n.Pods[at].Self = true
			last[n.Name] = 2
		}
	}
	slices.SortStableFunc(planned.Nodes, func(a, b plan.Node) int { return cmp.Compare(last[a.Name], last[b.Name]) })
	return planned
}

// findSelf finds what the plan does to this program: to its own pod, and to the API
// server that it talks to.
func findSelf(s *kube.Snapshot, p *plan.Plan, env *Env) []plan.Finding {
	var found []plan.Finding
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if env.Self.serverOn(s, n.Name) {
			found = append(found, env.Self.onServer(s, n))
		}
		for k := range n.Pods {
			if n.Pods[k].Self {
				found = append(found, ownPod(&n.Pods[k]))
			}
		}
	}
	if len(found) == 0 {
		return onlyServers(s, p)
	}
	return found
}

func ownPod(p *plan.Pod) plan.Finding {
	return plan.Finding{
		Code: FindingOwnPod, Level: plan.LevelWarning, Objects: []string{"Pod/" + p.Namespace + "/" + p.Name},
		Message: "this program runs in " + p.Namespace + "/" + p.Name + " on " + p.Node +
			": that pod is evicted last, and the run ends with it",
		Advice: []budget.Advice{{Text: "run it from elsewhere, or leave " + p.Node + " to another run"}},
	}
}

// serverOn reports whether the API server that we talk to has its address from the node.
func (o *Self) serverOn(s *kube.Snapshot, node string) bool {
	n := s.Node(node)
	return n != nil && slices.ContainsFunc(o.Addresses, func(a string) bool { return slices.Contains(n.Addresses, a) })
}

// onServer is the finding about the node of that API server. A drain does not stop a
// static pod; what comes after it may.
func (o *Self) onServer(s *kube.Snapshot, n *plan.Node) plan.Finding {
	message := "the API server that this program talks to (" + o.Server + ") is on " + n.Name +
		", which is drained last: its static pods stay, but without that machine the connection is lost"
	if slices.ContainsFunc(n.Pods, func(p plan.Pod) bool { return p.Moves() && isAPIServer(s.Pod(p.UID)) }) {
		message = "the API server that this program talks to (" + o.Server + ") is evicted from " + n.Name +
			", which is drained last: the connection is lost then"
	}
	return plan.Finding{Code: FindingOwnAPIServer, Level: plan.LevelWarning, Message: message,
		Objects: nodeObjects([]string{n.Name}),
		Advice: []budget.Advice{{Text: "talk to the API server of another node",
			Command: "--server=https://HOST:PORT"}}}
}

// onlyServers finds plans that take the nodes of all API servers whose pods can be
// seen, which must be ours too, behind whatever address. Where these are known to
// be the control plane, LastControlPlane says it.
func onlyServers(s *kube.Snapshot, p *plan.Plan) []plan.Finding {
	on := slices.DeleteFunc(p.Names(), func(node string) bool {
		return !slices.ContainsFunc(s.PodsOn(node), isAPIServer)
	})
	elsewhere := func(pod *kube.Pod) bool {
		return isAPIServer(pod) && pod.Node != "" && !slices.Contains(on, pod.Node)
	}
	if len(on) == 0 || !s.In("kube-system").InWhole(kube.KindPods) ||
		slices.ContainsFunc(s.PodsIn("kube-system"), elsewhere) ||
		len(checklist.LastControlPlane(s, p.Names()...)) > 0 {
		return nil
	}
	return []plan.Finding{{
		Code: FindingOwnAPIServer, Level: plan.LevelWarning, Objects: nodeObjects(on),
		Message: "every API server of the cluster is on these nodes: " + format.List(on, format.NamesShown) +
			"; without them the connection is lost",
	}}
}

// isAPIServer goes by the label that kubeadm and most installers give its static
// pods.
func isAPIServer(p *kube.Pod) bool {
	return p != nil && p.Namespace == "kube-system" &&
		(p.Labels["component"] == "kube-apiserver" || p.Mirror() && strings.HasPrefix(p.Name, "kube-apiserver-"))
}
