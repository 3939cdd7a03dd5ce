package control

import (
	"fmt"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain"
)

// Object is what a verb is about.
type Object string

// The objects of verbs.
const (
	OfRun  Object = "run"
	OfPod  Object = "pod"
	OfNode Object = "node"
)

// Verb is one thing that a live run can be told. To add one: a ControlKind that
// Step knows, its rule in State.Objection, and a line in Verbs; the command, its
// help and its completion follow.
type Verb struct {
	Name string
	Of   Object
	Kind drain.ControlKind // "" for a verb that only asks
	Does string            // for the help: what it does, in a few words
	// Word is what must be typed to confirm it (--confirm WORD) for the pod or
	// node that is meant; nil where it takes none.
	Word func(object string) string
	// Now is what is so once the run took it; %s is the pod or node.
	Now string
}

// Verbs are all that a live run can be told, in the order of the help.
var Verbs = []Verb{
	{Name: "status", Of: OfRun, Does: "tell how far the run is"},
	{Name: "pause", Of: OfRun, Kind: drain.ControlPause, Does: "send nothing new; what was accepted goes on",
		Now: "paused: nothing new is sent"},
	{Name: "continue", Of: OfRun, Kind: drain.ControlContinue, Does: "go on after a pause", Now: "goes on"},
	{Name: "retry", Of: OfPod, Kind: drain.ControlRetry, Does: "try a pod that waits again now", Now: "pod %s is tried again now"},
	{Name: "skip", Of: OfPod, Kind: drain.ControlSkip, Does: "leave a pod where it is; its node will not be empty",
		Now: "pod %s is left where it is"},
	{Name: "last", Of: OfPod, Kind: drain.ControlLast, Does: "let all other pods go before this one", Now: "pod %s goes last"},
	{Name: "leave", Of: OfNode, Kind: drain.ControlLeave, Does: "evict nothing more from a node; it stays cordoned",
		Now: "node %s is left as it is, cordoned"},
	{Name: "abort", Of: OfRun, Kind: drain.ControlAbort, Does: "send nothing more and end the run; nodes stay cordoned",
		Now: "aborted: nothing more is sent, nodes stay cordoned"},
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

func (v Verb) now(object string) string {
	if strings.Contains(v.Now, "%s") {
		return fmt.Sprintf(v.Now, object)
	}
	return v.Now
}

func name(p *drain.PodRun) string { return p.Namespace + "/" + p.Name }

// findPod finds the pod that the operator means. A name can have been that of
// several pods, one after the other: the one that still has to go is meant.
func findPod(s *drain.State, given string) (*drain.PodRun, error) {
	var open, over []*drain.PodRun
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

func ambiguous(given string, pods []*drain.PodRun) error {
	names := make([]string, len(pods))
	for i, p := range pods {
		names[i] = name(p)
	}
	return fmt.Errorf("%d pods of the run are meant by %q: %s", len(pods), given, strings.Join(names, ", "))
}

// control is the control of a request, with its object in words.
func control(s *drain.State, v Verb, r Request) (c drain.Control, object string, err error) {
	c = drain.Control{Kind: v.Kind, By: s.Run.User, Word: r.Word}
	switch v.Of {
	case OfPod:
		p, err := findPod(s, r.Pod)
		if err != nil {
			return c, "", err
		}
		c.Pod, object = p.UID, name(p)
	case OfNode:
		n := s.Node(r.Node)
		if n == nil {
			return c, "", fmt.Errorf("node %q is not in the run", r.Node)
		}
		c.Node, object = n.Name, n.Name
	}
	if v.Word != nil {
		if word := v.Word(object); r.Word != word {
			return c, object, fmt.Errorf("%s takes the word %q", v.Name, word)
		}
	}
	return c, object, nil
}
