package app

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/hook"
	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/app/metrics"
	"github.com/kdrain-tui/kdrain-tui/app/notify"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/process"
	"github.com/kdrain-tui/kdrain-tui/drain/retire"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Runs are the runs of this machine: their journals, and those that this process
// works on.
type Runs struct {
	Dir     string // where the journals and sockets are
	Program string // how the operator calls the program, for hints
	Keep    Keep   // which journals stay when a run is started
	// Notify tells of the runs, Metrics shows them; nil for neither.
	Notify  *notify.Sender
	Metrics *metrics.File

	mu      sync.Mutex
	live    []*Owned
	hungUp  string           // why every run is suspended, "" if none is
	aborted string           // why every run is aborted, "" if none is
	deaf    map[string]error // by id: runs whose socket could not be opened
	unsaid  []string         // what failed beside runs, and is in no journal
	group   kube.Group       // one goroutine for each, until its run or the program ends
	ended   chan struct{}    // the program ends
}

// NewRuns are the runs whose journals are below a folder.
func NewRuns(dir, program string) *Runs {
	return &Runs{Dir: dir, Program: program, Keep: DefaultKeep, deaf: map[string]error{}, ended: make(chan struct{})}
}

// Record is what a journal tells of its run.
type Record struct {
	State  *drain.State
	Events []drain.Event
	Torn   bool // its last line is cut off: what the run did last is not known
	Live   bool // a process works on it
}

// ids are the runs that have a journal here.
func (r *Runs) ids() ([]string, error) {
	ids, err := journal.Runs(r.Dir)
	if err != nil {
		return nil, &Error{Text: "cannot read the journals", Err: err}
	}
	return ids, nil
}

// Newest is the id of the run that was started last. The error is an *Error.
func (r *Runs) Newest() (string, error) {
	briefs, err := r.briefs()
	if err != nil {
		return "", err
	}
	for _, b := range briefs {
		if !b.Damaged {
			return b.ID, nil
		}
	}
	return "", &Error{Text: "there are no runs in " + r.Dir, Hint: r.Program + " drain NODE starts one"}
}

// Path is the journal of a run.
func (r *Runs) Path(id string) string { return journal.JournalPath(r.Dir, id) }

// Known is an *Error for a run that is none of this machine.
func (r *Runs) Known(id string) error {
	ids, err := r.ids()
	if err != nil {
		return err
	}
	// A name that is not listed is never opened: it could be a path.
	if !slices.Contains(ids, id) {
		hint := "no run was started on it"
		if len(ids) > 0 {
			hint = "it has: " + strings.Join(ids, ", ")
		}
		return &Error{Text: fmt.Sprintf("there is no run %q on this machine", id), Hint: hint}
	}
	return nil
}

// Begun reports whether a run of this machine was begun: its process may have died before its journal had an event. One
// whose journal cannot be read counts.
func (r *Runs) Begun(id string) bool {
	events, _, err := journal.ReadJournal(r.Path(id))
	return err != nil && !errors.Is(err, fs.ErrNotExist) || len(events) > 0
}

// Gone reports whether the folder of the journals does not exist.
func (r *Runs) Gone() bool {
	_, err := os.Stat(r.Dir)
	return errors.Is(err, fs.ErrNotExist)
}

// Record reads the journal of a run. The error is an *Error.
func (r *Runs) Record(id string) (*Record, error) {
	path := r.Path(id)
	events, torn, err := journal.ReadJournal(path)
	var corrupt *journal.CorruptJournalError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &Error{Text: fmt.Sprintf("there is no run %q on this machine", id), Hint: r.Program +
			" runs lists them"}
	case errors.As(err, &corrupt):
		return nil, &Error{Err: err,
			Hint: "a newer version wrote the file, it was changed after the run, or the disk is faulty; no part of it is guessed"}
	case err != nil:
		return nil, &Error{Err: err}
	case len(events) == 0:
		return nil, &Error{Text: "journal " + path + " contains no run: its process died at the start"}
	}
	if run := events[0].Run; run != nil {
		run.Program = r.Program
	}
	live, err := journal.Live(path)
	if err != nil {
		return nil, &Error{Err: err}
	}
	return &Record{State: drain.Fold(nil, events...), Events: events, Torn: torn && !live, Live: live}, nil
}

// Journal are the events of a run of this machine, or those in a file.
func (r *Runs) Journal(name string) ([]drain.Event, error) {
	if info, err := os.Stat(name); err != nil || info.IsDir() {
		if strings.ContainsAny(name, `/\`) {
			return nil, &Error{Text: "there is no journal " + name, Err: err}
		}
		record, err := r.Record(name)
		if err != nil {
			return nil, err
		}
		return record.Events, nil
	}
	events, _, err := journal.ReadJournal(name)
	if err != nil {
		return nil, &Error{Err: err}
	}
	return events, nil
}

// Records are the records of all runs, newest first; of each that cannot be read
// damaged has the reason.
func (r *Runs) Records() (records []*Record, damaged []error, err error) {
	ids, err := r.ids()
	if err != nil {
		return nil, nil, err
	}
	for _, id := range ids {
		record, err := r.Record(id)
		if err != nil {
			damaged = append(damaged, err)
			continue
		}
		records = append(records, record)
	}
	slices.SortFunc(records, func(a, b *Record) int {
		return cmp.Or(b.State.Started.Compare(a.State.Started), cmp.Compare(a.State.Run.ID, b.State.Run.ID))
	})
	return records, damaged, nil
}

// Dead is the record of a run that no process works on.
func (r *Runs) Dead(id string) (*Record, error) {
	if err := r.Known(id); err != nil {
		return nil, err
	}
	record, err := r.Record(id)
	if err == nil && record.Live {
		return nil, r.livesOn(id)
	}
	return record, err
}

// livesOn refuses what may not happen beside a live run.
func (r *Runs) livesOn(id string) error {
	return &Error{
		Text: "run " + id + " is live in another process; nothing was changed",
		Hint: fmt.Sprintf("abort it first: %s ctl %s abort, or Ctrl-C where it runs", r.Program, id),
	}
}

// NotEnded refuses a run that has come to its end, with that end, and one that was rolled
// back, whose nodes are uncordoned again.
func (r *Runs) NotEnded(s *drain.State) error {
	switch {
	case s.Outcome != "":
	case s.RolledBack:
		return &Error{
			Text: "run " + s.Run.ID + " was rolled back; there is nothing to resume",
			Hint: fmt.Sprintf("%s report %s shows what was taken back; a new drain begins again", r.Program, s.Run.ID),
		}
	default:
		return nil
	}
	text := fmt.Sprintf("run %s ended %s: %s", s.Run.ID, s.Ended.UTC().Format(time.RFC3339), s.Outcome)
	if s.Message != "" {
		text += " (" + s.Message + ")"
	}
	return &Error{
		Text: text + "; there is nothing to resume",
		Hint: fmt.Sprintf("%s report %s shows what became of each pod; a new drain evicts what is left", r.Program,
			s.Run.ID),
	}
}

// lock opens and locks the journal of a run: from here on no other process works on
// it.
func (r *Runs) lock(id string) (*journal.Journal, []drain.Event, error) {
	written, events, err := journal.OpenJournal(r.Path(id))
	switch {
	case errors.Is(err, journal.ErrRunLives):
		return nil, nil, r.livesOn(id)
	case err != nil:
		return nil, nil, &Error{Text: "nothing was changed", Err: err}
	}
	return written, events, nil
}

// Lives tells what is known here of a run. The id comes from the cluster: it is
// looked for among the journals, never made a path of.
func (r *Runs) Lives() func(run string) tempbudget.RunLife {
	ids, err := r.ids()
	rolls := journal.Rolls(r.Dir) // hold Leases too
	return func(run string) tempbudget.RunLife {
		path := r.Path(run)
		switch {
		case slices.Contains(rolls, run):
			path = journal.RollPath(r.Dir, run)
		case err != nil || !slices.Contains(ids, run):
			return tempbudget.RunUnknown
		}
		switch live, err := journal.Live(path); {
		case err != nil:
			return tempbudget.RunUnknown
		case live:
			return tempbudget.RunLive
		}
		return tempbudget.RunDead
	}
}

// ofRoll is a run with the nodes of a roll that did nothing but hold their Leases: what the roll does itself.
func (r *Runs) ofRoll(id string) (*drain.State, error) {
	events, _, err := journal.ReadRoll(journal.RollPath(r.Dir, id))
	if err != nil || len(events) == 0 {
		return nil, &Error{Text: "cannot read the journal of roll " + id, Err: err}
	}
	e := drain.Event{Seq: 1, Time: events[0].Time, Kind: drain.EventRunStarted, Run: &events[0].Roll.Run}
	return drain.Fold(nil, e), nil
}

// working are the commands of the operator that work on the nodes of a run: those of its roll, and those that take
// nodes out of the cluster.
type working struct {
	roll    *journal.Of[roll.Event] // of a batch's run: locked, so that no command begins; nil for none
	unknown map[string]string       // by node: why it is not known whether its command still runs
}

// working locks the roll of a run, and refuses while a command still runs on a node.
func (r *Runs) working(s *drain.State) (working, error) {
	w := working{unknown: map[string]string{}}
	id := s.Run.ID
	if parent, _, _ := strings.Cut(id, "-"); slices.Contains(journal.Rolls(r.Dir), parent) {
		written, events, err := journal.OpenRoll(journal.RollPath(r.Dir, parent))
		switch {
		case errors.Is(err, journal.ErrRunLives):
			return w, &Error{Text: "run " + id + " is of roll " + parent +
				", which is live in another process; nothing was changed",
				Hint: r.Program + " ctl " + parent + " abort ends it"}
		case err != nil:
			return w, &Error{Text: "nothing was changed", Err: err}
		}
		w.roll = written
		if err := w.rolls(events, func(kube.UID) bool { return true }); err != nil {
			return working{}, errors.Join(err, w.close())
		}
	}
	if err := w.steps(s, func(kube.UID) bool { return true }); err != nil {
		return working{}, errors.Join(err, w.close())
	}
	return w, nil
}

// steps is an *Error for a command of a retirement that still runs for one of those nodes.
func (w working) steps(s *drain.State, on func(node kube.UID) bool) error {
	for _, n := range s.Nodes {
		for _, step := range retire.Steps {
			taken := n.Retire.Of(step)
			if taken.Process == nil || !on(n.UID) {
				continue
			}
			if err := w.look(n.Name, "the command to "+step.Does(), *taken.Process); err != nil {
				return err
			}
		}
	}
	return nil
}

// rolls is an *Error for a command of a roll that still runs for one of those nodes.
func (w working) rolls(events []roll.Event, on func(node kube.UID) bool) error {
	s := roll.Fold(nil, events...)
	for _, n := range s.Nodes {
		if n.Command == nil || !on(n.UID) {
			continue
		}
		command := "the --" + string(n.Command.Hook) + " command of roll " + s.Facts.Run.ID
		if err := w.look(n.Name, command, n.Command.Group); err != nil {
			return err
		}
	}
	return nil
}

// CheckCommands is an *Error where a command of a roll or a retirement whose process died still runs on this host for
// one of those nodes: it goes on after the Lease of the node has expired. A live process holds the Lease. What cannot
// be read is named where its run is asked for.
func (r *Runs) CheckCommands(on func(node kube.UID) bool) error {
	w := working{unknown: map[string]string{}}
	for _, id := range journal.Rolls(r.Dir) {
		path := journal.RollPath(r.Dir, id)
		if _, last, err := journal.RollEnds(path); err != nil || last.Kind == roll.EventRollEnded || mayLive(path) {
			continue
		}
		if events, _, err := journal.ReadRoll(path); err == nil {
			if err := w.rolls(events, on); err != nil {
				return err
			}
		}
	}
	ids, _ := r.ids()
	for _, id := range ids {
		path := r.Path(id)
		if _, last, err := journal.Ends(path); err != nil || last.Kind != drain.EventRetire || mayLive(path) {
			continue
		}
		if events, _, err := journal.ReadJournal(path); err == nil {
			if err := w.steps(drain.Fold(nil, events...), on); err != nil {
				return err
			}
		}
	}
	return nil
}

// look is an *Error for a command that still runs.
func (w working) look(node, command string, g process.Group) error {
	switch seen := hook.Look(g); seen.Life {
	case process.Runs:
		return &Error{Text: fmt.Sprintf("%s still runs for node %s as %s; nothing was changed", command, node, g),
			Hint: "wait for it, or end it: " + g.End()}
	case process.Unknown:
		w.unknown[node] = fmt.Sprintf("it is not known whether %s still runs on it: %s", command, seen.Why)
	}
	return nil
}

// leave leaves alone what would bring a node back of which it is not known whether a command works on it. So is the
// Lease of the node, from which a later rollback knows it.
func (w working) leave(undos []rollback.Undo) []rollback.Undo {
	for i := range undos {
		u := &undos[i]
		returns := u.Cordon != nil || u.Taint != nil || u.Release != nil
		if why := w.unknown[u.Node]; why != "" && u.Left == "" && returns {
			u.Left, u.Cordon, u.Taint, u.Release = why+"; once it has ended, uncordon the node", nil, nil, nil
		}
	}
	return undos
}

func (w working) close() error {
	if w.roll == nil {
		return nil
	}
	return w.roll.Close()
}
