package roll

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// TestScripts plays the scripts of testdata/step: what happens in a cluster, and where a roll then stands.
// -rewrite fills that in.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata/step", func(t *testing.T, path string) {
		w := newWorld(t)
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			w.t = t
			w.command(d)
			if w.state == nil {
				return ""
			}
			return w.shown()
		})
	})
}

func (w *world) command(d *datadriven.TestData) {
	value := func(key string) (text string) {
		for _, a := range d.CmdArgs {
			if a.Key == key {
				text = strings.Join(a.Vals, " ")
			}
		}
		return text
	}
	var names []string
	for _, a := range d.CmdArgs {
		if len(a.Vals) == 0 {
			names = append(names, a.Key)
		}
	}
	number := func(key string) int {
		n, _ := strconv.Atoi(value(key))
		return n
	}
	switch d.Cmd {
	case "nodes": // zone=a w1 w2
		for _, name := range names {
			w.edit(name, func(n *corev1.Node) { n.Labels["zone"] = value("zone") })
		}
	case "pod": // web-1 on=w1 [state=not-ready]
		var options []kubetest.PodOption
		if value("state") == "not-ready" {
			options = append(options, kubetest.NotReady(time.Minute))
		}
		w.web(names[0], value("on"), options...)
		if w.state != nil {
			w.next()
		}
	case "takes": // run=other w1, "" for nobody: the Leases of nodes
		for _, name := range names {
			if w.free(w.nodes[name].UID); value("run") != "" {
				w.hold(w.nodes[name].UID, value("run"))
				w.hold(w.nodes[name].UID, value("run")) // renewed
			}
		}
		if w.state != nil {
			w.next()
		}
	case "leases": // denied or allowed: whether they may be written
		w.denied = names[0] == "denied"
	case "gone":
		w.gone(names[0])
	case "roll":
		o := Options{Batch: max(1, number("batch")), By: value("by"), Before: value("before"), Work: value("work"), Window: value("window"),
			MaxFailed: number("max-failed"), ExpectReboot: value("expect") == "reboot", RerunWork: value("rerun") != ""}
		for key, to := range map[string]*Seconds{"pause": &o.PauseBetween, "return": &o.ReturnTimeout} {
			if text := value(key); text != "" {
				length, err := time.ParseDuration(text)
				if err != nil {
					w.t.Fatal(err)
				}
				*to = Seconds(length)
			}
		}
		if err := o.Validate(); err != nil {
			w.t.Fatal(err)
		}
		w.leasing = value("leases") != ""
		w.begin(o, names...)
	case "drained": // w1 [volume=Detaching] [left=web]: a raise that the run cannot set back
		if name := value("left"); name != "" {
			w.say(w.inHand, drain.Event{Kind: drain.EventSurge, Surge: &surge.Facts{Kind: "Deployment", Namespace: "shop", Name: name},
				SurgeChange: &surge.Change{State: surge.Orphaned, Batch: &surge.Batch{Was: 2, To: 3}}})
		}
		for _, name := range names {
			if state := volume.State(value("volume")); state != "" {
				w.volumes(name, state)
			}
			w.drained(name, drain.NodeDrained, "")
		}
	case "volume": // w1 is=Detached
		w.volumes(names[0], volume.State(value("is")))
		w.endRun()
		w.next()
	case "not-drained":
		w.drained(names[0], drain.NodeFailed, "timed out")
	case "hook":
		for _, name := range names {
			w.hookEnds(name, number("exit"))
		}
	case "down", "up":
		for _, name := range names {
			w.edit(name, func(n *corev1.Node) {
				setReady(n, d.Cmd == "up")
				if boot := value("boot"); boot != "" {
					n.Status.NodeInfo.BootID = boot
				}
			})
		}
		w.next()
	case "uncordon":
		for _, name := range names {
			if !w.uncordon(name) {
				w.t.Fatalf("%s: no uncordon of %s was asked for", d.Pos, name)
			}
		}
	case "uncordon-fails":
		w.next(UncordonFailed{Node: names[0], Message: "conflict"})
	case "somebody-cordons":
		w.edit(names[0], func(n *corev1.Node) { n.Spec.Unschedulable = true })
	case "somebody-uncordons": // [label=stays] w1: with kubectl, which leaves the annotation, on a node out of load balancers
		w.edit(names[0], func(n *corev1.Node) {
			if mark, _ := annotation.Parse(n.Annotations[kube.CordonAnnotation]); value("label") != "" {
				mark.ExcludedFromLB = true
				kubetest.ExcludeFromLB(n, kube.FieldManager, "")
				n.Spec.Unschedulable, n.Annotations[kube.CordonAnnotation] = false, mark.String()
			} else {
				uncordoned(n)
			}
		})
		w.next()
	case "somebody-recordons": // as kubectl uncordon and kubectl cordon, which leave the annotation
		w.edit(names[0], func(n *corev1.Node) { n.ManagedFields[0].Manager = "kubectl" })
		w.next()
	case "deleted":
		w.deleted(names[0])
		w.next()
	case "replaced":
		w.replaced(names[0], func(n *corev1.Node) { n.Spec.Unschedulable = value("cordoned") != "" })
		w.next()
	case "server": // down or up
		w.server(names[0] == "up")
		w.next()
	case "lost": // HookEnded: what the journal has after the last of these
		w.cut(EventKind(names[0]))
	case "run-lost": // of the batch, with its journal
		delete(w.runs, w.state.Run)
		delete(w.drains, w.state.Run)
	case "runs": // ready or not-ready: whether they can be begun and resumed
		w.unready = names[0] != "ready"
		w.next()
	case "rollback": // of the run of the batch, and of its cordons, by another process
		for _, name := range names {
			w.edit(name, uncordoned)
		}
		w.say(w.state.Run, drain.Event{Kind: drain.EventUndone, Outcome: drain.OutcomeDone})
	case "run-suspended":
		w.say(w.inHand, drain.Event{Kind: drain.EventControl, Command: drain.CommandSuspend})
		w.next()
	case "run-aborted":
		w.say(w.inHand, drain.Event{Kind: drain.EventRunEnded, Outcome: drain.OutcomeAborted})
		w.next()
	case "drain-fails":
		w.next(DrainFailed{Run: w.state.Run, Message: "no plan", Begun: value("begun") != ""})
	case "reply":
		w.next(Reply{Node: names[0], Kind: w.state.Question.Kind, Answer: Answer(names[1]), By: "ann"})
	case "command":
		w.next(Command{Kind: drain.CommandKind(names[0]), By: "ann"})
	case "resume":
		w.resume()
	case "tick":
		length, err := time.ParseDuration(names[0])
		if err != nil {
			w.t.Fatal(err)
		}
		w.now = w.now.Add(length)
		w.next()
	default:
		panic(fmt.Sprintf("no command %s", d.Cmd))
	}
}
