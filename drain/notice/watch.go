package notice

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/replacement"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

const (
	// questionAfter is how long a question may stand before it is told: whoever looks has
	// answered it by then, and so has --yes.
	questionAfter = 15 * time.Second
	// blockedEvery is how far apart notices of blocked pods are at least: one budget can
	// hold a hundred of them.
	blockedEvery = time.Minute
)

// Watch remembers what was told of a run.
type Watch struct {
	blockedAfter time.Duration // 0: blocked pods are not told
	began        time.Time     // the first look
	phases       map[drain.Phase]drain.PhaseStatus
	blocked      map[kube.UID]time.Time // since when the pod was blocked when it was told
	blockedAt    time.Time              // when pods were told last
	question     time.Time              // since when the question stood that was told
	gate         bool
	over         bool
}

// NewWatch watches a run from that state on, nil for its beginning: what was before is not told again.
func NewWatch(s *drain.State, blockedAfter time.Duration) *Watch {
	if s == nil {
		return &Watch{blockedAfter: blockedAfter, blocked: map[kube.UID]time.Time{}}
	}
	return &Watch{blockedAfter: blockedAfter, phases: maps.Clone(s.Phases),
		blocked: map[kube.UID]time.Time{}, gate: s.Gate != nil, over: over(s)}
}

func over(s *drain.State) bool { return s.Outcome != "" || s.Suspended }

// See is what to tell of the run as it is now, and when to look again if it does not change,
// zero for never.
func (w *Watch) See(s *drain.State, now time.Time) (due []Notice, wake time.Time) {
	w.began = cmp.Or(w.began, now)
	due = w.phasesEnded(s)
	if !over(s) {
		blocked, at := w.overdue(s, now)
		asked, askedAt := w.unanswered(s, now)
		due, wake = append(due, append(blocked, asked...)...), earlier(at, askedAt)
	}
	if closed := s.Gate != nil; closed != w.gate {
		if w.gate = closed; closed {
			due = append(due, gateClosed(&s.Gate.Gate, "no further node begins"))
		}
	}
	if ended := over(s); ended != w.over {
		if w.over = ended; ended {
			due = append(due, runOver(s))
		}
	}
	for i := range due {
		due[i] = of(due[i], s, now)
	}
	return due, wake
}

// of is the notice with what each notice of the run has.
func of(n Notice, s *drain.State, now time.Time) Notice {
	p := s.Progress("")
	n.Time, n.Run, n.Context, n.Reason = now.UTC(), s.Run.ID, s.Run.Context, s.Run.Options.Reason
	n.PodsGone, n.PodsTotal, n.Message = p.Left, p.Total, "run "+s.Run.ID+": "+n.Message
	if n.Kind != Blocked && n.Kind != GateClosed { // those have a list of their own
		nodes, omitted := atMost(s.Nodes)
		for _, node := range nodes {
			n.Nodes = append(n.Nodes, Node{node.Name, string(node.State)})
		}
		n.Omitted = omitted
	}
	return n.bounded()
}

func (w *Watch) phasesEnded(s *drain.State) (due []Notice) {
	for _, phase := range s.PhasesInOrder() {
		status := s.Phases[phase]
		if status != w.phases[phase] && (status == drain.PhaseDone || status == drain.PhaseFailed) {
			due = append(due, Notice{Kind: PhaseEnded, Phase: phase, Status: status,
				Message: fmt.Sprintf("the phase %s is %s", phase, status)})
		}
	}
	w.phases = maps.Clone(s.Phases)
	return due
}

// blockedSince is since when a pod keeps the run waiting, zero if it does not.
func blockedSince(p *eviction.Record) time.Time {
	if p.State == eviction.StuckTerminating {
		return p.Since
	}
	return p.BlockedSince
}

// overdue are the pods that are blocked for longer than the given time and were not told yet.
func (w *Watch) overdue(s *drain.State, now time.Time) (due []Notice, wake time.Time) {
	if w.blockedAfter <= 0 {
		return nil, wake
	}
	var pods []*eviction.Record
	for _, p := range s.Pods {
		since := blockedSince(p)
		if since.IsZero() || p.State.Final() || w.blocked[p.UID].Equal(since) {
			continue
		}
		if at := since.Add(w.blockedAfter); now.Before(at) {
			wake = earlier(wake, at)
			continue
		}
		pods = append(pods, p)
	}
	if len(pods) == 0 {
		return nil, wake
	}
	if next := w.blockedAt.Add(blockedEvery); !w.blockedAt.IsZero() && now.Before(next) {
		return nil, earlier(wake, next)
	}
	w.blockedAt = now
	for _, p := range pods {
		w.blocked[p.UID] = blockedSince(p)
	}
	slices.SortStableFunc(pods, func(a, b *eviction.Record) int { return blockedSince(a).Compare(blockedSince(b)) })
	return []Notice{w.blockedPods(pods, now)}, wake
}

func (w *Watch) blockedPods(pods []*eviction.Record, now time.Time) Notice {
	n := Notice{Kind: Blocked}
	listed, omitted := atMost(pods)
	for _, p := range listed {
		n.Pods = append(n.Pods, Pod{Namespace: p.Namespace, Name: p.Name, Node: p.Node, State: p.State,
			BlockedSeconds: now.Sub(blockedSince(p)).Round(time.Second).Seconds(), WaitsFor: p.Wait.Sentence(now)})
	}
	first := n.Pods[0]
	n.Omitted = omitted
	n.Message = fmt.Sprintf("%s blocked for longer than %s: %s/%s on %s",
		format.Plural(len(pods), "pod is", "pods are"), format.Duration(w.blockedAfter),
		first.Namespace, first.Name, first.Node)
	if first.WaitsFor != "" {
		n.Message += " waits for " + first.WaitsFor
	}
	if len(pods) > 1 {
		n.Message += fmt.Sprintf("; and %d more", len(pods)-1)
	}
	return n
}

// unanswered is the question that stands for too long.
func (w *Watch) unanswered(s *drain.State, now time.Time) (due []Notice, wake time.Time) {
	if s.Question == nil {
		return nil, wake
	}
	tell, wake := w.askedTooLong(s.Question.Since, now)
	if !tell {
		return nil, wake
	}
	return []Notice{{Kind: Question, Phase: s.Question.Phase,
		Message: fmt.Sprintf("it waits for a confirmation of the phase %s", s.Question.Phase)}}, wake
}

// askedTooLong reports whether a question that stands since then is to be told, or when it will be.
func (w *Watch) askedTooLong(since, now time.Time) (tell bool, wake time.Time) {
	stands := since
	if w.began.After(since) { // it was asked by another process; this one asks again
		stands = w.began
	}
	switch at := stands.Add(questionAfter); {
	case w.question.Equal(since):
		return false, wake
	case now.Before(at):
		return false, at
	}
	w.question = since
	return true, wake
}

func gateClosed(g *replacement.Gate, what string) Notice {
	n := Notice{Kind: GateClosed, Message: "the health gate is closed, " + what + ": " + g.Sentence()}
	listed, omitted := atMost(g.Workloads)
	for _, w := range listed {
		n.Workloads = append(n.Workloads, w.Sentence())
	}
	n.Omitted = omitted
	return n
}

func runOver(s *drain.State) Notice {
	if s.Outcome == "" {
		return Notice{Kind: Suspended, Message: "it is suspended, not ended: resume continues it"}
	}
	p := s.Progress("")
	text := fmt.Sprintf("ended: %s, %d of %s gone", s.Outcome, p.Left, format.Count(p.Total, "pod"))
	if s.Message != "" {
		text += ", " + s.Message
	}
	return Notice{Kind: Ended, Outcome: s.Outcome, Message: text}
}

// earlier is the earlier of two moments, of which zero is never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || b.IsZero() {
		return cmp.Or(a, b)
	}
	return slices.MinFunc([]time.Time{a, b}, time.Time.Compare)
}
