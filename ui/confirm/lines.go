package confirm

import (
	"slices"
	"strconv"

	"github.com/kdrain-tui/kdrain-tui/drain/checklist"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
	"github.com/kdrain-tui/kdrain-tui/drain/verdict"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// ErrorLines are the findings of a plan that need more than a plain yes.
func ErrorLines(p plan.Plan) []paint.Line {
	var lines []paint.Line
	for _, f := range p.Findings {
		if f.Level == plan.LevelError && f.Code != preflight.FindingNodeHeld { // which has a question of its own
			lines = append(lines, paint.L(themes.Bad, paint.Bad+" "+wording.Sentence(f.Message)))
		}
	}
	if len(lines) > 0 {
		lines = append(lines, nil)
	}
	return lines
}

// manyNodes is from how many nodes on a cordon of all of them is confirmed by typing how many they are.
const manyNodes = 6

// CordonWord is what is typed before so many nodes are cordoned, or before no schedulable one is left; "" where a key
// is enough.
func CordonWord(s *kube.Snapshot, nodes []string) string {
	if len(nodes) < manyNodes && checklist.LeavesSchedulable(s, nodes) {
		return ""
	}
	return strconv.Itoa(len(nodes))
}

// CordonLines warn of a cordon that leaves no node for new pods.
func CordonLines(s *kube.Snapshot, nodes []string) []paint.Line {
	if checklist.LeavesSchedulable(s, nodes) {
		return nil
	}
	return []paint.Line{paint.L(themes.Bad, paint.Bad+" No schedulable node stays: new pods stay Pending.")}
}

// RefusedNodes are those that a run of the plan leaves untouched.
func RefusedNodes(p plan.Plan) []string {
	var names []string
	for _, n := range p.Refused() {
		names = append(names, n.Node)
	}
	return names
}

// DriftLines say what changed since the plan was shown.
func DriftLines(changes []plan.Change) []paint.Line {
	if len(changes) == 0 {
		return nil
	}
	lines := []paint.Line{paint.L(themes.Warning, "The plan changed since you looked:")}
	for i, c := range changes {
		if i == 6 {
			lines = append(lines, paint.L(themes.Warning, "  and "+format.Count(len(changes)-i, "more change")))
			break
		}
		lines = append(lines, paint.L(themes.Warning, "  "+c.What))
	}
	return append(lines, nil)
}

// CostLines are what the plan costs, for the questions about it: a red line for each
// option that costs data or protection, and every finding that is no mere information.
func CostLines(p plan.Plan) []paint.Line {
	counts := map[plan.ReasonCode]int{}
	deleted := 0
	for _, n := range p.Nodes {
		for _, pod := range n.Pods {
			if pod.Action != plan.ActionEvict && pod.Action != plan.ActionDelete {
				continue
			}
			if pod.Action == plan.ActionDelete {
				deleted++
			}
			for _, r := range pod.Reasons {
				counts[r.Code]++
			}
		}
	}
	var lines []paint.Line
	risk := func(is bool, words string) {
		if is {
			lines = append(lines, paint.L(themes.Bad, paint.Warn+" "+words))
		}
	}
	emptyDirs := counts[plan.ReasonEmptyDir]
	risk(emptyDirs > 0, format.Plural(emptyDirs, "pod loses its emptyDir data", "pods lose their emptyDir data"))
	c := verdict.OfPlan(&p)
	risk(c.Of(plan.Lost) > 0, format.Plural(c.Of(plan.Lost), "pod is lost: it is not recreated",
		"pods are lost: they are not recreated"))
	risk(c.Of(plan.Nowhere) > 0, format.Plural(c.Of(plan.Nowhere), "pod lands nowhere", "pods land nowhere"))
	risk(deleted > 0, format.Plural(deleted, "pod is deleted past all budgets", "pods are deleted past all budgets"))
	risk(p.Options.ForceAfter > 0 || p.Options.MaxEvictRetries > 0,
		"pods that stay blocked are deleted past their budgets")
	risk(p.Options.GracePeriodSeconds == 0, "no pod gets a grace period (--grace-period=0)")
	// What is grave has been said above, and a node that is held has a question of its own.
	return append(lines, wording.CostLines(slices.DeleteFunc(slices.Clone(p.Findings), func(f plan.Finding) bool {
		return f.Level == plan.LevelError
	}))...)
}

// OpenNodes are the nodes of a plan that are not refused.
func OpenNodes(p plan.Plan) []string {
	var open []string
	for _, n := range p.Open().Nodes {
		open = append(open, n.Name)
	}
	return open
}
