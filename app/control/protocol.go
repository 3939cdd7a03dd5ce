package control

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
)

// schema names the protocol in every request and every answer. A server refuses
// a request of another version.
const schema = "kdrain-tui/ctl/v1"

// Request is what a run is told.
type Request struct {
	Schema string `json:"schema"`
	Run    string `json:"run"` // must be the run that the server owns
	Verb   string `json:"verb"`
	Pod    string `json:"pod,omitempty"` // namespace/name, or a name that is the only one in the run
	Node   string `json:"node,omitempty"`
	Word   string `json:"confirmation,omitempty"` // what was typed to confirm it, where the verb takes a word
}

// Answer is what became of a request.
type Answer struct {
	Schema string `json:"schema"`
	Run    string `json:"run"`
	Verb   string `json:"verb"`
	OK     bool   `json:"ok"`
	// Seq is the number of the event in the run's journal.
	Seq uint64 `json:"seq,omitempty"`
	Pod string `json:"pod,omitempty"` // namespace/name of the pod that was meant
	// Node is the node that was meant, or the one of the pod.
	Node    string      `json:"node,omitempty"`
	Message string      `json:"message,omitempty"` // what is so now, for people
	Error   string      `json:"error,omitempty"`   // why nothing was changed
	Hint    string      `json:"hint,omitempty"`    // what to do about that
	Status  *Status     `json:"status,omitempty"`  // of the verb status, of a run
	Roll    *RollStatus `json:"roll,omitempty"`    // the same of a roll
	// Unconfirmed: the remedy could be taken, and its word was not given.
	Unconfirmed bool           `json:"unconfirmed,omitempty"`
	Remedy      *RemedyStatus  `json:"remedy,omitempty"`   // of a verb that takes a remedy
	Remedies    []RemedyStatus `json:"remedies,omitempty"` // of the verb remedies, in order
}

// Status is a run in short.
type Status struct {
	Phase       drain.Phase       `json:"phase"`
	PhaseStatus drain.PhaseStatus `json:"phaseStatus"`
	// Question is the phase whose confirmation the run waits for, "" for none.
	Question    drain.Phase  `json:"question,omitempty"`
	Paused      bool         `json:"paused"`
	Aborting    bool         `json:"aborting"`
	JournalLost string       `json:"journalLost,omitempty"`       // why the journal cannot be written
	ServerAway  string       `json:"serverUnreachable,omitempty"` // why the API server does not answer
	Nodes       []NodeStatus `json:"nodes"`
	Blocked     []PodStatus  `json:"blocked"`
}

// NodeStatus is a node of a run: how many of its pods are gone.
type NodeStatus struct {
	Name        string          `json:"name"`
	State       drain.NodeState `json:"state"`
	Pods        int             `json:"pods"`
	Gone        int             `json:"gone"`
	Terminating int             `json:"terminating"`
	Blocked     int             `json:"blocked"`
	Message     string          `json:"message,omitempty"`
}

// PodStatus is a pod that waits for something.
type PodStatus struct {
	Pod   string         `json:"pod"` // namespace/name
	Node  string         `json:"node"`
	State eviction.State `json:"state"`
	Since time.Time      `json:"since"`
}

func statusOf(s *drain.State) *Status {
	status := &Status{Phase: s.Phase, PhaseStatus: s.Phases[s.Phase], Paused: s.Paused, Aborting: s.Aborting,
		JournalLost: s.JournalLost, ServerAway: s.DownWhy, Nodes: []NodeStatus{}, Blocked: []PodStatus{}}
	if s.Question != nil {
		status.Question = s.Question.Phase
	}
	for _, n := range s.Nodes {
		p := s.Progress(n.Name)
		status.Nodes = append(status.Nodes, NodeStatus{Name: n.Name, State: n.State, Pods: p.Total, Gone: p.Left,
			Terminating: p.Terminating, Blocked: p.Blocked, Message: n.Message})
	}
	for _, p := range s.Pods {
		if p.State.Blocked() || p.State == eviction.StuckTerminating {
			status.Blocked = append(status.Blocked, PodStatus{Pod: name(p), Node: p.Node, State: p.State,
				Since: p.Since.UTC()})
		}
	}
	return status
}
