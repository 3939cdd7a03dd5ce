package drain

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

func TestJournalIsTheRun(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		s.addNode("a")
		for range 3 {
			s.addPod("web", "a")
		}
		plan, err := NewPlan(s.Snapshot(), []string{"a"}, DefaultOptions(), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		journal, err := CreateJournal(dir, "r1")
		if err != nil {
			t.Fatal(err)
		}
		e, err := Start(t.Context(), EngineConfig{Source: s, Writer: s, Journal: journal, Now: time.Now}, plan, RunFacts{ID: "r1"})
		if err != nil {
			t.Fatal(err)
		}
		confirmAll(t.Context(), s, e)
		events, torn, err := ReadJournal(filepath.Join(dir, "runs", "r1.jsonl"))
		if err != nil || torn {
			t.Fatal(err, torn)
		}
		if len(events) != len(e.Events(0)) {
			t.Errorf("%d events in the journal, %d in the run", len(events), len(e.Events(0)))
		}
		if got, want := written(t, Fold(nil, events...)), written(t, e.State()); got != want {
			t.Errorf("read back:\n%s\nwas:\n%s", got, want)
		}
	})
}

func TestAnUnwritableJournalSendsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		s.addNode("a")
		s.addPod("web", "a")
		plan, err := NewPlan(s.Snapshot(), []string{"a"}, DefaultOptions(), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		journal, err := CreateJournal(t.TempDir(), "r1")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		e, err := Start(ctx, EngineConfig{Source: s, Writer: s, Journal: journal, Now: time.Now}, plan, RunFacts{ID: "r1"})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err := journal.file.Close(); err != nil {
			t.Fatal(err)
		}
		confirmAll(ctx, s, e)
		if s.cordons != 0 || len(s.evictions) != 0 {
			t.Errorf("%d cordons and %d evictions without a journal", s.cordons, len(s.evictions))
		}
		if e.Err() == nil || !e.State().Paused {
			t.Errorf("paused %v, error %v", e.State().Paused, e.Err())
		}
	})
}

// written is all that a state says, for comparing two.
func written(t *testing.T, s *State) string {
	t.Helper()
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
