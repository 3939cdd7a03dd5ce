package app

import (
	"context"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// rights asks the server for rights, before the first write.
type rights struct {
	check func(context.Context, []request.Permission) ([]request.AccessResult, error)
	who   conn.Identity
}

func (s *Session) rights() rights { return rights{s.CheckAccess, s.Identity()} }

// of tells which of the rights are missing; each is asked for, at the same time.
func (r rights) of(ctx context.Context, needed []request.Permission) (preflight.Access, error) {
	access := preflight.Access{User: r.who.User}
	results, err := r.check(ctx, needed)
	if err != nil {
		return access, err
	}
	for _, result := range results {
		if !result.Allowed {
			access.Missing = append(access.Missing, preflight.MissingRight{
				Rule: rightName(result.Permission), Namespace: result.Permission.Namespace, Why: result.Reason})
		}
	}
	return access, nil
}

// need is an *Error where one of the rights is missing.
func (r rights) need(ctx context.Context, needed []request.Permission) error {
	access, err := r.of(ctx, needed)
	if err != nil {
		return err
	}
	return r.denied(access)
}

// denied is an *Error for want of rights, nil where none is missing.
func (r rights) denied(access preflight.Access) error {
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
		Reason: ReasonForbidden, Text: access.Words() + " (context " + r.who.Context + ")",
		Hint: strings.Join(hints, "\n"),
	}
}

// MayCordon is an *Error, with what is missing, where nodes may not be cordoned and
// uncordoned.
func (s *Session) MayCordon(ctx context.Context, dry plan.DryRun) error {
	return s.rights().need(ctx, cordonRights(dry))
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
