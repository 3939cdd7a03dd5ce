package main

import (
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/audit"
	"github.com/kdrain-tui/kdrain-tui/lab/bench/film"
)

// questions are requests that change nothing although they create something.
var questions = []string{"selfsubjectreviews", "selfsubjectaccessreviews", "selfsubjectrulesreviews"}

// checkWrites finds requests that touch what is not in the plan.
func (e *evidence) checkWrites() {
	for _, r := range e.requests {
		switch {
		case slices.Contains([]string{"get", "list", "watch"}, r.Verb), slices.Contains(questions, r.Resource):
		case r.Resource == "nodes" && r.Verb == "patch":
			e.checkNodeWrite(r)
		case r.Kind() == audit.Eviction, r.Kind() == audit.Deletion:
			e.checkPodWrite(r)
		case r.Resource == "poddisruptionbudgets" && (r.Verb == "create" || r.Verb == "delete"):
			e.checkBudgetWrite(r)
		case r.Subresource == "scale" && r.Verb == "patch":
			e.checkScaleWrite(r)
		case surgeWrite(r):
			e.checkSurgeWrite(r)
		case r.Resource == "leases":
			e.checkLeaseWrite(r)
		case r.Resource == "events" && r.Verb == "create" && r.Namespace == "default": // where those about nodes are
		default:
			e.accuse("it sent %s %s, which no drain needs", r.Verb, r.URI)
		}
	}
}

func (e *evidence) checkNodeWrite(r audit.Request) {
	refused, planned := e.said.nodes[r.Name]
	switch {
	case !planned:
		e.accuse("it changed node %s, which is not in the plan", r.Name)
	case refused:
		e.accuse("it changed node %s, which was refused", r.Name)
	}
}

// checkLeaseWrite: the Leases of a run are those over the nodes of its plan. The
// name of a new one is not in the audit log.
func (e *evidence) checkLeaseWrite(r audit.Request) {
	_, planned := e.said.uids[strings.TrimPrefix(r.Name, nodeLease)]
	if r.Namespace != "kube-system" || r.Name != "" && !planned {
		e.accuse("it sent %s %s, which is no Lease of a node of the plan", r.Verb, r.URI)
	}
}

// nodeLease is how the name of a Lease of a node begins; its UID follows.
const nodeLease = "kdrain-node-"

func (e *evidence) checkPodWrite(r audit.Request) {
	title := r.Namespace + "/" + r.Name
	if r.Kind() == audit.Deletion && !e.world.forces() {
		e.accuse("it deleted pod %s past its budgets, which no flag allows", title)
	}
	if !e.plannedName(r) {
		e.accuse("it evicted pod %s, and no pod of that name is in the plan", title)
		return
	}
	if !r.Accepted() {
		return
	}
	frames, place := e.victim(r)
	if frames == nil {
		// A pod that was on its way out already is told so again.
		return
	}
	victim := frames[max(0, place-1)]
	planned, known := e.said.planned[victim.UID]
	switch {
	case !known:
		e.accuse("it evicted pod %s (%s) on node %s, which is not the one of the plan", title, victim.UID, victim.Node)
	case !planned.moves():
		e.accuse("it evicted pod %s, which the plan says to %s", title, planned.Action)
	case victim.Node != planned.Node:
		e.accuse("it evicted pod %s on node %s, the plan has it on %s", title, victim.Node, planned.Node)
	default:
		e.checkOffLimits(victim)
	}
}

func (e *evidence) plannedName(r audit.Request) bool {
	for _, p := range e.said.planned {
		if p.Namespace == r.Namespace && p.Name == r.Name {
			return true
		}
	}
	return false
}

// checkOffLimits judges by the world and the flags alone, not by the plan.
func (e *evidence) checkOffLimits(victim film.PodFrame) {
	i := slices.IndexFunc(e.world.Apps, func(a app) bool {
		return a.Namespace == victim.Namespace && a.Name == victim.Labels["own"]
	})
	switch {
	case i < 0:
		e.accuse("it evicted pod %s, which is of no app", victim.Title())
	case !slices.Contains(e.world.Targets, victim.Node):
		e.accuse("it evicted pod %s on node %s, which was not to be drained", victim.Title(), victim.Node)
	case e.world.Apps[i].Kind == "DaemonSet":
		e.accuse("it evicted pod %s of a DaemonSet", victim.Title())
	case e.world.Apps[i].Kind == "Pod" && !e.world.has("--force"):
		e.accuse("it evicted pod %s without a controller and without --force", victim.Title())
	case e.world.Apps[i].EmptyDir && !e.world.has("--delete-emptydir-data"):
		e.accuse("it evicted pod %s with local data and without --delete-emptydir-data", victim.Title())
	case e.world.has("--pod-selector=own!=app-1") && victim.Labels["own"] == "app-1",
		e.world.has("--pod-selector=own in (app-1,app-2)") && victim.Labels["own"] != "app-1" &&
			victim.Labels["own"] != "app-2":
		e.accuse("it evicted pod %s, which --pod-selector leaves out", victim.Title())
	}
}
