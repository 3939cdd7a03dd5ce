package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
)

// tail is how much of the end of a journal is read to find its last event. A longer
// event is not the end of a run.
const tail = 64 << 10

// Ends reads the first and the last event of a journal, without what lies between: the
// last one is that of the end of the run where it has one. A torn last line is left out.
func Ends(path string) (first, last drain.Event, err error) {
	return ends[drain.Event](path, journalSchema)
}

// RollEnds is Ends for a roll.
func RollEnds(path string) (first, last roll.Event, err error) {
	return ends[roll.Event](path, rollSchema)
}

func ends[E numbered](path, schema string) (first, last E, err error) {
	file, err := os.Open(path)
	if err != nil {
		return first, last, fmt.Errorf("open journal: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	reader := bufio.NewReader(file)
	header, err := reader.ReadBytes('\n')
	if err != nil {
		return first, last, fmt.Errorf("journal %s holds no run: %w", path, err)
	}
	if err := checkHeader(header, schema); err != nil {
		return first, last, &CorruptJournalError{Path: path, Line: 1, Err: err}
	}
	line, err := reader.ReadBytes('\n')
	if err != nil {
		return first, last, fmt.Errorf("journal %s holds no run: %w", path, err)
	}
	if first, err = decode[E](nil, 0, line); err != nil {
		return first, last, &CorruptJournalError{Path: path, Line: 2, Err: err}
	}
	last, err = lastEvent(file, &first)
	return first, last, err
}

// lastEvent is that of the last whole line, the zero Event where it is too long.
func lastEvent[E numbered](file *os.File, first *E) (last E, err error) {
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return last, fmt.Errorf("read journal %s: %w", file.Name(), err)
	}
	text := make([]byte, min(size, tail))
	if _, err := file.ReadAt(text, size-int64(len(text))); err != nil {
		return last, fmt.Errorf("read journal %s: %w", file.Name(), err)
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	text = bytes.TrimSuffix(text, []byte("\n"))
	begin := bytes.LastIndexByte(text, '\n') + 1
	if begin == 0 {
		return last, nil
	}
	if err = json.Unmarshal(text[begin:], &last); err == nil && numberOf(last) != numberOf(*first) {
		err = check(first, &last)
	}
	if err != nil {
		return last, &CorruptJournalError{Path: file.Name(), Err: err}
	}
	return last, nil
}

// Remove deletes the journal of a run that no process works on; it fails with
// ErrRunLives while one does.
func Remove(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("open journal: %w", err)
	}
	if err := lock(file); err != nil {
		return errors.Join(fmt.Errorf("lock journal %s: %w", path, err), file.Close())
	}
	return removeLocked(file)
}
