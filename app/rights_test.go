package app

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

var update = flag.Bool("update", false, "write docs/rbac.md and deploy/rbac")

func TestRolesPage(t *testing.T) {
	files := map[string]string{
		filepath.Join("docs", "rbac.md"):            rbacPage(),
		filepath.Join("deploy", "rbac", "job.yaml"): generated + jobAccount(rulesOf(roleOperator)),
	}
	for at, r := range roles {
		files[filepath.Join("deploy", "rbac", r.short()+".yaml")] = generated + rolesYAML(r.name, rulesOf(at))
	}
	for name, want := range files {
		path := filepath.Join("..", name)
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if have, err := os.ReadFile(path); err != nil || string(have) != want {
			t.Errorf("%s is not what the rules say: go test ./app -run TestRolesPage -update (%v)", name, err)
		}
	}
}

// everyDrain are the options of a drain in all combinations that its rules look
// at.
func everyDrain() []plan.Options {
	all := []plan.Options{plan.DefaultOptions()}
	vary := func(change func(*plan.Options)) {
		for _, o := range all {
			change(&o)
			all = append(all, o)
		}
	}
	vary(func(o *plan.Options) { o.DisableEviction = true })
	vary(func(o *plan.Options) { o.ForceAfter = time.Minute })
	vary(func(o *plan.Options) { o.MaxEvictRetries = 3 })
	vary(func(o *plan.Options) { o.Guard = "25%" })
	vary(func(o *plan.Options) { o.GuardWrite = true })
	vary(func(o *plan.Options) { o.BlockSingleReplica = true })
	vary(func(o *plan.Options) { o.FailOnBlockers = true })
	vary(func(o *plan.Options) {
		o.LeaseNamespace, o.TakeOver = kube.DefaultLeaseNamespace, []string{plan.TakeOverAny}
	})
	vary(func(o *plan.Options) { o.WaitJobs = true })
	vary(func(o *plan.Options) { o.AllowScale = true })
	vary(func(o *plan.Options) { o.AllowZeroGrace = true })
	vary(func(o *plan.Options) { o.Surge = "100%" })
	forms := all
	all = nil
	for _, dry := range []plan.DryRun{plan.DryRunNone, plan.DryRunServer, plan.DryRunClient} {
		for _, o := range forms {
			o.DryRun = dry
			all = append(all, o)
		}
	}
	return all
}

// leastFor is the role that a drain must get along with.
func leastFor(o plan.Options) int {
	switch {
	case o.DryRun == plan.DryRunClient:
		return roleView
	case o.DisableEviction, o.ForceAfter > 0, o.MaxEvictRetries > 0:
		return roleFull
	case o.Guard != "" && o.GuardWrite && o.DryRun == plan.DryRunNone:
		return roleFull
	case (o.AllowScale || o.AllowZeroGrace || o.Surge != "") && o.DryRun == plan.DryRunNone:
		return roleFull
	}
	return roleOperator
}

func TestRolesHaveEveryRuleThatIsAskedFor(t *testing.T) {
	has := func(at int, rules []request.Permission, what any) {
		t.Helper()
		if missing := beyond(rules, rulesOf(at)); len(missing) > 0 {
			t.Errorf("%s lacks %v for %+v", roles[at].name, missing, what)
		}
	}
	has(roleView, readRights, "plan")
	has(roleView, cordonRights(plan.DryRunClient), "cordon --dry-run=client")
	has(roleOperator, cordonRights(plan.DryRunServer), "cordon --dry-run=server")
	has(roleOperator, cordonRights(plan.DryRunNone), "cordon")
	has(roleFull, retireRights(), "retire")
	for _, o := range everyDrain() {
		least := leastFor(o)
		has(least, drainRights(o), o)
		// And not by giving everybody everything.
		if least > roleView && len(beyond(drainRights(o), rulesOf(least-1))) == 0 {
			t.Errorf("%s is enough for %+v", roles[least-1].name, o)
		}
		has(roleView, onlyReads(drainRights(o)), o)
	}
}

// A role holds nothing that no feature needs: what the operator may write is
// what cordon and a plain drain ask for, and the full role adds to it what the
// other flags ask for.
func TestRolesHoldNothingElse(t *testing.T) {
	for _, r := range rulesOf(roleView) {
		if !onlyLooks(r) {
			t.Errorf("%s may %s", roles[roleView].name, r)
		}
	}
	asked := [][]request.Permission{roleOperator: slices.Concat(cordonRights(plan.DryRunNone), leaseRights(kube.DefaultLeaseNamespace), eventRights()), roleFull: nil}
	for _, o := range everyDrain() {
		least := leastFor(o)
		asked[least] = append(asked[least], drainRights(o)...)
	}
	asked[roleFull] = slices.Concat(asked[roleFull], asked[roleOperator], retireRights(), wayOutRights)
	for _, at := range []int{roleOperator, roleFull} {
		for _, r := range rulesOf(at) {
			if !onlyLooks(r) && !slices.Contains(asked[at], r) {
				t.Errorf("%s may %s, which nothing asks for", roles[at].name, r)
			}
		}
		if below := beyond(rulesOf(at-1), rulesOf(at)); len(below) > 0 {
			t.Errorf("%s lacks %v of the role before it", roles[at].name, below)
		}
	}
	for _, f := range features() {
		if len(f.rules) == 0 {
			t.Errorf("%s needs no rule", f.what)
		}
	}
}

// The group of a kind is written down once more in apiGroups; client-go knows it too.
func TestViewReadsEveryWatchedKind(t *testing.T) {
	known := map[string][]string{} // groups by resource
	for kind := range scheme.Scheme.AllKnownTypes() {
		plural, _ := apimeta.UnsafeGuessKindToResource(kind)
		known[plural.Resource] = append(known[plural.Resource], kind.Group)
	}
	view := rulesOf(roleView)
	for _, k := range kube.Kinds {
		if missing := beyond(toWatch(k), view); len(missing) > 0 {
			t.Errorf("%s lacks %v", roles[roleView].name, missing)
		}
		if k != kube.KindUsage && !slices.Contains(known[string(k)], apiGroups[k]) {
			t.Errorf("%s are not in the group %q, but in one of %q", k, apiGroups[k], known[string(k)])
		}
	}
}

func TestRulesAreGrouped(t *testing.T) {
	got := roleYAML("ClusterRole", "some", []request.Permission{
		{Verb: "list", Resource: "pods"}, {Verb: "get", Resource: "pods"}, {Verb: "create", Resource: "pods", Subresource: "eviction"},
		{Verb: "get", Resource: "nodes"}, {Verb: "list", Resource: "nodes"}, {Verb: "get", Resource: "nodes"},
		{Verb: "get", Group: "apps", Resource: "daemonsets"},
	})
	_, rules, _ := strings.Cut(got, "rules:\n")
	const want = `- apiGroups: [""]
  resources: [nodes, pods]
  verbs: [get, list]
- apiGroups: [""]
  resources: [pods/eviction]
  verbs: [create]
- apiGroups: ["apps"]
  resources: [daemonsets]
  verbs: [get]
`
	if rules != want {
		t.Errorf("got\n%swant\n%s", rules, want)
	}
}
