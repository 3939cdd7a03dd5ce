package engine

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// A day of 100 nodes that wait, each with its Lease and with pods that never go, leaves 50 MB
// of journal and of memory at most, whatever refuses them: budgets while the sick pods under
// these keep changing (that left 0.6 GB and more than 1 GB), budgets that may not be read, a
// webhook that denies for ever, a server that fails. Here it is a part of the nodes, and the
// same part of the bytes.
func TestADayOfWaitingStaysSmall(t *testing.T) {
	refuses := func(a kube.Answer) func(*kubetest.Simulation) {
		return func(s *kubetest.Simulation) {
			s.Answer = func(request.Evict) (kube.Answer, bool) { return a, true }
		}
	}
	for name, prepare := range map[string]func(*kubetest.Simulation){
		"budgets": func(*kubetest.Simulation) {},
		"budgets that may not be read": func(s *kubetest.Simulation) {
			s.Store.SetPhase(kube.Scope{Kind: kube.KindBudgets}, kube.Denied, "forbidden")
		},
		"a webhook that denies": refuses(kube.Answer{Code: 403, Message: `admission webhook "virt-launcher-eviction-interceptor.kubevirt.io" denied the request: not now`}),
		"a server that fails":   refuses(kube.Answer{Code: 500, Message: "etcdserver: request timed out"}),
	} {
		t.Run(name, func(t *testing.T) { waitADay(t, prepare) })
	}
}

func waitADay(t *testing.T, prepare func(*kubetest.Simulation)) {
	t.Helper()
	const part = 10
	const most = 50 << 20 / part
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		o := leasing()
		o.MaxParallelNodes = 100 / part
		var nodes []string
		for n := range o.MaxParallelNodes {
			nodes = append(nodes, fmt.Sprint("n", n))
			s.AddNode(nodes[n])
			app := fmt.Sprint("app", n/2)
			for range 2 {
				s.AddPod(app, nodes[n])
			}
		}
		s.AddNode("elsewhere")
		for n := range len(nodes) / 2 {
			app := fmt.Sprint("app", n)
			sick := s.AddPod(app, "elsewhere")
			s.AddBudget(app, 5)
			s.Flap(sick, app, 5*time.Minute)
		}
		prepare(s)
		record, err := journal.CreateJournal(dir, "r1")
		if err != nil {
			t.Fatal(err)
		}
		plan, err := plan.New(s.Snapshot(), nodes, o, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		writer := &operator{Simulation: s}
		e, err := Start(t.Context(), EngineConfig{Source: s, Writer: writer, Journal: record, Now: time.Now}, plan, drain.RunFacts{ID: "r1", Context: "lab"})
		if err != nil {
			t.Fatal(err)
		}
		s.Later(24*time.Hour, func() { e.Send(drain.Command{Kind: drain.CommandAbort, By: "test"}) })
		writer.confirm(t, e)
		<-e.Done()
		s.Halt()
		kept := &e.told
		bytes := 0
		for _, piece := range kept.pieces {
			bytes += len(piece)
		}
		events := len(kept.pieces)*pieceSize + len(kept.latest)
		info, err := os.Stat(journal.JournalPath(dir, "r1"))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d events, %d requests for Leases, journal %.1f MB, pieces %.1f MB", events, len(writer.leases), float64(info.Size())/(1<<20), float64(bytes)/(1<<20))
		if info.Size() > most {
			t.Errorf("%d bytes of journal", info.Size())
		}
		if least := o.MaxParallelNodes * int(24*time.Hour/(lease.OverdueAfter+lease.RetryAfter)); len(writer.renewals) < least {
			t.Errorf("%d renewals in a day, want %d at least", len(writer.renewals), least)
		}
		if memory := weigh(kept); memory > most {
			t.Errorf("%d bytes of memory for events", memory)
		}
		read, _, err := journal.ReadJournal(journal.JournalPath(dir, "r1"))
		if err != nil || len(read) != events || len(kept.After(0)) != events {
			t.Errorf("%d events in the journal, %d of %d told: %v", len(read), len(kept.After(0)), events, err)
		}
	})
}

// weigh measures what a chronicle keeps alive, by a copy of it.
func weigh(c *Chronicle[drain.Event]) uint64 {
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	kept := *c
	copied := Chronicle[drain.Event]{latest: append([]drain.Event(nil), kept.latest...)}
	for _, piece := range kept.pieces {
		copied.pieces = append(copied.pieces, append([]byte(nil), piece...))
	}
	after := heap()
	runtime.KeepAlive(copied)
	return max(after, before) - before
}

// A container's last words are for the screen: neither the events that a report is
// made from nor an Event on a node nor a journal has them.
func TestTerminationMessagesAreNotRecorded(t *testing.T) {
	wait := &waits.Wait{For: waits.ForBudget, Budget: &budget.Numbers{Name: "web"},
		UnhealthyPod: &budget.UnhealthyPod{Name: "web-2", Reason: "Error", Termination: "the password is hunter2"}}
	if got := asJSON(drain.Event{Wait: wait}); len(got) == 0 || strings.Contains(got, "hunter2") {
		t.Errorf("in the journal: %s", got)
	}
	if got := asRecorded([]drain.Event{{Seq: 1, Wait: wait}})[0].Wait.UnhealthyPod; got.Termination != "" || got.Name != "web-2" {
		t.Errorf("told: %+v", got)
	}
	if wait.UnhealthyPod.Termination == "" {
		t.Error("the State has lost them, too")
	}
}
