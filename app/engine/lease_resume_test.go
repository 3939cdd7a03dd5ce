package engine

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func TestResumeTakesItsOwnLeaseAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := contested()
		o := &operator{Simulation: s}
		e := o.begin(t, "r1", leasing(), "a")
		time.Sleep(12 * time.Second)
		events := e.Events(0)
		dead := &operator{Simulation: s} // the first process sees and sends nothing from here on
		o.disconnect(true)
		began := time.Now()
		again, err := Resume(t.Context(), EngineConfig{Source: dead, Writer: dead, Now: time.Now}, events)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if n := again.State().Nodes[0]; n.Lease == nil || n.Lease.State != lease.Held || time.Since(began) > time.Second {
			t.Errorf("the Lease is %+v after %s", n.Lease, time.Since(began))
		}
		if !slices.Equal(dead.leases, []string{"update r1"}) {
			t.Errorf("sent %v", dead.leases)
		}
		for _, e := range []*Engine{again, e} {
			e.Send(drain.Command{Kind: drain.CommandAbort, By: "test"})
			<-e.Done()
		}
	})
}

// The Lease of a node that is done is given back, but not by a run that was told
// to send nothing more.
func TestASuspendedRunKeepsItsLeases(t *testing.T) {
	s := kubetest.NewSimulation()
	s.AddNode("a")
	s.AddNode("b")
	for suspended, want := range map[bool]int{false: 2, true: 0} {
		state := &drain.State{
			Run: drain.RunFacts{ID: "r1", Options: leasing()}, Phase: drain.PhaseEvict, Phases: map[drain.Phase]drain.PhaseStatus{drain.PhaseEvict: drain.PhaseRuns}, Suspended: suspended,
			Nodes: []*drain.NodeRun{
				{NodeFacts: drain.NodeFacts{Name: "a", UID: "node-a"}, State: drain.NodeDrained, Lease: &lease.Record{State: lease.Held, Renewed: kubetest.Now}},
				{NodeFacts: drain.NodeFacts{Name: "b", UID: "node-b"}, State: drain.NodeDraining, Lease: &lease.Record{State: lease.Held, Renewed: kubetest.Now}},
			},
		}
		writes := drain.Step(state, s.Store.Snapshot(), nil, kubetest.Now).Writes
		released := 0
		for _, w := range writes {
			if w.Verb == attempt.VerbRelease {
				released++
			}
		}
		if released != want || suspended && len(writes) > 0 {
			t.Errorf("suspended %v: %d given back, want %d; sent %+v", suspended, released, want, writes)
		}
	}
}

// What was left to do was done while no process ran: the node is empty at the first
// look of the process that resumes, and the Lease of the one before is given back.
func TestResumeGivesBackALeaseThatItNeedsNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddNode("b")
		s.AddPod("web", "a")
		s.EndAfter = 20 * time.Second
		o := &operator{Simulation: s}
		e := o.begin(t, "r1", leasing(), "a")
		time.Sleep(12 * time.Second)
		events := e.Events(0)
		o.disconnect(true)
		time.Sleep(12 * time.Second)
		if o.held("node-a") == nil {
			t.Fatal("there is no Lease to give back")
		}
		s.Store.SetSync(kube.KindLeases, kube.SyncState{Phase: kube.NotSynced})
		s.Later(time.Second, func() { s.Store.SetSync(kube.KindLeases, kube.SyncState{Phase: kube.Synced}) })
		heir := &operator{Simulation: s}
		again, err := Resume(t.Context(), EngineConfig{Source: heir, Writer: heir, Now: time.Now}, events)
		if err != nil {
			t.Fatal(err)
		}
		<-again.Done()
		if got := again.State(); got.Outcome != drain.OutcomeDone || got.Nodes[0].Lease == nil || got.Nodes[0].Lease.State != lease.Released {
			t.Errorf("outcome %q, Lease %+v", got.Outcome, got.Nodes[0].Lease)
		}
		if left := o.held("node-a"); left != nil {
			t.Errorf("left behind: %+v", left)
		}
		e.Send(drain.Command{Kind: drain.CommandAbort, By: "test"})
		<-e.Done()
	})
}

// The process that resumed found the node empty and died before its take of the Lease
// was answered: the next one gives the Lease back that stands.
func TestResumeGivesBackALeaseWhoseTakeWasNotAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := contested()
		s.AddNode("c")
		s.AddPod("kept", "c") // its Lease is held as long as the first process lives
		s.AddBudget("kept", 1)
		o := &operator{Simulation: s}
		e := o.begin(t, "r1", leasing(), "a", "c")
		time.Sleep(12 * time.Second)
		held := o.held("node-c")
		if held == nil {
			t.Fatal("there is no Lease to give back")
		}
		o.disconnect(true)
		events := slices.Clone(e.Events(0))
		for _, lost := range []drain.Event{
			{Kind: drain.EventResumed},
			{Kind: drain.EventIntent, Node: "c", Lease: &lease.Facts{Namespace: held.Namespace, Name: held.Name, Holder: "r1"},
				Action: &attempt.ActionFacts{ID: 1000, Verb: attempt.VerbAcquire, Version: held.ResourceVersion}},
			{Kind: drain.EventNode, Node: "c", NodeState: drain.NodeDrained},
		} {
			lost.Seq, lost.Time = uint64(len(events)+1), time.Now()
			events = append(events, lost)
		}
		heir := &operator{Simulation: s}
		again, err := Resume(t.Context(), EngineConfig{Source: heir, Writer: heir, Now: time.Now}, events)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if left := o.held("node-c"); left != nil {
			t.Errorf("left behind: %+v", left)
		}
		for _, e := range []*Engine{again, e} {
			e.Send(drain.Command{Kind: drain.CommandAbort, By: "test"})
			<-e.Done()
		}
	})
}
