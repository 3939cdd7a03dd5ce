package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

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
			"Asks no cluster.",
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
	ids, err := p.runIDs()
	if err != nil {
		return err
	}
	runs, damaged := []runJSON{}, false
	for _, id := range ids {
		j, err := p.readRun(id)
		if err != nil {
			explain(p.Err, err)
			damaged = true
			continue
		}
		runs = append(runs, j.summary())
	}
	slices.SortFunc(runs, func(a, b runJSON) int {
		return cmp.Or(b.StartedAt.Compare(a.StartedAt), cmp.Compare(a.Run, b.Run))
	})
	if f.json() {
		enc := json.NewEncoder(p.Out)
		enc.SetIndent("", "  ")
		err = enc.Encode(runs)
	} else {
		p.printRuns(f, runs)
	}
	if err == nil && damaged {
		err = told(ExitError)
	}
	return err
}

func (p *Program) printRuns(f *flags, runs []runJSON) {
	if len(runs) == 0 {
		fmt.Fprintln(p.Err, "no runs in "+p.StateDir)
		return
	}
	rows := table{paint: p.paintFor(f, p.Terminal.Out)}
	rows.add(toneQuiet, "RUN", "STARTED", "OUTCOME", "CONTEXT", "NODES")
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
		rows.add("", r.Run, r.StartedAt.Format(time.RFC3339), outcome, kube.Clean(r.Context), strings.Join(r.Nodes, ", "))
	}
	rows.write(p.Out)
}

// runIDs are the runs that have a journal here.
func (p *Program) runIDs() ([]string, error) {
	entries, err := os.ReadDir(filepath.Dir(drain.JournalPath(p.StateDir, "any")))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &failure{code: ExitError, text: "cannot read the journals", err: err}
	}
	var ids []string
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), ".jsonl"); ok && !e.IsDir() {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// runRecord is what a journal tells of its run.
type runRecord struct {
	state  *drain.State
	events []drain.Event
	torn   bool // its last line is cut off
	live   bool
}

// readRun reads the journal of a run.
func (p *Program) readRun(id string) (*runRecord, error) {
	path := drain.JournalPath(p.StateDir, id)
	events, torn, err := drain.ReadJournal(path)
	var corrupt *drain.CorruptJournalError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &failure{code: ExitError, text: fmt.Sprintf("there is no run %q on this machine", id),
			hint: p.display() + " runs lists them"}
	case errors.As(err, &corrupt):
		return nil, &failure{code: ExitError, err: err, hint: "it was changed after the run, or the disk is at fault; nothing of it is guessed"}
	case err != nil:
		return nil, &failure{code: ExitError, err: err}
	case len(events) == 0:
		return nil, &failure{code: ExitError, text: "journal " + path + " holds no run: its process died at the start"}
	}
	if run := events[0].Run; run != nil {
		run.Program = p.display()
	}
	live, err := drain.Live(path)
	if err != nil {
		return nil, &failure{code: ExitError, err: err}
	}
	return &runRecord{state: drain.Fold(nil, events...), events: events, torn: torn && !live, live: live}, nil
}

func (r *runRecord) summary() runJSON {
	run := runJSON{
		Run: r.state.Run.ID, StartedAt: r.state.Started.UTC(), Nodes: []string{}, Outcome: r.state.Outcome, Live: r.live,
		Suspended: r.state.Suspended && !r.live, Context: r.state.Run.Context, User: r.state.Run.User,
	}
	for _, n := range r.state.Nodes {
		run.Nodes = append(run.Nodes, n.Name)
	}
	return run
}
