package main

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/audit"
	"github.com/kdrain-tui/kdrain-tui/lab/bench/film"
)

// onItsWay is a pod with a volume whose eviction was accepted.
type onItsWay struct {
	pod            film.PodFrame
	driver         string
	accepted, done time.Time // done is zero if that was not seen
}

// checkVolumes: of the pods of one node and driver only so many are on their way
// at once, each until its volume has left the node; and a node that is said to be
// drained has no attachment that the report does not name.
func (e *evidence) checkVolumes() {
	if len(e.world.drivers()) == 0 {
		return
	}
	e.checkAttached()
	most := e.world.volumesAtOnce()
	if most == 0 {
		return
	}
	all := e.withVolumes()
	for i, one := range all {
		var before []string
		for _, other := range all[:i] {
			if other.shares(one) && !e.goneBeforeTakeOver(other) &&
				(other.done.IsZero() || other.done.After(one.accepted.Add(e.allowed(lag)))) {
				before = append(before, other.pod.Title())
			}
		}
		if len(before) >= most {
			e.accuse("pod %s was evicted at %s, while %v still had their volumes of %s on %s", one.pod.Title(),
				clock(one.accepted), before, one.driver, one.pod.Node)
		}
	}
}

// shares tells whether the two take turns.
func (w onItsWay) shares(other onItsWay) bool {
	return w.driver == other.driver && w.pod.Node == other.pod.Node
}

// goneBeforeTakeOver tells whether the run that took the nodes over never saw the
// pod: it has no place in that run's turns.
func (e *evidence) goneBeforeTakeOver(one onItsWay) bool {
	frames, began := e.pods[one.pod.UID], e.takenOver()
	last := frames[len(frames)-1]
	return !began.IsZero() && last.Gone && last.At.Before(began.Add(e.allowed(lag)))
}

// volumeTurnTaken tells whether a pod waited for another one of its node and driver.
func (e *evidence) volumeTurnTaken(p film.PodFrame, since time.Time) bool {
	a := e.appOf(p)
	if a == nil || a.Driver == "" || e.world.volumesAtOnce() == 0 {
		return false
	}
	waits := onItsWay{pod: p, driver: a.Driver}
	return slices.ContainsFunc(e.withVolumes(), func(other onItsWay) bool {
		return other.shares(waits) && (other.done.IsZero() || other.done.After(since))
	})
}

// withVolumes are the pods whose evictions were accepted and that had a volume, in
// that order. A pod that has used up its grace, or that others delete, keeps no
// turn, so it is left out.
func (e *evidence) withVolumes() []onItsWay {
	var all []onItsWay
	seen := map[types.UID]bool{}
	for _, r := range e.requests {
		if r.Kind() != audit.Eviction && r.Kind() != audit.Deletion || !r.Accepted() {
			continue
		}
		frames, place := e.victim(r)
		if frames == nil || seen[frames[0].UID] {
			continue
		}
		pod := frames[max(0, place-1)]
		a := e.appOf(pod)
		if a == nil || a.Driver == "" || pod.Terminating() {
			continue
		}
		seen[pod.UID] = true
		all = append(all, onItsWay{pod: pod, driver: a.Driver, accepted: r.Received,
			done: e.turnEnds(pod, e.leftBy(frames, a.volume(pod.Name)))})
	}
	return all
}

// turnEnds is when the turn of a pod ends: when it has left, or when the operator said not to wait for it.
func (e *evidence) turnEnds(pod film.PodFrame, left time.Time) time.Time {
	for _, event := range e.events() {
		if event.Kind == "Control" && event.Control == "skip" && event.UID == pod.UID &&
			(left.IsZero() || event.Time.Before(left)) {
			return event.Time
		}
	}
	return left
}

func (e *evidence) appOf(pod film.PodFrame) *app {
	i := slices.IndexFunc(e.world.Apps, func(a app) bool {
		return a.Namespace == pod.Namespace && a.Name == pod.Labels["own"]
	})
	if i < 0 {
		return nil
	}
	return &e.world.Apps[i]
}

// leftBy is when both the pod and its volume had left the node.
func (e *evidence) leftBy(frames []film.PodFrame, volume string) time.Time {
	last := frames[len(frames)-1]
	if !last.Gone {
		return time.Time{}
	}
	done := last.At
	for _, a := range e.attachments {
		switch {
		case a.Volume != volume || a.Node != frames[0].Node:
		case a.Gone.IsZero():
			return time.Time{}
		case a.Gone.After(done):
			done = a.Gone
		}
	}
	return done
}

// checkAttached: the report names what is still attached to a drained node.
func (e *evidence) checkAttached() {
	end, slack := e.said.report.EndedAt, e.seen(slack)
	for _, n := range e.said.report.Nodes {
		if n.State != "Drained" {
			continue
		}
		named := map[string]bool{}
		for _, v := range n.Attached {
			named[v.Volume] = true
		}
		for _, a := range e.attachments {
			there := a.Since.Before(end.Add(-slack)) && (a.Gone.IsZero() || a.Gone.After(end.Add(slack)))
			if a.Node == n.Name && there && !named[a.Volume] && !e.usedAt(a, end) {
				e.accuse("node %s is said to be drained, volume %s was attached to it, and the report does not name it", n.Name, a.Volume)
			}
		}
		for volume := range named {
			if !slices.ContainsFunc(e.attachments, func(a attachment) bool {
				return a.Volume == volume && a.Node == n.Name && (a.Gone.IsZero() || a.Gone.After(end.Add(-slack)))
			}) {
				e.accuse("the report says that volume %s is attached to node %s, which it was not", volume, n.Name)
			}
		}
	}
}

// usedAt tells whether a pod on the node still used the volume: it stays there with
// its pod.
func (e *evidence) usedAt(a attachment, moment time.Time) bool {
	for _, frames := range e.pods {
		f, there := podAt(frames, moment)
		if !there || f.Gone || f.Terminating() || f.Node != a.Node {
			continue
		}
		if own := e.appOf(f); own != nil && own.Driver != "" && own.volume(f.Name) == a.Volume {
			return true
		}
	}
	return false
}
