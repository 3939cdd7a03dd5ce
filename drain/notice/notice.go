package notice

import (
	"time"
	"unicode/utf8"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// schema is the schema of a notification. docs/notifications.md has the fields.
const schema = "kdrain-tui/notification/v1"

// Kind names what is told.
type Kind string

// The kinds of notices.
const (
	PhaseEnded Kind = "PhaseEnded" // of a run
	BatchEnded Kind = "BatchEnded" // of a roll
	Blocked    Kind = "Blocked"    // pods are blocked for longer than the given time
	GateClosed Kind = "GateClosed" // the health gate keeps the next node or batch
	Question   Kind = "Question"   // a question is not answered
	Suspended  Kind = "Suspended"  // the process ended, the run did not
	Ended      Kind = "Ended"
)

// Notice is one notification. It has no more than the journal has, and is bounded.
type Notice struct {
	Schema    string            `json:"schema"`
	Kind      Kind              `json:"kind"`
	Time      time.Time         `json:"time"`
	Run       string            `json:"run"` // or the roll
	Roll      bool              `json:"roll,omitempty"`
	Context   string            `json:"context,omitempty"`
	Reason    string            `json:"reason,omitempty"` // --reason
	Message   string            `json:"message"`
	Phase     drain.Phase       `json:"phase,omitempty"`       // PhaseEnded, Question of a run
	Status    drain.PhaseStatus `json:"phaseStatus,omitempty"` // PhaseEnded
	Batch     int               `json:"batch,omitempty"`       // BatchEnded: from 1
	Batches   int               `json:"batches,omitempty"`     // BatchEnded
	Outcome   drain.Outcome     `json:"outcome,omitempty"`     // Ended
	PodsGone  int               `json:"podsGone,omitempty"`
	PodsTotal int               `json:"podsTotal,omitempty"`
	Nodes     []Node            `json:"nodes,omitempty"`
	Pods      []Pod             `json:"pods,omitempty"`      // Blocked
	Workloads []string          `json:"workloads,omitempty"` // GateClosed: what is worse than before
	// Omitted is how many nodes, pods or workloads are not listed.
	Omitted int `json:"omitted,omitempty"`
}

// Node is a node of the run or roll.
type Node struct {
	Name  string `json:"name"`
	State string `json:"state"`
}

// Pod is a blocked pod.
type Pod struct {
	Namespace      string         `json:"namespace"`
	Name           string         `json:"name"`
	Node           string         `json:"node"`
	State          eviction.State `json:"state"`
	BlockedSeconds float64        `json:"blockedSeconds"`
	WaitsFor       string         `json:"waitsFor,omitempty"`
}

// The bounds of a notice.
const (
	mostListed = 20
	mostText   = 500 // bytes of a text
)

// bounded is the notice with short texts, without control sequences.
func (n Notice) bounded() Notice {
	n.Schema = schema
	for _, text := range []*string{&n.Run, &n.Context, &n.Reason, &n.Message} {
		*text = short(*text)
	}
	for i := range n.Nodes {
		n.Nodes[i].Name = short(n.Nodes[i].Name)
	}
	for i := range n.Pods {
		p := &n.Pods[i]
		p.Namespace, p.Name, p.Node, p.WaitsFor = short(p.Namespace), short(p.Name), short(p.Node), short(p.WaitsFor)
	}
	for i := range n.Workloads {
		n.Workloads[i] = short(n.Workloads[i])
	}
	return n
}

// short is a text of at most mostText bytes that is safe to print.
func short(text string) string {
	text = kube.Clean(text)
	if len(text) <= mostText {
		return text
	}
	end := mostText - len("…")
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// atMost returns the first elements of a list and the number of those that are left out.
func atMost[T any](all []T) (listed []T, omitted int) {
	listed = all[:min(len(all), mostListed)]
	return listed, len(all) - len(listed)
}
