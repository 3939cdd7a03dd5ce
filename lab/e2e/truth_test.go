//go:build e2e

package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/audit"
)

// lastRun is the newest run of the operator.
func (o *operator) lastRun() string {
	o.t.Helper()
	return decode[[]struct{ Run string }](o.t, o.run("runs", "-o", "json").out)[0].Run
}

// leaves is the end of every story at a terminal: it is given back in order, the exit code is
// that one, and what stays on the screen and the report of the run are true.
func (o *operator) leaves(term *terminal, code int) (report, screen) {
	o.t.Helper()
	got, normal := term.ended()
	if got != code {
		o.t.Errorf("exit code %d, want %d, and on the normal screen\n%s", got, code, framed(normal))
	}
	r, text := o.trueReport(o.lastRun())
	verdict, _, _ := strings.Cut(text, "\n")
	if !strings.Contains(flat(normal.String()), flat(verdict)) {
		o.t.Errorf("the report begins with %q, and on the normal screen is\n%s", verdict, framed(normal))
	}
	codes := map[string]int{"done": 0, "partly": 4, "refused": 3, "aborted": 6, "failed": 1}
	if want, ended := codes[r.Outcome]; code < 128 && ended && want != code {
		o.t.Errorf("exit code %d of a run that is %s", code, r.Outcome)
	}
	return r, normal
}

// trueReport asks for the report of a run, as JSON and as text, and compares it with what the
// API server has.
func (o *operator) trueReport(run string) (report, string) {
	o.t.Helper()
	text := o.run("report", run)
	text.exits(o.t, 0)
	r := decode[report](o.t, o.run("report", run, "-o", "json").out)
	w := witness{t: o.t, world: o.world, run: run, nodes: list[node](o.t, o.world, "nodes"), pods: map[string]pod{}}
	for _, p := range o.world.pods(o.t) {
		w.pods[p.Metadata.UID] = p
	}
	gone, ending, all := 0, 0, 0
	for _, n := range r.Nodes {
		w.node(n, r)
		for _, p := range n.Pods {
			w.pod(n, p)
			if p.Action != "evict" && p.Action != "delete" {
				continue
			}
			all++
			switch live, there := w.pods[p.UID]; {
			case p.State == "Terminating" || p.State == "StuckTerminating":
				ending++ // and gone by now, or not
			case !there || live.Spec.NodeName != n.Name:
				gone++
			}
		}
	}
	if says := fmt.Sprintf(" %d of %d pod", gone, all); !strings.Contains(text.out, says) {
		o.t.Errorf("the report says nothing of%ss gone, with %d that end:\n%s", says, ending, text.out)
	}
	w.requests(r)
	if o.t.Failed() {
		o.t.Logf("the report of run %s:\n%s", run, text.out)
	}
	return r, text.out
}

// witness is the cluster as its API server tells of it.
type witness struct {
	t     *testing.T
	world *world
	run   string
	nodes []node
	pods  map[string]pod // by UID
}

func (w witness) errorf(format string, args ...any) {
	w.t.Helper()
	w.t.Errorf("the report of run "+w.run+" is not true: "+format, args...)
}

// node compares what is said of a node: whose cordon it has, who is still on it, what is left
// to do.
func (w witness) node(n reportNode, r report) {
	w.t.Helper()
	i := slices.IndexFunc(w.nodes, func(live node) bool { return live.Metadata.UID == n.UID })
	if i < 0 {
		if n.Cordoned || n.State == "Drained" {
			w.errorf("%s is %s, and there is no such node", n.Name, n.State)
		}
		return
	}
	live := w.nodes[i]
	ours := live.Spec.Unschedulable && strings.Contains(live.Metadata.Annotations[mark], w.run)
	if ours != n.Cordoned && !n.CordonInDoubt {
		w.errorf("cordoned by it is %v of %s, which is %+v", n.Cordoned, n.Name, live)
	}
	toUncordon := slices.ContainsFunc(r.ToDo, func(d struct{ What, Command string }) bool {
		return strings.Contains(d.Command, " uncordon "+n.Name)
	})
	if n.Cordoned && !toUncordon {
		w.errorf("nothing is said of the cordon of %s that is left: %v", n.Name, r.ToDo)
	}
	for _, p := range w.pods {
		owners := p.Metadata.OwnerReferences
		if p.Spec.NodeName != n.Name || len(owners) == 1 && owners[0].Kind == "DaemonSet" {
			continue
		}
		known := slices.ContainsFunc(n.Pods, func(told reportPod) bool { return told.UID == p.Metadata.UID })
		if !known || n.State == "Drained" || n.SafeToPowerOff {
			w.errorf("%s is %s (safe to power off: %v), and %s/%s is on it (known: %v)", n.Name, n.State, n.SafeToPowerOff,
				p.Metadata.Namespace, p.Metadata.Name, known)
		}
	}
}

// pod compares what is said of a pod and of the one that took its place.
func (w witness) pod(n reportNode, p reportPod) {
	w.t.Helper()
	live, there := w.pods[p.UID]
	there = there && live.Spec.NodeName == n.Name
	switch p.State {
	case "Gone", "Replaced", "Moved":
		if there {
			w.errorf("%s is %s, and it is on %s", p.Name, p.State, n.Name)
		}
	case "Terminating", "StuckTerminating": // by now it may be gone
		if there && live.Metadata.DeletionTimestamp == nil {
			w.errorf("%s is %s, and it is not ending", p.Name, p.State)
		}
	default:
		if !there || live.Metadata.DeletionTimestamp != nil {
			w.errorf("%s is %s on %s, and it is %+v (there: %v)", p.Name, p.State, n.Name, live, there)
		}
	}
	if p.Replacement == nil {
		return
	}
	new, there := w.pods[p.Replacement.UID]
	switch r := p.Replacement; r.State {
	case "Ready":
		if !there || new.Spec.NodeName != r.Node || new.condition("Ready").Status != "True" {
			w.errorf("%s in place of %s is Ready on %s, and it is %+v", r.Pod, p.Name, r.Node, new)
		}
	case "Starting", "Failing": // it may be Ready by now
		if !there || new.Spec.NodeName != r.Node {
			w.errorf("%s in place of %s is %s on %s, and it is %+v", r.Pod, p.Name, r.State, r.Node, new)
		}
	case "Pending": // it may have been bound by now, unless the scheduler has refused it; the reason of another try may differ
		if !there || r.Why != "" && new.condition("PodScheduled").Status != "False" {
			w.errorf("%s in place of %s is Pending (%s), and it is %+v", r.Pod, p.Name, r.Why, new)
		}
	}
}

// requests compares what was sent for pods, and what came back, where the server notes that.
func (w witness) requests(r report) {
	w.t.Helper()
	if !w.world.audited {
		return
	}
	all, _, err := audit.Read(w.world.auditLog(), 0)
	if err != nil {
		w.t.Fatal(err)
	}
	told, noted := map[string]int{}, map[string]int{} // codes, by audit ID
	for _, a := range r.Answers {
		if a.Verb == "evict" || a.Verb == "delete" {
			told[a.AuditID] = a.Code
		}
	}
	for _, q := range audit.Of(all, "kdrain-tui") {
		within := q.Received.After(r.StartedAt) && (r.EndedAt.IsZero() || q.Received.Before(r.EndedAt))
		if within && (q.Kind() == audit.Eviction || q.Kind() == audit.Deletion) {
			noted[q.ID] = q.Code
		}
	}
	if !maps.Equal(told, noted) || r.Requests["evict"]+r.Requests["delete"] != len(noted) {
		w.errorf("requests for pods %v with the answers %v, and the server noted %v", r.Requests, told, noted)
	}
}
