package run

import (
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/replacement"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// arrivals is the run with its replacements as the cluster has them now: a run that ended follows them no longer,
// and most are not Ready yet when the last pod has left. It is the session's state where that is as it was.
func arrivals(s *frame.Session) *drain.State {
	if !followable(s) {
		return s.State
	}
	taken := map[kube.UID]bool{}
	for _, p := range s.State.Pods {
		taken[p.UID], taken[p.Replacement.UID] = true, true
	}
	view := replacement.View{Snap: s.Snap, Now: s.Now, Ours: func(uid kube.UID) bool { return taken[uid] }}
	var open []int
	var moved []replacement.Moved
	for i, p := range s.State.Pods {
		if arriving(p) && view.Readable(p.Controller) {
			open = append(open, i)
			moved = append(moved, replacement.Moved{UID: p.UID, Name: p.Name, Owner: p.Controller,
				Record: &p.Replacement})
		}
	}
	if len(open) == 0 {
		return s.State
	}
	now := *s.State
	now.Pods = append([]*eviction.Record(nil), s.State.Pods...)
	facts, _ := replacement.Follow(view, moved)
	for k, i := range open {
		p := *now.Pods[i]
		p.Replacement = p.Replacement.Become(facts[k], s.Now)
		now.Pods[i] = &p
	}
	return &now
}

// followable reports whether the run has ended and the dashboard shows its cluster: a run of another one can be
// looked at too.
func followable(s *frame.Session) bool {
	return s.State.Outcome != "" && !s.Replay && s.Cluster != nil &&
		slices.ContainsFunc(s.State.Nodes, func(n *drain.NodeRun) bool {
			live := s.Snap.Node(n.Name)
			return live != nil && live.UID == n.UID
		})
}

// arriving reports whether the pod has left and its replacement is not Ready yet.
func arriving(p *eviction.Record) bool {
	return p.State.Left() && p.Replacement.State != "" && !p.Replacement.State.Settled()
}

// nowOf is the moment that a row is about: a run that ended waits for nothing any more, only its replacements
// still come up.
func nowOf(s *frame.Session, p *eviction.Record) time.Time {
	if s.State.Outcome == "" || s.State.Ended.IsZero() || followable(s) && arriving(p) {
		return s.Now
	}
	return s.State.Ended
}
