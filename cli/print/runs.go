package print

import (
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Run is one run of `runs -o json`: the contract.
type Run struct {
	Run       string    `json:"run"`
	StartedAt time.Time `json:"startedAt"`
	// EndedAt is missing while the run has no end.
	EndedAt *time.Time `json:"endedAt,omitempty"`
	// Duration is how long it took, or up to its last event where it has no end.
	Duration float64       `json:"durationSeconds"`
	Nodes    []string      `json:"nodes"`
	Outcome  drain.Outcome `json:"outcome"` // "" while it lives, or where its process died
	Live     bool          `json:"live"`
	// Suspended tells that its process ended in order and left the run to resume.
	Suspended bool   `json:"suspended,omitempty"`
	Context   string `json:"context"`
	User      string `json:"user"`
	// RolledBack tells that a rollback took back all that it could, and that the run was not resumed since.
	RolledBack bool `json:"rolledBack,omitempty"`
	// Roll tells that it is a rolling maintenance; the runs of its batches are listed too.
	Roll bool `json:"roll,omitempty"`
}

// Runs prints them for a person.
func Runs(t *Text, runs []Run) {
	rows := t.table("RUN", "STARTED", "TOOK", "OUTCOME", "USER", "CONTEXT", "NODES")
	for _, r := range runs {
		outcome := string(r.Outcome)
		switch {
		case r.Live:
			outcome = "live"
		case r.Suspended:
			outcome = "suspended" // its process ended in order, and resume goes on
		case outcome == "":
			outcome = "cut short" // its process died
		}
		if r.RolledBack {
			outcome += ", rolled back"
		}
		took := format.Duration(time.Duration(r.Duration * float64(time.Second)))
		rows.Add("", r.Run, r.StartedAt.Format(time.RFC3339), took, outcome, kube.Clean(r.User), kube.Clean(r.Context),
			strings.Join(r.Nodes, ", "))
	}
	rows.Write(t.W)
}

// ProjectRun is the line of a run that a process works on, or none.
func ProjectRun(s *drain.State, events []drain.Event, live bool, now time.Time) Run {
	run := Run{
		Run: s.Run.ID, StartedAt: s.Started.UTC(), Nodes: []string{}, Outcome: s.Outcome, Live: live,
		Suspended: s.Suspended && !live, Context: s.Run.Context, User: s.Run.User,
		RolledBack: s.RolledBack,
	}
	end := events[len(events)-1].Time
	switch {
	case live:
		end = now
	case s.Outcome != "":
		ended := s.Ended.UTC()
		run.EndedAt, end = &ended, ended
	}
	run.Duration = max(0, end.Sub(s.Started)).Seconds()
	for _, n := range s.Nodes {
		run.Nodes = append(run.Nodes, n.Name)
	}
	return run
}
