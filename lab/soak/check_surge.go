package main

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/audit"
	"github.com/kdrain-tui/kdrain-tui/lab/bench/film"
)

// deletionCost says which pods a ReplicaSet removes first; Kubernetes' own.
const deletionCost = "controller.kubernetes.io/pod-deletion-cost"

// checkSurgeWrite: only workloads with pods to move are raised, only their pods get a cost, and
// only with --surge.
func (e *evidence) checkSurgeWrite(r audit.Request) {
	named := slices.ContainsFunc(e.world.Apps, func(a app) bool {
		of := r.Name == a.Name || strings.HasPrefix(r.Name, a.Name+"-")
		return a.canSurge() && a.Namespace == r.Namespace && of && e.moves(a)
	})
	if !named || !e.world.surges() {
		e.accuse("it sent %s %s, which no surge of this run needs", r.Verb, r.URI)
	}
}

// moves tells whether the plan moves pods of the app.
func (e *evidence) moves(a app) bool {
	for _, p := range e.said.planned {
		if p.moves() && p.Namespace == a.Namespace && strings.HasPrefix(p.Name, a.Name+"-") {
			return true
		}
	}
	return false
}

// surgeWrite tells whether the request is one of a surge.
func surgeWrite(r audit.Request) bool {
	return r.Verb == "patch" && r.Subresource == "" &&
		slices.Contains([]string{"deployments", "replicasets", "pods"}, r.Resource)
}

// readyFrame is a pod as an outside watcher counts it.
type readyFrame struct {
	film.PodFrame
	ready bool
}

// checkNeverFewer: apart from the pods that were evicted, or taken by others, no app that can
// surge ever has fewer Ready pods than it wants. The frames are in the order of the server.
func (e *evidence) checkNeverFewer() {
	if !e.world.surges() {
		return
	}
	for _, a := range e.world.Apps {
		if a.canSurge() && a.Sick == "" && !e.ending(a.Namespace) {
			e.countReady(a)
		}
	}
}

func (e *evidence) countReady(a app) {
	var frames []readyFrame
	for _, pod := range e.pods {
		for _, f := range pod {
			if f.Namespace == a.Namespace && f.Labels["own"] == a.Name {
				frames = append(frames, readyFrame{f, f.Ready && f.Deleted.IsZero() && !f.Gone})
			}
		}
	}
	slices.SortStableFunc(frames, func(a, b readyFrame) int {
		return cmp.Or(cmp.Compare(a.Version, b.Version), a.At.Compare(b.At))
	})
	wanted, ready := e.wantedAtLeast(a), map[types.UID]bool{}
	began := false
	for _, f := range frames {
		ready[f.UID] = f.ready
		count := 0
		for _, is := range ready {
			if is {
				count++
			}
		}
		if began = began || count >= a.Pods; !began {
			continue // the frames of what was there before the run
		}
		if least := wanted - e.takenBefore(a, f.At); count < least {
			e.accuse("%s %s/%s had %d Ready pods at %s, when pod %s changed; %d were the fewest",
				a.Kind, a.Namespace, a.Name, count, clock(f.At), f.Name, least)
			return
		}
	}
}

// wantedAtLeast is how many pods the app wants at any time, whatever others scale it to, and
// without those that they delete.
func (e *evidence) wantedAtLeast(a app) int {
	wanted, deleted := a.Pods, 0
	for _, h := range e.world.Happenings {
		switch {
		case h.Namespace != a.Namespace || h.Name != a.Name:
		case h.What == "scale down":
			wanted = min(wanted, scaledDown)
		case h.What == "delete a pod":
			deleted++
		}
	}
	return wanted - deleted
}

// takenBefore counts the pods of the app that the run had evicted or deleted by then.
func (e *evidence) takenBefore(a app, moment time.Time) int {
	taken := map[string]bool{}
	for _, r := range e.requests {
		if (r.Kind() == audit.Eviction || r.Kind() == audit.Deletion) && r.Namespace == a.Namespace &&
			strings.HasPrefix(r.Name, a.Name+"-") && !r.Received.After(moment.Add(e.allowed(lag))) {
			taken[r.Name] = true
		}
	}
	return len(taken)
}

// foreignNumbers are the replicas that others have set, by the name in a dump; zero where it
// is not known which of theirs came last.
func (e *evidence) foreignNumbers() map[string]int {
	numbers := map[string]int{}
	for _, h := range e.world.Happenings {
		number := map[string]int{"scale": scaledUp, "scale down": scaledDown}[h.What]
		name := "deployment " + h.Namespace + "/" + h.Name
		if _, twice := numbers[name]; twice {
			number = 0
		}
		if number > 0 || numbers[name] > 0 {
			numbers[name] = number
		}
	}
	return numbers
}

// checkForeignScales: the number that somebody else has set while the run went on stands at its
// end, or that of before where they came too late.
func (e *evidence) checkForeignScales(before, after dump) {
	for name, number := range e.foreignNumbers() {
		was, is, there := replicasIn(before[name]), replicasIn(after[name]), after[name] != ""
		if there && number != 0 && is != number && is != was {
			e.accuse("%s was scaled from %d to %d by others, and has %d replicas at the end", name, was, number, is)
		}
	}
}

func replicasIn(text string) int {
	var values []json.RawMessage
	var replicas int
	if json.Unmarshal([]byte(text), &values) != nil || len(values) < 2 || json.Unmarshal(values[1], &replicas) != nil {
		return -1
	}
	return replicas
}

// withoutKubernetes are annotations without those of the controllers themselves.
func withoutKubernetes(annotations map[string]string) map[string]string {
	kept := map[string]string{}
	for name, text := range annotations {
		if !strings.HasPrefix(name, "deployment.kubernetes.io/") {
			kept[name] = text
		}
	}
	return kept
}

// costOf is the deletion cost in the template of a pod's app.
func (w world) costOf(namespace, own string) string {
	for _, a := range w.Apps {
		if a.Namespace == namespace && a.Name == own {
			return a.Cost
		}
	}
	return ""
}

// intentName is the name that the journal has for what a request is about: copies of an
// annotation are removed from the ReplicaSets of a Deployment in its name.
func (e *evidence) intentName(r audit.Request) string {
	if !surgeWrite(r) || r.Resource != "replicasets" {
		return r.Name
	}
	for _, a := range e.world.Apps {
		if a.Kind == "Deployment" && a.Namespace == r.Namespace && strings.HasPrefix(r.Name, a.Name+"-") {
			return a.Name
		}
	}
	return r.Name
}
