package page

import (
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// Identity is which cluster this is and who we are there.
type Identity struct {
	Context string
	User    string
	Server  string
	// Target is what printed commands are for.
	Target plan.Target
}

// Header is the title line of the nodes page: where we are, and whether what
// is shown is true.
func Header(s *kube.Snapshot, id Identity, readOnly bool, now time.Time) (left, right paint.Line) {
	left = paint.L(themes.Title, "kdrain").Add(themes.Text, "  ").Add(themes.Accent, id.Context)
	if id.User != "" {
		left = left.Add(themes.Muted, paint.Dot+id.User)
	}
	if readOnly {
		left = left.Add(themes.Text, "  ").Add(themes.Warning, "READ ONLY")
	}
	return left, paint.Join(paint.S(themes.Muted, paint.Dot), Live(s, now), counts(s))
}

// Live says whether the connection stands.
func Live(s *kube.Snapshot, now time.Time) paint.Line {
	h := s.Health()
	switch {
	case !h.Live && h.DownSince.IsZero() && h.LastContact.IsZero():
		return paint.L(themes.Busy, paint.Hollow+" connecting")
	case !h.Live:
		l := paint.L(themes.Bad, paint.Bad+" down")
		if !h.DownSince.IsZero() {
			l = l.Add(themes.Bad, " for "+Age(now.Sub(h.DownSince)))
		}
		return l
	}
	if missing := missing(s, now); missing != nil {
		return missing
	}
	if kinds := Polled(s); len(kinds) > 0 {
		return paint.L(themes.Warning, paint.Dotted+" "+List(kinds, 3)+" polled")
	}
	return paint.L(themes.Good, paint.Ready+" live")
}

// seen are the kinds without which nothing on the screen is the whole truth.
var seen = []kube.Kind{kube.KindNodes, kube.KindPods, kube.KindBudgets}

// missing says which kinds are not known as they are now, the worst first; nil
// where all are. Budgets that may not be seen have a notice of their own.
func missing(s *kube.Snapshot, now time.Time) paint.Line {
	with := func(phase kube.SyncPhase) (kinds []string, since time.Time) {
		for _, k := range seen {
			if state := s.Sync(k); state.Phase == phase && (phase != kube.Denied || k != kube.KindBudgets) {
				kinds, since = append(kinds, KindWord(k)), state.Since
			}
		}
		return kinds, since
	}
	if kinds, _ := with(kube.Denied); len(kinds) > 0 {
		return paint.L(themes.Bad, paint.Bad+" "+List(kinds, 3)+" denied")
	}
	if kinds, since := with(kube.Stale); len(kinds) > 0 {
		return paint.L(themes.Bad, paint.Warn+" "+List(kinds, 3)+" stale").Add(themes.Bad, forTime(since, now))
	}
	if kinds, _ := with(kube.NotSynced); len(kinds) > 0 {
		return paint.L(themes.Busy, paint.Asked+" loading "+List(kinds, 3))
	}
	return nil
}

func forTime(since, now time.Time) string {
	if since.IsZero() {
		return ""
	}
	return " for " + Age(now.Sub(since))
}

// KindWord is a kind as people call it.
func KindWord(k kube.Kind) string {
	if k == kube.KindBudgets {
		return "budgets"
	}
	return string(k)
}

// Polled are the kinds that are asked for again and again for lack of the right
// to watch them, so that what is shown of them may be some seconds old.
func Polled(s *kube.Snapshot) []string {
	var kinds []string
	for _, k := range seen {
		if state := s.Sync(k); state.Phase == kube.Synced && strings.HasPrefix(state.Reason, "polled") {
			kinds = append(kinds, KindWord(k))
		}
	}
	return kinds
}

// Incomplete says what of a plan is still coming in or cannot be had at all,
// "" where the plan is whole.
func Incomplete(s *kube.Snapshot) string {
	var coming []string
	for _, k := range planKinds {
		state := s.Sync(k)
		switch {
		case state.Phase == kube.Denied && (k == kube.KindNodes || k == kube.KindPods):
			return "the " + KindWord(k) + " cannot be listed: " + Quote(state.Reason)
		case state.Phase == kube.NotSynced:
			coming = append(coming, KindWord(k)+" ("+Number(state.Count)+" so far)")
		}
	}
	if len(coming) == 0 {
		return ""
	}
	return "still coming in: " + List(coming, 3)
}

// planKinds are the kinds that a plan is made of.
var planKinds = []kube.Kind{
	kube.KindNodes, kube.KindPods, kube.KindBudgets, kube.KindDaemonSets, kube.KindReplicaSets,
	kube.KindStatefulSets, kube.KindJobs, kube.KindReplicationControllers, kube.KindDeployments,
}

// counts are the numbers of objects; what is not known is called so.
func counts(s *kube.Snapshot) paint.Line {
	separator := paint.S(themes.Muted, paint.Dot)
	return paint.Join(separator,
		kindCount(s, kube.KindNodes, "node", s.NodeCount()),
		kindCount(s, kube.KindPods, "pod", s.PodCount()),
		kindCount(s, kube.KindBudgets, "budget", s.Sync(kube.KindBudgets).Count),
	)
}

func kindCount(s *kube.Snapshot, k kube.Kind, noun string, n int) paint.Line {
	switch state := s.Sync(k); state.Phase {
	case kube.Denied:
		return paint.L(themes.Warning, noun+"s unseen")
	case kube.NotSynced:
		if n == 0 {
			return nil // the word before says that they are loading
		}
		return paint.L(themes.Busy, Number(n)+"+ "+noun+"s")
	case kube.Stale:
		return paint.L(themes.Warning, Count(n, noun))
	}
	return paint.L(themes.Muted, Count(n, noun))
}

// Notice is the line that must not be missed about what we cannot see; empty
// where all is well.
func Notice(s *kube.Snapshot, now time.Time) paint.Line {
	h := s.Health()
	if !h.Live && !h.DownSince.IsZero() {
		l := paint.L(themes.Bad, "The API server is away: what you see is "+Age(now.Sub(h.DownSince))+" old.")
		if h.Reason != "" {
			l = l.Add(themes.Muted, " "+Quote(h.Reason))
		}
		return l
	}
	for _, k := range []kube.Kind{kube.KindNodes, kube.KindPods} {
		if state := s.Sync(k); state.Phase == kube.Denied {
			return denied(k, state)
		}
	}
	if state := s.Sync(kube.KindBudgets); state.Phase == kube.Denied {
		return paint.L(themes.Warning, "Budgets cannot be seen: only trying tells what may be evicted.").
			Add(themes.Muted, " "+Quote(state.Reason))
	}
	if state := s.Sync(kube.KindPods); state.Phase == kube.NotSynced {
		return paint.L(themes.Busy, "Pods are still coming in, "+Number(s.PodCount())+" so far: plans wait for the rest.")
	}
	if kinds := Polled(s); len(kinds) > 0 {
		return paint.L(themes.Muted, FirstUpper(List(kinds, 3))+" may be some seconds old: we may list them, but not watch them.")
	}
	if h.Warning != "" {
		return paint.L(themes.Warning, "The API server serves requests, but it is "+h.Warning)
	}
	return nil
}

func denied(k kube.Kind, state kube.SyncState) paint.Line {
	return paint.L(themes.Bad, FirstUpper(KindWord(k))+" cannot be listed.").Add(themes.Muted, " "+Quote(state.Reason))
}
