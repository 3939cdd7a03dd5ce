package drain

import (
	"cmp"
	"slices"
	"strings"

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

// WithSelf is the plan with what it does to this program: the findings about its
// own pod and its API server. Their nodes go last, and its own pod last of all.
func WithSelf(plan Plan, s *kube.Snapshot, self Self) Plan {
	last := map[string]int{} // nodes by how late they should go
	var found []Finding
	plan.Nodes = slices.Clone(plan.Nodes)
	for i := range plan.Nodes {
		n := &plan.Nodes[i]
		if finding := self.onServer(s, n); finding != nil {
			found, last[n.Name] = append(found, *finding), 1
		}
		at := slices.IndexFunc(n.Pods, func(p PodPlan) bool {
			return self.Pod != "" && p.Namespace == self.Namespace && p.Name == self.Pod && (self.UID == "" || p.UID == self.UID) && p.moves()
		})
		if at >= 0 {
			n.Pods = slices.Clone(n.Pods)
			n.Pods[at].Self = true
			found, last[n.Name] = append(found, ownPod(&n.Pods[at])), 2
		}
	}
	if len(found) == 0 {
		found = self.onlyServers(s, plan)
	}
	slices.SortStableFunc(plan.Nodes, func(a, b NodePlan) int { return cmp.Compare(last[a.Name], last[b.Name]) })
	plan.Findings = slices.Concat(found, plan.Findings)
	gravestFirst(plan.Findings)
	return plan
}

// gravestFirst keeps the order of findings of one level.
func gravestFirst(found []Finding) {
	rank := map[Level]int{LevelError: 0, LevelWarning: 1, LevelInfo: 2}
	slices.SortStableFunc(found, func(a, b Finding) int { return cmp.Compare(rank[a.Level], rank[b.Level]) })
}

func ownPod(p *PodPlan) Finding {
	return Finding{
		Code: FindingOwnPod, Level: LevelWarning, Objects: []string{"Pod/" + p.Namespace + "/" + p.Name},
		Message: "this program runs in " + p.Namespace + "/" + p.Name + " on " + p.Node + ": that pod goes last, and the run ends there with it",
		Advice:  []Advice{{Text: "run it from elsewhere, or leave " + p.Node + " to another run"}},
	}
}

// onServer finds the node that the API server we talk to has its address from. A
// drain does not stop a static pod; what comes after it may.
func (o Self) onServer(s *kube.Snapshot, n *NodePlan) *Finding {
	node := s.Node(n.Name)
	if node == nil || !slices.ContainsFunc(o.Addresses, func(a string) bool { return slices.Contains(node.Addresses, a) }) {
		return nil
	}
	message := "the API server that this program talks to (" + o.Server + ") is on " + n.Name + ", which goes last: its static pods stay, but without that machine the connection is lost"
	if slices.ContainsFunc(n.Pods, func(p PodPlan) bool { return p.moves() && isAPIServer(s.Pod(p.UID)) }) {
		message = "the API server that this program talks to (" + o.Server + ") is evicted from " + n.Name + ", which goes last: the connection is lost then"
	}
	return &Finding{Code: FindingOwnAPIServer, Level: LevelWarning, Message: message, Objects: nodeObjects([]string{n.Name}),
		Advice: []Advice{{"talk to the API server of another node", "--server=https://HOST:PORT"}}}
}

// onlyServers finds plans that take the nodes of all API servers whose pods can be
// seen, which must be ours too, behind whatever address. Where these are known to
// be the control plane, LastControlPlane says it.
func (o Self) onlyServers(s *kube.Snapshot, plan Plan) []Finding {
	if slices.ContainsFunc(plan.Findings, func(f Finding) bool { return f.Code == FindingLastControlPlane }) {
		return nil
	}
	if !inWhole(s, kube.KindPods) {
		return nil
	}
	planned := map[string]bool{}
	for i := range plan.Nodes {
		planned[plan.Nodes[i].Name] = true
	}
	var on []string
	for _, p := range s.PodsIn("kube-system") {
		switch {
		case !isAPIServer(p) || p.Node == "" || slices.Contains(on, p.Node):
		case !planned[p.Node]:
			return nil
		default:
			on = append(on, p.Node)
		}
	}
	if len(on) == 0 {
		return nil
	}
	return []Finding{{
		Code: FindingOwnAPIServer, Level: LevelWarning, Objects: nodeObjects(on),
		Message: "every API server of the cluster is on these nodes: " + some(on) + "; without them the connection is lost",
	}}
}

// isAPIServer goes by the label that kubeadm and most installers give its static
// pods.
func isAPIServer(p *kube.Pod) bool {
	return p != nil && p.Namespace == "kube-system" &&
		(p.Labels["component"] == "kube-apiserver" || p.Mirror() && strings.HasPrefix(p.Name, "kube-apiserver-"))
}

// waitsForAll tells whether a pod goes after all others of its run, and one of
// them is still there.
func (st *stepper) waitsForAll(p *PodRun) bool {
	if !p.Self {
		return false
	}
	return slices.ContainsFunc(st.s.Nodes, func(n *NodeRun) bool { return n.Name != p.Node && !n.State.Final() }) ||
		slices.ContainsFunc(st.podsOf(p.Node), func(o *PodRun) bool { return o != p && !o.State.Final() })
}
