package engine

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/plan/plantest"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// A DaemonSet that is made during the drain may be seen after its pod. Its pod stops
// the node only if it is not seen at all.
func TestADaemonSetMadeDuringTheDrain(t *testing.T) {
	const comes = 5 * time.Second // after the node began
	of, tolerant := agentOf, kubetest.Tolerating("", corev1.TolerationOpExists)
	for name, c := range map[string]struct {
		edits   []func(*corev1.Pod)
		o       plan.Options
		readsAt time.Duration // after the pod, the DaemonSet; 0: never
		denied  bool
		drains  time.Duration // of the planned pod
		stopped time.Duration // after the pod; 0: the node is drained
		why     string
	}{
		"seen later":                {[]func(*corev1.Pod){of("apps/v1"), tolerant}, plantest.Options(plantest.IgnoreDaemonSets), 15 * time.Second, false, time.Minute, 0, ""},
		"seen later, by name":       {[]func(*corev1.Pod){of("apps/v1"), tolerant}, plantest.Options(plantest.IgnoreDaemonSets), 15 * time.Second, true, time.Minute, 0, ""},
		"seen when all others left": {[]func(*corev1.Pod){of("apps/v1"), tolerant}, plantest.Options(plantest.IgnoreDaemonSets), 20 * time.Second, false, 10 * time.Second, 0, ""},
		"seen later, with --force":  {[]func(*corev1.Pod){of("apps/v1"), tolerant}, plantest.Options(plantest.IgnoreDaemonSets, plantest.Force), 15 * time.Second, false, time.Minute, 0, ""},
		"never seen":                {[]func(*corev1.Pod){of("apps/v1"), tolerant}, plantest.Options(plantest.IgnoreDaemonSets), 0, false, 2 * time.Minute, eviction.DaemonSetShows, "which it tolerates, and its DaemonSet agent is not known"},
		"never seen, all others left": {[]func(*corev1.Pod){of("apps/v1"), tolerant}, plantest.Options(plantest.IgnoreDaemonSets), 0, false, 10 * time.Second, eviction.DaemonSetShows,
			"which it tolerates, and its DaemonSet agent is not known"},
		"DaemonSets are not ignored":    {[]func(*corev1.Pod){of("apps/v1"), tolerant}, plantest.Options(), 15 * time.Second, false, time.Minute, time.Nanosecond, "which it tolerates"},
		"it does not tolerate the node": {[]func(*corev1.Pod){of("apps/v1")}, plantest.Options(plantest.IgnoreDaemonSets), 15 * time.Second, false, time.Minute, time.Nanosecond, "which was not confirmed"},
		"of another group":              {[]func(*corev1.Pod){of("apps.kruise.io/v1alpha1"), tolerant}, plantest.Options(plantest.IgnoreDaemonSets), 15 * time.Second, false, time.Minute, time.Nanosecond, "which it tolerates"},
		"no DaemonSet's":                {[]func(*corev1.Pod){tolerant}, plantest.Options(plantest.IgnoreDaemonSets), 15 * time.Second, false, time.Minute, time.Nanosecond, "which it tolerates"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := kubetest.NewSimulation()
				s.EndAfter = c.drains
				s.AddNode("a")
				s.AddNode("b")
				s.AddPod("web", "a")
				if c.denied {
					s.Store.SetSync(kube.KindDaemonSets, kube.SyncState{Phase: kube.Denied, Reason: "forbidden"})
				}
				e := begin(t, t.Context(), s, c.o, "a")
				began := time.Now()
				s.Later(comes, func() { s.AddPod("agent", "a", c.edits...) })
				if c.readsAt > 0 {
					s.Later(comes+c.readsAt, s.ShowAgents)
				}
				confirmAll(t.Context(), s, e)
				n := e.State().Node("a")
				if c.stopped == 0 {
					if n.State != drain.NodeDrained || e.State().Outcome != drain.OutcomeDone {
						t.Errorf("after %s: %s, %s", n.Ended.Sub(began), n.State, n.Message)
					}
					return
				}
				after := n.Ended.Sub(began) - comes
				if n.State != drain.NodeStopped || after < c.stopped-time.Second || after > c.stopped+time.Second || !strings.Contains(n.Message, c.why) {
					t.Errorf("%s after its pod: %s, %s", after, n.State, n.Message)
				}
			})
		})
	}
}

// A node that is drained while others are not is checked once more at the end.
func TestADaemonSetMadeAfterItsNodeWasDrained(t *testing.T) {
	for name, c := range map[string]struct {
		seen bool
		want drain.NodeState
	}{"seen later": {true, drain.NodeDrained}, "never seen": {false, drain.NodeStopped}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := kubetest.NewSimulation()
				s.EndAfter = 20 * time.Second
				s.AddNode("a")
				s.AddNode("b")
				s.AddPod("web", "a")
				s.AddPod("db", "b")
				e := begin(t, t.Context(), s, plantest.Options(plantest.IgnoreDaemonSets), "a", "b")
				s.Later(35*time.Second, func() { s.AddPod("agent", "a", agentOf("apps/v1"), kubetest.Tolerating("", corev1.TolerationOpExists)) })
				if c.seen {
					s.Later(50*time.Second, s.ShowAgents)
				}
				confirmAll(t.Context(), s, e)
				a, b := e.State().Node("a"), e.State().Node("b")
				if a.State != c.want || b.State != drain.NodeDrained {
					t.Errorf("a: %s, %s; b: %s, %s", a.State, a.Message, b.State, b.Message)
				}
			})
		})
	}
}

// Whether a pod was bound before the cordon is told by the server's clock, whatever
// ours says then or by now: it may be set, and resume may run on another machine.
func TestWhoMayJoinByTheServersClock(t *testing.T) {
	const ahead, behind = 5 * time.Minute, -5 * time.Minute
	for name, c := range map[string]struct{ atCordon, later time.Duration }{
		"exact": {}, "ahead": {ahead, ahead}, "behind": {behind, behind},
		"set back": {ahead, 0}, "set forward": {behind, 0}, "ahead from now on": {0, ahead}, "behind from now on": {0, behind},
	} {
		for _, before := range []bool{true, false} {
			when := map[bool]string{true: ", bound before the cordon", false: ", bound after the cordon"}[before]
			t.Run(name+when, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := kubetest.NewSimulation()
					s.EndAfter = time.Minute
					for _, n := range []string{"a", "b", "c"} {
						s.AddNode(n)
					}
					s.AddPod("web", "a")
					s.AddPod("db", "b")
					var skew time.Duration // of our clock, to the server's
					set := func(to time.Duration) {
						skew = to
						s.Store.SetHealth(kube.Health{Live: true, LastContact: time.Now(), Offset: -to})
					}
					set(c.atCordon)
					now := func() time.Time { s.Mu.Lock(); defer s.Mu.Unlock(); return time.Now().Add(skew) }
					plan, err := plan.New(s.Snapshot(), []string{"a", "b"}, plan.DefaultOptions(), now())
					if err != nil {
						t.Fatal(err)
					}
					e, err := Start(t.Context(), EngineConfig{Source: s, Writer: s, Now: now}, plan, drain.RunFacts{ID: "r1", Context: "lab"})
					if err != nil {
						t.Fatal(err)
					}
					s.Later(20*time.Second, func() { set(c.later) })
					comes := 40 * time.Second
					if before {
						comes = time.Second
					}
					s.Later(comes, func() { s.AddPod("db", "b") })
					time.Sleep(3 * time.Second)
					confirmAll(t.Context(), s, e)
					b := e.State().Node("b")
					if joined := len(s.Accepted) == 3; joined != before || (b.State == drain.NodeDrained) != before ||
						!before && !strings.Contains(b.Message, "bypassing the scheduler") {
						t.Errorf("b is %s (%s), %d evictions", b.State, b.Message, len(s.Accepted))
					}
				})
			})
		}
	}
}

func agentOf(apiVersion string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		controls := true
		p.OwnerReferences = []metav1.OwnerReference{{APIVersion: apiVersion, Kind: "DaemonSet", Name: "agent", UID: "ds", Controller: &controls}}
	}
}
