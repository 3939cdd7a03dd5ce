package preflight

import (
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/checklist"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
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

// findLastControlPlane finds plans that leave no Ready control-plane node behind.
func findLastControlPlane(s *kube.Snapshot, p *plan.Plan, _ *Env) []plan.Finding {
	last := checklist.LastControlPlane(s, p.Names()...)
	if len(last) == 0 {
		return nil
	}
	message := "the last Ready control-plane node is to be drained: " + last[0]
	if len(last) > 1 {
		message = "all Ready control-plane nodes are to be drained: " + format.List(last, format.NamesShown)
	}
	return []plan.Finding{{Code: FindingLastControlPlane, Level: plan.LevelError, Message: message,
		Objects: nodeObjects(last),
		Advice: []budget.Advice{{Text: "see which control-plane nodes there are, and bring another to Ready before",
			Command: "kubectl get nodes -l node-role.kubernetes.io/control-plane"}}}}
}

// findUnseenKinds says what the plan could not take into account. What is still being
// read is no warning where the nodes themselves and their pods are known: a drain
// needs no more.
func findUnseenKinds(s *kube.Snapshot, p *plan.Plan, _ *Env) []plan.Finding {
	level := plan.LevelInfo
	if !s.On(p.Names()...).Trusted(kube.KindNodes, kube.KindPods) {
		level = plan.LevelWarning
	}
	state := statesFor(s, p)
	var found []plan.Finding
	var unread []string
	last := "" // what is said of the kind before: one cause for several kinds is said once
	for _, k := range []kube.Kind{
		kube.KindNodes, kube.KindPods, kube.KindBudgets, kube.KindDaemonSets, kube.KindReplicaSets,
		kube.KindDeployments, kube.KindStatefulSets, kube.KindReplicationControllers, kube.KindJobs,
	} {
		state := state(k)
		if state.Phase == kube.Synced {
			continue
		}
		if k == kube.KindBudgets && state.Phase != kube.Stale {
			found = append(found, plan.Finding{Code: FindingBudgetsUnknown, Level: plan.LevelWarning,
				Message: unseenBudgets(state)})
			continue
		}
		if state.Phase != kube.NotSynced {
			level = plan.LevelWarning
		}
		text := " " + state.Phase.String()
		if state.Reason != "" {
			text += " (" + format.Quote(state.Reason) + ")"
		}
		if n := len(unread); text == last {
			unread[n-1] = strings.TrimSuffix(unread[n-1], text)
		}
		unread, last = append(unread, string(k)+text), text
	}
	if len(unread) > 0 {
		found = append(found, plan.Finding{Code: FindingNotSynced, Level: level,
			Message: "the plan is based on incomplete data: " + strings.Join(unread, ", ")})
	}
	return found
}

// statesFor tells the sync state of a kind where the plan depends on it: on its nodes, and in the namespaces of its
// pods.
func statesFor(s *kube.Snapshot, p *plan.Plan) func(kube.Kind) kube.SyncState {
	var leaving, all []string
	for i := range p.Nodes {
		for _, pod := range p.Nodes[i].Pods {
			if all = append(all, pod.Namespace); pod.Moves() {
				leaving = append(leaving, pod.Namespace)
			}
		}
	}
	slices.Sort(leaving)
	slices.Sort(all)
	leaving, all = slices.Compact(leaving), slices.Compact(all)
	return func(k kube.Kind) kube.SyncState {
		switch on, in := s.On(p.Names()...).Sync(k), s.In(leaving...).Sync(k); {
		case k == kube.KindNodes, k == kube.KindPods && on.Phase != kube.Synced:
			return on
		case k == kube.KindDaemonSets:
			return s.In(all...).Sync(k)
		default:
			return in
		}
	}
}

func unseenBudgets(state kube.SyncState) string {
	if state.Phase == kube.NotSynced {
		return "disruption budgets are still being read: which evictions they block is not known yet"
	}
	text := "disruption budgets cannot be listed: which evictions they block is not known"
	if state.Reason != "" {
		text += ": " + format.Quote(state.Reason)
	}
	return text
}

// findSilentNodes finds nodes that are not Ready. Budgets hold there as elsewhere,
// but the end of a pod is confirmed by the kubelet of its node.
func findSilentNodes(s *kube.Snapshot, p *plan.Plan, env *Env) []plan.Finding {
	var found []plan.Finding
	for i := range p.Nodes {
		n := s.Node(p.Nodes[i].Name)
		if n == nil || n.Ready == kube.NodeReady {
			continue
		}
		message := "node " + n.Name + " is not Ready"
		if !n.ReadySince.IsZero() {
			message += " for " + format.Since(s.ServerTime(env.Now), n.ReadySince)
		}
		if n.ReadyReason != "" {
			message += " (" + format.Quote(n.ReadyReason) + ")"
		}
		message += ": evictions there still need their budgets, and its pods do not terminate while its kubelet is silent"
		found = append(found, plan.Finding{Code: FindingNodeNotReady, Level: plan.LevelWarning, Message: message,
			Objects: nodeObjects([]string{n.Name}),
			Advice: []budget.Advice{{Text: "bring it back", Command: "kubectl describe node " + n.Name},
				{Text: "only if that machine is permanently off, taint it as out of service",
					Command: format.OutOfService(n.Name)}}})
	}
	return found
}

// findCordoned finds nodes that somebody has made unschedulable before.
func findCordoned(s *kube.Snapshot, p *plan.Plan, env *Env) []plan.Finding {
	var found []plan.Finding
	for i := range p.Nodes {
		n := s.Node(p.Nodes[i].Name)
		if n == nil || !n.Unschedulable || env.Run != "" && runOf(n.Cordon) == env.Run {
			continue
		}
		message := "node " + n.Name + " is already cordoned"
		if c := n.Cordon; c != nil {
			message += cordonWords(c)
		}
		f := plan.Finding{Code: FindingAlreadyCordoned, Level: plan.LevelInfo, Message: message,
			Objects: nodeObjects([]string{n.Name})}
		if _, adopts := annotation.Adoptable(n, ""); adopts {
			f.Level = plan.LevelWarning
			f.Message += "; this drain takes the cordon over, and its rollback would make the node schedulable: ask whoever cordoned it"
		}
		found = append(found, f)
	}
	return found
}

// runOf is the run that cordoned a node, "" where none of ours did.
func runOf(c *kube.Cordon) string {
	if c == nil || c.Manager != kube.FieldManager {
		return ""
	}
	mark, _ := annotation.Parse(c.Mark)
	return mark.Run
}

// cordonWords say who cordoned a node, since when and why: our own mark knows
// most, if it was us.
func cordonWords(c *kube.Cordon) string {
	by, since, why := c.Manager, c.Since, ""
	if mark, ours := annotation.Parse(c.Mark); ours && c.Manager == kube.FieldManager {
		if mark.By != "" {
			by = format.Shorten(mark.By)
		}
		if mark.Run != "" {
			why = ", run " + format.Shorten(mark.Run)
		}
		if mark.Reason != "" {
			why += " (" + format.Quote(mark.Reason) + ")"
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

// findTolerant finds pods whose owners would put new ones onto the cordoned node:
// they tolerate its taint, and drains of them do not end.
func findTolerant(s *kube.Snapshot, p *plan.Plan, _ *Env) []plan.Finding {
	var g group
	plan.EachMove(*p, func(one *plan.Pod) {
		if pod := s.Pod(one.UID); pod != nil && pod.Owner != nil && !one.GoesLast() && !pod.Finished() &&
			plan.ToleratesCordon(pod.Spec.Tolerations) {
			g.add(pod.Owner.Kind, pod.Namespace, pod.Owner.Name)
		}
	})
	return g.finding(FindingToleratesCordon, plan.LevelWarning, "tolerates the cordon and may come straight back: ")
}

// findEmptyDirData finds pods whose local data goes with them.
func findEmptyDirData(s *kube.Snapshot, p *plan.Plan, _ *Env) []plan.Finding {
	var g group
	eachMoved(s, p, func(pod *kube.Pod) {
		if !pod.Finished() && volume.HasEmptyDir(pod) {
			g.add("Pod", pod.Namespace, pod.Name)
		}
	})
	return g.finding(FindingEmptyDirData, plan.LevelInfo, "data in emptyDir volumes is lost: ")
}

// FindingNotRemade tells of pods that leave for good although they have an owner.
const FindingNotRemade = "NotRemade"

// findNotRemade finds pods whose owner does not recreate them. Those without an
// owner need --force, and say so themselves.
func findNotRemade(_ *kube.Snapshot, p *plan.Plan, _ *Env) []plan.Finding {
	var g group
	for i := range p.Nodes {
		for k := range p.Nodes[i].Pods {
			if pod := &p.Nodes[i].Pods[k]; pod.Moves() && pod.NotRemade != "" && pod.Owner != "" {
				g.add("Pod", pod.Namespace, pod.Name)
			}
		}
	}
	return g.finding(FindingNotRemade, plan.LevelWarning, "not recreated by their owners: ")
}
