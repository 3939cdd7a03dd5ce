package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
)

// The schemas of the files, named in their first lines: a run's and a roll's.
const (
	journalSchema = "kdrain-tui/journal/v1"
	rollSchema    = "kdrain-tui/roll-journal/v1"
)

// runEnding is that of the journal of a run.
const runEnding = ".jsonl"

// Journal is that of a run.
type Journal = Of[drain.Event]

// numbered is an event that knows its place in the journal, from 1.
type numbered interface{ drain.Event | roll.Event }

func numberOf[E numbered](e E) uint64 {
	switch e := any(e).(type) {
	case drain.Event:
		return e.Seq
	case roll.Event:
		return e.Seq
	}
	return 0
}

// Of is the append-only file of the events of a run or a roll, one JSON object per line.
// It is locked while its run lives, so that its owner, the engine's goroutine, always
// knows where it ends (a file opened for appending can be cut on no Windows).
type Of[E numbered] struct {
	path  string
	File  *os.File
	whole int64 // how far it holds whole batches of events
	torn  bool  // something stands behind that
}

type journalHeader struct {
	Schema string `json:"schema"`
	Run    string `json:"run"`
}

// JournalPath is where the journal of a run lies below the state directory.
func JournalPath(dir, run string) string { return filepath.Join(folder(dir), run+runEnding) }

// CreateJournal makes the journal of a new run below the state directory
// (directories 0700, file 0600) and locks it.
func CreateJournal(dir, run string) (*Journal, error) {
	return create[drain.Event](JournalPath(dir, run), journalSchema, run)
}

func create[E numbered](path, schema, run string) (*Of[E], error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of journals: %w", err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("create the journal of run %s: %w", run, err)
	}
	j := &Of[E]{path: path, File: file}
	if err := lock(file); err != nil {
		return nil, errors.Join(fmt.Errorf("lock journal %s: %w", path, err), file.Close())
	}
	header, err := json.Marshal(journalHeader{Schema: schema, Run: run})
	if err == nil {
		_, err = file.Write(append(header, '\n'))
	}
	if err == nil { // the events are synced later, as they need it
		err = syncFolder(filepath.Dir(path))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("write journal %s: %w", path, err), file.Close())
	}
	j.whole = int64(len(header) + 1)
	return j, nil
}

// OpenJournal opens the journal of a run to go on with it, and reads what it
// holds. A torn last line is cut off. It fails with ErrRunLives while another
// process holds the journal.
func OpenJournal(path string) (*Journal, []drain.Event, error) {
	return open[drain.Event](path, journalSchema)
}

func open[E numbered](path, schema string) (*Of[E], []E, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("open journal: %w", err)
	}
	if err := lock(file); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("lock journal %s: %w", path, err), file.Close())
	}
	events, torn, err := read[E](path, schema)
	if err == nil && torn {
		err = cutTornLine(file)
	}
	j := &Of[E]{path: path, File: file}
	if info, statErr := file.Stat(); err == nil {
		if err = statErr; err == nil {
			j.whole = info.Size()
		}
	}
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return j, events, nil
}

// cutTornLine shortens a journal to the end of its last whole line.
func cutTornLine(file *os.File) error {
	text, err := io.ReadAll(file)
	if err != nil {
		return fmt.Errorf("read journal %s: %w", file.Name(), err)
	}
	whole := int64(bytes.LastIndexByte(text, '\n') + 1)
	if err := file.Truncate(whole); err != nil {
		return fmt.Errorf("cut the torn last line of journal %s: %w", file.Name(), err)
	}
	return nil
}

// Path is where the journal lies.
func (j *Of[E]) Path() string { return j.path }

// Append writes the events, in one write; sync makes them survive a power cut,
// which is needed before every write that rollback would have to undo. After an
// error the journal is as it was before, and the same events can be tried again.
func (j *Of[E]) Append(events []E, sync bool) error {
	var lines []byte
	for _, e := range events {
		line, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("encode event %d for journal %s: %w", numberOf(e), j.path, err)
		}
		lines = append(append(lines, line...), '\n')
	}
	if err := j.atItsPath(); err != nil {
		return err
	}
	if j.torn {
		if err := j.File.Truncate(j.whole); err != nil {
			return fmt.Errorf("cut what was half written off journal %s: %w", j.path, err)
		}
		j.torn = false
	}
	if _, err := j.File.WriteAt(lines, j.whole); err != nil {
		j.truncate()
		return fmt.Errorf("write journal %s: %w", j.path, err)
	}
	if sync {
		if err := j.File.Sync(); err != nil {
			j.truncate()
			return fmt.Errorf("sync journal %s: %w", j.path, err)
		}
	}
	j.whole += int64(len(lines))
	return nil
}

// atItsPath is an error where the file is no longer at its path: no other process would read what is written to it.
func (j *Of[E]) atItsPath() error {
	open, err := j.File.Stat()
	if err != nil {
		return fmt.Errorf("look at journal %s: %w", j.path, err)
	}
	if there, err := os.Stat(j.path); err != nil || !os.SameFile(open, there) {
		return fmt.Errorf("write journal %s: somebody has removed it", j.path)
	}
	return nil
}

// truncate cuts off what a failed Append left; where that fails too, the next one
// tries again before it writes.
func (j *Of[E]) truncate() { j.torn = j.File.Truncate(j.whole) != nil }

// Close syncs the journal, gives its lock back and closes it.
func (j *Of[E]) Close() error {
	if err := errors.Join(j.File.Sync(), j.File.Close()); err != nil {
		return fmt.Errorf("close journal %s: %w", j.path, err)
	}
	return nil
}

// CorruptJournalError says at which line a journal cannot be read.
type CorruptJournalError struct {
	Path string
	Line int // 0 for the last one
	Err  error
}

func (e *CorruptJournalError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("journal %s is damaged at its last line: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("journal %s is damaged at line %d: %v", e.Path, e.Line, e.Err)
}

func (e *CorruptJournalError) Unwrap() error { return e.Err }

// ReadJournal reads the events of a journal. A last line without its end is
// what a killed process leaves: it is left out and torn is true. Anything else
// that cannot be read is a *CorruptJournalError.
func ReadJournal(path string) (events []drain.Event, torn bool, err error) {
	return read[drain.Event](path, journalSchema)
}

func read[E numbered](path, schema string) (events []E, torn bool, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, false, fmt.Errorf("open journal: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	reader := bufio.NewReader(file)
	for number := 1; ; number++ {
		line, readErr := reader.ReadBytes('\n')
		if readErr != nil && !errors.Is(readErr, io.EOF) {
			return nil, false, fmt.Errorf("read journal %s: %w", path, readErr)
		}
		if readErr != nil {
			return events, len(line) > 0, nil
		}
		if number == 1 {
			err = checkHeader(line, schema)
		} else {
			events, err = appendEvent(events, line)
		}
		if err != nil {
			return nil, false, &CorruptJournalError{Path: path, Line: number, Err: err}
		}
	}
}

func checkHeader(line []byte, schema string) error {
	var h journalHeader
	if err := json.Unmarshal(line, &h); err != nil {
		return err
	}
	if h.Schema != schema {
		return fmt.Errorf("schema %q is not %q", h.Schema, schema)
	}
	return nil
}

func appendEvent[E numbered](events []E, line []byte) ([]E, error) {
	var first *E
	if len(events) > 0 {
		first = &events[0]
	}
	e, err := decode(first, uint64(len(events)), line)
	if err != nil {
		return events, err
	}
	return append(events, e), nil
}

// decode reads the event that follows the one of that number in the journal that begins with first.
func decode[E numbered](first *E, before uint64, line []byte) (e E, err error) {
	if err := json.Unmarshal(line, &e); err != nil {
		return e, err
	}
	if number := numberOf(e); number != before+1 {
		return e, fmt.Errorf("event %d found where event %d was expected", number, before+1)
	}
	return e, check(first, &e)
}
