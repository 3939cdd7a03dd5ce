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
// and most are not Ready yet when the last pod has left. It is the session's state where that is as it was. later are
// the records that differ from those of the run, by moved pod: it brings them up to date.
func arrivals(s *frame.Session, later map[kube.UID]replacement.Record) *drain.State {
	if !followable(s) {
		return s.State
	}
	now := *s.State
	now.Pods = slices.Clone(s.State.Pods)
	for i, p := range now.Pods {
		if r, ok := later[p.UID]; ok {
			moved := *p
			moved.Replacement = r
			now.Pods[i] = &moved
		}
	}
	taken := map[kube.UID]bool{}
	for _, p := range now.Pods {
		taken[p.UID], taken[p.Replacement.UID] = true, true
	}
	view := replacement.View{Snap: s.Snap, Now: s.Now, Ours: func(uid kube.UID) bool { return taken[uid] }}
	var open []int
	var moved []replacement.Moved
	for i, p := range now.Pods {
		if arriving(p) && view.Readable(p.Namespace, p.Controller) {
			open = append(open, i)
			moved = append(moved, replacement.Moved{UID: p.UID, Namespace: p.Namespace, Name: p.Name,
				Owner: p.Controller, Record: &p.Replacement})
		}
	}
	facts, _ := replacement.Follow(view, moved)
	for k, i := range open {
		p := *now.Pods[i]
		p.Replacement = p.Replacement.Become(facts[k], s.Now)
		later[p.UID] = p.Replacement
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

// awaits reports whether a change of the cluster can be about a replacement of a run that ended: of these pods, as
// they were seen last.
func awaits(s *frame.Session, pods map[string]*eviction.Record) bool {
	if s.State == nil || !followable(s) {
		return false
	}
	for _, p := range pods {
		if arriving(p) {
			return true
		}
	}
	return false
}

// nowOf is the time up to which the words of a row count: now, and the end of a run that ended, unless the
// replacement of the pod is still followed.
func nowOf(s *frame.Session, p *eviction.Record) time.Time {
	if s.State.Outcome == "" || s.State.Ended.IsZero() || arriving(p) && followable(s) {
		return s.Now
	}
	return s.State.Ended
}
