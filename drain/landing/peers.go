package landing

import (
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// peers are the required affinities between a pod and others, both ways
// (interpodaffinity/filtering.go).
type peers struct {
	attract  []term // all of them must match a pod for it to count
	repel    []term
	repelled []repelled
	selves   bool // the group's pods match the group's affinity
	twoWays  bool // a term selects namespaces in a way that is read in two ways
}

// repelled counts the pods whose own anti-affinity is against the group, by the
// label that it is about.
type repelled struct {
	key string
	tally
}

// term is one required term.
type term struct {
	selector   labels.Selector
	everywhere bool // all namespaces
	namespaces []string
	tally
}

// tally counts pods by the value of a label of their nodes.
type tally struct {
	domain *domain
	counts []int32
	total  int32
}

func (v *view) tally(key string) tally {
	d := v.domain(key)
	return tally{domain: d, counts: make([]int32, d.n)}
}

func (t *tally) add(node, n int32) {
	if v := t.domain.of[node]; v >= 0 {
		t.counts[v] += n
		t.total += n
	}
}

// on is the count at a node, and whether the node has the label.
func (t *tally) on(node int32) (n int32, labelled bool) {
	v := t.domain.of[node]
	if v < 0 {
		return 0, false
	}
	return t.counts[v], true
}

func (t *term) matches(namespace string, set labels.Set) bool {
	return (t.everywhere || slices.Contains(t.namespaces, namespace)) && t.selector.Matches(set)
}

func (p *peers) any() bool { return len(p.attract)+len(p.repel)+len(p.repelled) > 0 }

// askPeers counts the pods of the cluster for the group.
func (c *Cluster) askPeers(g *group, broad bool) {
	p := &g.peers
	p.attract = c.terms(g, g.spec.PodAffinity(), broad)
	p.repel = c.terms(g, g.spec.AntiAffinity(), broad)
	p.selves = len(p.attract) > 0 && p.attracts(g.namespace, g.labels)
	for _, b := range c.reached(p.attract) {
		if p.attracts(b.namespace, b.labels) {
			b.count(p.attract, 1)
		}
	}
	for i := range p.repel {
		for _, b := range c.reached(p.repel[i : i+1]) {
			if p.repel[i].matches(b.namespace, b.labels) {
				b.count(p.repel[i:i+1], 1)
			}
		}
	}
	c.askRepelling(g)
}

func (p *peers) attracts(namespace string, set labels.Set) bool {
	for i := range p.attract {
		if !p.attract[i].matches(namespace, set) {
			return false
		}
	}
	return len(p.attract) > 0
}

// terms reads required terms of the group's pods. From 1.34 on,
// mergeAffinityTermNamespacesIfNotEmpty (interpodaffinity/plugin.go) works on a
// copy, and the selector is asked once more of no labels at all: one that an
// unlabelled namespace would match is taken for all (kubernetes issue 141526).
func (c *Cluster) terms(g *group, required []corev1.PodAffinityTerm, broad bool) []term {
	read := make([]term, 0, len(required))
	for i := range required {
		t := term{selector: selector(required[i].LabelSelector), tally: c.tally(required[i].TopologyKey)}
		t.namespaces = required[i].Namespaces
		by := required[i].NamespaceSelector
		switch {
		case by == nil:
			if len(t.namespaces) == 0 {
				t.namespaces = []string{g.namespace}
			}
		case len(by.MatchLabels)+len(by.MatchExpressions) == 0:
			t.everywhere = true
		default:
			t.namespaces = append(slices.Clone(t.namespaces), c.namespaces(g, selector(by))...)
			if selector(by).Matches(labels.Set{}) {
				g.peers.twoWays = true
				t.everywhere = broad
			}
		}
		read = append(read, t)
	}
	return read
}

// namespaces are those that a selector matches; without the right to see them
// nothing is said of the group.
func (c *Cluster) namespaces(g *group, by labels.Selector) []string {
	if hidden := unseen(c.s, kube.KindNamespaces); hidden != "" {
		g.unknown = "its affinity selects namespaces by label: " + hidden
		return nil
	}
	var names []string
	for _, n := range c.s.Namespaces() {
		if by.Matches(n.Labels) {
			names = append(names, n.Name)
		}
	}
	return names
}

// askRepelling counts the pods whose own required anti-affinity is against the
// group: getExistingAntiAffinityCounts.
func (c *Cluster) askRepelling(g *group) {
	type template struct {
		spec      *kube.PodSpec
		namespace string
	}
	known := map[template][]string{}
	for _, p := range c.s.PodsRepelling(g.namespace) {
		node := c.index(p.Node)
		if node < 0 || p.Finished() {
			continue
		}
		at := template{p.Spec, p.Namespace}
		keys, ok := known[at]
		if !ok {
			keys = c.repels(g, p.Namespace, p.Spec)
			known[at] = keys
		}
		g.peers.repelledBy(c, keys, node, 1)
	}
}

// repels are the labels by which a pod's anti-affinity is against the group.
func (c *Cluster) repels(g *group, namespace string, spec *kube.PodSpec) []string {
	var keys []string
	required := spec.AntiAffinity()
	for i := range required {
		t := &required[i]
		if c.reaches(g, namespace, t) && selector(t.LabelSelector).Matches(g.labels) {
			keys = append(keys, t.TopologyKey)
		}
	}
	return keys
}

// reaches reports whether a term of a pod in the namespace is about the group's.
func (c *Cluster) reaches(g *group, namespace string, t *corev1.PodAffinityTerm) bool {
	if slices.Contains(t.Namespaces, g.namespace) {
		return true
	}
	if t.NamespaceSelector == nil {
		return len(t.Namespaces) == 0 && namespace == g.namespace
	}
	by := selector(t.NamespaceSelector)
	if by.Empty() {
		return true
	}
	if hidden := unseen(c.s, kube.KindNamespaces); hidden != "" {
		g.unknown = "the anti-affinity of others selects namespaces by label: " + hidden
		return false
	}
	n := c.s.Namespace(g.namespace)
	return n != nil && by.Matches(n.Labels)
}

func (p *peers) repelledBy(c *Cluster, keys []string, node, n int32) {
	for _, key := range keys {
		i := slices.IndexFunc(p.repelled, func(r repelled) bool { return r.key == key })
		if i < 0 {
			i = len(p.repelled)
			p.repelled = append(p.repelled, repelled{key, c.tally(key)})
		}
		p.repelled[i].add(node, n)
	}
}

// count counts one pod in or out.
func (p *peers) count(c *Cluster, g *group, pod *kube.Pod, node, sign int32) {
	if p.attracts(pod.Namespace, pod.Labels) {
		for i := range p.attract {
			p.attract[i].add(node, sign)
		}
	}
	for i := range p.repel {
		if p.repel[i].matches(pod.Namespace, pod.Labels) {
			p.repel[i].add(node, sign)
		}
	}
	if len(pod.Spec.AntiAffinity()) > 0 {
		p.repelledBy(c, c.repels(g, pod.Namespace, pod.Spec), node, sign)
	}
}

// on is interpodaffinity/filtering.go Filter. The first pod of a series that
// wants to be near its own kind may go anywhere.
func (p *peers) on(node int32) reason {
	near, counted := true, int32(0)
	for i := range p.attract {
		n, labelled := p.attract[i].on(node)
		if !labelled {
			return podAffinity
		}
		near = near && n > 0
		counted += p.attract[i].total
	}
	if !near && (counted > 0 || !p.selves) {
		return podAffinity
	}
	for i := range p.repel {
		if n, _ := p.repel[i].on(node); n > 0 {
			return podAntiAffinity
		}
	}
	for i := range p.repelled {
		if n, _ := p.repelled[i].on(node); n > 0 {
			return existingAntiAffinity
		}
	}
	return none
}

// bucket are the pods of a namespace that have the same labels, by their nodes.
type bucket struct {
	namespace string
	labels    labels.Set
	nodes     []int32 // one entry for each pod
	leaving   []int32 // those that are terminating, by node
}

func (b *bucket) count(terms []term, n int32) {
	for i := range terms {
		for _, node := range b.nodes {
			terms[i].add(node, n)
		}
		for _, node := range b.leaving {
			terms[i].add(node, n)
		}
	}
}

// reached are the pods that the first of some terms can be about: a pod counts
// for an affinity only where all terms match it.
func (c *Cluster) reached(terms []term) []bucket {
	if len(terms) == 0 {
		return nil
	}
	if terms[0].everywhere {
		return c.buckets("", c.s.Pods)
	}
	var all []bucket
	names := slices.Clone(terms[0].namespaces)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		all = append(all, c.podsIn(name)...)
	}
	return all
}

func (c *Cluster) podsIn(namespace string) []bucket {
	return c.buckets(namespace, func() []*kube.Pod { return c.s.PodsIn(namespace) })
}

// buckets sorts pods by their labels. Equal labels are one map in memory, so
// its address tells most of them apart; those that it does not tell apart only
// cost a little more.
func (c *Cluster) buckets(name string, list func() []*kube.Pod) []bucket {
	if known, ok := c.pods[name]; ok {
		return known
	}
	type shared struct {
		namespace string
		labels    uintptr
	}
	found := []bucket{}
	at := map[shared]int{}
	for _, p := range list() {
		node := c.index(p.Node)
		if node < 0 || p.Finished() {
			continue
		}
		key := shared{p.Namespace, reflect.ValueOf(p.Labels).Pointer()}
		i, ok := at[key]
		if !ok {
			i = len(found)
			at[key] = i
			found = append(found, bucket{namespace: p.Namespace, labels: p.Labels})
		}
		if p.Terminating() {
			found[i].leaving = append(found[i].leaving, node)
		} else {
			found[i].nodes = append(found[i].nodes, node)
		}
	}
	c.pods[name] = found
	return found
}

// selector reads a label selector as the scheduler does: none matches nothing,
// an empty one everything. The API server lets no unreadable one in.
func selector(s *metav1.LabelSelector) labels.Selector {
	read, err := metav1.LabelSelectorAsSelector(s)
	if err != nil {
		return labels.Nothing()
	}
	return read
}
