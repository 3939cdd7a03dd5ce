package journal

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// ErrRunLives says that another process holds a run's journal.
var ErrRunLives = errors.New("the run is live in another process")

const (
	// lookTries is how often a journal is locked that others only look at: Live holds
	// its lock for a moment.
	lookTries = 1000
	lookPause = time.Millisecond
)

// lock takes a journal for this process, or fails with ErrRunLives while another
// has it. Those who only check whether it is locked do not lock it themselves.
func lock(file *os.File) error {
	for range lookTries {
		if free, err := tryLock(file, true); free || err != nil {
			return err
		}
		if free, err := tryLock(file, false); err != nil {
			return err
		} else if !free {
			return ErrRunLives // another process has it for itself
		}
		if err := unlock(file); err != nil {
			return err
		}
		time.Sleep(lookPause)
	}
	return ErrRunLives
}

// Live reports whether a process holds the journal.
func Live(path string) (bool, error) {
	file, err := os.Open(path)
	if err != nil {
		return false, fmt.Errorf("open journal: %w", err)
	}
	defer func() { _ = file.Close() }() // with its lock
	free, err := tryLock(file, false)
	return !free && err == nil, err
}
