package reads

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/checklist"
	"github.com/kdrain-tui/kdrain-tui/drain/landing"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

const (
	// Up to nodesMost nodes and namespacesMost namespaces each has its own watches. More of them would be a
	// burden for the API server, and such a drain takes long in any case.
	nodesMost      = 50
	namespacesMost = 25
)

// Drain is a drain of nodes, as far as it decides what is read.
type Drain struct {
	Nodes []string // nil where they are not known
	// Namespaces and Claims are those of pods that were on the nodes.
	Namespaces []string
	Claims     []Claim
	Options    *plan.Options
}

// Claim is a PersistentVolumeClaim.
type Claim struct{ Namespace, Name string }

// everywhere is what each drain reads in whole: who else is at work, what may act on an eviction, and which
// volumes the machines have. None of these grows with the pods.
var everywhere = []kube.Kind{kube.KindLeases, kube.KindValidatingWebhooks, kube.KindAttachments}

// around is what decides about a pod in its own namespace: its budgets, its owners and their other pods.
var around = []kube.Kind{
	kube.KindPods, kube.KindBudgets, kube.KindDaemonSets, kube.KindReplicaSets, kube.KindDeployments,
	kube.KindStatefulSets, kube.KindJobs, kube.KindReplicationControllers, kube.KindServices,
}

// beside is the same for a pod that stays: whether its DaemonSet exists, and what it serves.
var beside = []kube.Kind{kube.KindDaemonSets, kube.KindServices}

// stored is what tells where the volumes of pods are, beside their claims.
var stored = []kube.Kind{kube.KindVolumes, kube.KindCSIDrivers}

// Of are the scopes that a drain is judged from, as far as the snapshot tells: the namespaces
// follow from the pods of the nodes, volumes from their claims, other nodes from both.
func Of(s *kube.Snapshot, d Drain) []kube.Scope {
	if d.Nodes == nil || len(d.Nodes) > nodesMost {
		return slices.Concat(whole(kube.KindNodes), whole(everywhere...), whole(around...), whole(stored...),
			whole(kube.KindClaims))
	}
	of := &scopes{s: s, d: d, seen: map[kube.Scope]bool{}}
	for _, node := range d.Nodes {
		of.add(kube.Scope{Kind: kube.KindNodes, Node: node}, kube.Scope{Kind: kube.KindPods, Node: node})
	}
	of.add(whole(everywhere...)...)
	of.add(kube.Scope{Kind: kube.KindPods, Unbound: true}) // they may wait for a volume of a node
	if s.On(d.Nodes...).Settled(kube.KindPods) {
		of.namespaces()
		of.volumes()
		of.controlPlane()
	}
	return of.all
}

// scopes collects the scopes of a drain, each once.
type scopes struct {
	s    *kube.Snapshot
	d    Drain
	all  []kube.Scope
	seen map[kube.Scope]bool
}

func (x *scopes) add(scopes ...kube.Scope) {
	for _, of := range scopes {
		if !x.seen[of] {
			x.seen[of] = true
			x.all = append(x.all, of)
		}
	}
}

func whole(kinds ...kube.Kind) []kube.Scope {
	scopes := make([]kube.Scope, len(kinds))
	for i, k := range kinds {
		scopes[i].Kind = k
	}
	return scopes
}

// namespaces adds the namespaces of the pods on the nodes: all that decides where a pod may leave, less where
// all pods stay.
func (x *scopes) namespaces() {
	leaving := slices.Clone(x.d.Namespaces)
	var staying []string
	for _, node := range x.d.Nodes {
		for _, p := range x.s.PodsOn(node) {
			if x.stays(p) {
				staying = append(staying, p.Namespace)
			} else {
				leaving = append(leaving, p.Namespace)
			}
		}
	}
	leaving, staying = unique(leaving), unique(staying)
	if x.tooMany(leaving) {
		x.add(whole(around...)...)
		return
	}
	for _, namespace := range leaving {
		for _, k := range around {
			x.add(kube.Scope{Kind: k, Namespace: namespace})
		}
	}
	for _, namespace := range staying {
		for _, k := range beside {
			x.add(kube.Scope{Kind: k, Namespace: namespace})
		}
		if x.servedHereAlone(namespace) {
			x.add(kube.Scope{Kind: kube.KindPods, Namespace: namespace})
		}
	}
}

func unique(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

// tooMany tells whether so many namespaces are read in whole. What has begun by namespace goes on so: two
// ways of reading the same objects would cost both.
func (x *scopes) tooMany(namespaces []string) bool {
	return len(namespaces) > namespacesMost && !slices.ContainsFunc(namespaces, func(namespace string) bool {
		return kube.Scope{Kind: kube.KindBudgets, Namespace: namespace}.Read(x.s)
	})
}

// stays tells whether a drain leaves the pod as it is, whatever its budgets and owners are: a mirror pod, and
// one of a DaemonSet that is not known to be gone, unless it has finished (plan.New).
func (x *scopes) stays(p *kube.Pod) bool {
	switch {
	case p.Mirror():
		return true
	case p.Finished() || p.Owner == nil || p.Owner.Kind != "DaemonSet" || p.Owner.APIVersion != "apps/v1" ||
		x.d.Options.ChoosesDaemonSet(p):
		return false
	}
	return !x.s.In(p.Namespace).Trusted(kube.KindDaemonSets) ||
		x.s.WorkloadNamed("DaemonSet", p.Namespace, p.Owner.Name) != nil
}

// servedHereAlone tells whether a Service of the namespace is served by pods on the nodes, and by no other that is
// known.
func (x *scopes) servedHereAlone(namespace string) bool {
	return slices.ContainsFunc(x.s.ServicesIn(namespace), func(service *kube.Service) bool {
		return checklist.OnlyOn(x.s, service, x.d.Nodes)
	})
}

// volumes adds the claims of pods on the nodes and of pods without a node, the volumes that these claims are bound
// to, and all nodes where a volume is reached from a node of the drain: another node may reach it too.
func (x *scopes) volumes() {
	for _, claim := range x.d.Claims {
		x.claim(claim)
	}
	for _, node := range append([]string{""}, x.d.Nodes...) {
		for _, p := range x.s.PodsOn(node) {
			for i := range p.Spec.Volumes {
				if !p.Finished() {
					x.claim(Claim{p.Namespace, p.Spec.Volumes[i].Claim})
				}
			}
		}
	}
}

func (x *scopes) claim(of Claim) {
	if of.Name == "" { // of another kind of volume
		return
	}
	x.add(kube.Scope{Kind: kube.KindClaims, Namespace: of.Namespace})
	x.add(whole(stored...)...)
	claim := x.s.Storage().Claim(of.Namespace, of.Name)
	if claim == nil || !claim.Bound {
		return
	}
	v := x.s.Storage().Volume(claim.Volume)
	if v == nil || v.Affinity == nil {
		return
	}
	reaches := landing.Reaches(v)
	if slices.ContainsFunc(x.d.Nodes, func(node string) bool {
		n := x.s.Node(node)
		return n != nil && reaches(n)
	}) {
		x.add(whole(kube.KindNodes)...)
	}
}

// controlPlane adds all nodes if the drain has a control-plane node, and the pods on the control plane: is it the
// last node there, and does etcd keep its quorum?
func (x *scopes) controlPlane() {
	if !slices.ContainsFunc(x.d.Nodes, func(node string) bool { return checklist.MayRunEtcd(x.s.Node(node)) }) {
		return
	}
	x.add(whole(kube.KindNodes)...)
	for _, n := range x.s.Nodes() {
		if checklist.MayRunEtcd(n) {
			x.add(kube.Scope{Kind: kube.KindPods, Node: n.Name})
		}
	}
}
