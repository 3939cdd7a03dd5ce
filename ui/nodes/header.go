package nodes

import (
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// serverFrom is the width from which the header has room for the address of the API server.
const serverFrom = 140

// header is the title line of the nodes page: where we are, and whether what
// is shown is true.
func header(session *frame.Session) (left, right, brief paint.Line) {
	s, id := session.Snap, session.Identity
	left = paint.L(themes.Title, "kdrain").Add(themes.Text, "  ").Add(themes.Accent, id.Context)
	if id.Server != "" && session.Width >= serverFrom {
		left = left.Add(themes.Muted, paint.Dot+id.Server)
	}
	if id.User != "" {
		left = left.Add(themes.Muted, paint.Dot+"as "+id.User)
	}
	if session.ReadOnly {
		left = left.Add(themes.Text, "  ").Add(themes.Warning, "READ ONLY")
	}
	live, nodes := wording.Live(s, session.Now), kindCount(s, kube.KindNodes, "node", s.Sync(kube.KindNodes).Count)
	var pending paint.Line
	if n := int(s.Totals("").Requested.Pods); n > 0 {
		pending = paint.L(themes.Warning, format.Number(n)+" Pending")
	}
	separator := paint.S(themes.Muted, paint.Dot)
	return left, paint.Join(separator, live, nodes,
		kindCount(s, kube.KindPods, "pod", s.Sync(kube.KindPods).Count), pending,
		kindCount(s, kube.KindBudgets, "budget", s.Sync(kube.KindBudgets).Count),
	), paint.Join(separator, live, nodes, pending)
}

// kindCount is the number of objects of a kind; what is not known is called so.
func kindCount(s *kube.Snapshot, k kube.Kind, noun string, n int) paint.Line {
	switch state := s.Sync(k); state.Phase {
	case kube.Denied:
		return paint.L(themes.Warning, noun+"s unseen")
	case kube.NotSynced:
		if n == 0 {
			return nil // the word before says that they are loading
		}
		if state.Total > n {
			return paint.L(themes.Busy, wording.Progress(state)+" "+noun+"s")
		}
		return paint.L(themes.Busy, format.Number(n)+"+ "+noun+"s")
	case kube.Stale:
		return paint.L(themes.Warning, format.Count(n, noun))
	}
	return paint.L(themes.Muted, format.Count(n, noun))
}
