package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"time"
)

// heartbeat is how often a quiet test is named, for the patience of whoever
// watches; CI services end jobs that say nothing.
const heartbeat = time.Minute

// goTest runs one `go test`, or the program of the call, and counts.
func (s *session) goTest(ctx context.Context, call call) tally {
	if call.program != nil {
		return s.runProgram(ctx, call.program)
	}
	args := append([]string{"test", "-json"}, call.args...)
	dir := filepath.Join(s.root, call.module)
	if call.taggedOnly != "" {
		selection, err := s.selectTagged(ctx, dir, call.taggedOnly)
		if err != nil {
			return s.broken(err)
		}
		if len(selection) == 0 {
			return tally{}
		}
		args = append(args, selection...)
	}
	cmd := s.command(ctx, "go", args...)
	cmd.Dir = dir
	pipe, feed := io.Pipe()
	cmd.Stdout = feed
	if err := cmd.Start(); err != nil {
		return s.broken(err)
	}
	ended := make(chan error, 1)
	go func() {
		err := cmd.Wait()
		feed.Close()
		ended <- err
	}()
	counter := newCounter(s.out)
	counter.follow(pipe)
	if err := <-ended; err != nil {
		counter.printBuildOutput()
		counter.endCut()
		if counter.tally.failed == 0 { // no test failed, yet go test did
			counter.tally.failed++
			fmt.Fprintf(s.out, "FAILED: go %v in %s: %v\n", args, call.module, err)
		}
	}
	return counter.tally
}

func (s *session) runProgram(ctx context.Context, argv []string) tally {
	if err := s.command(ctx, filepath.Join(s.root, argv[0]), argv[1:]...).Run(); err != nil {
		return s.broken(fmt.Errorf("%s: %w", argv[0], err))
	}
	return tally{passed: 1}
}

// follow takes events until there are no more, and names a test that is quiet
// for long.
func (c *counter) follow(stream io.Reader) {
	lines := make(chan []byte)
	go func() {
		defer close(lines)
		reader := bufio.NewReader(stream)
		for {
			line, err := reader.ReadBytes('\n')
			if len(line) > 0 {
				lines <- line
			}
			if err != nil {
				return
			}
		}
	}()
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		select {
		case line, more := <-lines:
			if !more {
				return
			}
			c.takeLine(line)
		case <-beat.C:
			if name, since := c.longest(); name != "" {
				fmt.Fprintf(c.out, "...   %s has been running for %s\n", name, time.Since(since).Round(time.Second))
			}
		}
	}
}

// takeLine passes on what is not an event, such as a complaint of the go command.
func (c *counter) takeLine(line []byte) {
	var e event
	if err := json.Unmarshal(bytes.TrimSpace(line), &e); err != nil || e.Action == "" {
		fmt.Fprintf(c.out, "%s", line)
		return
	}
	c.take(e)
}
