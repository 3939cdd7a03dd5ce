package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/cli/print"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// runJSON is one run of `runs -o json`: the contract.
type runJSON struct {
	Run       string        `json:"run"`
	StartedAt time.Time     `json:"startedAt"`
	Nodes     []string      `json:"nodes"`
	Outcome   drain.Outcome `json:"outcome"` // "" while it lives, or where its process died
	Live      bool          `json:"live"`
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
			"Needs no cluster.",
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return p.listRuns(f) },
	}
	f.bindOutput(cmd.Flags())
	return cmd
}

// listRuns tells of every journal that can be read; one that cannot be is said,
// and is the exit code's matter.
func (p *Program) listRuns(f *flags) error {
	if err := f.check(); err != nil {
		return err
	}
	records, damaged, err := p.runs.Records()
	if err != nil {
		return err
	}
	for _, err := range damaged {
		explain(p.Err, err)
	}
	runs := []runJSON{}
	for _, r := range records {
		runs = append(runs, summaryOf(r))
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
	rows := t.Table("RUN", "STARTED", "OUTCOME", "CONTEXT", "NODES")
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
		rows.Add("", r.Run, r.StartedAt.Format(time.RFC3339), outcome, kube.Clean(r.Context), strings.Join(r.Nodes, ", "))
	}
	rows.Write(t.W)
}

// summaryOf is the line of a run.
func summaryOf(r *app.Record) runJSON {
	run := runJSON{
		Run: r.State.Run.ID, StartedAt: r.State.Started.UTC(), Nodes: []string{}, Outcome: r.State.Outcome, Live: r.Live,
		Suspended: r.State.Suspended && !r.Live, Context: r.State.Run.Context, User: r.State.Run.User,
	}
	for _, n := range r.State.Nodes {
		run.Nodes = append(run.Nodes, n.Name)
	}
	return run
}
