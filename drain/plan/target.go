package plan

import (
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
)

// ourName is how commands of ours are written before they are given a target.
const ourName = "kdrain-tui"

// Target is the cluster and the identity that printed commands are for: the
// connection flags that the program was given, and the name that it was called by.
// Whoever pastes a command may be in a shell with another current context, so each
// command that is printed, kubectl's or ours, goes through Line. The zero value is
// the current context.
type Target struct {
	Program    string // "" for the usual name
	Kubeconfig string // path of the one file, "" for kubectl's own rules
	Context    string
	// Others are further connection flags that were given, as --name=value, without
	// secrets.
	Others []string
}

// Line makes of a command that begins with kubectl, or with the usual name of this
// program, one that does the same in any shell. Any other stays as it is, and so
// does one that has its target. Several commands are one line.
func (t Target) Line(commands ...string) string {
	lines := make([]string, len(commands))
	for i, command := range commands {
		lines[i] = t.line(command)
	}
	return strings.Join(lines, "; ")
}

func (t Target) line(command string) string {
	if rest, ours := strings.CutPrefix(command, ourName+" "); ours {
		verb, _, _ := strings.Cut(rest, " ")
		if slices.Contains(withoutCluster, verb) {
			return t.program() + rest
		}
		return t.program() + t.flags(rest) + rest
	}
	if rest, kubectls := strings.CutPrefix(command, "kubectl "); kubectls {
		return "kubectl " + t.flags(rest) + rest
	}
	return command
}

// withoutCluster are our commands that need no cluster: they read journals and
// speak to runs of this machine.
var withoutCluster = []string{"report", "runs", "ctl", "replay"}

// advice is the advice with its commands for the target.
func (t Target) advice(list []budget.Advice) []budget.Advice {
	list = slices.Clone(list) // others share it
	for i := range list {
		list[i].Command = t.Line(list[i].Command)
	}
	return list
}

// findings are the findings with their commands for the target.
func (t Target) findings(list []Finding) []Finding {
	list = slices.Clone(list)
	for i := range list {
		list[i].Advice = t.advice(list[i].Advice)
	}
	return list
}

// Plan is the plan with all of its commands for the target.
func (t Target) Plan(p Plan) Plan {
	p.Findings, p.Nodes = t.findings(p.Findings), slices.Clone(p.Nodes)
	for i := range p.Nodes {
		pods := slices.Clone(p.Nodes[i].Pods)
		for j := range pods {
			pods[j].Advice = t.advice(pods[j].Advice)
		}
		p.Nodes[i].Pods = pods
	}
	return p
}

func (t Target) program() string {
	if t.Program == "" {
		return ourName + " "
	}
	return t.Program + " "
}

// flags are the connection flags with a space after them, "" where the command has
// them already.
func (t Target) flags(rest string) string {
	words := t.words()
	if len(words) == 0 {
		return ""
	}
	text := strings.Join(words, " ") + " "
	if strings.HasPrefix(rest, text) {
		return ""
	}
	return text
}

func (t Target) words() []string {
	var said []string
	if t.Kubeconfig != "" {
		said = append(said, "--kubeconfig="+format.ShellWord(t.Kubeconfig))
	}
	if t.Context != "" {
		said = append(said, "--context="+format.ShellWord(t.Context))
	}
	for _, flag := range t.Others {
		name, value, _ := strings.Cut(flag, "=")
		said = append(said, name+"="+format.ShellWord(value))
	}
	return said
}
