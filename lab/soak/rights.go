package main

import (
	"context"
	"fmt"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// The operators with fewer rights than the lab's administrator, who impersonates
// them: the audit log still names the administrator.
const (
	withoutBudgets = "soak-without-budgets" // may not read, make or delete budgets
	withoutWatch   = "soak-without-watch"   // may list, and not watch
)

var allVerbs = []string{"get", "list", "watch", "create", "update", "patch", "delete"}

// rules are what each of them may do.
var rules = map[string][]rbacv1.PolicyRule{
	withoutBudgets: {{
		APIGroups: []string{
			"", "apps", "batch", "autoscaling", "coordination.k8s.io", "events.k8s.io", "storage.k8s.io",
			"scheduling.k8s.io",
			"authorization.k8s.io", "authentication.k8s.io", "discovery.k8s.io", "resource.k8s.io", "metrics.k8s.io",
		},
		Resources: []string{"*"}, Verbs: allVerbs,
	}},
	withoutWatch: {{
		APIGroups: []string{"*"}, Resources: []string{"*"},
		Verbs: []string{"get", "list", "create", "update", "patch", "delete"},
	}},
}

// grantRights makes those operators.
func grantRights(ctx context.Context, client kubernetes.Interface) error {
	roles, bindings := client.RbacV1().ClusterRoles(), client.RbacV1().ClusterRoleBindings()
	for name, rules := range rules {
		role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: rules}
		if _, err := roles.Create(ctx, role, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("make role %s: %w", name, err)
		}
		binding := &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name}},
		}
		if _, err := bindings.Create(ctx, binding, metav1.CreateOptions{}); err != nil &&
			!apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("bind role %s: %w", name, err)
		}
	}
	return nil
}
