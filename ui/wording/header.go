package wording

import (
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// Live says whether the connection stands.
func Live(s *kube.Snapshot, now time.Time) paint.Line {
	h := s.Health()
	switch {
	case !h.Live && h.DownSince.IsZero() && h.LastContact.IsZero():
		return paint.L(themes.Busy, paint.Hollow+" connecting")
	case !h.Live:
		l := paint.L(themes.Bad, paint.Bad+" down")
		if !h.DownSince.IsZero() {
			l = l.Add(themes.Bad, " for "+format.Age(now.Sub(h.DownSince)))
		}
		return l
	}
	if Missing := missing(s, now); Missing != nil {
		return Missing
	}
	if kinds := polled(s); len(kinds) > 0 {
		return paint.L(themes.Warning, paint.Dotted+" "+format.List(kinds, 3)+" polled")
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
		return paint.L(themes.Bad, paint.Bad+" "+format.List(kinds, 3)+" denied")
	}
	if kinds, since := with(kube.Stale); len(kinds) > 0 {
		return paint.L(themes.Bad, paint.Warn+" "+format.List(kinds, 3)+" stale").Add(themes.Bad, forTime(since, now))
	}
	if kinds, _ := with(kube.NotSynced); len(kinds) > 0 {
		return paint.L(themes.Busy, paint.Asked+" loading "+format.List(kinds, 3))
	}
	return nil
}

func forTime(since, now time.Time) string {
	if since.IsZero() {
		return ""
	}
	return " for " + format.Age(now.Sub(since))
}

// KindWord is a kind as people call it.
func KindWord(k kube.Kind) string {
	if k == kube.KindBudgets {
		return "budgets"
	}
	return string(k)
}

// polled are the kinds that are asked for again and again for lack of the right
// to watch them, so that what is shown of them may be some seconds old.
func polled(s *kube.Snapshot) []string {
	var kinds []string
	for _, k := range seen {
		if state := s.Sync(k); state.Phase == kube.Synced && strings.HasPrefix(state.Reason, "polled") {
			kinds = append(kinds, KindWord(k))
		}
	}
	return kinds
}

// startAgainAfter is the outage after which the kubeconfig, which was read at the start, is the next suspect.
const startAgainAfter = time.Minute

// Notice is the line that must not be missed about what we cannot see; empty
// where nothing is wrong.
func Notice(s *kube.Snapshot, now time.Time) paint.Line {
	h := s.Health()
	if !h.Live && !h.DownSince.IsZero() {
		down := now.Sub(h.DownSince)
		l := paint.L(themes.Bad, "The API server is unreachable: what you see is "+format.Age(down)+" old.")
		if down > startAgainAfter {
			l = l.Add(themes.Text, " If its address has changed: leave, and start again.")
		}
		if h.Reason != "" {
			l = l.Add(themes.Muted, " "+format.Quote(h.Reason))
		}
		l = l.Add(themes.Muted, " It is asked every second.")
		return l
	}
	for _, k := range []kube.Kind{kube.KindNodes, kube.KindPods} {
		if state := s.Sync(k); state.Phase == kube.Denied {
			return denied(k, state)
		}
	}
	if state := s.Sync(kube.KindBudgets); state.Phase == kube.Denied {
		return paint.L(themes.Warning, "Budgets cannot be read: only an attempt shows what may be evicted.").
			Add(themes.Muted, " "+format.Quote(state.Reason))
	}
	if state := s.Sync(kube.KindPods); state.Phase == kube.NotSynced {
		return paint.L(themes.Busy, "Pods are still being read ("+Progress(state)+rate(state, now)+
			"): plans wait for the rest.")
	}
	if kinds := polled(s); len(kinds) > 0 {
		return paint.L(themes.Muted, FirstUpper(format.List(kinds, 3))+
			" may be some seconds old: we may list them, but not watch them.")
	}
	if h.Warning != "" {
		return paint.L(themes.Warning, "The API server serves requests, but it is "+h.Warning)
	}
	return nil
}

// Progress is how far the first list of a kind is: 12,000 of 30,000.
func Progress(state kube.SyncState) string {
	if state.Total > state.Count {
		return format.Number(state.Count) + " of " + format.Number(state.Total)
	}
	return format.Number(state.Count) + " so far"
}

// rate is how fast the first list of a kind comes in, "" while that cannot be said yet.
func rate(state kube.SyncState, now time.Time) string {
	seconds := now.Sub(state.Since).Seconds()
	if state.Since.IsZero() || seconds < 1 || state.Count == 0 {
		return ""
	}
	return ", " + format.Number(int(float64(state.Count)/seconds)) + " a second"
}

func denied(k kube.Kind, state kube.SyncState) paint.Line {
	return paint.L(themes.Bad, FirstUpper(KindWord(k))+" cannot be listed.").
		Add(themes.Muted, " "+format.Quote(state.Reason))
}
