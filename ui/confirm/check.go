package confirm

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// Checked brings a plan made again at the moment of a confirmation.
type Checked struct {
	Request
	Fresh   plan.Plan
	Changes []plan.Change
	Untrue  string // why the snapshot cannot be acted on
	Err     error
}

// Request is what is to be checked, and what for.
type Request struct {
	Shown    plan.Plan
	Question *drain.Question // of the run; nil: before a run is started
	Word     string          // what was typed for the question; "" opens its dialog
	Confirm  bool            // it was answered with a yes
}

// Check makes a plan from the cluster as it is now and compares it with what was shown.
// What comes of it is a Checked.
func Check(shell frame.Shell, r Request) {
	names := make([]string, len(r.Shown.Nodes))
	for i, n := range r.Shown.Nodes {
		names[i] = n.Name
	}
	s, own := shell.Session(), ""
	if r.Question != nil {
		own = s.State.Run.ID
	}
	o, now, snapshot, plan := r.Shown.Options, s.Now, s.Snapshot, s.NewPlan
	shell.Go("the check of the plan", func(context.Context) tea.Msg {
		msg := Checked{Request: r}
		snap := snapshot()
		if !snap.Trusted(kube.KindNodes, kube.KindPods) {
			msg.Untrue = "the view of the cluster is not up to date"
		}
		if msg.Fresh, msg.Err = plan(snap, names, o, now); msg.Err != nil {
			return msg
		}
		msg.Fresh.Findings = heldByOthersThan(own, msg.Fresh, snap, now)
		base := r.Shown
		if r.Question != nil {
			base = r.Shown.CordonedAs(msg.Fresh)
		}
		msg.Changes = base.Diff(msg.Fresh)
		return msg
	})
}

// heldByOthersThan are the findings of a plan without those about nodes that are
// held by the run itself, which has their Leases by the time of its evictions.
func heldByOthersThan(run string, p plan.Plan, s *kube.Snapshot, now time.Time) []plan.Finding {
	names := make([]string, len(p.Nodes))
	for i, n := range p.Nodes {
		names[i] = n.Name
	}
	others := lease.Holds(s, names, run, now)
	return slices.DeleteFunc(slices.Clone(p.Findings), func(f plan.Finding) bool {
		return f.Code == preflight.FindingNodeHeld && !slices.ContainsFunc(others, func(h lease.Hold) bool {
			return slices.ContainsFunc(f.Objects, func(o string) bool { return strings.HasSuffix(o, "/"+h.Node) })
		})
	})
}
