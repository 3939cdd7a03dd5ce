package engine

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func TestJournalIsTheRun(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		for range 3 {
			s.AddPod("web", "a")
		}
		plan, err := plan.New(s.Snapshot(), []string{"a"}, plan.DefaultOptions(), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		record, err := journal.CreateJournal(dir, "r1")
		if err != nil {
			t.Fatal(err)
		}
		e, err := Start(t.Context(), EngineConfig{Source: s, Writer: s, Journal: record, Now: time.Now}, plan, drain.RunFacts{ID: "r1"})
		if err != nil {
			t.Fatal(err)
		}
		confirmAll(t.Context(), s, e)
		events, torn, err := journal.ReadJournal(filepath.Join(dir, "runs", "r1.jsonl"))
		if err != nil || torn {
			t.Fatal(err, torn)
		}
		if len(events) != len(e.Events(0)) {
			t.Errorf("%d events in the journal, %d in the run", len(events), len(e.Events(0)))
		}
		if got, want := written(t, drain.Fold(nil, events...)), written(t, e.State()); got != want {
			t.Errorf("read back:\n%s\nwas:\n%s", got, want)
		}
	})
}

func TestAnUnwritableJournalSendsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddPod("web", "a")
		plan, err := plan.New(s.Snapshot(), []string{"a"}, plan.DefaultOptions(), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		journal, err := journal.CreateJournal(t.TempDir(), "r1")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		e, err := Start(ctx, EngineConfig{Source: s, Writer: s, Journal: journal, Now: time.Now}, plan, drain.RunFacts{ID: "r1"})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err := journal.File.Close(); err != nil {
			t.Fatal(err)
		}
		confirmAll(ctx, s, e)
		if s.Cordons != 0 || len(s.Evictions) != 0 {
			t.Errorf("%d cordons and %d evictions without a journal", s.Cordons, len(s.Evictions))
		}
		if e.Err() == nil || !e.State().Paused {
			t.Errorf("paused %v, error %v", e.State().Paused, e.Err())
		}
	})
}

// written is all that a state says, for comparing two.
func written(t *testing.T, s *drain.State) string {
	t.Helper()
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A disk has room for what is missing in the journal and for nothing after it: the continue is answered like any other
// without room, and the run goes on once there is some.
func TestContinueWhereOnlyWhatIsMissingFits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddPod("web", "a")
		planned, err := plan.New(s.Snapshot(), []string{"a"}, plan.DefaultOptions(), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		record, err := journal.CreateJournal(t.TempDir(), "r1")
		if err != nil {
			t.Fatal(err)
		}
		file := record.File
		full, err := os.Open(os.DevNull) // for reading only: every write fails
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = full.Close() }()
		var fits atomic.Int64 // the size from which on the disk is full, 0 for no end
		// A look asks for the time between the catch-up and its own events.
		now := func() time.Time {
			if most := fits.Load(); most > 0 {
				if info, err := file.Stat(); err == nil && info.Size() > most {
					record.File = full
				}
			}
			return time.Now()
		}
		e := startRecorded(t, EngineConfig{Source: s, Writer: s, Journal: record, Now: now}, planned)
		synctest.Wait()
		record.File = full
		e.Send(drain.Confirm{Phase: drain.PhaseCordon, By: "ada"})
		synctest.Wait()
		info, err := file.Stat()
		if err != nil {
			t.Fatal(err)
		}
		fits.Store(info.Size())
		record.File = file
		steer(t, e, drain.Command{Kind: drain.CommandContinue}, "the journal cannot be written")
		if state := e.State(); !state.Paused || state.JournalLost == "" || s.Cordons != 0 {
			t.Errorf("paused %v, lost %q, %d cordons", state.Paused, state.JournalLost, s.Cordons)
		}
		fits.Store(0)
		record.File = file
		steer(t, e, drain.Command{Kind: drain.CommandContinue}, "")
		confirmUntilDone(t.Context(), e)
		events, torn, err := journal.ReadJournal(record.Path())
		if err != nil || torn || len(events) != len(e.Events(0)) || e.State().Outcome != drain.OutcomeDone {
			t.Errorf("%d of %d events, torn %v, %v, %s", len(events), len(e.Events(0)), torn, err, e.State().Outcome)
		}
		s.Halt()
	})
}
