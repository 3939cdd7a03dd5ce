package app

import (
	"context"
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/forecast"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
	"github.com/kdrain-tui/kdrain-tui/drain/reads"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
	"github.com/kdrain-tui/kdrain-tui/kube/watch"
)

// Drain is a drain of some nodes up to its run, in steps: what it depends on is
// watched from its start, the rights are asked for, then it is planned. Session.Start
// starts the run.
type Drain struct {
	session   *Session
	selection Selection
	needs     watch.Needs // must be in before the plan
	nodes     []string    // that it reads, nil where it reads the whole cluster
	read      bool        // somebody reads the plan
	InBatches bool        // a roll drains them
}

// Extent is how much of the cluster a drain reads before it is planned.
type Extent int

const (
	// Decisive is what decides what it does: what only explains more of it comes in meanwhile.
	Decisive Extent = iota
	// Touched is all that a plan tells of what it touches: its nodes, and the namespaces of their pods.
	Touched
	// Whole is all that a plan tells, also where the pods could go.
	Whole
)

// Drain begins a drain of the nodes, or a plan of it. Where its options make it depend on all of the
// plan, the whole cluster is read.
func (s *Session) Drain(ctx context.Context, sel Selection, o plan.Options, extent Extent) *Drain {
	if extent == Whole || !narrow(&o) {
		s.Observe(ctx, planKinds...)
		return &Drain{session: s, selection: sel, needs: watch.Whole(planKinds...), read: true}
	}
	d := &Drain{session: s, selection: sel, nodes: namesOf(ctx, s, sel), read: extent == Touched}
	touched := reads.Drain{Nodes: d.nodes, Options: &o}
	kinds := startKinds
	if d.read {
		kinds = nil // all of them
	}
	d.needs = needsOf(touched, kinds...)
	s.Source = s.Watch(ctx, needsOf(touched))
	return d
}

// MayDrain is an *Error, with what is missing, where a drain under the options could
// not do all that it needs.
func (d *Drain) MayDrain(ctx context.Context, o plan.Options) error {
	return d.session.rights().need(ctx, drainRights(o))
}

// MayRoll is MayDrain for a roll: its health gate counts the pods of workloads, and would be
// blind without.
func (s *Session) MayRoll(ctx context.Context, o plan.Options) error {
	rules := drainRights(o)
	return s.rights().need(ctx, append(rules, beyond(workloadRights, rules)...))
}

// MayPlan is MayDrain for whoever only reads the plan: what a plan needs already is
// an *Error, the rest is for the plan to tell.
func (d *Drain) MayPlan(ctx context.Context, o plan.Options) (preflight.Access, error) {
	rights := d.session.rights()
	access, err := rights.of(ctx, drainRights(o))
	if err != nil {
		return access, err
	}
	reads := preflight.Access{User: access.User}
	for _, m := range access.Missing {
		if slices.ContainsFunc(readRights, func(r request.Permission) bool { return m.Rule == rightName(r) }) {
			reads.Missing = append(reads.Missing, m)
		}
	}
	return access, rights.denied(reads)
}

// MayReadScales is an *Error where a plan with --block-single-replica refuses a pod
// because the scale of its owner may not be read.
func (d *Drain) MayReadScales(ctx context.Context, planned plan.Plan) error {
	var needed []request.Permission
	snapshot := d.session.Snapshot()
	for _, n := range planned.Nodes {
		for _, pod := range n.Pods {
			if !slices.ContainsFunc(pod.Reasons, func(r plan.Reason) bool {
				return r.Code == plan.ReasonScaleUnknown
			}) {
				continue
			}
			if w := plan.HiddenOwner(snapshot, pod.UID); w != nil {
				resource, group, _ := strings.Cut(w.Resource, ".")
				right := request.Permission{Verb: "get", Group: group, Resource: resource, Subresource: "scale",
					Namespace: w.Namespace}
				needed = append(needed, beyond([]request.Permission{right}, needed)...)
			}
		}
	}
	if len(needed) == 0 {
		return nil
	}
	return d.session.rights().need(ctx, needed)
}

// Synced waits until all that the plan depends on is in.
func (d *Drain) Synced(ctx context.Context) error {
	_, err := d.session.synced(ctx, d.needs)
	return err
}

// Plan plans the drain once all that it depends on is in. access is what was found to
// be missing for it.
func (d *Drain) Plan(ctx context.Context, o plan.Options, access preflight.Access) (plan.Plan, error) {
	s := d.session
	snapshot, err := s.synced(ctx, d.needs)
	if err != nil {
		return plan.Plan{}, err
	}
	nodes, err := d.selection.Nodes(snapshot, d.session.Target)
	if err != nil {
		return plan.Plan{}, err
	}
	if len(d.nodes) > 0 { // those that a selector found first: the others are not all known
		nodes = slices.DeleteFunc(nodes, func(name string) bool { return !slices.Contains(d.nodes, name) })
	}
	if err := s.ReadDaemonSets(ctx, s.Source, nodes); err != nil {
		return plan.Plan{}, err
	}
	if err := s.readDrainRules(ctx, &o); err != nil {
		return plan.Plan{}, err
	}
	if d.read {
		s.ReadScales(ctx, s.Source, nodes)
		s.ReadStatuses(ctx, s.Source, nodes)
		_ = s.ReadDrainRules(ctx, s.Source) // where they are not obeyed they are only shown
	}
	snapshot = s.Snapshot()
	now := s.Now()
	return s.planFor(snapshot, nodes, o, preflight.Env{
		Now: now, Self: s.self(ctx, d.read), Access: access, Leftovers: s.Leftovers(snapshot, now),
		ReadOnly: s.ReadOnly, InBatches: d.InBatches,
	})
}

// Estimate adds to a plan how long it takes.
func (d *Drain) Estimate(planned *plan.Plan) {
	e := forecast.Of(d.session.Snapshot(), *planned, d.session.Now())
	*planned = planned.WithEstimate(e)
}
