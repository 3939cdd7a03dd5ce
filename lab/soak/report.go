package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// said is what kdrain-tui said of a run: its events and its report. Only what
// the contract in docs/events.md names is read.
type said struct {
	planned map[types.UID]plannedPod // of the plan, and those that joined
	nodes   map[string]bool          // of the plan: whether it was refused
	uids    map[string]bool          // of those nodes
	ended   map[string]time.Time     // nodes that the run was through with, before it ended itself
	report  *report
}

type plannedPod struct {
	Node, Namespace, Name, Action string
	UID                           types.UID
	Joined                        bool
}

func (p plannedPod) moves() bool { return p.Action == "evict" || p.Action == "delete" }

type report struct {
	Schema, Outcome, Message string
	EndedAt                  time.Time
	Nodes                    []nodeReport
}

type nodeReport struct {
	Name, State, Message string
	Cordoned             bool
	Attached             []struct{ Volume string }
	Pods                 []podReport
}

type podReport struct {
	Namespace, Name, Action, State, Message, ServerMessage string
	UID                                                    types.UID
	Attempts, LastCode                                     int
}

type event struct {
	Schema, Kind string
	Run          json.RawMessage // of RunStarted; in a report it is the id
	Added        plannedPod
	Time         time.Time
	Node         string
	NodeState    string
}

type started struct {
	Nodes []struct{ Name, UID, Refused string }
	Pods  []plannedPod
}

// readOutput reads what `drain -o json` printed.
func readOutput(text string) (said, error) {
	s := said{planned: map[types.UID]plannedPod{}, nodes: map[string]bool{}, uids: map[string]bool{},
		ended: map[string]time.Time{}}
	for number, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if line == "" {
			continue
		}
		if s.report != nil {
			return s, fmt.Errorf("line %d comes after the report", number+1)
		}
		var e event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			return s, fmt.Errorf("line %d of the output is no JSON object: %w", number+1, err)
		}
		switch {
		case strings.HasPrefix(e.Schema, "kdrain-tui/report/"):
			s.report = &report{}
			if err := json.Unmarshal([]byte(line), s.report); err != nil {
				return s, fmt.Errorf("read the report: %w", err)
			}
		case e.Kind == "RunStarted":
			var run started
			if err := json.Unmarshal(e.Run, &run); err != nil {
				return s, fmt.Errorf("read how the run started: %w", err)
			}
			s.start(run)
		case e.Kind == "PodAdded":
			e.Added.Joined = true
			s.planned[e.Added.UID] = e.Added
		case e.Kind == "Node" && e.NodeState == "Failed":
			s.ended[e.Node] = e.Time
		}
	}
	if s.report == nil {
		return s, fmt.Errorf("there is no report at the end of the output")
	}
	return s, nil
}

// with is what two runs said together: what either of them means to move may move.
func (s said) with(other said) said {
	for uid, p := range other.planned {
		if before, known := s.planned[uid]; !known || !before.moves() {
			s.planned[uid] = p
		}
	}
	maps.Copy(s.uids, other.uids)
	for name, refused := range other.nodes {
		s.nodes[name] = refused && (s.nodes[name] || !s.plans(name))
	}
	return s
}

func (s said) plans(node string) bool { _, planned := s.nodes[node]; return planned }

func (s *said) start(run started) {
	for _, n := range run.Nodes {
		s.nodes[n.Name], s.uids[n.UID] = n.Refused != "", true
	}
	for _, p := range run.Pods {
		s.planned[p.UID] = p
	}
}
