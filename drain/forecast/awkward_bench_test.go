package forecast

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/plan/plantest"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// manyBudgets has 300 nodes with 30 pods each in one namespace: Deployments of
// three pods, each with a budget of its own.
func manyBudgets() (*kube.Snapshot, []string) {
	return awkward(func(i int) (app string, budget bool) { return fmt.Sprintf("app%d", i/3), i%3 == 0 })
}

// oneOwner has 300 nodes with 30 pods each, all of one Deployment with one budget.
func oneOwner() (*kube.Snapshot, []string) {
	return awkward(func(i int) (app string, budget bool) { return "app", i == 0 })
}

func awkward(of func(pod int) (app string, first bool)) (*kube.Snapshot, []string) {
	const nodes, pods = 300, 9000
	var names []string
	var objects []runtime.Object
	replicas := map[string]int32{}
	for i := range pods {
		app, _ := of(i)
		replicas[app]++
	}
	for i := range nodes {
		names = append(names, fmt.Sprintf("node-%03d", i))
		objects = append(objects, kubetest.Node(names[i]))
	}
	for i := range pods {
		app, first := of(i)
		if n := replicas[app]; first {
			d, rs := kubetest.Deployment("shop/"+app, n)
			allowed := max(n/3, 1)
			objects = append(objects, d, rs, kubetest.Budget("shop/"+app, n-allowed, n, allowed, n))
		}
		objects = append(objects, kubetest.Pod(fmt.Sprintf("shop/%s-%d", app, i), kubetest.ByDeployment(app), kubetest.On(names[i*7%nodes])))
	}
	return kubetest.SnapshotOf(kubetest.Now, objects...), names
}

// BenchmarkAwkward is the plan of 300 nodes, its forecast, and the rows of the
// nodes page, where all budgets are in one namespace or all pods have one owner.
func BenchmarkAwkward(b *testing.B) {
	for name, made := range map[string]func() (*kube.Snapshot, []string){"budgets": manyBudgets, "owner": oneOwner} {
		s, nodes := made()
		o := plantest.Options(plantest.IgnoreDaemonSets)
		planned, err := plan.New(s, nodes, o, kubetest.Now)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name+"/plan", func(b *testing.B) {
			for b.Loop() {
				if _, err := plan.New(s, nodes, o, kubetest.Now); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/forecast", func(b *testing.B) {
			for b.Loop() {
				Of(s, planned, kubetest.Now)
			}
		})
		b.Run(name+"/previews", func(b *testing.B) {
			for b.Loop() {
				previews := plan.NewPreviews(s, kubetest.Now)
				for _, n := range nodes {
					previews.Assume(n, o)
				}
			}
		})
	}
}
