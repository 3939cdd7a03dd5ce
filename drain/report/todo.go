package report

import (
	"fmt"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/drain/retire"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// ToDo is something that a run left for somebody to do, with the command for it
// where there is one.
type ToDo struct {
	What    string `json:"what"`
	Command string `json:"command,omitempty"`

	// What Check looks at: a pod that is to leave, or the ID of a rollback.Undo; and the kinds that must be known, of
	// one node or "" for all.
	pod   *eviction.Record
	undo  string
	node  string
	kinds []kube.Kind
}

// toDo is what a run left behind, as far as its journal knows: see Report.Check for what was done since.
func toDo(s *drain.State, status Status) []ToDo {
	l := toDos{target: s.Run.Target()}
	unended := status == StatusDead || status == StatusSuspended
	if unended {
		l.unended(s, status)
	}
	if status == StatusLive && s.Question != nil {
		l.add("the run waits for a confirmation of "+string(s.Question.Phase), "")
	}
	if status != StatusLive {
		l.nodes(s)
		l.pods(s)
		l.workloads(s)
		l.replacements(s)
	}
	l.budgets(s, unended)
	if status != StatusLive {
		l.remedies(s)
		l.surges(s)
	}
	return l.list
}

// toDos collects what is left to do, with commands for the cluster of the run.
type toDos struct {
	target plan.Target
	list   []ToDo
}

func (l *toDos) add(what, command string) {
	l.list = append(l.list, ToDo{What: what, Command: l.target.Line(command)})
}

// addUndo adds what a rollback would undo on a node, "" for what is on none.
func (l *toDos) addUndo(undo, node string, kinds []kube.Kind, what string, commands ...string) {
	l.list = append(l.list,
		ToDo{What: what, Command: l.target.Line(commands...), undo: undo, node: node, kinds: kinds})
}

func (l *toDos) unended(s *drain.State, status Status) {
	if s.RolledBack {
		return
	}
	cut := map[Status]string{StatusDead: "cut short", StatusSuspended: "suspended"}[status]
	next := "resume it"
	if s.Aborting {
		next = "it was being aborted, finish that"
	}
	l.add("the run was "+cut+": "+next, "kdrain-tui resume "+s.Run.ID)
	l.add("or undo what it did to nodes and budgets", "kdrain-tui rollback "+s.Run.ID)
}

func (l *toDos) nodes(s *drain.State) {
	for _, n := range s.Nodes {
		switch by := n.TakenOverBy(); {
		case n.State == drain.NodeRefused:
			l.add("node "+n.Name+" was left untouched: "+n.Message, "")
			continue
		case by != "":
			l.add("node "+n.Name+" was taken over by run "+by+": that run is responsible for the rest", "")
			continue
		}
		if n.Warning != "" {
			command := ""
			if len(n.Attached) > 0 {
				command = "kubectl get volumeattachments"
			}
			l.add("node "+n.Name+": "+n.Warning, command)
		}
		undo, uncordon := rollback.CordonID(n.UID), "kdrain-tui uncordon "+format.ShellWord(n.Name)
		nodes := []kube.Kind{kube.KindNodes}
		if n.CordonInDoubt {
			l.addUndo(undo, n.Name, nodes,
				"whether node "+n.Name+" is cordoned is in doubt: check, and once the work on it is done", uncordon)
		}
		if n.LeftCordoned() && !n.Retire.Did(retire.StepDelete) {
			l.addUndo(undo, n.Name, nodes, "node "+n.Name+" was left cordoned: once the work on it is done", uncordon)
		}
	}
}

func (l *toDos) pods(s *drain.State) {
	for _, p := range s.Pods {
		stays := s.RolledBack && p.State != eviction.Terminating // as before the run
		if isToGo(p.Action) && !p.State.Left() && !stays && ours(s.Node(p.Node)) {
			what := "pod " + p.Namespace + "/" + p.Name + " is still on " + p.Node
			if p.State == eviction.Terminating {
				what = "pod " + p.Namespace + "/" + p.Name + " is on its way off " + p.Node + ": see that it ends"
			}
			if held := p.Wait.AttachedWords(); held != "" {
				what += "; " + held
			}
			l.list = append(l.list, ToDo{What: what, pod: p, node: p.Node, kinds: []kube.Kind{kube.KindPods}})
		}
	}
}

func (l *toDos) budgets(s *drain.State, unended bool) {
	for _, b := range s.Budgets {
		if b.State == tempbudget.Orphaned || (b.Standing() || b.State == tempbudget.InDoubt) && unended {
			left := " was left behind"
			if b.UID == "" {
				left = " may have been left behind: no answer said whether it was created"
			}
			remove := tempbudget.RemoveCommands(
				[]tempbudget.Leftover{{BudgetRef: request.BudgetRef{Namespace: b.Namespace, Name: b.Name}}})[0]
			l.addUndo(rollback.BudgetID(b), "", []kube.Kind{kube.KindBudgets},
				"temporary budget "+b.Namespace+"/"+b.Name+left, remove)
		}
	}
}

func (l *toDos) remedies(s *drain.State) {
	for _, r := range s.Remedies {
		switch {
		case !r.MayStand():
		case r.Kind == remedy.OutOfService:
			l.addUndo(r.UndoID(), r.Name, []kube.Kind{kube.KindNodes},
				"node "+r.Name+" has the out-of-service taint of this run: once its machine is back", r.ByHand())
		case r.Kind == remedy.Scale:
			kind, _ := r.ScaleKind()
			what := fmt.Sprintf("%s %s/%s still has the %d replicas that this run gave it", r.Object, r.Namespace,
				r.Name, r.To)
			l.addUndo(r.UndoID(), "", []kube.Kind{kind}, what, r.ByHand())
		case r.Kind == remedy.AskController:
			what := fmt.Sprintf("%s %s/%s still has what this run set: %s", r.Object, r.Namespace, r.Name, r.Fields.To)
			l.addUndo(r.UndoID(), "", nil, what, r.ByHand())
		}
	}
}

func (l *toDos) surges(s *drain.State) {
	for _, r := range s.Surges {
		if what := r.LeftOver(); what != "" {
			l.addUndo(r.UndoID(), "", surge.Kinds, what, r.ByHand()...)
		}
	}
}

// ours reports whether the run did anything to the node, and no other run has taken
// it over since; nil is none.
func ours(n *drain.NodeRun) bool {
	return n != nil && n.State != drain.NodeRefused && n.TakenOverBy() == ""
}
