package control

import (
	"fmt"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
)

// Object is what a verb is about.
type Object string

// The objects of verbs.
const (
	OfRun  Object = "run"
	OfPod  Object = "pod"
	OfNode Object = "node"
)

// Verb is one thing that a live run can be told. To add one: a CommandKind that
// Step knows, its rule in State.Objection, and a line in Verbs; the command, its
// help and its completion follow.
type Verb struct {
	Name string
	Of   Object
	Kind drain.CommandKind // "" for a verb that only asks
	Does string            // for the help: what it does, in a few words
	// Remedy is the remedy that it takes, "" for none. Such a verb needs
	// the word of the remedy (--confirm WORD), and without it only tells what it is.
	Remedy remedy.Kind
	// Now is what is so once the run took it; %s is the pod or node.
	Now string
}

// Verbs are all that a live run can be told, in the order of the help.
var Verbs = []Verb{
	{Name: "status", Of: OfRun, Does: "show how far the run is"},
	{Name: "pause", Of: OfRun, Kind: drain.CommandPause, Does: "send nothing new; accepted evictions finish",
		Now: "paused: nothing new is sent"},
	{Name: "continue", Of: OfRun, Kind: drain.CommandContinue, Does: "continue after a pause", Now: "continued"},
	{Name: "retry", Of: OfPod, Kind: drain.CommandRetry, Does: "try a waiting pod again now", Now: "pod %s is tried again now"},
	{Name: "skip", Of: OfPod, Kind: drain.CommandSkip,
		Does: "leave a pod where it is, or do not wait for its end; its node will not be empty",
		Now:  "pod %s is left where it is"},
	{Name: "last", Of: OfPod, Kind: drain.CommandLast, Does: "evict all other pods before this one", Now: "pod %s is evicted last"},
	{Name: "leave", Of: OfNode, Kind: drain.CommandLeave, Does: "evict nothing more from this node; it stays cordoned",
		Now: "node %s stays cordoned, nothing more is evicted from it"},
	{Name: "suspend", Of: OfRun, Kind: drain.CommandSuspend,
		Does: "send nothing more; resume continues the run. A dashboard stays open, other processes end",
		Now:  "suspended: nothing more is sent, resume continues it"},
	{Name: "abort", Of: OfRun, Kind: drain.CommandAbort, Does: "send nothing more and end the run; nodes stay cordoned",
		Now: "aborted: nothing more is sent, nodes stay cordoned"},
	{Name: "remedies", Of: OfPod, Does: "show the remedies for a blocked or stuck pod"},
	verbOf(remedy.EvictUnhealthy, "evict the unhealthy pod that blocks its budget"),
	verbOf(remedy.Surge, "start its replacement first, and remove it once that is Ready"),
	verbOf(remedy.RolloutRestart, "restart the rollout of its Deployment: the new pod starts first"),
	verbOf(remedy.Scale, "add one replica, until the run ends"),
	verbOf(remedy.AskController, "change what the controller of its budget documents, until the run ends"),
	verbOf(remedy.Delete, "delete it past its budget, with its own grace period"),
	verbOf(remedy.ForceDelete, "delete it with a grace period of zero, without its kubelet"),
	verbOf(remedy.OutOfService, "taint its node as out of service: its machine is off"),
}

// verbOf is the verb that takes a remedy: it has the remedy's name.
func verbOf(kind remedy.Kind, does string) Verb {
	return Verb{Name: string(kind), Of: OfPod, Kind: drain.CommandRemedy, Remedy: kind, Does: does}
}

// Objects are the names of the pods or nodes of a run that the verb would do something
// to, as far as its state alone tells.
func (v Verb) Objects(s *drain.State) (names []string) {
	switch v.Of {
	case OfPod:
		for _, pod := range s.Pods {
			if v.offered(s, drain.Command{Kind: v.Kind, Pod: pod.UID}) {
				names = append(names, name(pod))
			}
		}
	case OfNode:
		for _, n := range s.Nodes {
			if v.offered(s, drain.Command{Kind: v.Kind, Node: n.Name}) {
				names = append(names, n.Name)
			}
		}
	}
	return names
}

func (v Verb) offered(s *drain.State, c drain.Command) bool {
	if v.Kind != "" && s.Objection(c) != nil {
		return false
	}
	p := s.Pod(c.Pod)
	if v.Of != OfPod || v.Remedy == "" && v.Kind != "" {
		return true
	}
	// Remedies are for a pod that is blocked or stuck.
	return p != nil && (p.State.Blocked() || p.State == eviction.StuckTerminating || p.State == eviction.Terminating)
}

// VerbNamed is the verb of that name; false if there is none.
func VerbNamed(name string) (Verb, bool) {
	for _, v := range Verbs {
		if v.Name == name {
			return v, true
		}
	}
	return Verb{}, false
}

// Usage is how it stands in a usage line: its name, and what it is about.
func (v Verb) Usage() string {
	if v.Of == OfRun {
		return v.Name
	}
	return v.Name + " " + strings.ToUpper(string(v.Of))
}

// VerbHelp are the verbs with what they do, a line for each.
func VerbHelp() string {
	lines := make([]string, len(Verbs))
	for i, v := range Verbs {
		lines[i] = fmt.Sprintf("  %-20s %s", v.Usage(), v.Does)
	}
	return strings.Join(lines, "\n")
}

// VerbMeant asks after the verb that was probably meant by a mistyped one; "" where none is near.
func VerbMeant(typed string) string {
	names := make([]string, len(Verbs))
	for i, v := range Verbs {
		names[i] = v.Name
	}
	if meant := format.Nearest(typed, names); meant != "" {
		return ": did you mean " + meant + "?"
	}
	return ""
}

func (v Verb) now(a Answer) string {
	object := a.Pod
	if v.Of == OfNode {
		object = a.Node
	}
	if strings.Contains(v.Now, "%s") {
		return fmt.Sprintf(v.Now, object)
	}
	return v.Now
}

func name(p *eviction.Record) string { return p.Namespace + "/" + p.Name }

// findPod finds the pod that the operator means. A name can have been that of
// several pods, one after the other: the one that still has to go is meant.
func findPod(s *drain.State, given string) (*eviction.Record, error) {
	var open, over []*eviction.Record
	for _, p := range s.Pods {
		switch {
		case given != name(p) && given != p.Name:
		case p.State.Final():
			over = append(over, p)
		default:
			open = append(open, p)
		}
	}
	switch {
	case len(open) == 1:
		return open[0], nil
	case len(open) > 1:
		return nil, ambiguous(given, open)
	case len(over) == 0:
		return nil, fmt.Errorf("no pod %q is in the run", given)
	}
	for _, p := range over {
		if name(p) != name(over[0]) {
			return nil, ambiguous(given, over)
		}
	}
	return over[len(over)-1], nil
}

func ambiguous(given string, pods []*eviction.Record) error {
	names := make([]string, len(pods))
	for i, p := range pods {
		names[i] = name(p)
	}
	return fmt.Errorf("%d pods of the run match %q: %s", len(pods), given, strings.Join(names, ", "))
}

// objectOf is the control of a request, and an answer that names the pod or node
// that is meant; the answer has an error where there is no such thing in the run.
func objectOf(s *drain.State, v Verb, r Request) (drain.Command, Answer) {
	c, a := drain.Command{Kind: v.Kind, By: s.Run.User, Word: r.Word}, Answer{Verb: v.Name}
	switch v.Of {
	case OfPod:
		p, err := findPod(s, r.Pod)
		if err != nil {
			a.Error = err.Error()
			return c, a
		}
		c.Pod, a.Pod, a.Node = p.UID, name(p), p.Node
	case OfNode:
		n := s.Node(r.Node)
		if n == nil {
			a.Error = fmt.Sprintf("node %q is not in the run", r.Node)
			return c, a
		}
		c.Node, a.Node = n.Name, n.Name
	}
	return c, a
}
