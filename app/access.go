package app

import (
	"context"
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// Access asks the server which of the rights we lack that a drain under the options
// needs. NewPlan knows it from then on.
func (s *Session) Access(ctx context.Context, o plan.Options) (preflight.Access, error) {
	rights := drainRights(o)
	access, err := s.access(ctx, rights)
	if err == nil {
		s.screen.mu.Lock()
		defer s.screen.mu.Unlock()
		s.screen.rights, s.screen.access = rights, access
	}
	return access, err
}

// knownAccess is what the server said last of the rights that a drain under the
// options needs, nothing where it was not asked.
func (s *Session) knownAccess(o plan.Options) preflight.Access {
	s.screen.mu.Lock()
	defer s.screen.mu.Unlock()
	if !slices.Equal(s.screen.rights, drainRights(o)) {
		return preflight.Access{}
	}
	return s.screen.access
}

// access asks the server for each of the rights, at the same time.
func (s *Session) access(ctx context.Context, rights []request.Permission) (preflight.Access, error) {
	access := preflight.Access{User: s.User()}
	results, err := s.CheckAccess(ctx, rights)
	if err != nil {
		return access, err
	}
	for _, r := range results {
		if !r.Allowed {
			access.Missing = append(access.Missing,
				preflight.MissingRight{Rule: rightName(r.Permission), Namespace: r.Permission.Namespace, Why: r.Reason})
		}
	}
	return access, nil
}

// MayDrain is an *Error, with what is missing, where a drain under the options could
// not do all that it needs.
func (s *Session) MayDrain(ctx context.Context, o plan.Options) error {
	return s.may(ctx, drainRights(o))
}

// MayCordon is MayDrain for cordon and uncordon.
func (s *Session) MayCordon(ctx context.Context, dry plan.DryRun) error {
	return s.may(ctx, cordonRights(dry))
}

// may asks for rights before the first write.
func (s *Session) may(ctx context.Context, rights []request.Permission) error {
	access, err := s.access(ctx, rights)
	if err != nil {
		return err
	}
	return s.denied(access)
}

// MayReadScales is an *Error where a plan with --block-single-replica refuses a pod
// because the scale of its owner may not be read.
func (s *Session) MayReadScales(ctx context.Context, planned plan.Plan) error {
	var rights []request.Permission
	snapshot := s.Snapshot()
	for _, n := range planned.Nodes {
		for _, pod := range n.Pods {
			if !slices.ContainsFunc(pod.Reasons, func(r plan.Reason) bool { return r.Code == plan.ReasonScaleUnknown }) {
				continue
			}
			if w := plan.HiddenOwner(snapshot, pod.UID); w != nil {
				resource, group, _ := strings.Cut(w.Resource, ".")
				right := request.Permission{Verb: "get", Group: group, Resource: resource, Subresource: "scale", Namespace: w.Namespace}
				rights = append(rights, beyond([]request.Permission{right}, rights)...)
			}
		}
	}
	if len(rights) == 0 {
		return nil
	}
	return s.may(ctx, rights)
}

// denied is an *Error for want of rights, nil where none is missing.
func (s *Session) denied(access preflight.Access) error {
	if len(access.Missing) == 0 {
		return nil
	}
	var hints []string
	for _, m := range access.Missing {
		if m.Why != "" {
			hints = append(hints, m.Rule+": "+m.Why)
		}
	}
	hints = append(hints, "nothing was changed; a cluster role with these rules is needed (docs/rbac.md)")
	return &Error{
		Reason: ReasonForbidden, Text: access.Words() + " (context " + s.Identity().Context + ")",
		Hint: strings.Join(hints, "\n"),
	}
}

// PlanAccess is Access for whoever only reads the plan: what a plan needs already is
// an *Error, the rest is for the plan to tell.
func (s *Session) PlanAccess(ctx context.Context, o plan.Options) (preflight.Access, error) {
	access, err := s.Access(ctx, o)
	if err != nil {
		return access, err
	}
	reads := preflight.Access{User: access.User}
	for _, m := range access.Missing {
		for _, r := range readRights {
			if m.Rule == rightName(r) {
				reads.Missing = append(reads.Missing, m)
			}
		}
	}
	return access, s.denied(reads)
}

// rightName is a permission as RBAC and kubectl auth can-i name it.
func rightName(p request.Permission) string {
	resource := p.Resource
	if p.Subresource != "" {
		resource += "/" + p.Subresource
	}
	if p.Group != "" {
		resource += "." + p.Group
	}
	return p.Verb + " " + resource
}
