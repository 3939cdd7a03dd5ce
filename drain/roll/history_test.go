package roll

import (
	"flag"
	"fmt"
	"reflect"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// TestHistories maintains random clusters in which anything happens in any order: drains end in each way, runs cannot
// be begun or resumed, commands fail, nodes are uncordoned, deleted, replaced and rebooted by others, pods come back,
// the server goes away, the operator steers, processes end, also while they write the journal, and others resume. All
// that history_judge_test.go lists holds after each look. Once everybody does what they should, the roll ends. Without
// flags the same histories are played each time; make soak plays others.
func TestHistories(t *testing.T) {
	values := map[string]string{"rapid.checks": "3000", "rapid.seed": "1"}
	flag.Visit(func(f *flag.Flag) { delete(values, f.Name) })
	for name, value := range values {
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory(t)
		t.Repeat(h.actions())
		h.settle(t)
	})
}

// options draws what a roll may be asked for.
func options(t *rapid.T) Options {
	o := Options{
		Batch: rapid.IntRange(1, 3).Draw(t, "batch"), By: rapid.SampledFrom([]string{"", "zone"}).Draw(t, "by"),
		Before:        rapid.SampledFrom([]string{"", "stepdown"}).Draw(t, "before"),
		Work:          rapid.SampledFrom([]string{"", "reboot"}).Draw(t, "work"),
		ExpectReboot:  rapid.Bool().Draw(t, "expect reboot"),
		ReturnTimeout: Seconds(rapid.SampledFrom([]time.Duration{0, 30 * time.Minute}).Draw(t, "return timeout")),
		PauseBetween:  Seconds(rapid.SampledFrom([]time.Duration{0, time.Minute}).Draw(t, "pause between")),
		Window:        rapid.SampledFrom([]string{"", "12:00-13:00 UTC", "23:30-12:10 UTC"}).Draw(t, "window"),
		MaxFailed:     rapid.IntRange(0, 2).Draw(t, "max failed"), MaxUnhealthy: rapid.IntRange(0, 1).Draw(t, "max unhealthy"),
	}
	o.RerunWork = (o.Work != "" || o.Before != "") && rapid.Bool().Draw(t, "rerun work")
	return o
}

// TestHistoriesHaveEachOption insists that no option of a roll is missing in the histories, nor a pair of them.
func TestHistoriesHaveEachOption(t *testing.T) {
	drawn := map[[2]string]bool{}
	generator, kind := rapid.Custom(options), reflect.TypeFor[Options]()
	for seed := range 400 {
		o := generator.Example(seed)
		if err := o.Validate(); err != nil {
			t.Fatal(err)
		}
		var set []string
		for i := range kind.NumField() {
			// One node at a time is no choice of a batch.
			if v := reflect.ValueOf(o).Field(i); !v.IsZero() && (kind.Field(i).Name != "Batch" || o.Batch > 1) {
				set = append(set, kind.Field(i).Name)
			}
		}
		for _, a := range set {
			for _, b := range set {
				drawn[[2]string{a, b}] = true
			}
		}
	}
	for i := range kind.NumField() {
		for j := range i + 1 {
			if a, b := kind.Field(i).Name, kind.Field(j).Name; !drawn[[2]string{a, b}] {
				t.Errorf("%s with %s is in no history", a, b)
			}
		}
	}
}

// history is a roll to which anything happens.
type history struct {
	*world
	judge judge
	boots int
}

func newHistory(t *rapid.T) *history {
	h := &history{world: newWorld(t)}
	h.lingers, h.leasing = true, rapid.Bool().Draw(t, "Leases")
	h.expires = rapid.IntRange(0, 3).Draw(t, "not released") == 0
	names := make([]string, rapid.IntRange(1, 5).Draw(t, "nodes"))
	for i := range names {
		names[i] = fmt.Sprintf("w%d", i+1)
		zone := rapid.SampledFrom([]string{"a", "b", ""}).Draw(t, "zone")
		foreign := rapid.IntRange(0, 7).Draw(t, "cordoned before") == 0
		h.edit(names[i], func(n *corev1.Node) {
			n.Spec.Unschedulable = foreign
			if zone != "" {
				n.Labels["zone"] = zone
			}
		})
	}
	h.web("web-1", names[0])
	h.web("web-2", names[len(names)-1])
	h.judge = newJudge(t, h.world)
	h.seen = h.judge.look
	if rapid.IntRange(0, 3).Draw(t, "dies early") == 0 {
		h.dieSoon(t)
	}
	h.begin(options(t), names...)
	return h
}

// actions are what may happen; the roll goes on more often than anything else.
func (h *history) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"goes on": h.goesOn, "goes on well": h.goesOnWell, "goes on further": h.goesOnWell, "goes on again": h.goesOnWell,
		"time": h.pass, "look": func(*rapid.T) { h.next() },
		"node": h.somebody, "pod": h.podComes, "workload": h.workload, "server": h.serverChanges,
		"operator": h.operator, "process": h.processEnds, "process once more": h.processEnds, "runs": h.runsChange, "another run": h.others,
	}
}

func (h *history) pass(t *rapid.T) {
	h.now = h.now.Add(rapid.SampledFrom([]time.Duration{time.Second, time.Minute, 31 * time.Minute, time.Hour, 11 * time.Hour}).Draw(t, "pass"))
	h.next()
}

// nodeOf draws a node of the roll.
func (h *history) nodeOf(t *rapid.T) string {
	return h.state.Nodes[rapid.IntRange(0, len(h.state.Nodes)-1).Draw(t, "node")].Name
}

// somebody does something to a node that the roll did not ask for.
func (h *history) somebody(t *rapid.T) {
	name := h.nodeOf(t)
	what := rapid.SampledFrom([]string{"uncordon", "uncordon", "uncordon and unmark", "cordon", "delete", "replace", "replace cordoned", "down",
		"up", "reboot"}).Draw(t, "somebody")
	switch n := h.nodes[name]; {
	case n == nil:
		h.register(name, false)
	case what == "delete":
		h.deleted(name)
	case what == "replace", what == "replace cordoned":
		h.replaced(name, func(n *corev1.Node) { n.Spec.Unschedulable = what != "replace" })
	default:
		h.edit(name, func(n *corev1.Node) {
			switch what {
			case "uncordon": // as kubectl, which leaves the annotation
				n.Spec.Unschedulable, n.ManagedFields = false, nil
			case "uncordon and unmark":
				uncordoned(n)
			case "cordon":
				if cordonedBy := cordoned("", h.now); !n.Spec.Unschedulable {
					mark := n.Annotations
					cordonedBy(n)
					n.Annotations, n.ManagedFields[0].Manager = mark, "kubectl"
				}
			case "down", "up":
				setReady(n, what == "up")
			case "reboot":
				h.reboot(n)
			}
		})
	}
	h.next()
}

// register is a machine without a Node object that joins the cluster.
func (h *history) register(name string, cordoned bool) {
	h.serial++
	h.edit(name, func(n *corev1.Node) {
		n.UID = h.judge.uid(name, h.serial)
		n.Spec.Unschedulable = cordoned
		if zone := h.judge.zones[name]; zone != "" {
			n.Labels["zone"] = zone
		}
	})
}

func (h *history) reboot(n *corev1.Node) {
	h.boots++
	n.Status.NodeInfo.BootID = fmt.Sprint("boot-", h.boots+1)
}

// podComes binds a pod to a node, as the scheduler does, or past it, or takes it away.
func (h *history) podComes(t *rapid.T) {
	if name := h.nodeOf(t); rapid.IntRange(0, 2).Draw(t, "goes") > 0 {
		h.gone("web-3")
	} else if n := h.nodes[name]; n != nil && (!n.Spec.Unschedulable || rapid.Bool().Draw(t, "past the scheduler")) {
		h.web("web-3", name)
	}
	h.next()
}

// workload has pods of the workload made, Ready or not.
func (h *history) workload(t *rapid.T) {
	var options []kubetest.PodOption
	if rapid.Bool().Draw(t, "not ready") {
		options = append(options, kubetest.NotReady(time.Minute))
	}
	h.web(rapid.SampledFrom([]string{"web-1", "web-2"}).Draw(t, "pod"), "spare", options...)
	h.next()
}

func (h *history) serverChanges(*rapid.T) {
	h.server(h.down)
	h.next()
}

// runsChange lets the runs of batches be begun and resumed, or no longer.
func (h *history) runsChange(*rapid.T) {
	h.unready = !h.unready
	h.next()
}

func (h *history) operator(t *rapid.T) {
	kinds := []drain.CommandKind{drain.CommandPause, drain.CommandPause, drain.CommandContinue, drain.CommandContinue, drain.CommandSuspend}
	if rapid.IntRange(0, 9).Draw(t, "gives up") == 0 {
		kinds = []drain.CommandKind{drain.CommandAbort}
	}
	kind := rapid.SampledFrom(kinds).Draw(t, "command")
	if d := h.drains[h.inHand]; d != nil && kind == drain.CommandSuspend && d.Outcome == "" && rapid.Bool().Draw(t, "of the run") {
		h.say(h.inHand, drain.Event{Kind: drain.EventControl, Command: kind}) // as a hangup, or who steers that run
		h.next()
		return
	}
	h.next(Command{Kind: kind, By: "ann"})
	if d := h.drains[h.inHand]; d != nil && d.Outcome == "" && h.state.Suspended {
		h.say(h.inHand, drain.Event{Kind: drain.EventControl, Command: kind})
	}
}

// processEnds lets the process die, now or when it has written its next look, with as many of its events lost as may
// be; or another one resume.
func (h *history) processEnds(t *rapid.T) {
	if h.state.Outcome != "" && !h.dead {
		return
	}
	if !h.dead && !h.state.Suspended && rapid.Bool().Draw(t, "in its next look") {
		h.dieSoon(t)
		return
	}
	h.comesBack()
}

// dieSoon lets the process die in the next look that decides something.
func (h *history) dieSoon(t *rapid.T) {
	h.judge.disturbed = true
	h.dies, h.torn = true, rapid.IntRange(0, 6).Draw(t, "lost")
}

func (h *history) comesBack() {
	h.judge.resumed()
	h.judge.disturbed = true
	for _, out := range h.writes { // of the process before
		h.serve(out)
	}
	h.resume()
}

// goesOn takes one thing on, well or not.
func (h *history) goesOn(t *rapid.T) { h.goOn(t, rapid.Bool().Draw(t, "well")) }

func (h *history) goesOnWell(t *rapid.T) { h.goOn(t, true) }

func (h *history) goOn(t *rapid.T, well bool) {
	if may := h.may(t, well); len(may) > 0 {
		may[rapid.IntRange(0, len(may)-1).Draw(t, "what")]()
	}
}

// may is what can go on now.
func (h *history) may(t *rapid.T, well bool) (may []func()) {
	if h.dead {
		return nil
	}
	add := func(do func()) { may = append(may, do) }
	if q := h.state.Question; q != nil {
		add(func() { h.next(Reply{Node: q.Node, Kind: q.Kind, Answer: h.answer(t, q, well), By: "ann"}) })
	}
	for i := range h.state.Nodes {
		if name := h.state.Nodes[i].Name; h.hooks[name] != "" {
			add(func() { h.hookIsOver(t, name, well) })
		}
	}
	for _, a := range h.wanted {
		if a, ok := a.(Drain); ok && (h.unready || h.down) {
			add(func() {
				h.next(DrainFailed{Run: a.Run, Message: "connection refused", Begun: h.runs[a.Run] != nil})
				h.judge.pausesBefore(a.Run)
			})
		}
	}
	if !h.down {
		may = append(may, h.mayInCluster(t, well)...)
	}
	return append(may, h.leaseWrites(t, well)...)
}

func (h *history) answer(t *rapid.T, q *Question, well bool) Answer {
	switch {
	case !well:
		return AnswerFailed
	case q.Kind == AskAgain && rapid.Bool().Draw(t, "again"):
		return AnswerAgain
	}
	return AnswerDone
}

func (h *history) hookIsOver(t *rapid.T, name string, well bool) {
	if h.hooks[name] == HookWork && well && h.nodes[name] != nil && rapid.Bool().Draw(t, "reboots") {
		h.edit(name, h.reboot)
	}
	switch {
	case well:
		h.hookEnds(name, 0)
	case rapid.Bool().Draw(t, "killed"):
		ended := HookEnded{Node: name, Hook: h.hooks[name], ExitCode: -1, Message: "killed"}
		delete(h.hooks, name)
		h.next(HookOutput{Node: name, Hook: ended.Hook, Text: "oops"}, ended)
	default:
		h.hookEnds(name, 1)
	}
}

// settle lets everybody do what they should until the roll ends.
func (h *history) settle(t *rapid.T) {
	h.dies, h.unready = false, false
	for range 400 {
		if h.state.Outcome != "" && !h.dead {
			h.judge.end()
			return
		}
		h.mend()
		if may := h.may(t, true); len(may) > 0 {
			may[0]()
			continue
		}
		if wait := h.wake.Sub(h.now); !h.wake.IsZero() && wait > 0 {
			h.now = h.now.Add(wait)
		} else {
			h.now = h.now.Add(time.Minute)
		}
		h.next()
	}
	t.Fatalf("the roll does not end:\n%s", h.shown())
}

// mend brings everything that can be in order into order.
func (h *history) mend() {
	if h.down {
		h.server(true)
	}
	for i := range h.state.Nodes {
		name := h.state.Nodes[i].Name
		if h.nodes[name] == nil {
			h.register(name, false)
		}
		h.edit(name, func(n *corev1.Node) { setReady(n, true) })
	}
	for node := range h.leases {
		if h.holder(node) == "other" {
			h.free(node)
		}
	}
	h.gone("web-3")
	h.web("web-1", "spare")
	h.web("web-2", "spare")
	switch {
	case h.dead || h.state.Suspended:
		h.comesBack()
	case h.state.Paused:
		h.next(Command{Kind: drain.CommandContinue, By: "ann"})
	default:
		h.next()
	}
}
