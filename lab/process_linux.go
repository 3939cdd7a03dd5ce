package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// processStart returns when a process started, in clock ticks since boot. A
// process that has ended but was not waited for by its parent counts as gone.
func processStart(pid int) (string, error) {
	state, started, err := processStat(pid)
	if err != nil {
		return "", err
	}
	if state == "Z" || state == "X" {
		return "", errors.New("the process has ended")
	}
	return started, nil
}

func processStopped(pid int) bool {
	state, _, err := processStat(pid)
	return err == nil && state == "T"
}

func processStat(pid int) (state, started string, err error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", "", err
	}
	// The name of the program may hold blanks and brackets; what follows its last
	// bracket are the fields from the third on.
	text := string(data)
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 20 {
		return "", "", fmt.Errorf("/proc/%d/stat is not what it should be: %q", pid, text)
	}
	return fields[0], fields[19], nil
}
