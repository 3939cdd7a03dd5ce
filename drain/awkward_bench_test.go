package drain

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/kube"
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
		objects = append(objects, givenNode(names[i]))
	}
	for i := range pods {
		app, first := of(i)
		if n := replicas[app]; first {
			d, rs := givenDeployment("shop/"+app, n)
			allowed := max(n/3, 1)
			objects = append(objects, d, rs, givenBudget("shop/"+app, n-allowed, n, allowed, n))
		}
		objects = append(objects, givenPod(fmt.Sprintf("shop/%s-%d", app, i), byDeployment(app), on(names[i*7%nodes])))
	}
	return kube.SnapshotOf(givenNow, objects...), names
}

// BenchmarkAwkward is the plan of 300 nodes, its forecast, and the rows of the
// nodes page, where all budgets are in one namespace or all pods have one owner.
func BenchmarkAwkward(b *testing.B) {
	for name, made := range map[string]func() (*kube.Snapshot, []string){"budgets": manyBudgets, "owner": oneOwner} {
		s, nodes := made()
		o := flags(ignoreDaemonSets)
		plan, err := NewPlan(s, nodes, o, givenNow)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name+"/plan", func(b *testing.B) {
			for b.Loop() {
				if _, err := NewPlan(s, nodes, o, givenNow); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/forecast", func(b *testing.B) {
			for b.Loop() {
				Forecast(s, plan, givenNow)
			}
		})
		b.Run(name+"/previews", func(b *testing.B) {
			for b.Loop() {
				previews := NewPreviews(s, givenNow)
				for _, n := range nodes {
					previews.Node(n, o)
				}
			}
		})
	}
}
