package conn

import (
	"context"
	"fmt"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// CheckAccess asks the server about each permission, all at the same time. The
// results come in the order of the questions.
func (c *Cluster) CheckAccess(ctx context.Context, permissions []request.Permission) ([]request.AccessResult, error) {
	ctx, cancel := c.Within(ctx, 20*time.Second)
	defer cancel()
	results := make([]request.AccessResult, len(permissions))
	var group kube.Group
	for i, p := range permissions {
		group.Go("access review", func() { results[i] = c.checkOne(ctx, p) })
	}
	group.Wait()
	for _, r := range results {
		if r.Err != nil {
			return results, r.Err
		}
	}
	return results, nil
}

func (c *Cluster) checkOne(ctx context.Context, p request.Permission) request.AccessResult {
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: p.Namespace, Verb: p.Verb, Group: p.Group, Resource: p.Resource, Subresource: p.Subresource,
		},
	}}
	answer, err := c.writes.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return request.AccessResult{Permission: p, Err: fmt.Errorf("asking whether we may %s: %w", p, PlainCause(err))}
	}
	reason := answer.Status.Reason
	if reason == "" {
		reason = answer.Status.EvaluationError
	}
	return request.AccessResult{Permission: p, Allowed: answer.Status.Allowed, Reason: kube.CleanText(reason)}
}
