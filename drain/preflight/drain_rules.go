package preflight

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/drainrule"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// The codes of the findings about MachineDrainRules.
const (
	FindingDrainRules        = "MachineDrainRules"        // pods that they keep on the nodes, or that they would
	FindingDrainRulesUnknown = "MachineDrainRulesUnknown" // they, or the Machines of the nodes, are not known
)

// findDrainRules names the pods that stay because of MachineDrainRules, those for which rules are not
// obeyed, and what of the rules is not known. A server that has none has nothing to say.
func findDrainRules(s *kube.Snapshot, p *plan.Plan, _ *Env) []plan.Finding {
	if p.Options.RulesUnread() {
		return []plan.Finding{{Code: FindingDrainRulesUnknown, Level: plan.LevelWarning,
			Message: "MachineDrainRules are not read yet: the plan does not obey them, and no run of it begins"}}
	}
	found := append(ruledPods(p), unknownRules(s, p)...)
	return found
}

// ruledPods are the findings about pods that a rule has something to say of.
func ruledPods(p *plan.Plan) (found []plan.Finding) {
	var skipped, shown group
	for _, n := range p.Nodes {
		for _, pod := range n.Pods {
			i := slices.IndexFunc(pod.Reasons, func(r plan.Reason) bool {
				return r.Code == plan.ReasonMachineDrainRule ||
					r.Code == plan.ReasonForeign && drainrule.Names(r.Message)
			})
			switch {
			case i < 0:
			case pod.Reasons[i].Code == plan.ReasonForeign:
				shown.add("Pod", pod.Namespace, pod.Name)
			case pod.Action == plan.ActionSkip:
				skipped.add("Pod", pod.Namespace, pod.Name)
			}
		}
	}
	found = skipped.finding(FindingDrainRules, plan.LevelWarning,
		"MachineDrainRules keep pods where they are, so the drain does not empty the nodes: ")
	return append(found, shown.finding(FindingDrainRules, plan.LevelInfo,
		"MachineDrainRules are not obeyed without --honor="+string(plan.HonorClusterAPI)+
			"; Cluster API would drain these pods in another way: ")...)
}

// unknownRules tells what could not be read of the rules, and how that matters.
func unknownRules(s *kube.Snapshot, p *plan.Plan) []plan.Finding {
	read, honored := s.DrainRules, p.Options.Honors(plan.HonorClusterAPI)
	if read == nil {
		return nil
	}
	f := plan.Finding{Code: FindingDrainRulesUnknown, Level: plan.LevelInfo}
	if honored {
		f.Level = plan.LevelWarning
	}
	if read.Hidden != "" {
		f.Message = "MachineDrainRules are not known: " + read.Hidden +
			"; Cluster API may skip pods of these nodes, wait for them or drain them in another order"
		if honored {
			f.Message += ", and this drain will not, whatever --honor says"
		}
		return []plan.Finding{f}
	}
	rules := p.Options.DrainRules
	if rules == nil {
		rules = drainrule.NewFinder(s).Of(p.Names())
	}
	var found []plan.Finding
	for _, why := range rules.Unknown() {
		one := f
		one.Objects = nodeObjects(why.Nodes)
		one.Message = "of the Machines of " + format.List(why.Nodes, format.NamesShown) + " not all is known: " +
			why.Why + "; of the MachineDrainRules those that select Machines by what is not known are left out"
		found = append(found, one)
	}
	return found
}
