package wording

import (
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// UsualOnly reports whether all that is refused is refused for want of
// --ignore-daemonsets and --delete-emptydir-data.
func UsualOnly(nodes ...plan.Node) bool {
	refused := false
	for _, n := range nodes {
		for _, p := range n.Pods {
			if p.Action != plan.ActionRefuse {
				continue
			}
			refused = true
			for _, r := range p.Reasons {
				if r.Level == plan.LevelError && r.Code != plan.ReasonDaemonSet && r.Code != plan.ReasonEmptyDir {
					return false
				}
			}
		}
	}
	return refused
}

// HasUsual reports whether the usual flags are accepted.
func HasUsual(o plan.Options) bool { return o.IgnoreDaemonSets && o.DeleteEmptyDirData }

// WithUsual are the options with the usual flags accepted.
func WithUsual(o plan.Options) plan.Options {
	o.IgnoreDaemonSets, o.DeleteEmptyDirData = true, true
	return o
}

// Assumed says that a preview is made as if the usual flags were accepted, and which key accepts them.
func Assumed() paint.Line {
	return paint.L(themes.Warning, "Assumed: --ignore-daemonsets --delete-emptydir-data. ").Add(themes.Key, "a").
		Add(themes.Warning, " accepts them.")
}
