package drain

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// The codes of findings.
const (
	FindingLastControlPlane = "LastControlPlane"
	FindingNodeNotReady     = "NodeNotReady"
	FindingAlreadyCordoned  = "AlreadyCordoned"
	FindingToleratesCordon  = "ToleratesCordon"
	FindingEmptyDirData     = "EmptyDirData"
	FindingBudgetsUnknown   = "BudgetsUnknown"
	FindingNotSynced        = "NotSynced"
)

// namesShown is how many objects the message of a finding names; Objects has
// all of them.
const namesShown = 3

// findings are what the operator should know of the plan as a whole, the gravest
// first.
func (p *planner) findings(nodes []NodePlan) []Finding {
	var found []Finding
	found = append(found, p.lastControlPlane(nodes)...)
	found = append(found, p.held(nodes)...)
	found = append(found, p.unseenKinds(nodes)...)
	found = append(found, p.otherDrainers(nodes)...)
	found = append(found, p.silentNodes(nodes)...)
	found = append(found, p.outOfOrder(nodes)...)
	found = append(found, p.neverBack(nodes)...)
	found = append(found, p.outages(nodes)...)
	found = append(found, p.unserved(nodes)...)
	found = append(found, p.exceeded(nodes)...)
	found = append(found, p.pinned(nodes)...)
	found = append(found, p.unseenVolumes(nodes)...)
	found = append(found, p.tolerant(nodes)...)
	found = append(found, p.emptyDirData(nodes)...)
	found = append(found, p.nodeFiles(nodes)...)
	found = append(found, p.unknownVolumes(nodes)...)
	found = append(found, p.cordoned(nodes)...)
	found = append(found, p.unguarded(nodes)...)
	return append(found, p.unforeseen(nodes)...)
}

// LastControlPlane are the Ready control-plane nodes if all of them are among the
// named ones: a drain of these would leave none. nil where another is left, where none
// is Ready anyway, and while not all nodes are known.
func LastControlPlane(s *kube.Snapshot, named ...string) []string {
	if !inWhole(s, kube.KindNodes) {
		return nil
	}
	var last []string
	for _, n := range s.Nodes() {
		if !isControlPlane(n) || n.Ready != kube.NodeReady {
			continue
		}
		if !slices.Contains(named, n.Name) {
			return nil
		}
		last = append(last, n.Name)
	}
	return last
}

// lastControlPlane finds plans that leave no Ready control-plane node behind.
func (p *planner) lastControlPlane(nodes []NodePlan) []Finding {
	names := make([]string, len(nodes))
	for i := range nodes {
		names[i] = nodes[i].Name
	}
	last := LastControlPlane(p.s, names...)
	if len(last) == 0 {
		return nil
	}
	message := "the last Ready control-plane node is to be drained: " + last[0]
	if len(last) > 1 {
		message = "all Ready control-plane nodes are to be drained: " + some(last)
	}
	return []Finding{{Code: FindingLastControlPlane, Level: LevelError, Message: message, Objects: nodeObjects(last),
		Advice: []Advice{{"see which control-plane nodes there are, and bring another to Ready before", "kubectl get nodes -l node-role.kubernetes.io/control-plane"}}}}
}

// isControlPlane tells whether the node, nil for none, runs a control plane.
func isControlPlane(n *kube.Node) bool {
	if n == nil {
		return false
	}
	_, current := n.Labels["node-role.kubernetes.io/control-plane"]
	_, legacy := n.Labels["node-role.kubernetes.io/master"]
	return current || legacy
}

// unseenKinds says what the plan could not take into account. What is still being
// read is no warning where the nodes themselves and their pods are known: a drain
// needs no more.
func (p *planner) unseenKinds(nodes []NodePlan) []Finding {
	level := LevelInfo
	for i := range nodes {
		if !p.s.TrustedOn(nodes[i].Name) {
			level = LevelWarning
		}
	}
	var found []Finding
	var unread []string
	for _, k := range []kube.Kind{
		kube.KindNodes, kube.KindPods, kube.KindBudgets, kube.KindDaemonSets, kube.KindReplicaSets,
		kube.KindDeployments, kube.KindStatefulSets, kube.KindReplicationControllers, kube.KindJobs,
	} {
		state := p.s.Sync(k)
		if state.Phase == kube.Synced {
			continue
		}
		if k == kube.KindBudgets && state.Phase != kube.Stale {
			found = append(found, Finding{Code: FindingBudgetsUnknown, Level: LevelWarning, Message: unseenBudgets(state)})
			continue
		}
		if state.Phase != kube.NotSynced {
			level = LevelWarning
		}
		words := string(k) + " " + state.Phase.String()
		if state.Reason != "" {
			words += " (" + quoted(state.Reason) + ")"
		}
		unread = append(unread, words)
	}
	if len(unread) > 0 {
		found = append(found, Finding{Code: FindingNotSynced, Level: level,
			Message: "the plan is made from incomplete knowledge: " + strings.Join(unread, ", ")})
	}
	return found
}

func unseenBudgets(state kube.SyncState) string {
	if state.Phase == kube.NotSynced {
		return "disruption budgets are still being read: what they hold back is not known yet"
	}
	words := "disruption budgets cannot be listed: what they hold back is not known"
	if state.Reason != "" {
		words += ": " + quoted(state.Reason)
	}
	return words
}

// silentNodes finds nodes that are not Ready. Budgets hold there as elsewhere,
// but the end of a pod is confirmed by the kubelet of its node.
func (p *planner) silentNodes(nodes []NodePlan) []Finding {
	var found []Finding
	for i := range nodes {
		n := p.s.Node(nodes[i].Name)
		if n == nil || n.Ready == kube.NodeReady {
			continue
		}
		message := "node " + n.Name + " is not Ready"
		if !n.ReadySince.IsZero() {
			message += " for " + age(p.s.ServerTime(p.now), n.ReadySince)
		}
		if n.ReadyReason != "" {
			message += " (" + quoted(n.ReadyReason) + ")"
		}
		message += ": evictions there ask the budgets all the same, and its pods will not end while its kubelet is silent"
		found = append(found, Finding{Code: FindingNodeNotReady, Level: LevelWarning, Message: message, Objects: nodeObjects([]string{n.Name}),
			Advice: []Advice{{"bring it back", "kubectl describe node " + n.Name},
				{"only if that machine is off for good, let the cluster forget its pods", outOfService(n.Name)}}})
	}
	return found
}

// cordoned finds nodes that somebody has made unschedulable before.
func (p *planner) cordoned(nodes []NodePlan) []Finding {
	var found []Finding
	for i := range nodes {
		n := p.s.Node(nodes[i].Name)
		if n == nil || !n.Unschedulable {
			continue
		}
		message := "node " + n.Name + " is already cordoned"
		if c := n.Cordon; c != nil {
			message += cordonWords(c)
		}
		f := Finding{Code: FindingAlreadyCordoned, Level: LevelInfo, Message: message, Objects: nodeObjects([]string{n.Name})}
		if _, adopts := adoptable(n, ""); adopts {
			f.Level = LevelWarning
			f.Message += "; this drain takes the cordon over, and its rollback would make the node schedulable: ask whoever cordoned it"
		}
		found = append(found, f)
	}
	return found
}

// cordonWords say who cordoned a node, since when and why: our own mark knows
// most, if it was us.
func cordonWords(c *kube.Cordon) string {
	by, since, why := c.Manager, c.Since, ""
	if mark, ours := ParseMark(c.Mark); ours && c.Manager == kube.FieldManager {
		if mark.By != "" {
			by = shortened(mark.By)
		}
		if mark.Run != "" {
			why = ", run " + shortened(mark.Run)
		}
		if mark.Reason != "" {
			why += " (" + quoted(mark.Reason) + ")"
		}
		if !mark.At.IsZero() {
			since = mark.At
		}
	}
	words := ""
	if by != "" {
		words = " by " + by
	}
	if !since.IsZero() {
		words += " since " + since.UTC().Format("2006-01-02 15:04 MST")
	}
	return words + why
}

// tolerant finds pods whose owners would put new ones onto the cordoned node:
// they tolerate its taint, and drains of them do not end.
func (p *planner) tolerant(nodes []NodePlan) []Finding {
	var g group
	p.eachMoved(nodes, func(pod *kube.Pod) {
		if pod.Owner != nil && !pod.Finished() && toleratesCordon(pod.Spec.Tolerations) {
			g.add(pod.Owner.Kind, pod.Namespace, pod.Owner.Name)
		}
	})
	return g.finding(FindingToleratesCordon, LevelWarning, "tolerates the cordon and may come straight back: ")
}

// toleratesCordon follows corev1.Toleration.ToleratesTaint for the taint of a
// cordoned node, which has no value.
func toleratesCordon(tolerations []corev1.Toleration) bool {
	for i := range tolerations {
		t := &tolerations[i]
		if t.Effect != "" && t.Effect != cordonTaint.Effect || t.Key != "" && t.Key != cordonTaint.Key {
			continue
		}
		switch t.Operator {
		case corev1.TolerationOpExists:
			return true
		case "", corev1.TolerationOpEqual:
			if t.Value == cordonTaint.Value {
				return true
			}
		}
	}
	return false
}

// emptyDirData finds pods whose local data goes with them.
func (p *planner) emptyDirData(nodes []NodePlan) []Finding {
	var g group
	p.eachMoved(nodes, func(pod *kube.Pod) {
		if !pod.Finished() && hasEmptyDir(pod) {
			g.add("Pod", pod.Namespace, pod.Name)
		}
	})
	return g.finding(FindingEmptyDirData, LevelInfo, "data in emptyDir volumes is lost: ")
}

func (p *planner) eachMoved(nodes []NodePlan, do func(*kube.Pod)) {
	for i := range nodes {
		for k := range nodes[i].Pods {
			if nodes[i].Pods[k].moves() {
				do(p.pods[i][k])
			}
		}
	}
}

// group gathers objects of one finding, each once.
type group struct {
	seen    map[string]struct{}
	objects []string
	names   []string
}

func (g *group) add(kind, namespace, name string) { g.note("", kind, namespace, name) }

// note is add with something to say about the object.
func (g *group) note(about, kind, namespace, name string) {
	object, named := kind+"/"+namespace+"/"+name, kind+" "+namespace+"/"+name
	if namespace == "" {
		object, named = kind+"/"+name, kind+" "+name
	}
	if _, ok := g.seen[object]; ok {
		return
	}
	if g.seen == nil {
		g.seen = make(map[string]struct{})
	}
	g.seen[object] = struct{}{}
	g.objects = append(g.objects, object)
	if about != "" {
		named += " (" + about + ")"
	}
	g.names = append(g.names, named)
}

func (g *group) finding(code string, level Level, words string) []Finding {
	if len(g.objects) == 0 {
		return nil
	}
	return []Finding{{Code: code, Level: level, Message: words + some(g.names), Objects: g.objects}}
}

// some names the first few and counts the others.
func some(names []string) string {
	if len(names) <= namesShown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:namesShown], ", "), len(names)-namesShown)
}

func nodeObjects(names []string) []string {
	objects := make([]string, len(names))
	for i, name := range names {
		objects[i] = "Node/" + name
	}
	return objects
}
