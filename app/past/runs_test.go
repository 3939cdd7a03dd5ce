package past

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var begun = time.Date(2026, 8, 21, 14, 0, 0, 0, time.UTC)

// here is a connection of which only the identity is asked.
type here struct{ app.Cluster }

func (here) Identity() conn.Identity { return conn.Identity{ClusterID: "cluster-1", Context: "prod"} }

func session(t *testing.T) *app.Session {
	sim := kubetest.NewSimulation() // without a node
	t.Cleanup(sim.Halt)
	return &app.Session{Cluster: here{}, Runs: app.NewRuns(t.TempDir(), "kdrain-tui"), View: app.View{Source: sim, Now: time.Now}}
}

// write writes the journal of a run; without an outcome it has no end.
func write(t *testing.T, s *app.Session, id, cluster string, at time.Time, outcome drain.Outcome) *journal.Journal {
	j, err := journal.CreateJournal(s.Runs.Dir, id)
	if err != nil {
		t.Fatal(err)
	}
	events := []drain.Event{{Seq: 1, Time: at, Kind: drain.EventRunStarted, Run: &drain.RunFacts{ID: id, User: "ada",
		Context: "prod", ClusterUID: cluster, Nodes: []drain.NodeFacts{{Name: "worker-1", UID: "u1"}}}}}
	if outcome != "" {
		events = append(events, drain.Event{Seq: 2, Time: at.Add(time.Minute), Kind: drain.EventRunEnded, Outcome: outcome})
	}
	if err := j.Append(events, true); err != nil {
		t.Fatal(err)
	}
	return j
}

// Runs and rolls are in one list; a run that has ended is shown at its end, one that another process works
// on is watched, and neither is ended by leaving.
func TestShow(t *testing.T) {
	s := session(t)
	ctx, cancel := context.WithCancel(t.Context())
	past := New(ctx, s)
	defer past.Wait()
	defer cancel()
	for id, cluster := range map[string]string{"done": "cluster-1", "far": "cluster-2"} {
		if err := write(t, s, id, cluster, begun, drain.OutcomeDone).Close(); err != nil {
			t.Fatal(err)
		}
	}
	alive := write(t, s, "live", "cluster-1", begun.Add(time.Hour), "")
	defer func() { _ = alive.Close() }() // a second time
	rolled, err := journal.CreateRoll(s.Runs.Dir, "roll")
	if err != nil {
		t.Fatal(err)
	}
	facts := roll.Facts{Run: drain.RunFacts{ID: "roll", ClusterUID: "cluster-1"}, Batches: []roll.Batch{{Nodes: []string{"worker-1"}}}}
	if err := rolled.Append([]roll.Event{{Seq: 1, Time: begun.Add(2 * time.Hour), Kind: roll.EventRollStarted, Roll: &facts},
		{Seq: 2, Time: begun.Add(3 * time.Hour), Kind: roll.EventRollEnded, Outcome: drain.OutcomeDone}}, true); err != nil {
		t.Fatal(err)
	}
	if err := rolled.Close(); err != nil {
		t.Fatal(err)
	}
	all, err := past.All()
	if err != nil || len(all) != 4 || all[0].ID != "roll" || all[1].ID != "live" {
		t.Fatalf("%+v %v", all, err)
	}
	for _, b := range all {
		if b.Elsewhere != (b.ID == "far") {
			t.Errorf("%s: on another cluster %v", b.ID, b.Elsewhere)
		}
		run, rolling, err := past.Show(b)
		switch {
		case err != nil:
			t.Errorf("%s: %v", b.ID, err)
		case b.Roll:
			if _, foreign := rolling.(live.ForeignRoll); !foreign || rolling.State().Outcome != drain.OutcomeDone {
				t.Errorf("%s: %+v", b.ID, rolling.State())
			}
		default:
			if _, foreign := run.(live.Foreign); !foreign || run.State().Outcome != b.Outcome || run.State().Run.ID != b.ID {
				t.Errorf("%s: %+v", b.ID, run.State())
			}
		}
		if text, err := past.Report(b); err != nil || !strings.Contains(text, b.ID) {
			t.Errorf("%s: %q %v", b.ID, text, err)
		} else if b.Roll && !strings.Contains(text, "| deleted |") {
			t.Errorf("its node was not compared with the cluster: %s", text)
		}
	}
	if _, _, err := past.Show(live.Brief{ID: "../live"}); err == nil {
		t.Error("an id that is a path was opened")
	}
}

// What can not be gone on with or taken back is refused before anything is asked of a cluster.
func TestRefused(t *testing.T) {
	s := session(t)
	past := New(t.Context(), s)
	for id, outcome := range map[string]drain.Outcome{"done": drain.OutcomeDone, "far": ""} {
		cluster := map[string]string{"done": "cluster-1", "far": "cluster-2"}[id]
		if err := write(t, s, id, cluster, begun, outcome).Close(); err != nil {
			t.Fatal(err)
		}
	}
	alive := write(t, s, "live", "cluster-1", begun, "")
	if err := os.WriteFile(s.Runs.Path("torn"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"done": "there is nothing to resume", "far": "wrong cluster", "live": "is live in another process",
		"torn": "torn", "none": `there is no run "none"`} {
		if _, _, err := past.Resume(t.Context(), live.Brief{ID: id}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("resume %s: %v", id, err)
		}
	}
	for id, want := range map[string]string{"far": "wrong cluster", "live": "is live in another process", "none": `there is no run "none"`} {
		if _, err := past.Rollback(t.Context(), live.Brief{ID: id}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("rollback %s: %v", id, err)
		}
	}
	if err := alive.Close(); err != nil {
		t.Fatal(err)
	}
}
