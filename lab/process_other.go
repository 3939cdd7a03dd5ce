//go:build !linux

package main

import (
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// processStart returns when a process started, as ps prints it.
func processStart(pid int) (string, error) {
	state, started, err := processStat(pid)
	if err != nil {
		return "", err
	}
	if strings.HasPrefix(state, "Z") {
		return "", errors.New("the process has ended")
	}
	return started, nil
}

func processStopped(pid int) bool {
	state, _, err := processStat(pid)
	return err == nil && strings.HasPrefix(state, "T")
}

func processStat(pid int) (state, started string, err error) {
	output, err := exec.Command("ps", "-o", "stat=,lstart=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return "", "", fmt.Errorf("look up process %d: %w", pid, err)
	}
	state, started, _ = strings.Cut(strings.TrimSpace(string(output)), " ")
	return state, strings.TrimSpace(started), nil
}
