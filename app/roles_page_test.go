package app

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

const rbacIntro = `# Rights

Generated from the rules that the program asks for by ` + "`go test ./app -run TestRolesPage -update`" + `; do not edit.

Three cluster roles, each with everything that the one before it has. Before the first write, ` + "`drain`, `cordon` and `uncordon`" + `
ask the server for each right that they need with these flags (SelfSubjectAccessReview); if one is missing they exit 5, name it,
and have changed nothing. What may not be read only switches off what depends on it. A kind that may be listed and not watched is
listed again after ten times as long as its list took, at least 5 seconds and at most 2 minutes; a drain of up to 50 nodes lists the
nodes and the pods on them by themselves, and all others at most once a minute.
` + "`--dry-run=server`" + ` needs the rights of the real thing but for those of temporary
budgets, which it does not make; ` + "`--dry-run=client` and `plan`" + ` write nothing and need no right to.

Who a user is and what they may do, every authenticated user may ask (` + "`system:basic-user`, `system:discovery`" + `), as they may read
the version and health of the server (` + "`system:public-info-viewer`" + `). ` + "`--as`" + ` needs the right to impersonate.

` + "`roll`" + ` needs the rights of a drain with the same flags, and the lists of ReplicaSets, Deployments and StatefulSets: its health gate counts their pods. A missing one is exit
code 5. ` + "`retire`" + ` needs those of a drain, and with ` + "`--delete-node`" + `, or where somebody types, the right to delete nodes. What their commands do on the machines is no matter of these rights.

The manifests are in deploy/rbac of the source and of each release:

    kubectl apply -f deploy/rbac/view.yaml
    kubectl create clusterrolebinding kdrain-tui-view --clusterrole=kdrain-tui-view --group=on-call
    kubectl create rolebinding kdrain-tui-view -n kube-system --role=kdrain-tui-view --group=on-call

Beside the cluster roles stand roles of the same name for single namespaces: ` + "`default`" + `, where Events on nodes are, and that of ` + "`--lease-namespace`" + `, where runs keep the Leases by which they
keep off each other's nodes. RBAC cannot tell Leases apart by the beginning of their names, and those of the controllers are in
` + "`kube-system`" + ` too: a namespace of its own, made for this and given by the flag, keeps the rights to write apart.

deploy/rbac/job.yaml binds the role kdrain-tui-operator to a service account, for [drains as Jobs](in-cluster.md).
`

// rbacPage is docs/rbac.md.
func rbacPage() string {
	var b strings.Builder
	b.WriteString(rbacIntro)
	for at, r := range roles {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n```yaml\n%s```\n", r.name, r.about, rolesYAML(r.name, rulesOf(at)))
	}
	b.WriteString("\n## What each rule is for\n\n| feature | rules | role | what happens without |\n| --- | --- | --- | --- |\n")
	for _, f := range features() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", f.what, ruleWords(f.rules),
			roles[f.role].short(), f.without)
	}
	return b.String()
}

// rolesYAML is a cluster role, and a role of the same name for each namespace that
// some of the rules are about.
func rolesYAML(name string, rules []request.Permission) string {
	by, namespaces := map[string][]request.Permission{}, []string{}
	for _, r := range rules {
		if by[r.Namespace] == nil && r.Namespace != "" {
			namespaces = append(namespaces, r.Namespace)
		}
		by[r.Namespace] = append(by[r.Namespace], r)
	}
	slices.Sort(namespaces)
	text := roleYAML("ClusterRole", name, by[""])
	for _, namespace := range namespaces {
		text += "---\n" + roleYAML("Role", name+"\n  namespace: "+namespace, by[namespace])
	}
	return text
}

// roleYAML is a role of that kind, with the resources of a group together that have
// the same verbs.
func roleYAML(kind, name string, rules []request.Permission) string {
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: rbac.authorization.k8s.io/v1\nkind: %s\nmetadata:\n  name: %s\nrules:\n", kind, name)
	for _, g := range grouped(rules) {
		fmt.Fprintf(&b, "- apiGroups: [%q]\n  resources: [%s]\n  verbs: [%s]\n",
			g.group, strings.Join(quoteStars(g.resources), ", "), strings.Join(g.verbs, ", "))
	}
	return b.String()
}

// quoteStars quotes what YAML would take for an alias.
func quoteStars(names []string) []string {
	quoted := slices.Clone(names)
	for i, name := range quoted {
		if strings.HasPrefix(name, "*") {
			quoted[i] = strconv.Quote(name)
		}
	}
	return quoted
}

// ruleWords is how the table names rules: the verbs, then what they are for.
func ruleWords(rules []request.Permission) string {
	var parts []string
	for _, g := range grouped(rules) {
		names := make([]string, len(g.resources))
		for i, resource := range g.resources {
			names[i] = "`" + resource + "`"
			if g.group != "" {
				names[i] = "`" + resource + "." + g.group + "`"
			}
		}
		parts = append(parts, strings.Join(g.verbs, ", ")+" "+strings.Join(names, ", "))
	}
	return strings.Join(parts, "; ")
}

// policyRule is a rule as a cluster role has it.
type policyRule struct {
	group            string
	resources, verbs []string
}

// grouped puts rules together, and in an order that only they decide.
func grouped(rules []request.Permission) []policyRule {
	type resource struct{ group, name string }
	verbs := map[resource][]string{}
	for _, r := range rules {
		of := resource{r.Group, r.Resource}
		if r.Subresource != "" {
			of.name += "/" + r.Subresource
		}
		verbs[of] = append(verbs[of], r.Verb)
	}
	together := map[string]*policyRule{}
	for of, verbs := range verbs {
		slices.Sort(verbs)
		verbs = slices.Compact(verbs)
		key := of.group + " " + strings.Join(verbs, " ")
		if together[key] == nil {
			together[key] = &policyRule{group: of.group, verbs: verbs}
		}
		together[key].resources = append(together[key].resources, of.name)
	}
	var list []policyRule
	for _, g := range together {
		slices.Sort(g.resources)
		list = append(list, *g)
	}
	slices.SortFunc(list, func(a, b policyRule) int {
		return cmp.Or(cmp.Compare(a.group, b.group), slices.Compare(a.resources, b.resources))
	})
	return list
}
