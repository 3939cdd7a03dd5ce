package engine

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func TestGuardHoldsUnprotectedWorkloadsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddNode("b")
		for range 4 {
			s.AddPod("web", "a")
		}
		s.AddReplicaSet("web", 4)
		s.AddPod("single", "a")
		s.AddReplicaSet("single", 1)
		lowest := 4
		s.OnChange = func() {
			up := 0
			for _, p := range s.Pods {
				if p.Labels["app"] == "web" && p.DeletionTimestamp == nil && kubetest.IsReady(p) {
					up++
				}
			}
			lowest = min(lowest, up)
		}
		o := plan.DefaultOptions()
		o.Guard = "25%"
		began := time.Now()
		e := drive(t, s, o, "a")
		if e.State().Outcome != drain.OutcomeDone || lowest != 3 {
			t.Errorf("outcome %q, at the least %d of 4 were Ready", e.State().Outcome, lowest)
		}
		if took := time.Since(began); took < 6*time.Second || took > 9*time.Second {
			t.Errorf("took %s: three waits of 2 s each", took)
		}
		if slices.Index(s.Accepted, "single-5") > 1 {
			t.Errorf("a single replica must not wait: %v", s.Accepted)
		}
	})
}

func TestTemporaryBudgetsStandForTheTimeOfTheRun(t *testing.T) {
	for name, c := range map[string]struct {
		disturb func(s *kubetest.Simulation, cancel context.CancelFunc)
		outcome drain.Outcome
		made    int
	}{
		"done":                  {func(*kubetest.Simulation, context.CancelFunc) {}, drain.OutcomeDone, 1},
		"aborted":               {func(s *kubetest.Simulation, cancel context.CancelFunc) { s.Later(2*time.Second, cancel) }, drain.OutcomeAborted, 1},
		"refused by the server": {func(s *kubetest.Simulation, _ context.CancelFunc) { s.RefuseBudgets = true }, drain.OutcomePartly, 0},
		"another budget comes": {func(s *kubetest.Simulation, _ context.CancelFunc) {
			s.Later(1500*time.Millisecond, func() {
				min := intstr.FromInt32(0)
				other := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "theirs", UID: "theirs"},
					Spec:   policyv1.PodDisruptionBudgetSpec{MinAvailable: &min, Selector: &metav1.LabelSelector{}},
					Status: policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: 9, CurrentHealthy: 9}}
				s.Store.Put(convert.Budget(other))
			})
		}, drain.OutcomeDone, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := kubetest.NewSimulation()
				s.AddNode("a")
				s.AddNode("b")
				for range 4 {
					s.AddPod("web", "a")
				}
				s.AddReplicaSet("web", 4)
				s.AddPod("kept", "a") // has a budget of its own: never a second one
				s.AddPod("kept", "b")
				s.AddReplicaSet("kept", 2)
				s.AddBudget("kept", 1)
				o := plan.DefaultOptions()
				o.Guard, o.GuardWrite = "25%", true
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				c.disturb(s, cancel)
				e := begin(t, ctx, s, o, "a")
				confirmAll(t.Context(), s, e)
				if got := e.State().Outcome; got != c.outcome {
					t.Errorf("outcome %q (%s), want %q", got, e.State().Message, c.outcome)
				}
				if len(s.Made) != c.made || !slices.Equal(s.Made, s.Unmade) {
					t.Errorf("made %v, removed %v", s.Made, s.Unmade)
				}
				if c.made == 0 && s.Cordons > 0 {
					t.Error("cordoned without the guard that was asked for")
				}
				if c.outcome == drain.OutcomeDone && name == "done" && len(s.Evictions) != 5 {
					t.Errorf("%d evictions for 5 pods", len(s.Evictions))
				}
			})
		})
	}
}
