package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// rollJournal is what the files of a roll and of its runs hold, read without any help of the program that is judged.
type rollJournal struct {
	id     string // "" where no roll was begun
	events []rollEvent
	runs   []journal // of its batches, in order
	text   string
}

type rollEvent struct {
	Time                     time.Time
	Kind, Schema, Node, Hook string
	NodeState, Outcome, Run  string
	Message, Control         string
	ExitCode                 int
	Roll                     json.RawMessage // of RollStarted; in a report it is the id
	Gate                     *struct{ Closed bool }
}

// nodes are the UIDs of the nodes of the roll.
func (j *rollJournal) nodes() (uids []string) {
	for _, e := range j.events {
		var started struct{ Run started }
		if e.Kind != "RollStarted" || json.Unmarshal(e.Roll, &started) != nil {
			continue
		}
		for _, n := range started.Run.Nodes {
			uids = append(uids, n.UID)
		}
	}
	return uids
}

// rollReport is the last line of `roll -o json`.
type rollReport struct {
	Schema, Outcome, Message string
	Nodes                    []rollNode
}

type rollNode struct {
	Name, State, Message string
	Batch                int
}

const rollReportSchema = "kdrain-tui/roll-report/"

// readRollJournal reads the only roll below the folder, and its runs.
func readRollJournal(state string) (rollJournal, error) {
	folder := filepath.Join(state, "kdrain-tui", "runs")
	paths, err := filepath.Glob(filepath.Join(folder, "*.roll"))
	if err != nil || len(paths) == 0 {
		return rollJournal{}, err
	}
	if len(paths) > 1 {
		return rollJournal{}, fmt.Errorf("there are %d journals of one roll", len(paths))
	}
	data, err := os.ReadFile(paths[0])
	if err != nil {
		return rollJournal{}, fmt.Errorf("read the journal of the roll: %w", err)
	}
	j := rollJournal{text: string(data)}
	for number := 0; ; number++ {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		if data = rest; !whole {
			break
		}
		var e rollEvent
		if err := json.Unmarshal(line, &e); err != nil {
			return j, fmt.Errorf("line %d of the journal of the roll: %w", number+1, err)
		}
		if number > 0 { // the first says which schema it has
			j.events = append(j.events, e)
		}
	}
	if len(j.events) > 0 {
		j.id = strings.TrimSuffix(filepath.Base(paths[0]), ".roll")
	}
	runs, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil {
		return j, fmt.Errorf("look for the runs of the roll: %w", err)
	}
	slices.SortFunc(runs, func(a, b string) int { return len(a) - len(b) + strings.Compare(a, b) })
	for _, path := range runs {
		run, err := readJournalFile(path)
		if err != nil {
			return j, err
		}
		j.runs = append(j.runs, run)
	}
	return j, nil
}

// outcome is "" while the roll has none.
func (j rollJournal) outcome() string {
	for _, e := range j.events {
		if e.Kind == "RollEnded" {
			return e.Outcome
		}
	}
	return ""
}

// suspended tells whether its last process left it to be resumed.
func (j rollJournal) suspended() bool {
	suspended := false
	for _, e := range j.events {
		switch {
		case e.Kind == "Control" && e.Control == "suspend":
			suspended = true
		case e.Kind == "Resumed", e.Kind == "RollEnded":
			suspended = false
		}
	}
	return suspended
}

// failedBy are the nodes that the roll had given up by then.
func (j rollJournal) failedBy(moment time.Time) map[string]bool {
	failed := map[string]bool{}
	for _, e := range j.events {
		if e.Kind == "Node" && e.NodeState == "Failed" && !e.Time.After(moment) {
			failed[e.Node] = true
		}
	}
	return failed
}

// merged are the events of all runs of the roll as if they were of one, in the order of time.
func (j rollJournal) merged() journal {
	all := journal{run: j.id}
	for _, run := range j.runs {
		all.events = append(all.events, run.events...)
		all.text += run.text
	}
	slices.SortStableFunc(all.events, func(a, b journalEvent) int { return a.Time.Compare(b.Time) })
	return all
}

// readRollReport finds the report at the end of the output, nil where there is none.
func readRollReport(output string) (*rollReport, error) {
	text := strings.TrimSpace(output)
	last := text[strings.LastIndexByte(text, '\n')+1:]
	if !strings.Contains(last, rollReportSchema) {
		return nil, nil
	}
	r := &rollReport{}
	if err := json.Unmarshal([]byte(last), r); err != nil {
		return nil, fmt.Errorf("read the report of the roll: %w", err)
	}
	return r, nil
}
