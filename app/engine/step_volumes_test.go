package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// volumeWorld is a node with pods and a place for them to go.
func volumeWorld(t *testing.T) (*kubetest.Simulation, *kubetest.Disks) {
	t.Helper()
	s := kubetest.NewSimulation()
	s.AddNode("a")
	s.AddNode("b")
	d := kubetest.NewDisks(s)
	d.Elsewhere = "b"
	return s, d
}

func waitedFor(e *Engine, what waits.For) []*waits.Wait {
	var all []*waits.Wait
	for _, event := range e.Events(0) {
		if event.Kind == drain.EventPod && event.Wait != nil && event.Wait.For == what {
			all = append(all, event.Wait)
		}
	}
	return all
}

func TestVolumesGoInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := volumeWorld(t)
		d.OnChange = nil
		volumes := map[string][]string{}
		for i, priority := range []int32{0, 100, -5, 7} {
			claim := fmt.Sprintf("data%d", i)
			p := s.AddPod("db", "a", d.With(claim+"@disk"), kubetest.Prio(priority))
			volumes[p.Name] = []string{"pv-" + claim}
		}
		for range 5 {
			s.AddPod("web", "a")
		}
		d.WatchTurns("a", volumes)
		began := time.Now()
		e := drive(t, s, plan.DefaultOptions(), "a")
		if e.State().Outcome != drain.OutcomeDone || len(d.Overlaps) > 0 {
			t.Fatalf("outcome %q, overlaps %v", e.State().Outcome, d.Overlaps)
		}
		want := []string{"db-2 gone", "pv-data1 detached", "db-4 gone", "pv-data3 detached",
			"db-1 gone", "pv-data0 detached", "db-3 gone", "pv-data2 detached"}
		var film []string
		for _, line := range d.Film {
			if !strings.HasPrefix(line, "web") {
				film = append(film, line)
			}
		}
		if !slices.Equal(film, want) {
			t.Errorf("order %v\nwant  %v", film, want)
		}
		// One second to end and three to detach each, and no wait for the attach.
		if took := time.Since(began); took > 16*time.Second+200*time.Millisecond {
			t.Errorf("four turns took %s", took)
		}
		for _, p := range e.State().Pods {
			if p.Owner == "ReplicaSet/web" && p.Ended.Sub(p.Begun) > 1200*time.Millisecond {
				t.Errorf("%s has no volume and took %s", p.Name, p.Ended.Sub(p.Begun))
			}
		}
	})
}

func TestTheNextInLineIsToldWhoGoesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := volumeWorld(t)
		for i := range 4 {
			s.AddPod("db", "a", d.With(fmt.Sprintf("data%d@disk", i)))
		}
		e := drive(t, s, plan.DefaultOptions(), "a")
		var said []string
		for _, w := range waitedFor(e, waits.ForVolumeQueue) {
			said = append(said, w.Sentence(time.Now()))
		}
		for _, want := range []string{
			"its turn: default/db-1 is ending on a (driver disk)", "its turn: default/db-1 is detaching from a (pv-data0, driver disk)",
			"its turn: other pods with volumes are evicted first on its node (driver disk)", "its turn: default/db-3 is detaching from a (pv-data2, driver disk)",
		} {
			if !slices.Contains(said, want) {
				t.Errorf("%q is not in %q", want, said)
			}
		}
		// Two changes for the next in line per turn, one for those behind: the
		// journal grows with the pods, not with their square.
		if len(said) > 4*4 {
			t.Errorf("%d events for four turns", len(said))
		}
	})
}

func TestDriversAndNodesHaveTurnsOfTheirOwn(t *testing.T) {
	for _, c := range []struct {
		name string
		most int
		pods [][]string
		want time.Duration
	}{
		{"two drivers, one pod each", 1, [][]string{{"x@disk"}, {"y@nas"}}, 4 * time.Second},
		{"one driver, two pods", 1, [][]string{{"x@disk"}, {"y@disk"}}, 8 * time.Second},
		{"two at a time", 2, [][]string{{"x@disk"}, {"y@disk"}}, 4 * time.Second},
		{"a pod with both drivers", 1, [][]string{{"x@disk", "y@nas"}, {"z@nas"}}, 8 * time.Second},
		{"two volumes of one pod", 1, [][]string{{"x@disk", "y@disk"}}, 4 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, d := volumeWorld(t)
				for _, claims := range c.pods {
					s.AddPod("db", "a", d.With(claims...))
				}
				o := plan.DefaultOptions()
				o.MaxParallelVolumes = c.most
				began := time.Now()
				e := drive(t, s, o, "a")
				if took := time.Since(began); e.State().Outcome != drain.OutcomeDone || took < c.want || took > c.want+100*time.Millisecond {
					t.Errorf("%q after %s, want %s", e.State().Outcome, took, c.want)
				}
			})
		})
	}
}

func TestWithoutTurnsAsKubectl(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := volumeWorld(t)
		for i := range 5 {
			s.AddPod("db", "a", d.With(fmt.Sprintf("data%d@disk", i)))
		}
		o := plan.DefaultOptions()
		o.MaxParallelVolumes = 0
		began := time.Now()
		e := drive(t, s, o, "a")
		if took := time.Since(began); took > 1100*time.Millisecond {
			t.Errorf("five pods at once took %s", took)
		}
		if n := e.State().Nodes[0]; n.State != drain.NodeDrained || len(n.Attached) != 5 || !strings.HasPrefix(n.Warning, "not safe to power off: volume pv-data0 (default/data0) is still attached; ") {
			t.Errorf("node %s, %d attached, %q", n.State, len(n.Attached), n.Warning)
		}
	})
}

func TestBlockedPodGivesItsTurnAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := volumeWorld(t)
		held := s.AddPod("held", "a", d.With("held@disk"), kubetest.Prio(1000))
		s.AddBudget("held", 1)
		stuck := s.AddPod("stuck", "a", d.With("stuck@disk"), kubetest.Prio(500), func(p *corev1.Pod) { p.Finalizers = []string{"example.com/x"} })
		free := s.AddPod("free", "a", d.With("free@disk"))
		o := plan.DefaultOptions()
		o.Timeout = time.Minute
		e := drive(t, s, o, "a")
		state := e.State()
		if p := state.Pod(held.UID); p.State != eviction.BudgetBlocked {
			t.Errorf("held is %s", p.State)
		}
		if p := state.Pod(stuck.UID); p.State != eviction.StuckTerminating {
			t.Errorf("stuck is %s", p.State)
		}
		p := state.Pod(free.UID)
		if p.State != eviction.Gone {
			t.Fatalf("free is %s: %s", p.State, p.Wait.Sentence(time.Now()))
		}
		// It waits while the other may still end in its time: a second of grace and
		// ten after it.
		if took := p.Ended.Sub(p.Begun); took < budget.StuckAfter || took > budget.StuckAfter+3*time.Second {
			t.Errorf("free went after %s", took)
		}
	})
}

func TestDetachTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := volumeWorld(t)
		d.Stay["pv-first"] = true
		first := s.AddPod("db", "a", d.With("first@disk"), kubetest.Prio(1))
		second := s.AddPod("db", "a", d.With("second@disk"))
		o := plan.DefaultOptions()
		o.DetachTimeout = 20 * time.Second
		e := drive(t, s, o, "a")
		state := e.State()
		if state.Outcome != drain.OutcomeDone {
			t.Fatalf("outcome %q", state.Outcome)
		}
		p := state.Pod(first.UID)
		if v := p.Volumes[0]; v.State != volume.VolumeStillAttached || !v.DetachedAt.IsZero() {
			t.Errorf("volume %+v", v)
		}
		// The grace of the pod is 30 s, and it used one of them.
		gap := state.Pod(second.UID).Accepted.Sub(p.Accepted)
		if want := time.Duration(p.GraceSeconds)*time.Second + o.DetachTimeout; gap < want || gap > want+100*time.Millisecond {
			t.Errorf("the turn went on after %s, want %s", gap, want)
		}
		n := state.Nodes[0]
		if n.State != drain.NodeDrained || len(n.Attached) != 1 || n.Attached[0].Volume != "pv-first" || n.Attached[0].Handle != "handle-pv-first" {
			t.Errorf("node %s with %+v", n.State, n.Attached)
		}
		if !strings.Contains(n.Warning, "not safe to power off: volume pv-first") {
			t.Errorf("warning %q", n.Warning)
		}
		if !slices.ContainsFunc(e.Events(0), func(e drain.Event) bool {
			return e.Kind == drain.EventVolumes && strings.HasPrefix(e.Message, "volume pv-first still attached to a, 20s after")
		}) {
			t.Error("nothing says that the turn went on")
		}
	})
}

func TestReattachIsShownAndNeverAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := volumeWorld(t)
		d.Elsewhere = "b"
		moves := s.AddPod("db", "a", d.With("moves@disk"), kubetest.Prio(2))
		later := s.AddPod("db", "a", d.With("later@disk"), kubetest.Prio(1))
		s.AddPod("held", "a")
		s.AddBudget("held", 1)
		o := plan.DefaultOptions()
		o.Timeout, o.ReattachTimeout = 3*time.Minute, 30*time.Second
		s.Later(6*time.Second, func() { d.Elsewhere = "" }) // the second goes nowhere
		e := drive(t, s, o, "a")
		p, q := e.State().Pod(moves.UID), e.State().Pod(later.UID)
		if v := p.Volumes[0]; v.State != volume.VolumeReattached || v.Node != "b" || v.ReattachedAt.Sub(v.DetachedAt).Round(lookEvery*4) != time.Second {
			t.Errorf("moved volume %+v", v)
		}
		if gap := q.Accepted.Sub(p.Volumes[0].DetachedAt); gap > 50*time.Millisecond {
			t.Errorf("the next went %s after the detach", gap)
		}
		if v := q.Volumes[0]; v.State != volume.VolumeDetached || !v.Late {
			t.Errorf("volume without a node %+v", v)
		}
		if !slices.ContainsFunc(e.Events(0), func(e drain.Event) bool {
			return e.Kind == drain.EventVolumes && e.Message == "volume pv-later not attached to another node 30s after leaving a"
		}) {
			t.Error("no warning of the one that is attached nowhere")
		}
	})
}

func TestASharedVolumeIsAwaitedAfterItsLastPod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := volumeWorld(t)
		one := s.AddPod("db", "a", d.With("both@disk"))
		s.AddPod("db", "a", d.With("both"))
		began := time.Now()
		e := drive(t, s, plan.DefaultOptions(), "a")
		if p := e.State().Pod(one.UID); p.Volumes[0].State != volume.VolumeShared {
			t.Errorf("volume %+v", p.Volumes[0])
		}
		// A second for each pod and three for the detach: between the pods nothing is waited for.
		if took := time.Since(began); took < 5*time.Second || took > 5100*time.Millisecond {
			t.Errorf("two pods after each other took %s, want 5s", took)
		}
		if n := e.State().Nodes[0]; len(n.Attached) != 0 {
			t.Errorf("node has %+v", n.Attached)
		}
	})
}

func TestAttachmentsThatCannotBeRead(t *testing.T) {
	for _, kind := range []kube.Kind{kube.KindAttachments, kube.KindVolumes, kube.KindClaims} {
		t.Run(string(kind), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, d := volumeWorld(t)
				for i := range 3 {
					s.AddPod("db", "a", d.With(fmt.Sprintf("data%d@disk", i)))
				}
				s.Store.SetSync(kind, kube.SyncState{Phase: kube.Denied, Reason: "forbidden"})
				began := time.Now()
				e := drive(t, s, plan.DefaultOptions(), "a")
				if took := time.Since(began); took > 1100*time.Millisecond {
					t.Errorf("without their facts pods go at once, as with kubectl; it took %s", took)
				}
				for _, p := range e.State().Pods {
					if v := p.Volumes[0]; v.State != volume.VolumeUnknown || !strings.Contains(v.Why, string(kind)) {
						t.Errorf("volume %+v", v)
					}
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		s, d := volumeWorld(t)
		s.AddPod("db", "a", d.With("data@disk"))
		s.AddPod("web", "a")
		s.Store.SetSync(kube.KindAttachments, kube.SyncState{Phase: kube.NotSynced})
		s.Later(5*time.Second, func() { s.Store.SetSync(kube.KindAttachments, kube.SyncState{Phase: kube.Synced}) })
		e := drive(t, s, plan.DefaultOptions(), "a")
		db, web := e.State().Pods[0], e.State().Pods[1]
		if web.Ended.Sub(web.Begun) > 1200*time.Millisecond || db.Ended.Sub(db.Begun) < 5*time.Second || e.State().Outcome != drain.OutcomeDone {
			t.Errorf("db took %s, web %s", db.Ended.Sub(db.Begun), web.Ended.Sub(web.Begun))
		}
		if len(waitedFor(e, waits.ForVolumes)) == 0 {
			t.Error("nothing says what db waited for")
		}
	})
}

func TestNodeGoneIsDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := volumeWorld(t)
		d.Stay["pv-data"] = true
		p := s.AddPod("db", "a", d.With("data@disk"))
		s.Later(1500*time.Millisecond, func() {
			s.Store.Remove(&kube.Node{Name: "a"})
		})
		began := time.Now()
		e := drive(t, s, plan.DefaultOptions(), "a")
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("a node that is gone was waited for, %s", took)
		}
		if v := e.State().Pod(p.UID).Volumes[0]; v.State != volume.VolumeUnknown || v.Why != volume.WhyNodeGone {
			t.Errorf("volume %+v", v)
		}
	})
}

func TestVolumesOutliveAKill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := volumeWorld(t)
		for i := range 3 {
			s.AddPod("db", "a", d.With(fmt.Sprintf("data%d@disk", i)))
		}
		e := drive(t, s, plan.DefaultOptions(), "a")
		events := e.Events(0)
		for cut := range events {
			if cut == 0 {
				continue
			}
			// Whatever was written, the fold of it and the fold of it again agree.
			once, twice := drain.Fold(nil, events[:cut]...), drain.Fold(drain.Fold(nil, events[:cut/2]...), events[cut/2:cut]...)
			for i := range once.Pods {
				if !slices.Equal(once.Pods[i].Volumes, twice.Pods[i].Volumes) {
					t.Fatalf("after %d events: %+v and %+v", cut, once.Pods[i].Volumes, twice.Pods[i].Volumes)
				}
			}
		}
		last := events[len(events)-1]
		if last.Kind != drain.EventRunEnded {
			t.Fatalf("last event %s", last.Kind)
		}
	})
}
