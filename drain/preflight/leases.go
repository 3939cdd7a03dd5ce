package preflight

import (
	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// The codes of findings about the Leases by which runs keep off each other's
// nodes.
const (
	FindingNodeHeld     = "NodeHeld"
	FindingLeasesUnseen = "LeasesUnseen"
)

// findHeld finds the nodes that another run is draining.
func findHeld(s *kube.Snapshot, p *plan.Plan, env *Env) []plan.Finding {
	if p.Options.LeaseNamespace == "" {
		return nil
	}
	var found []plan.Finding
	for _, h := range lease.Holds(s, p.Names(), env.Run, env.Now) {
		f := plan.Finding{Code: FindingNodeHeld, Objects: nodeObjects([]string{h.Node})}
		switch {
		case h.Lapsed:
			f.Level, f.Message = plan.LevelInfo, "node "+h.Node+" was held by "+h.Words+
				", which has not renewed its Lease since: it is free to take"
			if mark, err := annotation.MarkOf(s, h.Node); err == nil && lease.RollAt(s, h.Node, mark.Run) != "" {
				f.Level, f.Message = plan.LevelWarning, f.Message+"; a command of that roll may still run on it"
			}
		case p.Options.TakesOver(h.Run):
			f.Level, f.Message = plan.LevelWarning, "node "+h.Node+" is taken over from "+h.Words
		default:
			f.Level, f.Message = plan.LevelError, "node "+h.Node+" is held by "+h.Words+
				": it is not drained while that run is live"
			f.Advice = []budget.Advice{{Text: "let that run end, or abort it where it runs"},
				{Text: "take the node over, which stops that run there: drain with --take-over=" +
					format.Shorten(h.Run)}}
		}
		found = append(found, f)
	}
	if state := s.Sync(kube.KindLeases); state.Phase == kube.Denied {
		message := "the Leases in " + p.Options.LeaseNamespace +
			" cannot be read: whether another run is draining these nodes is not known"
		if state.Reason != "" {
			message += ": " + format.Quote(state.Reason)
		}
		found = append(found, plan.Finding{Code: FindingLeasesUnseen, Level: plan.LevelInfo, Message: message})
	}
	return found
}
