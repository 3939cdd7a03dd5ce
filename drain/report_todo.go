package drain

import "strings"

// ToDo is something that a run left for somebody to do, with the command for it
// where there is one.
type ToDo struct {
	What    string `json:"what"`
	Command string `json:"command,omitempty"`
}

// toDo is what a run left behind, as far as its journal knows: what somebody did
// since then is not in it.
func toDo(s *State, status RunStatus) []ToDo {
	var list []ToDo
	add := func(what, command string) { list = append(list, ToDo{what, command}) }
	undone := s.Run.ID
	if status == StatusDead {
		add("the run was cut short: go on with it", "kdrain-tui resume "+undone)
		add("or undo what it did to nodes and budgets", "kdrain-tui rollback "+undone)
	}
	if status == StatusLive && s.Question != nil {
		add("the run waits for a word on "+string(s.Question.Phase), "")
	}
	if status != StatusLive {
		for _, n := range s.Nodes {
			if n.State == NodeRefused {
				add("node "+n.Name+" was left untouched: "+n.Message, "")
				continue
			}
			if n.Cordoned {
				add("node "+n.Name+" was left cordoned: once the work on it is done", uncordonCommand(s.Run.Context, n.Name))
			}
		}
		for _, p := range s.Pods {
			if p.moves() && !p.State.Left() && s.nodeBegun(p.Node) {
				add("pod "+p.Namespace+"/"+p.Name+" is still on "+p.Node, "")
			}
		}
	}
	for _, b := range s.Budgets {
		if b.State == BudgetLeft || b.standing() && status == StatusDead {
			add("temporary budget "+b.Namespace+"/"+b.Name+" was left behind", strings.Join([]string{
				"kubectl", contextFlag(s.Run.Context) + "delete pdb -n", ShellWord(b.Namespace), ShellWord(b.Name)}, " "))
		}
	}
	return list
}

func (p *PodRun) moves() bool { return p.Action == ActionEvict || p.Action == ActionDelete }

func (s *State) nodeBegun(name string) bool {
	n := s.Node(name)
	return n != nil && n.State != NodeRefused
}

func uncordonCommand(context, node string) string {
	return "kdrain-tui " + contextFlag(context) + "uncordon " + ShellWord(node)
}

// contextFlag names a context, with the space after it; "" for the current one.
func contextFlag(context string) string {
	if context == "" {
		return ""
	}
	return "--context=" + ShellWord(context) + " "
}
