package plan

import (
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// driftWord says whether a plan is what it was when it was shown first.
func driftWord(changes []plan.Change) paint.Line {
	if len(changes) == 0 {
		return paint.L(themes.Good, "still valid")
	}
	if len(changes) == 1 {
		return paint.L(themes.Warning, "changed: "+changes[0].What)
	}
	return paint.L(themes.Warning, format.Count(len(changes), "change")+" since")
}

// findingLines are the findings that must not be missed, in the order of the plan, each in
// a line, in at most that many lines; the last one then page.counts what has no room and
// names the key that shows all.
func findingLines(findings []plan.Finding, most int, key string) []paint.Line {
	lines := wording.CostLines(findings)
	if len(lines) <= most {
		return lines
	}
	if most < 1 {
		return nil
	}
	rest := len(lines) - (most - 1)
	more := paint.L(themes.Warning, paint.Ellipsis+" "+format.Number(rest)+" more")
	if rest == len(lines) {
		more = paint.L(themes.Warning, paint.Warn+" "+format.Count(rest, "finding"))
	}
	return append(lines[:most-1:most-1], more.Add(themes.Muted, ": ").Add(themes.Key, key).Add(themes.Muted,
		" shows all"))
}

// incomplete says what of a plan is still coming in or cannot be had at all,
// "" where the plan is whole.
func incomplete(s *kube.Snapshot) string {
	var coming []string
	for _, k := range planKinds {
		state := s.Sync(k)
		switch {
		case state.Phase == kube.Denied && (k == kube.KindNodes || k == kube.KindPods):
			return "the " + wording.KindWord(k) + " cannot be listed: " + format.Quote(state.Reason)
		case state.Phase == kube.NotSynced:
			coming = append(coming, wording.KindWord(k)+" ("+wording.Progress(state)+")")
		}
	}
	if len(coming) == 0 {
		return ""
	}
	return "still being read: " + format.List(coming, 3)
}

// planKinds are the kinds that a plan is made of.
var planKinds = []kube.Kind{
	kube.KindNodes, kube.KindPods, kube.KindBudgets, kube.KindDaemonSets, kube.KindReplicaSets,
	kube.KindStatefulSets, kube.KindJobs, kube.KindReplicationControllers, kube.KindDeployments,
}

// findingsInFull are all findings of a plan in full, in its order, each with what would
// help.
func findingsInFull(findings []plan.Finding, width int) []paint.Line {
	if len(findings) == 0 {
		return []paint.Line{paint.L(themes.Good, paint.Good+" No risk of the whole plan was found.")}
	}
	var lines []paint.Line
	add := func(indent int, l paint.Line) {
		for _, part := range paint.Wrap(l, max(20, width-indent)) {
			lines = append(lines, append(paint.Line{paint.Blank(indent)}, part...))
		}
	}
	for i, f := range findings {
		if i > 0 {
			lines = append(lines, nil)
		}
		add(0, wording.FindingLine(f))
		for _, a := range f.Advice {
			add(2, paint.L(themes.Muted, "would help: ").Add(themes.Text, strings.TrimSuffix(a.Text, ".")))
			if a.Command != "" {
				add(4, paint.L(themes.Accent, a.Command))
			}
		}
	}
	return lines
}
