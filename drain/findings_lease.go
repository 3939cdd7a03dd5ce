package drain

import "github.com/kdrain-tui/kdrain-tui/kube"

// The codes of findings about the Leases by which runs keep off each other's
// nodes.
const (
	FindingNodeHeld     = "NodeHeld"
	FindingLeasesUnseen = "LeasesUnseen"
)

// findHeld finds the nodes that another run is at work on.
func findHeld(s *kube.Snapshot, p *Plan, env *Env) []Finding {
	if p.Options.LeaseNamespace == "" {
		return nil
	}
	var found []Finding
	for _, h := range Holds(s, p.names(), "", env.Now) {
		f := Finding{Code: FindingNodeHeld, Objects: nodeObjects([]string{h.Node})}
		switch {
		case h.Lapsed:
			f.Level, f.Message = LevelInfo, "node "+h.Node+" was held by "+h.Words+", which has not been heard of since: it is free to take"
		case p.Options.takesOver(h.Run):
			f.Level, f.Message = LevelWarning, "node "+h.Node+" is taken over from "+h.Words
		default:
			f.Level, f.Message = LevelError, "node "+h.Node+" is held by "+h.Words+": it is left alone while that run lives"
			f.Advice = []Advice{{Text: "let that run end, or abort it where it runs"},
				{Text: "take the node over, which stops that run there: drain with --take-over=" + shortened(h.Run)}}
		}
		found = append(found, f)
	}
	if state := s.Sync(kube.KindLeases); state.Phase == kube.Denied {
		message := "the Leases in " + p.Options.LeaseNamespace + " cannot be read: whether another run is at work on these nodes is not known"
		if state.Reason != "" {
			message += ": " + quoted(state.Reason)
		}
		found = append(found, Finding{Code: FindingLeasesUnseen, Level: LevelInfo, Message: message})
	}
	return found
}
