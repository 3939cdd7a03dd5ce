//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// roleBlock is a cluster role as docs/rbac.md shows it.
var roleBlock = regexp.MustCompile("(?s)```yaml\n(.*?name: (kdrain-tui-[a-z]+)\n.*?)```")

// makeRoles puts the cluster roles of the page into the world, each bound to a
// user of its own whom ada speaks for, and returns the users by the end of the
// role's name.
func (w *world) makeRoles(t *testing.T) (users map[string]string) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "rbac.md"))
	if err != nil {
		t.Fatal(err)
	}
	users = map[string]string{}
	for _, block := range roleBlock.FindAllStringSubmatch(string(page), -1) {
		yaml, role := block[1], block[2]
		path := filepath.Join(t.TempDir(), role+".yaml")
		if err := os.WriteFile(path, []byte(yaml), 0o600); err != nil {
			t.Fatal(err)
		}
		user := strings.TrimPrefix(role, "kdrain-tui-") + "-of-page"
		w.kubectl(t, "create", "-f", path)
		w.kubectl(t, "create", "clusterrolebinding", role, "--clusterrole="+role, "--user="+user)
		eventually(t, patience, "the server knows the rights of "+user, func() bool {
			return strings.HasPrefix(w.mayFail("auth", "can-i", "list", "pods", "-A", "--as", user), "yes")
		})
		users[strings.TrimPrefix(role, "kdrain-tui-")] = user
	}
	if len(users) != 3 {
		t.Fatalf("the page has the roles %v, want view, operator and full", users)
	}
	return users
}

// The three roles of docs/rbac.md are enough for what they promise, and for
// nothing that they do not: what is missing is named before anything is written.
func TestRolesOfThePage(t *testing.T) {
	world := ownWorld(t)
	users := world.makeRoles(t)
	as := func(role string, args ...string) []string { return append(with(args...), "--as", users[role]) }

	t.Run("view", func(t *testing.T) {
		before, person := world.versions(t), world.operator(t)
		plan, answer := person.plan("worker-a4", as("view")...)
		answer.exits(t, 5) // nothing of it may be written
		sees(t, plan)
		person.run(as("view", "drain", "worker-a1", "--dry-run=client")...).exits(t, 0)
		person.run(as("view", "drain", "worker-a1", "--yes")...).exits(t, 5,
			users["view"]+" may not patch nodes, create pods/eviction (", "nothing was changed", "docs/rbac.md")
		person.run("cordon", "worker-a1", "--as", users["view"]).exits(t, 5, "may not patch nodes (")
		world.unchanged(t, before)
	})

	t.Run("operator", func(t *testing.T) {
		before, person := world.versions(t), world.operator(t)
		for flags, missing := range map[string]string{
			"--disable-eviction":        "delete pods",
			"--force-after=1m":          "delete pods",
			"--guard=25% --guard-write": "create poddisruptionbudgets.policy, delete poddisruptionbudgets.policy",
		} {
			args := as("operator", append([]string{"drain", "worker-a1", "--yes"}, strings.Fields(flags)...)...)
			person.run(args...).exits(t, 5, users["operator"]+" may not "+missing+" (", "nothing was changed")
		}
		world.unchanged(t, before)
		person.run(as("operator", "drain", "worker-a1", "--yes", "--guard=25%")...).exits(t, 0)
		world.onlyDaemonsLeft(t, "worker-a1")
		person.run("uncordon", "worker-a1", "--as", users["operator"]).exits(t, 0)
		if world.node(t, "worker-a1").Spec.Unschedulable {
			t.Error("worker-a1 is still cordoned")
		}
	})

	t.Run("full", func(t *testing.T) {
		budgets := world.asMachinery(t, "get", "pdb", "-A", "-o", "name")
		answer := world.operator(t).run(as("full", "drain", "worker-a4", "--yes", "--guard=25%", "--guard-write", "-o", "json")...)
		answer.exits(t, 0)
		_, report := readLines(t, answer.out)
		if made, removed := report.Requests["create-budget"], report.Requests["delete-budget"]; made == 0 || removed != made {
			t.Errorf("%d budgets were made and %d removed", made, removed)
		}
		world.onlyDaemonsLeft(t, "worker-a4")
		if left := world.asMachinery(t, "get", "pdb", "-A", "-o", "name"); left != budgets {
			t.Errorf("the budgets were\n%s\nand are\n%s", budgets, left)
		}
		world.operator(t).run(as("full", "drain", "worker-c1", "--yes", "--disable-eviction")...).exits(t, 0)
		world.onlyDaemonsLeft(t, "worker-c1")
	})
}

// sees asserts that a plan was made from everything that it could take into
// account.
func sees(t *testing.T, p plan) {
	t.Helper()
	for _, f := range p.Findings {
		if f.Code == "BudgetsUnknown" || f.Code == "NotSynced" {
			t.Errorf("finding %s: %s", f.Code, f.Message)
		}
	}
	landing := 0
	for _, pod := range p.Nodes[0].Pods {
		if pod.Budget != nil && pod.Budget.Verdict == "Unknown" {
			t.Errorf("%s/%s: the budgets are unknown: %s", pod.Namespace, pod.Name, pod.Budget.Why)
		}
		if pod.Landing == nil {
			continue
		}
		landing++
		if strings.Contains(pod.Landing.Why, "cannot be seen") {
			t.Errorf("%s/%s: landing %s: %s", pod.Namespace, pod.Name, pod.Landing.Answer, pod.Landing.Why)
		}
	}
	if landing == 0 {
		t.Error("nothing is said of where the pods could go")
	}
}
