package report

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
)

// LogEntry is something that happened to the run as a whole.
type LogEntry struct {
	Time time.Time `json:"time"`
	Kind LogKind   `json:"kind"`
	Node string    `json:"node,omitempty"`
	By   string    `json:"by,omitempty"`
	Text string    `json:"text"`
}

// LogKind is what an entry of the log is about.
type LogKind string

// The kinds of entries.
const (
	LogRun       LogKind = "run"
	LogNode      LogKind = "node"
	LogAction    LogKind = "action"    // of an operator
	LogOutage    LogKind = "outage"    // the API server became unreachable
	LogReachable LogKind = "reachable" // and answers again
)

func (h *history) log(e drain.Event, text string) {
	kind := LogRun
	if e.Node != "" {
		kind = LogNode
	}
	h.logAs(kind, e, text)
}

func (h *history) logAs(kind LogKind, e drain.Event, text string) {
	h.report.Log = append(h.report.Log, LogEntry{Time: e.Time.UTC(), Kind: kind, Node: e.Node, By: e.By, Text: text})
}

func (h *history) control(e drain.Event) {
	if e.Command == drain.CommandRemedy {
		return // the remedy itself tells more
	}
	text := string(e.Command)
	switch {
	case e.Pod != "":
		text += " " + e.Namespace + "/" + e.Pod
	case e.Node != "":
		text += " " + e.Node
	}
	h.act(e, text+after(e.Message))
}

// act logs what an operator did.
func (h *history) act(e drain.Event, text string) {
	h.logAs(LogAction, e, text)
	h.report.Actions = append(h.report.Actions, h.report.Log[len(h.report.Log)-1])
}

// remedy tells of each thing that becomes of a remedy; tries to take it back that
// come to nothing are in the list of answers.
func (h *history) remedy(e drain.Event) {
	text := "remedy for " + e.Remedy.For + ": " + e.Remedy.What() + ", " + e.RemedyState.Words() + after(e.Message)
	switch {
	case e.Wait != nil:
	case e.RemedyState == remedy.Requested, e.RemedyState == remedy.Refused:
		h.act(e, text)
	default:
		h.log(e, text)
	}
}

func (h *history) node(e drain.Event) {
	switch {
	case e.NodeState == drain.NodeCordoned && e.Message != "":
		h.log(e, e.Message) // somebody else's cordon
	case e.NodeState == drain.NodeCordoning && e.Message != "" && e.Wait == nil:
		h.log(e, e.Message) // the run takes over the cordon of another run
	case e.NodeState == drain.NodeCordoned, e.NodeState == drain.NodeDraining, e.NodeState.Final():
		h.log(e, word(e.NodeState)+after(e.Message))
	}
}

func word(s drain.NodeState) string {
	if s == drain.NodeDraining {
		return "draining begins"
	}
	return map[drain.NodeState]string{drain.NodeCordoned: "cordoned", drain.NodeDrained: "drained",
		drain.NodeRefused: "refused", drain.NodeFailed: "failed", drain.NodeStopped: "stopped"}[s]
}

func (h *history) budget(e drain.Event) {
	if e.Budget == nil || e.BudgetState == tempbudget.Planned || e.Wait != nil {
		return
	}
	h.log(e, "temporary budget "+e.Budget.Namespace+"/"+e.Budget.Name+" "+map[tempbudget.State]string{
		tempbudget.Created: "made", tempbudget.InDoubt: "in doubt", tempbudget.Observed: "in force",
		tempbudget.Removed: "removed", tempbudget.Failed: "could not be created", tempbudget.Orphaned: "left behind",
	}[e.BudgetState]+after(e.Message))
}
