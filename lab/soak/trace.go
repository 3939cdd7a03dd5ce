package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// traceWord is the first argument of this program where it is a command of a roll.
const traceWord = "trace"

// step is what a command of a roll notes: it began, it ended, or it was cut short by a signal.
type step struct {
	At         time.Time
	What       string // begin, end or cut
	Hook, Node string
	Pid, Code  int
}

// leaveTrace is the command of a roll: it appends its begin and its end to a file, for the node that it gets, and takes
// some time between. The exit code is that of the flag for the node that it names, and 0 for the others.
func leaveTrace(args []string) int {
	flags := flag.NewFlagSet(traceWord, flag.ExitOnError)
	path, hook := flags.String("file", "", "file to append to"), flags.String("hook", "work", "before or work")
	takes := flags.Duration("takes", 0, "how long it takes")
	fails, code := flags.String("fails", "", "node for which it fails"), flags.Int("code", 3, "with which exit code")
	_ = flags.Parse(args) // it exits
	// Its output may have no reader any more; a work that was begun goes on to its end.
	signal.Ignore(syscall.SIGPIPE)
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, os.Interrupt)
	s := step{Hook: *hook, Node: os.Getenv("NODE"), Pid: os.Getpid()}
	if s.Node != *fails {
		*code = 0
	}
	if err := s.note(*path, "begin"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Printf("%s on %s for %s\n", s.Hook, s.Node, os.Getenv("RUN"))
	select {
	case <-time.After(*takes):
		s.Code = *code
		if err := s.note(*path, "end"); err != nil {
			return 1
		}
		return s.Code
	case <-stop:
		_ = s.note(*path, "cut") // it ends all the same
		return 1
	}
}

// note appends a line in one write, so that those of several commands do not mix.
func (s step) note(path, what string) error {
	s.At, s.What = time.Now(), what
	line, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("note a step: %w", err)
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open the trace: %w", err)
	}
	_, err = file.Write(append(line, '\n'))
	return errors.Join(err, file.Close())
}

// readTrace are the steps that the commands have noted so far.
func readTrace(path string) ([]step, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open the trace: %w", err)
	}
	defer file.Close()
	var all []step
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var s step
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			return nil, fmt.Errorf("read the trace: %w", err)
		}
		all = append(all, s)
	}
	return all, nil
}

// work is one command from its begin to its end.
type work struct {
	Hook, Node string
	Began      time.Time
	Ended      time.Time // zero while it is not known to have ended
	Cut        bool      // by a signal
	Code       int
}

// over tells whether it had ended by then.
func (w work) over(by time.Time) bool { return !w.Ended.IsZero() && !w.Ended.After(by) }

// succeeded tells whether it came to a good end.
func (w work) succeeded() bool { return !w.Ended.IsZero() && !w.Cut && w.Code == 0 }

// worksOf puts the steps of each command together, in the order of their begins.
func worksOf(steps []step) []work {
	var all []work
	of := map[int]int{} // the command of a process
	for _, s := range steps {
		if s.What == "begin" {
			of[s.Pid] = len(all)
			all = append(all, work{Hook: s.Hook, Node: s.Node, Began: s.At})
			continue
		}
		if i, known := of[s.Pid]; known {
			all[i].Ended, all[i].Cut, all[i].Code = s.At, s.What == "cut", s.Code
		}
	}
	return all
}
