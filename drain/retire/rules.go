package retire

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/checklist"
	"github.com/kdrain-tui/kdrain-tui/drain/process"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Seen is what the cluster shows of a node at the moment of a decision.
type Seen struct {
	UID     kube.UID          // of the node that was drained
	Trusted bool              // the view of the nodes, and of the pods on that one, is complete and live
	Node    *kube.Node        // that has the name now, nil where none has
	InUse   string            // why the node is not as its drain left it any more, "" where it is
	Verdict checklist.Verdict // on that node
	Command process.Seen      // that was started for the next step and whose end is not known, zero for none
}

// CheckCommand stands beside the lines of the checklist where it is not known whether the command of a step still
// runs.
const CheckCommand checklist.Check = "Command"

// Sentence says what speaks against a step.
func (s *Seen) Sentence() string {
	if s.Command.Life == process.Unknown {
		return "it is not known whether its last command still runs: " + s.Command.Why + "; " + s.Verdict.Sentence()
	}
	return s.Verdict.Sentence()
}

// SeenIn is what a snapshot shows of the node of that UID. Why and known are of drain.State.StillDrained.
func SeenIn(snap *kube.Snapshot, node string, uid kube.UID, verdict checklist.Verdict, why string, known bool) Seen {
	s := Seen{UID: uid, Trusted: snap.On(node).Trusted(kube.KindNodes), Node: snap.Node(node), Verdict: verdict}
	if s.Node != nil && s.Node.UID == uid {
		s.Trusted, s.InUse = s.Trusted && known, why
	}
	return s
}

// Gone reports whether the node that was drained is not in the cluster any longer.
func (s *Seen) Gone() bool { return s.Trusted && (s.Node == nil || s.Node.UID != s.UID) }

// Objection says why a step may not be taken on the node now, nil where it may be.
func (r *Record) Objection(step Step, node string, s Seen) error {
	next := r.Next()
	switch {
	case next == "":
		return fmt.Errorf("node %s is retired: nothing is left to do", node)
	case slices.Index(Steps, step) < 0:
		return fmt.Errorf("there is no step %q", step)
	case step != next && r.Did(step):
		return fmt.Errorf("node %s: %s is done; the next step is to %s", node, step, next.Does())
	case step != next:
		return fmt.Errorf("node %s: first %s", node, next.Does())
	case !s.Trusted:
		return fmt.Errorf("node %s: the view of the node and its pods is not up to date", node)
	case s.Node != nil && s.Node.UID != s.UID:
		return fmt.Errorf("node %s: another Node object has the name now (%s): its kubelet has registered again; "+
			"that one was not drained, and is not touched", node, kube.Visible(string(s.Node.UID)))
	case step != StepClean && s.InUse != "":
		return fmt.Errorf("node %s: unable to %s: %s; retire the node again, which drains it first",
			node, step.Does(), s.InUse)
	case s.Command.Life == process.Runs:
		g := r.Of(step).Process
		return fmt.Errorf("node %s: the command to %s still runs as %s, and is not joined by another; wait for it, or "+
			"end it: %s", node, step.Does(), g, g.End())
	case step == StepStop && s.Node == nil && r.Host == nil:
		return fmt.Errorf("node %s: the Node object is gone, so it is not known which machine it was", node)
	}
	return nil
}

// Against are the lines of the checklist that are not true and speak against the step.
// Once the Node object is gone, nothing of the node is left to judge.
func Against(step Step, s Seen) []checklist.Check {
	var lines []checklist.Check
	if s.Command.Life == process.Unknown {
		lines = append(lines, CheckCommand)
	}
	if step == StepClean || s.Node == nil {
		return lines
	}
	for _, why := range s.Verdict.Why {
		if !slices.Contains(lines, why.Check) {
			lines = append(lines, why.Check)
		}
	}
	return lines
}

// Word is what the operator types for a step: the name of the node, and after it the
// lines of the checklist that are not true, so that none is overruled unseen.
func Word(step Step, node string, s Seen) string {
	var lines []string
	for _, line := range Against(step, s) {
		lines = append(lines, string(line))
	}
	if len(lines) == 0 {
		return node
	}
	return node + " despite " + strings.Join(lines, ",")
}

// Accepts is an error unless that was typed which the step takes now.
func Accepts(typed string, step Step, node string, s Seen) error {
	word := Word(step, node, s)
	switch {
	case typed == word:
		return nil
	case word != node:
		return fmt.Errorf("node %s: %s; to %s despite that, type %q", node, s.Sentence(), step.Does(), word)
	}
	return fmt.Errorf("node %s: to %s, type %q", node, step.Does(), word)
}

// Confirmed is a step as the operator confirmed it.
type Confirmed struct {
	Step Step
	Word string // that was typed; see Accepts
	By   string
	// HostExec runs a script on the host; without it the operator says that it was done.
	HostExec string
}

// errName: what is put into a command line of a shell is only what needs no quoting there.
var errName = errors.New("is none that can be put into a command: it must consist of letters, digits, dots and -")

// placeholder stands for the name of the node in the command that runs a script on its host.
const placeholder = "{node}"

// HostCommand is the command line that runs a script on the host of a node.
func HostCommand(hostExec, node string) (string, error) {
	plain := node != "" && node[0] != '-' && strings.Trim(node, "abcdefghijklmnopqrstuvwxyz0123456789-.") == ""
	if !plain {
		return "", fmt.Errorf("the name of node %q %w", kube.Clean(node), errName)
	}
	return strings.ReplaceAll(hostExec, placeholder, node), nil
}
