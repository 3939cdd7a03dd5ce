package main

import (
	"context"
	"fmt"
	"time"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/audit"
	"github.com/kdrain-tui/kdrain-tui/lab/bench/film"
	"github.com/kdrain-tui/kdrain-tui/lab/bench/rig"
)

// tool is one of the two programs.
type tool struct {
	name    string // in the results
	agent   string // first word of its user agent
	program string
	args    func(workload) []string
}

func tools(r *rig.Rig, kdrain string) []tool {
	// What kubectl needs for these pods; it takes the nodes one after another.
	flags := []string{"--ignore-daemonsets", "--timeout=4m"}
	return []tool{
		{name: "kubectl", agent: "kubectl", program: r.Kubectl(), args: func(w workload) []string {
			return append(append([]string{"drain"}, w.drained()...), flags...)
		}},
		{name: "kdrain-tui", agent: "kdrain-tui", program: kdrain, args: func(w workload) []string {
			args := append(append([]string{"drain"}, w.drained()...), flags...)
			return append(append(args, w.flags...), "--yes")
		}},
	}
}

// drained is one drain, with everything that is known of it.
type drained struct {
	workload workload
	tool     string
	result   rig.Result
	requests []audit.Request
	pods     map[podName]string // group of each pod that was to be drained
	guards   []guard
	lastGone time.Time // when the last of the pods was seen to be gone
	failed   string    // why it is no measurement, "" if it is one
	cost     cost      // of the API server

	// What the cluster took, and no tool can make shorter: its pods to end, their
	// replacements to be bound and to start.
	leaving, binding, starting []span
}

// podName is how a request names a pod.
type podName string

// guard is the budget of a group, and the group's pods.
type guard struct {
	group  string
	pods   map[podName]bool
	frames []film.BudgetFrame // none for a group without a budget
}

// giveUp is when a program that does not end is killed; its own timeout is before.
const giveUp = 5 * time.Minute

// measure builds the workload afresh and lets the tool drain it.
func measure(ctx context.Context, r *rig.Rig, m *meter, w workload, t tool) (drained, error) {
	s := stage{client: r.Client}
	if err := s.clear(ctx); err != nil {
		return drained{}, err
	}
	if err := s.build(ctx, w); err != nil {
		return drained{}, fmt.Errorf("build %s: %w", w.name, err)
	}
	// What building has left to do is not to be counted.
	time.Sleep(time.Second)
	recording, err := film.Record(ctx, r.Client)
	if err != nil {
		return drained{}, err
	}
	defer recording.Stop()
	offset, err := audit.End(r.AuditLog())
	if err != nil {
		return drained{}, err
	}
	d := drained{workload: w, tool: t.name}
	d.take(recording)
	calling, cancel := context.WithTimeout(ctx, giveUp)
	defer cancel()
	since, err := m.begin()
	if err != nil {
		return drained{}, err
	}
	d.result, err = r.Call(calling, t.program, t.args(w)...)
	switch {
	case ctx.Err() != nil:
		return d, err
	case err != nil:
		d.failed = err.Error()
	case d.result.Code != 0:
		d.failed = fmt.Sprintf("it ended with code %d: %s", d.result.Code, d.result.Err)
	}
	if d.cost, err = since(); err != nil {
		return d, err
	}
	if err := recording.CatchUp(ctx); err != nil {
		return d, err
	}
	d.addEnd(recording)
	requests, _, err := audit.Read(r.AuditLog(), offset)
	d.requests = audit.Of(requests, t.agent)
	return d, err
}

// take notes which pods are there to be drained, at the start of a film.
func (d *drained) take(recording *film.Film) {
	d.pods = map[podName]string{}
	byGroup := map[string]map[podName]bool{}
	for _, frames := range recording.Pods() {
		pod := frames[len(frames)-1]
		if pod.Gone || pod.Namespace != namespace {
			continue
		}
		group := pod.Labels["app"]
		if byGroup[group] == nil {
			byGroup[group] = map[podName]bool{}
		}
		byGroup[group][podName(pod.Name)] = true
		d.pods[podName(pod.Name)] = group
	}
	for _, g := range d.workload.groups {
		d.guards = append(d.guards, guard{group: g.name, pods: byGroup[g.name]})
	}
}

// addEnd notes what the film shows at its end.
func (d *drained) addEnd(recording *film.Film) {
	for _, frames := range recording.Pods() {
		last := frames[len(frames)-1]
		if last.Namespace != namespace {
			continue
		}
		if _, planned := d.pods[podName(last.Name)]; !planned {
			d.addReplacement(frames)
			continue
		}
		if last.Gone {
			d.lastGone = later(d.lastGone, last.At)
		}
		if deleted := first(frames, film.PodFrame.Terminating); !deleted.IsZero() && last.Gone {
			d.leaving = append(d.leaving, span{deleted, last.At})
		}
	}
	for _, frames := range recording.Budgets() {
		for i := range d.guards {
			if frames[0].Namespace == namespace && frames[0].Name == d.guards[i].group {
				d.guards[i].frames = frames
			}
		}
	}
}

func (d *drained) addReplacement(frames []film.PodFrame) {
	bound := first(frames, func(f film.PodFrame) bool { return f.Node != "" })
	ready := first(frames, func(f film.PodFrame) bool { return f.Ready })
	if !bound.IsZero() {
		d.binding = append(d.binding, span{frames[0].At, bound})
	}
	if !ready.IsZero() {
		d.starting = append(d.starting, span{bound, ready})
	}
}

// first is when a pod was first seen to be so, zero if it never was.
func first(frames []film.PodFrame, so func(film.PodFrame) bool) time.Time {
	for _, f := range frames {
		if so(f) {
			return f.At
		}
	}
	return time.Time{}
}

// count is the number of requests of that kind.
func (d drained) count(kind audit.Kind) int {
	count := 0
	for _, r := range d.requests {
		if r.Kind() == kind {
			count++
		}
	}
	return count
}

func (d drained) refused() int {
	count := 0
	for _, r := range d.requests {
		if r.Kind() == audit.Eviction && r.Refused() {
			count++
		}
	}
	return count
}

// firstEviction is when the tool first requested an eviction.
func (d drained) firstEviction() time.Time {
	for _, r := range d.requests {
		if r.Kind() == audit.Eviction {
			return r.Received
		}
	}
	return d.result.Ended
}

// firstWrite is when the tool first asked for something to be changed.
func (d drained) firstWrite() time.Time {
	for _, r := range d.requests {
		if r.Verb == "patch" || r.Kind() == audit.Eviction {
			return r.Received
		}
	}
	return d.result.Ended
}
