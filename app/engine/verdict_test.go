package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/forecast"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/verdict"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// In a cluster in which nothing happens but what the drain brings about, a drain ends as the verdict on its plan says.
func TestVerdictIsTheRun(t *testing.T) {
	n, seed := fromEnv(t, "DRAIN_N", 500), fromEnv(t, "DRAIN_SEED", 1)
	ends := map[verdict.End]int{}
	for i := range n {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { ends[verdictRun(t, rand.New(rand.NewPCG(seed, i)))]++ })
		})
	}
	t.Log(ends)
	for _, end := range []verdict.End{verdict.EndRefused, verdict.EndNever, verdict.EndWaits, verdict.EndCosts,
		verdict.EndComplete} {
		if ends[end] < int(n/50) {
			t.Errorf("%d of %d scenes end %s", ends[end], n, end)
		}
	}
}

func verdictRun(t *testing.T, random *rand.Rand) verdict.End {
	s := kubetest.NewSimulation()
	s.EndAfter = time.Duration(random.IntN(3000)) * time.Millisecond
	s.ReadyAfter = time.Duration(random.IntN(3000)) * time.Millisecond
	s.ControllerLag = time.Duration(1+random.IntN(200)) * time.Millisecond
	s.AtOnce = random.IntN(2) == 0
	nodes := []string{"a", "b", "c", "spare"}
	for _, name := range nodes {
		s.AddNode(name)
	}
	for i := range 1 + random.IntN(3) {
		someApp(s, random, fmt.Sprintf("app%d", i), nodes)
	}
	if random.IntN(2) == 0 {
		s.ShowAgents()
		s.AddPod("agent", nodes[random.IntN(3)], func(p *corev1.Pod) {
			p.OwnerReferences[0].Kind, p.OwnerReferences[0].UID = "DaemonSet", "ds"
		})
	}
	o := plan.DefaultOptions()
	o.IgnoreDaemonSets = random.IntN(4) > 0
	o.Timeout, o.MaxParallelNodes, o.MaxParallelEvictions = 10*time.Minute, 1+random.IntN(3), 1+random.IntN(5)
	o.Force, o.DeleteEmptyDirData = random.IntN(4) > 0, random.IntN(4) > 0
	o.DisableEviction = random.IntN(10) == 0
	if random.IntN(4) == 0 {
		o.Guard = "50%"
	}
	nodes = nodes[:1+random.IntN(3)]

	planned, err := plan.New(s.Snapshot(), nodes, o, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	planned = planned.WithEstimate(forecast.Of(s.Snapshot(), planned, time.Now()))
	said := verdict.Of(&planned)
	state := drive(t, s, o, nodes...).State()

	want := map[verdict.End][]drain.Outcome{
		verdict.EndRefused:  {drain.OutcomeRefused, drain.OutcomePartly},
		verdict.EndNever:    {drain.OutcomePartly},
		verdict.EndWaits:    {drain.OutcomePartly},
		verdict.EndCosts:    {drain.OutcomeDone},
		verdict.EndComplete: {drain.OutcomeDone},
	}[said.End]
	if !slices.Contains(want, state.Outcome) {
		t.Errorf("the plan says %s: %s%s; the run ended %s: %s", said.End, said.Head, said.Tail, state.Outcome, state.Message)
		plan.EachMove(planned, func(p *plan.Pod) { t.Logf("%s on %s: %s %+v", p.Name, p.Node, p.Action, p.Effects()) })
		for _, p := range state.Pods {
			t.Logf("%s: %s %+v", p.Name, p.State, p.Wait)
		}
	}
	return said.End
}

// someApp adds the pods of an app, with or without an owner, a budget, local data and a pod that never becomes Ready.
func someApp(s *kubetest.Simulation, random *rand.Rand, app string, nodes []string) {
	pods, sick, stuck, kind := 1+random.IntN(5), random.IntN(4) == 0, random.IntN(10) == 0, random.IntN(6)
	for i := range pods {
		s.AddPod(app, nodes[random.IntN(len(nodes))], func(p *corev1.Pod) {
			p.CreationTimestamp = metav1.NewTime(time.Now().Add(-time.Hour))
			if sick && i == 0 {
				kubetest.SetReady(p, false)
			}
			if stuck && i == 1 {
				p.Finalizers = []string{"example.com/backup"}
				p.DeletionTimestamp = new(metav1.NewTime(time.Now().Add(-30 * time.Minute)))
			}
			switch kind {
			case 0:
				p.OwnerReferences = nil
			case 1:
				kubetest.WithEmptyDir(p)
			}
		})
	}
	if kind > 0 {
		s.AddReplicaSet(app, int32(pods))
	}
	if random.IntN(3) > 0 {
		s.AddBudget(app, random.IntN(pods+1))
		if random.IntN(4) == 0 {
			kubetest.ControlledBy("example.org/v1", "Cache", "c")(s.Budgets[app])
			s.Control(app)
		}
	}
}
