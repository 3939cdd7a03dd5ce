package print

import (
	"io"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Resumed says that a run goes on. From then on what comes is printed, by what came
// before: a pod that was asked to go then is evicted now, not just gone.
func (d *Drain) Resumed(before *drain.State, events []drain.Event) {
	past := Drain{Out: JSON{io.Discard}, Err: io.Discard, Now: d.Now}
	past.Of(planOf(&before.Run))
	for _, e := range events {
		past.eventLines(e)
	}
	d.lines = past.lines
	// What is so now is said once more.
	d.lines.waits, d.lines.down, d.lines.aborted = map[kube.UID]*saidWaits{}, false, before.Aborting
	pods := before.Progress("")
	d.Note("run %s is resumed, started by %s %s: %d of %s gone", before.Run.ID, before.Run.User,
		before.Started.UTC().Format(time.RFC3339), pods.Left, format.Count(pods.Total, "pod"))
	if before.Aborting {
		d.Note("it was being aborted: nothing more is evicted, and it is brought to its end")
	}
	for _, pod := range before.Pods {
		if pod.State.Blocked() { // the run itself says it again only once it changes
			e := drain.Event{Time: d.Now(), UID: pod.UID, PodState: pod.State, Wait: pod.Wait}
			d.waits(e, pod.Namespace+"/"+pod.Name+" waits: ", Warning)
		}
	}
}

// planOf is the plan of a run as far as its journal has it: enough for words.
func planOf(run *drain.RunFacts) plan.Plan {
	planned := plan.Plan{Options: run.Options}
	for _, n := range run.Nodes {
		node := plan.Node{Name: n.Name, UID: n.UID, Unschedulable: n.Unschedulable}
		for _, pod := range run.Pods {
			if pod.Node == n.Name {
				node.Pods = append(node.Pods, plan.Pod{
					Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID, Owner: pod.Owner,
					Action: pod.Action, Reasons: pod.Reasons,
				})
			}
		}
		planned.Nodes = append(planned.Nodes, node)
	}
	return planned
}
