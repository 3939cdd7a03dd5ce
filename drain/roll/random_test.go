package roll

import (
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// TestRandomHistories lets anything happen to rolls, in any order, and holds what a roll promises: no two
// values of the label and no more nodes than a batch at a time, no start outside the window or behind a
// closed gate, no command twice without being asked, and an end, although its process dies now and then.
func TestRandomHistories(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t)
		names := make([]string, rapid.IntRange(1, 7).Draw(rt, "nodes"))
		for i := range names {
			names[i] = fmt.Sprintf("w%d", i+1)
			zone := rapid.SampledFrom([]string{"a", "b", "c", ""}).Draw(rt, "zone")
			w.edit(names[i], func(n *corev1.Node) {
				if zone != "" {
					n.Labels["zone"] = zone
				}
			})
		}
		w.web("web-1", names[0])
		w.web("web-2", names[len(names)-1])
		o := Options{Batch: rapid.IntRange(1, 3).Draw(rt, "batch"), By: rapid.SampledFrom([]string{"", "zone"}).Draw(rt, "by"),
			Before: rapid.SampledFrom([]string{"", "stepdown"}).Draw(rt, "before"), Work: rapid.SampledFrom([]string{"", "patch"}).Draw(rt, "work"),
			Window: rapid.SampledFrom([]string{"", "12:00-13:00 UTC"}).Draw(rt, "window"), ExpectReboot: rapid.Bool().Draw(rt, "reboot"),
			PauseBetween: Seconds(rapid.SampledFrom([]time.Duration{0, time.Minute}).Draw(rt, "pause")), MaxFailed: 99}
		w.begin(o, names...)
		h := history{w: w, rt: rt}
		for range 60 {
			h.happen()
			h.check()
		}
		h.finish()
	})
}

type history struct {
	w       *world
	rt      *rapid.T
	checked int             // events that were checked
	again   map[string]bool // "NODE HOOK" that the operator let run again
	runs    map[string]int  // how often each was run
	boots   int
	ill     bool // one pod of the workload does not serve
}

// happen is one thing that may happen now.
func (h *history) happen() {
	w := h.w
	var may []func()
	add := func(do func()) { may = append(may, do) }
	if w.state.Outcome == "" {
		add(w.resume)
	}
	add(func() {
		w.now = w.now.Add(rapid.SampledFrom([]time.Duration{time.Second, time.Minute, time.Hour}).Draw(h.rt, "tick"))
		w.next()
	})
	add(func() {
		h.ill = !h.ill
		var options []kubetest.PodOption
		if h.ill {
			options = append(options, kubetest.NotReady(time.Minute))
		}
		w.web("web-2", "spare", options...)
		w.next()
	})
	add(func() {
		w.next(Command{Kind: rapid.SampledFrom([]drain.CommandKind{drain.CommandPause, drain.CommandContinue}).Draw(h.rt, "command")})
	})
	add(func() { h.progress(rapid.Bool().Draw(h.rt, "well")) })
	add(func() { h.progress(true) })
	add(func() { h.progress(true) })
	may[rapid.IntRange(0, len(may)-1).Draw(h.rt, "what")]()
}

// progress takes one thing of the roll a step on; well is a good end of it. It is false where none is on.
func (h *history) progress(well bool) bool {
	w := h.w
	exit, state := 0, drain.NodeDrained
	if !well {
		exit, state = 1, drain.NodeFailed
	}
	if q := w.state.Question; q != nil {
		answer := AnswerDone
		if q.Kind == AskAgain && well {
			answer = AnswerAgain
			if h.again == nil {
				h.again = map[string]bool{}
			}
			h.again[q.Node+" "+string(q.Hook)] = true
		}
		w.next(Reply{Node: q.Node, Kind: q.Kind, Answer: answer, By: "ann"})
		return true
	}
	for i := range w.state.Nodes {
		n := &w.state.Nodes[i]
		switch {
		case w.hooks[n.Name] != "":
			w.hookEnds(n.Name, exit)
		case n.State == Draining && w.inHand == w.state.Run && slices.Contains(w.state.drained, n.Name) &&
			!drain.Fold(nil, w.runs[w.inHand]...).Node(n.Name).State.Final():
			w.drained(n.Name, state, "x")
		case n.State == Returning && w.uncordon(n.Name):
		case n.State == Returning && w.state.Facts.Options.ExpectReboot && w.nodes[n.Name].Status.NodeInfo.BootID == n.BootID:
			h.boots++
			w.edit(n.Name, func(n *corev1.Node) { n.Status.NodeInfo.BootID = fmt.Sprint("boot-", h.boots+1) })
			w.next()
		default:
			continue
		}
		return true
	}
	return false
}

// check holds what each event since the last check must not be.
func (h *history) check() {
	w := h.w
	o := w.state.Facts.Options
	window, _ := parseWindow(o.Window)
	for _, e := range w.events[h.checked:] {
		before := Fold(nil, w.events[:e.Seq-1]...)
		switch e.Kind {
		case EventBatchStarted:
			if !window.open(e.Time) {
				h.rt.Fatalf("batch %d begins at %s, outside the window", e.Batch, e.Time)
			}
			if before.Gate != nil || before.Paused {
				h.rt.Fatalf("batch %d begins behind a closed gate or paused", e.Batch)
			}
			if len(e.Nodes) > o.Batch {
				h.rt.Fatalf("batch %d has %d nodes", e.Batch, len(e.Nodes))
			}
		case EventHookStarted:
			if h.runs == nil {
				h.runs = map[string]int{}
			}
			key := e.Node + " " + string(e.Hook)
			if h.runs[key]++; h.runs[key] > 1 && !h.again[key] {
				h.rt.Fatalf("the command of %s is run twice without a question", key)
			}
			delete(h.again, key)
		}
	}
	h.checked = len(w.events)
	values := map[string]bool{}
	under := 0
	for i := range w.state.Nodes {
		if n := &w.state.Nodes[i]; n.State != Waiting && !n.State.final() {
			under++
			values[w.nodes[n.Name].Labels["zone"]] = true
		}
	}
	if under > o.Batch || o.By != "" && len(values) > 1 {
		h.rt.Fatalf("%d nodes are under way, of %d values", under, len(values))
	}
}

// finish lets everything end well: the roll must come to its end.
func (h *history) finish() {
	w := h.w
	w.next(Command{Kind: drain.CommandContinue})
	for range 2000 {
		if w.state.Outcome != "" {
			for i := range w.state.Nodes {
				if n := &w.state.Nodes[i]; n.State == Done && w.nodes[n.Name].Spec.Unschedulable {
					h.rt.Fatalf("%s is done and cordoned", n.Name)
				} else if !n.State.final() {
					h.rt.Fatalf("%s is %s at the end", n.Name, n.State)
				}
			}
			return
		}
		w.web("web-1", "spare")
		w.web("web-2", "spare")
		if !h.progress(true) {
			w.now = w.now.Add(time.Minute)
			w.next()
		}
		h.check()
	}
	h.rt.Fatalf("the roll did not end:\n%s", w.shown())
}
