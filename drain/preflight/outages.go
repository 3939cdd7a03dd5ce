package preflight

import (
	"fmt"
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// The codes of the findings about what is down while its pods move.
const (
	FindingSingleReplica = "SingleReplica"
	FindingSurgedSingle  = "SingleReplicaSurges" // it stays up: its replacement starts first
	FindingLastReady     = "LastReady"
	FindingQuorum        = "Quorum"
	FindingDNS           = "DNS"
	FindingNoSurge       = "NoSurge" // its pods are evicted as usual, although --surge was asked for
)

// quorumFrom is the size from which a StatefulSet is taken for one whose members
// vote: two cannot lose one without losing the majority whatever is done.
const quorumFrom = 3

// dnsLabel marks the pods of the cluster's DNS, kube-dns and CoreDNS alike (the
// selector of the Service kube-dns in all common installers).
const dnsLabel, dnsValue = "k8s-app", "kube-dns"

// stake is what a plan takes from one workload at a time.
type stake struct {
	w       *kube.Workload
	wants   int32 // pods, with what its autoscaler asks for
	ready   int32 // Ready pods now
	healthy int32 // of its pods that move, those that serve now
	atOnce  int32 // of these, those that nothing keeps from going together
	dns     bool
	// surges tells that its replacements would start first, were it asked for.
	surges bool
}

// stakes are the workloads whose pods move, in the order of the plan.
func stakes(s *kube.Snapshot, p *plan.Plan) []*stake {
	var all []*stake
	known := map[kube.UID]*stake{}
	for i := range p.Nodes {
		for k := range p.Nodes[i].Pods {
			plan := &p.Nodes[i].Pods[k]
			pod := s.Pod(plan.UID)
			if !plan.Moves() || pod == nil || pod.Owner == nil || pod.Finished() || pod.Terminating() {
				continue
			}
			w := budget.ScaledBy(s, pod.Owner)
			if w == nil || w.Resource != "" && !s.In(pod.Namespace).InWhole(kube.KindPods) {
				continue
			}
			of := known[w.UID]
			if of == nil {
				of = &stake{w: w, wants: budget.Wanted(s, w), ready: w.ReadyReplicas, dns: isDNS(pod)}
				if w.Resource != "" {
					of.ready = readyOf(s, pod.Owner.UID)
				}
				top, not := surge.ForPod(s, pod, p.Options.SurgeManaged)
				of.surges = top != nil && not == nil
				known[w.UID] = of
				all = append(all, of)
			}
			if pod.Ready && plan.Surges == "" {
				of.healthy++
				if plan.Wave == 1 {
					of.atOnce++
				}
			}
		}
	}
	return all
}

// readyOf counts the Ready pods of an owner of which only the scale is known.
func readyOf(s *kube.Snapshot, owner kube.UID) int32 {
	ready := int32(0)
	for pod := range s.PodsOf(owner) {
		if pod.Healthy() {
			ready++
		}
	}
	return ready
}

// findOutages finds workloads that are down, or lose their majority, while their pods
// move. Where a budget lets them go one after the other, nothing is said: what
// counts is how many go at once. Each workload is named once, by the gravest.
func findOutages(s *kube.Snapshot, p *plan.Plan, _ *Env) []plan.Finding {
	var single, surged, couldSurge, dns, quorum, ready group
	var more []budget.Advice
	surging := p.Surging()
	for _, of := range stakes(s, p) {
		w := of.w
		away := max(w.Replicas-of.ready, 0) + of.atOnce
		last := of.ready > 0 && of.atOnce >= of.ready
		goesFirst := slices.ContainsFunc(surging, func(f surge.Facts) bool { return f.UID == w.UID })
		switch {
		case of.wants == 1 && goesFirst:
			surged.add(w.Kind, w.Namespace, w.Name)
		case of.wants == 1:
			if of.surges && p.Options.Surge == "" {
				couldSurge.add(w.Kind, w.Namespace, w.Name)
			}
			single.add(w.Kind, w.Namespace, w.Name)
			if w.Owner == nil && len(more) < format.NamesShown { // an owner sets the replicas back
				more = append(more, budget.Advice{Text: "run a second pod of " + w.Namespace + "/" + w.Name +
					" before", Command: budget.OneMore(s, w)})
			}
		case last && of.dns:
			dns.add(w.Kind, w.Namespace, w.Name)
		case last:
			ready.add(w.Kind, w.Namespace, w.Name)
		case w.Kind == "StatefulSet" && w.Replicas >= quorumFrom && of.atOnce > 0 && away > (w.Replicas-1)/2:
			quorum.note(fmt.Sprintf("%d of %d", min(away, w.Replicas), w.Replicas), w.Kind, w.Namespace, w.Name)
		}
	}
	var found []plan.Finding
	found = append(found, dns.finding(FindingDNS, plan.LevelWarning,
		"cluster DNS will be down until a replacement is Ready: ")...)
	for _, f := range single.finding(FindingSingleReplica, plan.LevelWarning,
		"only one replica, down until its replacement is Ready: ") {
		f.Advice = append(more, couldSurge.surgeAdvice()...)
		found = append(found, f)
	}
	found = append(found, surged.finding(FindingSurgedSingle, plan.LevelInfo,
		"only one replica, up all the time: its replacement starts first (--surge): ")...)
	found = append(found, ready.finding(FindingLastReady, plan.LevelWarning,
		"all its Ready pods are evicted at once, down until a replacement is Ready: ")...)
	return append(found, quorum.finding(FindingQuorum, plan.LevelWarning,
		"a majority of its members is unavailable at once: ")...)
}

// findNoSurge names the workloads that --surge leaves out, and why. Kinds that never surge, such as a StatefulSet, are
// not named.
func findNoSurge(_ *kube.Snapshot, p *plan.Plan, _ *Env) []plan.Finding {
	var left group
	for i := range p.Surges {
		of := &p.Surges[i]
		if !of.Not.Passes() && of.Not.Code != surge.CodeKind && of.Not.Code != surge.CodeScaledDown {
			left.note(of.Not.Text, of.Kind, of.Namespace, of.Name)
		}
	}
	return left.finding(FindingNoSurge, plan.LevelWarning, "no replacements start first in spite of --surge: ")
}

// surgeAdvice says what --surge would do for workloads of one replica.
func (g *group) surgeAdvice() []budget.Advice {
	if len(g.names) == 0 {
		return nil
	}
	return []budget.Advice{{Text: "or drain with --surge=1: it starts the replacement first, and keeps up " +
		format.List(g.names, format.NamesShown)}}
}
