package drain

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// A DaemonSet that is made during the drain may be seen after its pod. Its pod stops
// the node only if it is not seen at all.
func TestADaemonSetMadeDuringTheDrain(t *testing.T) {
	const comes = 5 * time.Second // after the node began
	of, tolerant := agentOf, tolerating("", corev1.TolerationOpExists)
	for name, c := range map[string]struct {
		edits   []func(*corev1.Pod)
		o       Options
		readsAt time.Duration // after the pod, the DaemonSet; 0: never
		denied  bool
		drains  time.Duration // of the planned pod
		stopped time.Duration // after the pod; 0: the node is drained
		why     string
	}{
		"seen later":                {[]func(*corev1.Pod){of("apps/v1"), tolerant}, flags(ignoreDaemonSets), 15 * time.Second, false, time.Minute, 0, ""},
		"seen later, by name":       {[]func(*corev1.Pod){of("apps/v1"), tolerant}, flags(ignoreDaemonSets), 15 * time.Second, true, time.Minute, 0, ""},
		"seen when all others left": {[]func(*corev1.Pod){of("apps/v1"), tolerant}, flags(ignoreDaemonSets), 20 * time.Second, false, 10 * time.Second, 0, ""},
		"seen later, with --force":  {[]func(*corev1.Pod){of("apps/v1"), tolerant}, flags(ignoreDaemonSets, force), 15 * time.Second, false, time.Minute, 0, ""},
		"never seen":                {[]func(*corev1.Pod){of("apps/v1"), tolerant}, flags(ignoreDaemonSets), 0, false, 2 * time.Minute, daemonSetShows, "it tolerates it, and its DaemonSet agent is not known"},
		"never seen, all others left": {[]func(*corev1.Pod){of("apps/v1"), tolerant}, flags(ignoreDaemonSets), 0, false, 10 * time.Second, daemonSetShows,
			"it tolerates it, and its DaemonSet agent is not known"},
		"DaemonSets are not ignored":    {[]func(*corev1.Pod){of("apps/v1"), tolerant}, flags(), 15 * time.Second, false, time.Minute, time.Nanosecond, "it tolerates it"},
		"it does not tolerate the node": {[]func(*corev1.Pod){of("apps/v1")}, flags(ignoreDaemonSets), 15 * time.Second, false, time.Minute, time.Nanosecond, "which was not confirmed"},
		"of another group":              {[]func(*corev1.Pod){of("apps.kruise.io/v1alpha1"), tolerant}, flags(ignoreDaemonSets), 15 * time.Second, false, time.Minute, time.Nanosecond, "it tolerates it"},
		"no DaemonSet's":                {[]func(*corev1.Pod){tolerant}, flags(ignoreDaemonSets), 15 * time.Second, false, time.Minute, time.Nanosecond, "it tolerates it"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSimulation()
				s.endAfter = c.drains
				s.addNode("a")
				s.addNode("b")
				s.addPod("web", "a")
				if c.denied {
					s.store.SetSync(kube.KindDaemonSets, kube.SyncState{Phase: kube.Denied, Reason: "forbidden"})
				}
				e := begin(t, t.Context(), s, c.o, "a")
				began := time.Now()
				s.later(comes, func() { s.addPod("agent", "a", c.edits...) })
				if c.readsAt > 0 {
					s.later(comes+c.readsAt, s.showAgents)
				}
				confirmAll(t.Context(), s, e)
				n := e.State().Node("a")
				if c.stopped == 0 {
					if n.State != NodeDrained || e.State().Outcome != OutcomeDone {
						t.Errorf("after %s: %s, %s", n.Ended.Sub(began), n.State, n.Message)
					}
					return
				}
				after := n.Ended.Sub(began) - comes
				if n.State != NodeStopped || after < c.stopped-time.Second || after > c.stopped+time.Second || !strings.Contains(n.Message, c.why) {
					t.Errorf("%s after its pod: %s, %s", after, n.State, n.Message)
				}
			})
		})
	}
}

// A node that is drained while others are not is looked at once more at the end.
func TestADaemonSetMadeAfterItsNodeWasDrained(t *testing.T) {
	for name, c := range map[string]struct {
		seen bool
		want NodeState
	}{"seen later": {true, NodeDrained}, "never seen": {false, NodeStopped}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSimulation()
				s.endAfter = 20 * time.Second
				s.addNode("a")
				s.addNode("b")
				s.addPod("web", "a")
				s.addPod("db", "b")
				e := begin(t, t.Context(), s, flags(ignoreDaemonSets), "a", "b")
				s.later(35*time.Second, func() { s.addPod("agent", "a", agentOf("apps/v1"), tolerating("", corev1.TolerationOpExists)) })
				if c.seen {
					s.later(50*time.Second, s.showAgents)
				}
				confirmAll(t.Context(), s, e)
				a, b := e.State().Node("a"), e.State().Node("b")
				if a.State != c.want || b.State != NodeDrained {
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
					s := newSimulation()
					s.endAfter = time.Minute
					for _, n := range []string{"a", "b", "c"} {
						s.addNode(n)
					}
					s.addPod("web", "a")
					s.addPod("db", "b")
					var skew time.Duration // of our clock, to the server's
					set := func(to time.Duration) {
						skew = to
						s.store.SetHealth(kube.Health{Live: true, LastContact: time.Now(), Offset: -to})
					}
					set(c.atCordon)
					now := func() time.Time { s.mu.Lock(); defer s.mu.Unlock(); return time.Now().Add(skew) }
					plan, err := NewPlan(s.Snapshot(), []string{"a", "b"}, DefaultOptions(), now())
					if err != nil {
						t.Fatal(err)
					}
					e, err := Start(t.Context(), EngineConfig{Source: s, Writer: s, Now: now}, plan, RunFacts{ID: "r1", Context: "lab"})
					if err != nil {
						t.Fatal(err)
					}
					s.later(20*time.Second, func() { set(c.later) })
					comes := 40 * time.Second
					if before {
						comes = time.Second
					}
					s.later(comes, func() { s.addPod("db", "b") })
					time.Sleep(3 * time.Second)
					confirmAll(t.Context(), s, e)
					b := e.State().Node("b")
					if joined := len(s.accepted) == 3; joined != before || (b.State == NodeDrained) != before ||
						!before && !strings.Contains(b.Message, "past the scheduler") {
						t.Errorf("b is %s (%s), %d evictions", b.State, b.Message, len(s.accepted))
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

func (s *simulation) showAgents() {
	s.store.Put(kube.DaemonSetRecord(&appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "agent", UID: "ds"}}))
}
