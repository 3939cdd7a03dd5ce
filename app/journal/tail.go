package journal

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/kdrain-tui/kdrain-tui/drain"
)

// Tail reads the events of a journal that another process writes.
type Tail struct {
	path string
	at   int64  // how far it was read, in whole lines
	line int    // lines read so far
	seq  uint64 // of the last event
}

// NewTail begins before the first event.
func NewTail(path string) *Tail { return &Tail{path: path} }

// Next are the events since the last call, in order; a line that is only half written is
// left for the next one. again tells that they begin with the first event once more: the
// writer took back what it could not sync. The error is a *CorruptJournalError, or that of
// the file.
func (t *Tail) Next() (events []drain.Event, again bool, err error) {
	file, err := os.Open(t.path)
	if err != nil {
		return nil, false, fmt.Errorf("open journal: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return nil, false, fmt.Errorf("read journal %s: %w", t.path, err)
	}
	if info.Size() == t.at {
		return nil, false, nil
	}
	if again = info.Size() < t.at; again {
		t.at, t.line, t.seq = 0, 0, 0
	}
	reader := bufio.NewReader(io.NewSectionReader(file, t.at, info.Size()-t.at))
	for {
		line, readErr := reader.ReadBytes('\n')
		if errors.Is(readErr, io.EOF) {
			return events, again, nil
		}
		if readErr != nil {
			return events, again, fmt.Errorf("read journal %s: %w", t.path, readErr)
		}
		if events, err = t.take(events, line); err != nil {
			return events, again, &CorruptJournalError{Path: t.path, Line: t.line + 1, Err: err}
		}
	}
}

// take reads one whole line.
func (t *Tail) take(events []drain.Event, line []byte) ([]drain.Event, error) {
	if t.line == 0 {
		if err := checkHeader(line, journalSchema); err != nil {
			return events, err
		}
	} else {
		var e drain.Event
		if err := json.Unmarshal(line, &e); err != nil {
			return events, err
		}
		if e.Seq != t.seq+1 {
			return events, fmt.Errorf("event %d found where event %d was expected", e.Seq, t.seq+1)
		}
		t.seq, events = e.Seq, append(events, e)
	}
	t.line++
	t.at += int64(len(line))
	return events, nil
}
