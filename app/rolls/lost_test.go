package rolls

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// The journal of a batch is missing while the cluster has its annotations: it is not begun a second time. It would
// count the replicas that it has raised as the number to set back to.
func TestABatchWhoseJournalIsMissing(t *testing.T) {
	sim := kubetest.NewSimulation()
	defer sim.Halt()
	sim.AddNode("w1")
	sim.AddNode("w2")
	web, rs := kubetest.Deployment("shop/web", 2)
	web.Annotations = map[string]string{kube.SurgeAnnotation: `{"run":"x4wz-1","was":1,"to":2}`}
	for _, o := range []runtime.Object{web, rs} {
		sim.Store.Put(kubetest.Convert(o))
	}
	runs := app.NewRuns(t.TempDir(), "kdrain-tui")
	s := &app.Session{Runs: runs, View: app.View{Source: sim, Now: time.Now}}
	nodes := []string{"w1", "w2"}
	run, begun, err := drainOf(t.Context(), s, roll.Drain{Run: "x4wz-1", Nodes: nodes}, plan.DefaultOptions())
	if want := "the journal of run x4wz-1 is missing, and the cluster has its annotations: undo what they tell with kdrain-tui rollback " +
		"--node w1 --node w2"; run != nil || begun || err == nil || err.Error() != want {
		t.Errorf("%v, begun %v: %v, want %s", run, begun, err, want)
	}
	if err := s.Lost(sim.Snapshot(), "x4wz-2", nodes); err != nil {
		t.Errorf("another run: %v", err)
	}
}
