package app

import (
	"fmt"
	"slices"

	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// generated stands at the top of the manifests of deploy/rbac.
const generated = "# Made by go test ./app -run TestRolesPage -update from the rules that the program asks for; do not edit.\n"

// jobAccount is the service account of the Jobs that `kdrain-tui job` prints, bound to
// the role that has these rules.
func jobAccount(rules []request.Permission) string {
	text := `# Apply operator.yaml first.
apiVersion: v1
kind: Namespace
metadata:
  name: kdrain-tui
  labels:
    pod-security.kubernetes.io/enforce: restricted
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: kdrain-tui
  namespace: kdrain-tui
` + "---\n" + bindingYAML("Cluster", "")
	var namespaces []string
	for _, r := range rules {
		if r.Namespace != "" && !slices.Contains(namespaces, r.Namespace) {
			namespaces = append(namespaces, r.Namespace)
		}
	}
	slices.Sort(namespaces)
	for _, namespace := range namespaces {
		text += "---\n" + bindingYAML("", "\n  namespace: "+namespace)
	}
	return text
}

// bindingYAML binds the operator's role, that of the cluster or that of a namespace, to
// the service account.
func bindingYAML(scope, namespace string) string {
	return fmt.Sprintf(`apiVersion: rbac.authorization.k8s.io/v1
kind: %[1]sRoleBinding
metadata:
  name: kdrain-tui-job%[2]s
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: %[1]sRole
  name: %[3]s
subjects:
- kind: ServiceAccount
  name: kdrain-tui
  namespace: kdrain-tui
`, scope, namespace, roles[roleOperator].name)
}
