package journal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
)

// Tail is that of a run.
type Tail = TailOf[drain.Event]

// TailOf reads the events of a journal that another process writes.
type TailOf[E numbered] struct {
	path   string
	schema string
	at     int64  // how far it was read, in whole lines
	line   int    // lines read so far
	seq    uint64 // of the last event
	first  *E     // the first event, nil before it
}

// NewTail begins before the first event.
func NewTail(path string) *Tail { return &Tail{path: path, schema: journalSchema} }

// NewRollTail is NewTail for a roll.
func NewRollTail(path string) *TailOf[roll.Event] {
	return &TailOf[roll.Event]{path: path, schema: rollSchema}
}

// Next are the events since the last call, in order; a line that is only half written is
// left for the next one. again tells that they begin with the first event once more: the
// writer took back what it could not sync. The error is a *CorruptJournalError, or that of
// the file.
func (t *TailOf[E]) Next() (events []E, again bool, err error) {
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
		t.at, t.line, t.seq, t.first = 0, 0, 0, nil
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
func (t *TailOf[E]) take(events []E, line []byte) ([]E, error) {
	if t.line == 0 {
		if err := checkHeader(line, t.schema); err != nil {
			return events, err
		}
	} else {
		e, err := decode(t.first, t.seq, line)
		if err != nil {
			return events, err
		}
		if t.first == nil {
			t.first = &e
		}
		t.seq, events = t.seq+1, append(events, e)
	}
	t.line++
	t.at += int64(len(line))
	return events, nil
}
