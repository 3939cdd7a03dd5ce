package engine

import (
	"context"
	"encoding/json"
	"path/filepath"
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
