package checklist

import (
	"slices"
	"strconv"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// LastControlPlane are the Ready control-plane nodes if all of them are among the
// named ones: without these none is left. nil where another is left, where none
// is Ready anyway, and while not all nodes are known.
func LastControlPlane(s *kube.Snapshot, named ...string) []string {
	ready := func(n *kube.Node) bool { return plan.IsControlPlane(n) && n.Ready == kube.NodeReady }
	if !s.All().InWhole(kube.KindNodes) ||
		!slices.ContainsFunc(named, func(name string) bool { return ready(s.Node(name)) }) {
		return nil
	}
	var last []string
	for _, n := range s.Nodes() {
		if !ready(n) {
			continue
		}
		if !slices.Contains(named, n.Name) {
			return nil
		}
		last = append(last, n.Name)
	}
	return last
}

func (j *judge) controlPlane() {
	if !plan.IsControlPlane(j.s.Node(j.Node)) {
		return
	}
	if !j.s.All().InWhole(kube.KindNodes) {
		j.unknown("Node/"+j.Node,
			"whether another control-plane node is Ready is not known: not all nodes are read yet")
		return
	}
	last := LastControlPlane(j.s, append([]string{j.Node}, j.With...)...)
	switch {
	case !slices.Contains(last, j.Node):
	case len(last) == 1:
		j.against("Node/"+j.Node, "it is the last Ready control-plane node")
	default:
		j.against("Node/"+j.Node, "it is one of the last Ready control-plane nodes, all powered off together: "+
			format.List(last, format.NamesShown))
	}
}

// etcdRole is the label of nodes on which k3s and RKE2 run etcd.
const etcdRole = "node-role.kubernetes.io/etcd"

// MayRunEtcd reports whether a member of etcd can be on the node, nil for none: it is of the control plane, or has the
// role of etcd.
func MayRunEtcd(n *kube.Node) bool {
	if n == nil {
		return false
	}
	_, role := n.Labels[etcdRole]
	return role || plan.IsControlPlane(n)
}

// etcd counts the Ready members of a stacked etcd, and whether those on other nodes are
// still a quorum: more than half of all members (etcd raft). Members are the mirror pods
// of etcd on control-plane nodes, and nodes with the role of etcd.
func (j *judge) etcd() {
	node := j.s.Node(j.Node)
	if !MayRunEtcd(node) {
		return
	}
	member, _ := j.member(node)
	var may []string
	for _, n := range j.s.Nodes() {
		if MayRunEtcd(n) {
			may = append(may, n.Name)
		}
	}
	if !j.s.All().InWhole(kube.KindNodes) || !j.s.On(may...).InWhole(kube.KindPods) {
		j.unknown("Node/"+j.Node,
			"whether etcd keeps its quorum is not known: not all nodes and pods are read yet")
		return
	}
	all, ready, here := 0, 0, 0
	for _, n := range j.s.Nodes() {
		switch member, isReady := j.member(n); {
		case !member:
		case j.leaves(n.Name):
			all, here = all+1, here+1
		case isReady:
			all, ready = all+1, ready+1
		default:
			all++
		}
	}
	switch quorum := all/2 + 1; {
	case all == 0:
		j.unknown("Node/"+j.Node,
			"where etcd runs is not visible: no mirror pod of etcd, no node with the role of etcd")
	case member && ready < quorum:
		message := "etcd loses its quorum: " + format.Plural(ready, "member is", "members are") + " Ready elsewhere, " +
			strconv.Itoa(quorum) + " of " + strconv.Itoa(all) + " are needed"
		if here > 1 {
			message += "; " + strconv.Itoa(here) + " are powered off together"
		}
		j.against("Node/"+j.Node, message)
	}
}

// member reports whether the node runs a member of etcd, and whether that is Ready.
func (j *judge) member(n *kube.Node) (is, ready bool) {
	_, role := n.Labels[etcdRole]
	if MayRunEtcd(n) {
		for _, p := range j.s.PodsOn(n.Name) {
			if isEtcd(p) {
				return true, p.Ready && n.Ready == kube.NodeReady
			}
		}
	}
	return role, role && n.Ready == kube.NodeReady
}

// isEtcd knows the mirror pods of etcd by the labels of kubeadm and RKE2, and of OpenShift.
func isEtcd(p *kube.Pod) bool {
	return p.Mirror() && (p.Labels["component"] == "etcd" || p.Labels["k8s-app"] == "etcd" || p.Labels["app"] == "etcd")
}
