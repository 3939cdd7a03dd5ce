package report

import (
	"fmt"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// ToDo is something that a run left for somebody to do, with the command for it
// where there is one.
type ToDo struct {
	What    string `json:"what"`
	Command string `json:"command,omitempty"`
}

// toDo is what a run left behind, as far as its journal knows: what somebody did
// since then is not in it.
func toDo(s *drain.State, status Status) []ToDo {
	var list []ToDo
	add := func(what, command string) { list = append(list, ToDo{what, s.Run.Target().Line(command)}) }
	undone := s.Run.ID
	unended := status == StatusDead || status == StatusSuspended
	if unended {
		cut := map[Status]string{StatusDead: "cut short", StatusSuspended: "suspended"}[status]
		next := "go on with it"
		if s.Aborting {
			next = "it was being aborted, bring it to its end"
		}
		add("the run was "+cut+": "+next, "kdrain-tui resume "+undone)
		add("or undo what it did to nodes and budgets", "kdrain-tui rollback "+undone)
	}
	if status == StatusLive && s.Question != nil {
		add("the run waits for a word on "+string(s.Question.Phase), "")
	}
	if status != StatusLive {
		for _, n := range s.Nodes {
			switch by := n.TakenOverBy(); {
			case n.State == drain.NodeRefused:
				add("node "+n.Name+" was left untouched: "+n.Message, "")
				continue
			case by != "":
				add("node "+n.Name+" was taken over by run "+by+": what is left to do there is that run's", "")
				continue
			}
			if n.Warning != "" {
				command := ""
				if len(n.Attached) > 0 {
					command = "kubectl get volumeattachments"
				}
				add("node "+n.Name+": "+n.Warning, command)
			}
			if n.CordonInDoubt {
				add("whether node "+n.Name+" is cordoned is in doubt: look, and once the work on it is done", "kdrain-tui uncordon "+drain.ShellWord(n.Name))
			}
			if n.Cordoned {
				add("node "+n.Name+" was left cordoned: once the work on it is done", "kdrain-tui uncordon "+drain.ShellWord(n.Name))
			}
		}
		for _, p := range s.Pods {
			if isToGo(p.Action) && !p.State.Left() && ours(s.Node(p.Node)) {
				what := "pod " + p.Namespace + "/" + p.Name + " is still on " + p.Node
				if held := p.Wait.AttachedWords(); held != "" {
					what += "; " + held
				}
				add(what, "")
			}
		}
	}
	for _, b := range s.Budgets {
		if b.State == drain.BudgetLeft || (b.Standing() || b.State == drain.BudgetInDoubt) && unended {
			left := " was left behind"
			if b.UID == "" {
				left = " may have been left behind: no answer said whether it was made"
			}
			add("temporary budget "+b.Namespace+"/"+b.Name+left, drain.RemoveCommands(
				[]drain.Leftover{{BudgetRef: kube.BudgetRef{Namespace: b.Namespace, Name: b.Name}}})[0])
		}
	}
	for _, r := range s.Rungs {
		if r.Kind == drain.RungTaint && status != StatusLive && r.Leftover() {
			add("node "+r.Name+" has the out-of-service taint of this run: once its machine is back", r.Undo())
		}
		if r.Kind == drain.RungScale && status != StatusLive && r.Leftover() {
			add(fmt.Sprintf("%s %s/%s still has the %d replicas that this run gave it", r.Object, r.Namespace, r.Name, r.To), r.Undo())
		}
	}
	return list
}

// ours tells whether the run did anything to the node, and no other run has taken
// it over since; nil is none.
func ours(n *drain.NodeRun) bool {
	return n != nil && n.State != drain.NodeRefused && n.TakenOverBy() == ""
}
