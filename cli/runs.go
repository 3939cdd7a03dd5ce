package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/cli/print"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// runJSON is one run of `runs -o json`: the contract.
type runJSON struct {
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
}

func (p *Program) runsCommand() *cobra.Command {
	f := p.newFlags()
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List the runs whose journals are on this machine, newest first",
		Long: "Lists the drains that were started on this machine, newest first, from their journals.\n" +
			"Needs no cluster. Starting a drain removes old journals: see --keep-journals of drain.",
		Example: p.examples(`
# List the runs of this machine
runs
# Print the id of the newest run that has not ended
runs -o json | jq -r 'first(.[] | select(.outcome == "")).run'`),
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return p.listRuns(f) },
	}
	f.bindOutput(cmd.Flags())
	return cmd
}

// listRuns tells of every journal that can be read; one that cannot be is said,
// and is the exit code's matter.
func (p *Program) listRuns(f *flags) error {
	records, damaged, err := p.runs.Records()
	if err != nil {
		return err
	}
	for _, err := range damaged {
		explain(p.Err, err)
	}
	runs := []runJSON{}
	for _, r := range records {
		runs = append(runs, summaryOf(r, p.Now()))
	}
	err = p.printer(f).Value(runs, func(t *print.Text) {
		if len(runs) == 0 {
			fmt.Fprintln(p.Err, "no runs in "+p.StateDir)
			return
		}
		printRuns(t, runs)
	})
	if err == nil && len(damaged) > 0 {
		err = told(ExitError)
	}
	return err
}

func printRuns(t *print.Text, runs []runJSON) {
	rows := t.Table("RUN", "STARTED", "TOOK", "OUTCOME", "USER", "CONTEXT", "NODES")
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
		took := duration.HumanDuration(time.Duration(r.Duration * float64(time.Second)))
		rows.Add("", r.Run, r.StartedAt.Format(time.RFC3339), took, outcome, kube.Clean(r.User), kube.Clean(r.Context), strings.Join(r.Nodes, ", "))
	}
	rows.Write(t.W)
}

// summaryOf is the line of a run.
func summaryOf(r *app.Record, now time.Time) runJSON {
	run := runJSON{
		Run: r.State.Run.ID, StartedAt: r.State.Started.UTC(), Nodes: []string{}, Outcome: r.State.Outcome, Live: r.Live,
		Suspended: r.State.Suspended && !r.Live, Context: r.State.Run.Context, User: r.State.Run.User,
	}
	end := r.Events[len(r.Events)-1].Time
	switch {
	case r.Live:
		end = now
	case r.State.Outcome != "":
		ended := r.State.Ended.UTC()
		run.EndedAt, end = &ended, ended
	}
	run.Duration = max(0, end.Sub(r.State.Started)).Seconds()
	for _, n := range r.State.Nodes {
		run.Nodes = append(run.Nodes, n.Name)
	}
	return run
}
