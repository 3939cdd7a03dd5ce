package forecast

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/plan/plantest"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// Twenty pods of one Deployment under maxUnavailable 1 go one after another; with --surge they
// go together, once their replacements are Ready. The plan says how much shorter that is.
func TestSurgeMakesTheForecastShorter(t *testing.T) {
	d, rs := kubetest.Deployment("shop/web", 20)
	d.Status.ObservedGeneration, d.Status.Replicas, d.Status.UpdatedReplicas = d.Generation, 20, 20
	objects := []runtime.Object{d, rs, kubetest.Budget("shop/web", 19, 20, 1, 20), kubetest.Node("w1", kubetest.Roomy),
		kubetest.Node("w2", kubetest.Roomy), kubetest.Node("w3", kubetest.Roomy)}
	for i := range 20 {
		objects = append(objects, kubetest.Pod("shop/web-"+string(rune('a'+i)), kubetest.ByDeployment("web"), kubetest.On("w1"),
			kubetest.Came(5*time.Second)))
	}
	s := kubetest.SnapshotOf(kubetest.Now, objects...)
	usual := Of(s, plantest.New(t, s, plantest.Options(), "w1"), kubetest.Now)
	planned := plantest.New(t, s, plantest.Options(func(o *plan.Options) { o.Surge = "100%" }), "w1")
	if len(planned.Surging()) != 1 {
		t.Fatalf("the plan does not surge: %+v", planned.Surges[0].Not)
	}
	surged := Of(s, planned, kubetest.Now)
	if surged.Total*4 > usual.Total {
		t.Errorf("%s with a surge, %s without", surged.Total, usual.Total)
	}
	if surged.Saved != usual.Total-surged.Total || usual.Saved != 0 {
		t.Errorf("it says %s shorter; %s with a surge, %s without", surged.Saved, surged.Total, usual.Total)
	}
	if words := surged.Words(kubetest.Now); !strings.Contains(words, "shorter by --surge") {
		t.Error(words)
	}
}
