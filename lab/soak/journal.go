package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// journal is what the file of a run holds, read without any help of the program
// that is judged.
type journal struct {
	run    string // its id, "" where no run was begun
	events []journalEvent
	torn   bool // the last line has no end
	bad    string
	text   string
}

type journalEvent struct {
	Seq                          int
	Time                         time.Time
	Kind, Node, Namespace, Pod   string
	UID                          types.UID
	Run                          json.RawMessage
	Added                        plannedPod
	Outcome, PodState, NodeState string
	Control                      string
	Action                       struct {
		ID   int
		Verb string
	}
	Budget struct{ Namespace, Name string }
	Surge  struct{ Namespace, Name string }
	Cost   *deletionCostChange
}

// deletionCostChange is what a run makes of the deletion cost of a pod, and what it was.
type deletionCostChange struct{ Was, To string }

// readJournal reads the only journal below the folder.
func readJournal(state string) (journal, error) {
	paths, err := filepath.Glob(filepath.Join(state, "kdrain-tui", "runs", "*.jsonl"))
	if err != nil || len(paths) == 0 {
		return journal{}, err
	}
	if len(paths) > 1 {
		return journal{bad: fmt.Sprintf("there are %d journals of one run", len(paths))}, nil
	}
	return readJournalFile(paths[0])
}

func readJournalFile(path string) (journal, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return journal{}, fmt.Errorf("read the journal: %w", err)
	}
	j := journal{text: string(data)}
	for number := 0; len(data) > 0; number++ {
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			j.torn = true
			break
		}
		line := data[:end]
		data = data[end+1:]
		if number == 0 {
			continue // which schema it has
		}
		var e journalEvent
		if err := json.Unmarshal(line, &e); err != nil {
			j.bad = fmt.Sprintf("line %d: %v", number+1, err)
			break
		}
		if e.Seq != number {
			j.bad = fmt.Sprintf("line %d holds event %d", number+1, e.Seq)
			break
		}
		j.events = append(j.events, e)
	}
	if len(j.events) > 0 {
		j.run = strings.TrimSuffix(filepath.Base(path), ".jsonl")
	}
	return j, nil
}

// began is when the run was begun, zero where there is none.
func (j journal) began() time.Time {
	for _, event := range j.events {
		if event.Kind == "RunStarted" {
			return event.Time
		}
	}
	return time.Time{}
}

// outcome is "" while the run has none.
func (j journal) outcome() string {
	for _, e := range j.events {
		if e.Kind == "RunEnded" {
			return e.Outcome
		}
	}
	return ""
}

// said is what the journal says of the plan.
func (j journal) said() (said, error) {
	s := said{planned: map[types.UID]plannedPod{}, nodes: map[string]bool{}, uids: map[string]bool{}}
	for _, e := range j.events {
		switch e.Kind {
		case "RunStarted":
			var run started
			if err := json.Unmarshal(e.Run, &run); err != nil {
				return s, fmt.Errorf("read how the run started: %w", err)
			}
			s.start(run)
		case "PodAdded":
			e.Added.Joined = true
			s.planned[e.Added.UID] = e.Added
		}
	}
	return s, nil
}
