// Package report tells of a run from its events: what was asked, what became of
// each node and pod, what held them up, and what is left to do; as text, as
// markdown with a chart, and as the JSON of the contract. It asks no cluster.
package report

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/checklist"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
)

// Schema is the schema of the report that `drain -o json` prints last.
const Schema = "kdrain-tui/report/v1"

// Report tells what a run was asked to do and what became of it: a projection
// of its final (or present) state. It is the JSON of the contract.
type Report struct {
	Schema          string               `json:"schema"`
	Run             string               `json:"run"`
	Context         string               `json:"context"`
	Server          string               `json:"server"`
	User            string               `json:"user"`
	Reason          string               `json:"reason,omitempty"`
	Outcome         drain.Outcome        `json:"outcome"` // "" while the run lives
	Message         string               `json:"message,omitempty"`
	StartedAt       time.Time            `json:"startedAt"`
	EndedAt         time.Time            `json:"endedAt,omitzero"`
	DurationSeconds float64              `json:"durationSeconds"`
	Nodes           []Node               `json:"nodes"`
	Requests        map[attempt.Verb]int `json:"requests"`
	Remedies        []Remedy             `json:"remedies,omitempty"` // as they were confirmed
	Surges          []Surge              `json:"surges,omitempty"`   // with --surge

	// What was asked, and by what. Retire: the drained nodes were to leave the cluster.
	Retire     bool         `json:"retire,omitempty"`
	Version    string       `json:"version,omitempty"`
	ClusterUID string       `json:"clusterUID,omitempty"`
	Options    plan.Options `json:"options,omitzero"`
	Command    string       `json:"command,omitempty"` // the same as a command line

	Status Status `json:"status,omitempty"` // OfState knows none but suspended
	// RolledBack tells that a rollback took back all that it could, and that the run was not resumed since.
	RolledBack bool `json:"rolledBack,omitempty"`

	// Of the events: OfState leaves these empty.
	Log      []LogEntry    `json:"log,omitempty"`
	Blockers []Blocker     `json:"blockers,omitempty"` // what held pods up, the longest first
	Answers  []AnswerEntry `json:"answers,omitempty"`
	Outages  []Outage      `json:"outages,omitempty"` // of the API server
	Actions  []LogEntry    `json:"actions,omitempty"` // what operators did to the run: controls, remedies

	// Findings are what the plan warned of, and Costs what came of it: sentences without their full
	// stop, about the pods that have left.
	Findings []plan.Finding `json:"findings,omitempty"`
	Costs    []string       `json:"costs,omitempty"`

	// What an operator should know, and what is left for them.
	Warnings []string `json:"warnings,omitempty"`
	ToDo     []ToDo   `json:"toDo,omitempty"`
	// CheckedAt is when ToDo was compared with the cluster, and Since what was done until then. Unchecked is why it was
	// not: then ToDo is what the run left when it ended.
	CheckedAt time.Time `json:"checkedAt,omitzero"`
	Since     []string  `json:"since,omitempty"`
	Unchecked string    `json:"unchecked,omitempty"`

	target plan.Target // of the commands
	down   time.Time   // since when the API server is unreachable, zero if it is not
	left   []ToDo      // what the run made for the drain and could not remove
	worse  bool        // workloads are worse than before
}

// Node is one node of a report.
type Node struct {
	Name     string          `json:"name"`
	UID      string          `json:"uid"`
	State    drain.NodeState `json:"state"`
	Message  string          `json:"message,omitempty"`
	Cordoned bool            `json:"cordoned"` // by this run, and still so when it saw the node last
	// CordonGone tells that the run cordoned the node, and that this cordon no longer stands.
	CordonGone bool `json:"cordonGone,omitempty"`
	// CordonInDoubt tells that the run ended before it saw what became of its last cordon.
	CordonInDoubt bool `json:"cordonInDoubt,omitempty"`
	// TakenOverBy is the run that took the node over from this one, "" for none.
	TakenOverBy     string  `json:"takenOverBy,omitempty"`
	DurationSeconds float64 `json:"durationSeconds"`
	Pods            []Pod   `json:"pods"`
	// Attached are the volumes that a drained node still had at the end. Warning says
	// that it is not safe to power off, or that this is not known.
	Attached []volume.Facts `json:"attached,omitempty"`
	Warning  string         `json:"warning,omitempty"`
	// SafeToPowerOff tells that all lines of the checklist were true when the run ended.
	// Where it is missing one was false or not known, and SafeToPowerOffWhy says why, if
	// the run came to look. Checklist has the lines.
	SafeToPowerOff    bool               `json:"safeToPowerOff,omitempty"`
	SafeToPowerOffWhy []checklist.Reason `json:"safeToPowerOffWhy,omitempty"`
	Checklist         []checklist.Line   `json:"checklist,omitempty"`
	// Retire are the steps that were taken to get it out of the cluster, in order.
	Retire []RetireStep `json:"retire,omitempty"`
}

// Pod is one pod of a report.
type Pod struct {
	Namespace string            `json:"namespace"`
	Name      string            `json:"name"`
	UID       string            `json:"uid"`
	Owner     string            `json:"owner"`
	Action    plan.Action       `json:"action"`
	Costs     []plan.EffectKind `json:"costs,omitempty"` // what its leaving cost
	State     eviction.State    `json:"state"`
	Message   string            `json:"message,omitempty"`
	Attempts  int               `json:"attempts"`
	// from the moment its node's drain began, or it joined that, to its end; 0 where it did not come to that
	DurationSeconds float64  `json:"durationSeconds"`
	BlockedSeconds  float64  `json:"blockedSeconds"`
	LastCode        int      `json:"lastCode,omitempty"`
	LastWords       string   `json:"serverMessage,omitempty"`
	Volumes         []Volume `json:"volumes,omitempty"`
	// Replacement is what took its place elsewhere, nil where that was not followed.
	Replacement *Replacement `json:"replacement,omitempty"`

	Added    bool   `json:"added,omitempty"`    // it came to the node after the plan was made
	Timeline []Span `json:"timeline,omitempty"` // of the events
	// Causes are what held it, the longest first, with their shares; of the events.
	Causes []Cause `json:"causes,omitempty"`

	held string // what held it last, as the end of a sentence
}

// OfState is the report of a run as it stands.
func OfState(s *drain.State) Report {
	r := Report{
		Schema: Schema, Run: s.Run.ID, Context: s.Run.Context, Server: s.Run.Server, User: s.Run.User,
		Reason: s.Run.Options.Reason, Outcome: s.Outcome, Message: s.Message,
		StartedAt: s.Started.UTC(), EndedAt: s.Ended.UTC(), Requests: s.Sent, Nodes: []Node{},
		Remedies: reportRemedies(s), Surges: reportSurges(s),
		Version: s.Run.Version, ClusterUID: s.Run.ClusterUID, Options: s.Run.Options,
		Command: commandOf(s),
		target:  s.Run.Target(), Retire: s.Run.Retire != nil, RolledBack: s.RolledBack,
	}
	r.Findings, r.Costs = s.Run.Findings, costsOf(s)
	if s.Down != nil {
		r.down = s.Down.UTC()
	}
	if s.Suspended && s.Outcome == "" {
		r.Status = StatusSuspended
	}
	end := s.Ended
	if end.IsZero() {
		end, r.EndedAt = s.Updated, time.Time{}
	}
	r.DurationSeconds = seconds(s.Started, end)
	pods := map[string][]*eviction.Record{}
	for _, p := range s.Pods {
		pods[p.Node] = append(pods[p.Node], p)
	}
	for _, n := range s.Nodes {
		node := Node{Name: n.Name, UID: string(n.UID), State: n.State, Message: n.Message,
			Cordoned: n.LeftCordoned(), CordonGone: n.Cordoned && n.CordonGone, CordonInDoubt: n.CordonInDoubt, TakenOverBy: n.TakenOverBy(),
			DurationSeconds: seconds(n.Started, orElse(n.Ended, end)), Pods: []Pod{},
			Attached: n.Attached, Warning: n.Warning, SafeToPowerOff: n.SafeToPowerOff()}
		node.Retire = retireSteps(n)
		if n.PowerOff != nil {
			node.SafeToPowerOffWhy, node.Checklist = n.PowerOff.Why, n.PowerOff.Lines()
		}
		for _, p := range pods[n.Name] {
			node.Pods = append(node.Pods, reportPod(p, n, end))
		}
		r.Nodes = append(r.Nodes, node)
	}
	left := toDos{target: r.target}
	if left.budgets(s, s.Suspended && s.Outcome == ""); s.Outcome != "" {
		left.surges(s)
	}
	r.left, r.worse = left.list, s.Gate != nil
	return r
}

func nodeNames(s *drain.State) []string {
	names := make([]string, len(s.Run.Nodes))
	for i, n := range s.Run.Nodes {
		names[i] = n.Name
	}
	return names
}

func reportPod(p *eviction.Record, n *drain.NodeRun, end time.Time) Pod {
	r := Pod{
		Namespace: p.Namespace, Name: p.Name, UID: string(p.UID), Owner: p.Owner, Action: p.Action, Costs: CostsOf(p),
		State: p.State, Message: p.Message, Attempts: p.Attempts, Added: p.Added, Volumes: reportVolumes(p), Replacement: reportReplacement(p),
		BlockedSeconds: p.BlockedFor(end).Round(time.Millisecond).Seconds(),
	}
	if p.Action != plan.ActionSkip && p.Action != plan.ActionRefuse {
		r.DurationSeconds = seconds(p.Begun, orElse(p.Ended, end))
	}
	if p.Last != nil {
		r.LastCode, r.LastWords = p.Last.Code, p.Last.Words()
	}
	switch w := p.Wait; {
	case w == nil:
	case !p.State.Final() && !n.Ended.IsZero(): // what it waits for was looked at until then
		r.held = ", when it was seen last: " + w.Sentence(n.Ended)
	case !p.State.Final():
		r.held = ": " + w.Sentence(end)
	case w.Budget != nil:
		r.held = " by budget " + w.Budget.Name
	}
	return r
}

// took is how long the drain of the pod took, "" where it was not begun.
func (p *Pod) took() string {
	if p.DurationSeconds == 0 {
		return ""
	}
	return spell(p.DurationSeconds)
}

func orElse(t, other time.Time) time.Time {
	if t.IsZero() {
		return other
	}
	return t
}

func seconds(from, to time.Time) float64 {
	if from.IsZero() || to.Before(from) {
		return 0
	}
	return to.Sub(from).Round(time.Millisecond).Seconds()
}
