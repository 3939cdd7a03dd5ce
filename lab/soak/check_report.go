package main

import (
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/audit"
	"github.com/kdrain-tui/kdrain-tui/lab/bench/film"
)

// slack is how far what the tool has seen may lie behind what the film has seen,
// and the film behind the server, on a busy machine.
const slack = 1500 * time.Millisecond

// lag is how far the film may lie behind what the tool has seen.
const lag = 300 * time.Millisecond

// checkReport compares what the report says of every pod with what was so at its
// end.
func (e *evidence) checkReport() {
	reported := map[string]bool{}
	for _, n := range e.said.report.Nodes {
		for _, p := range n.Pods {
			reported[string(p.UID)] = true
			if !e.wasTrue(n, p) {
				e.accuse("the report says %s of pod %s/%s (%s) on %s, the cluster showed: %s",
					p.State, p.Namespace, p.Name, p.UID, n.Name, e.describe(p))
			}
		}
		if n.State == "Drained" {
			e.checkDrained(n)
		}
	}
	for uid, p := range e.said.planned {
		if !reported[string(uid)] {
			e.accuse("the report does not name pod %s/%s of the plan", p.Namespace, p.Name)
		}
	}
}

// moments are those at which a statement of the report has to be true at least
// once: every change shortly before its end, and the beginning of that time.
func (e *evidence) moments(frames []film.PodFrame) []film.PodFrame {
	end, slack := e.said.report.EndedAt, e.seen(slack)
	var seen []film.PodFrame
	if first, there := podAt(frames, end.Add(-slack)); there {
		seen = append(seen, first)
	}
	for _, frame := range frames {
		if frame.At.After(end.Add(-slack)) && frame.At.Before(end.Add(slack)) {
			seen = append(seen, frame)
		}
	}
	return seen
}

func (e *evidence) wasTrue(n nodeReport, p podReport) bool {
	frames := e.pods[p.UID]
	if frames == nil {
		return false
	}
	return slices.ContainsFunc(e.moments(frames), func(f film.PodFrame) bool {
		switch p.State {
		case "Gone":
			return f.Gone
		case "Replaced":
			others := e.named(p.Namespace, p.Name)
			return f.Gone && others[len(others)-1][0].UID != p.UID
		case "Moved":
			return !f.Gone && f.Node != n.Name
		case "Terminating", "StuckTerminating":
			// Accepted, and the deletion not yet on film, is a matter of a moment.
			return f.Terminating()
		case "Skipped":
			// It was left alone by us; what others did with it is theirs.
			return !f.Gone || !e.sentAway(p.UID) || strings.Contains(p.Message, "not waited for") && !f.Deleted.IsZero()
		case "Failed":
			// One that is not waited for may be gone by the end.
			return !f.Gone || strings.Contains(p.Message, "not waited for") && !f.Deleted.IsZero()
		}
		return !f.Gone && f.Deleted.IsZero() && f.Node == n.Name
	})
}

// sentAway tells whether the run itself had the pod evicted or deleted.
func (e *evidence) sentAway(uid types.UID) bool {
	return slices.ContainsFunc(e.requests, func(r audit.Request) bool {
		if r.Kind() != audit.Eviction && r.Kind() != audit.Deletion || !r.Accepted() {
			return false
		}
		frames, _ := e.victim(r)
		return frames != nil && frames[0].UID == uid
	})
}

func (e *evidence) describe(p podReport) string {
	text := ""
	for _, f := range e.moments(e.pods[p.UID]) {
		word := "there"
		switch {
		case f.Gone:
			word = "gone"
		case f.Terminating():
			word = "terminating"
		}
		text += word + f.At.Sub(e.said.report.EndedAt).Round(time.Millisecond).String() + " "
	}
	if text == "" {
		return "nothing of it"
	}
	return text
}

// checkDrained finds pods that a drain should not have left on a drained node.
func (e *evidence) checkDrained(n nodeReport) {
	for uid, frames := range e.pods {
		// What came later than our look back is not this report's.
		if _, there := podAt(frames, e.said.report.EndedAt.Add(-e.seen(slack))); !there {
			continue
		}
		f, _ := podAt(frames, e.said.report.EndedAt.Add(e.allowed(lag)))
		unawaited := e.world.has("--skip-wait-for-delete-timeout=1") || !e.turnEnds(f, time.Time{}).IsZero()
		if f.Gone || f.Node != n.Name || f.Terminating() && unawaited {
			continue
		}
		i := slices.IndexFunc(e.world.Apps, func(a app) bool {
			return a.Namespace == f.Namespace && a.Name == f.Labels["own"]
		})
		if i < 0 || e.world.Apps[i].Kind == "DaemonSet" {
			continue
		}
		if planned, known := e.said.planned[uid]; known && planned.Action == "skip" || e.leftOut(f) {
			continue
		}
		e.accuse("node %s is said to be drained, and pod %s is on it", n.Name, f.Title())
	}
}

// leftOut tells whether --pod-selector leaves the pod alone.
func (e *evidence) leftOut(f film.PodFrame) bool {
	own := f.Labels["own"]
	return e.world.has("--pod-selector=own!=app-1") && own == "app-1" ||
		e.world.has("--pod-selector=own in (app-1,app-2)") && own != "app-1" && own != "app-2"
}

// codes are the exit codes of the contract by outcome.
var codes = map[string]int{"done": 0, "failed": 1, "refused": 3, "partly": 4, "aborted": 6}

// checkExit compares exit code, outcome and nodes with each other.
func (e *evidence) checkExit() {
	outcome := e.said.report.Outcome
	want, known := codes[outcome]
	if e.ordeal != nil && e.ordeal.lostTerminal && e.result.Code == hungUp {
		want = hungUp // it came when the run was over, while it was told of
	}
	if !known || e.result.Code != want {
		e.accuse("it ended with code %d and outcome %q", e.result.Code, outcome)
	}
	states := map[string]int{}
	for _, n := range e.said.report.Nodes {
		states[n.State]++
	}
	all := len(e.said.report.Nodes)
	switch {
	case outcome == "done" && states["Drained"] != all,
		outcome != "done" && states["Drained"] == all,
		outcome == "refused" && states["Refused"] != all:
		e.accuse("the outcome is %q, and of %d nodes %v", outcome, all, states)
	}
}
