package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/replacement"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// lines are those of the frame, without the blanks at both ends.
func (d *driver) lines() []string {
	all := strings.Split(d.frame(), "\n")
	for i := range all {
		all[i] = strings.Trim(all[i], " ▌")
	}
	return all
}

// Pods that one thing holds stand below one line, with the choices of the selected cause
// and a countdown each; n goes from cause to cause.
func TestTheRunPageIsByCause(t *testing.T) {
	d := drive(t, company(), 120, 40, attached(runState()))
	const finalizer, cart = "▲ finalizer example.com/hold · 1 pod · for 0:33", "‖ budget cart needs 3, has 3 · cart-7f9c-k2xzq on worker-b1: CrashLoopBackOff · 2 pods · for 0:38"
	d.shows(finalizer, cart, "▶ on the way · 2 pods", "○ not asked for yet · 1 pod", "✔ 2 pods gone", "next try in 4s")
	lines := d.lines()
	if at := slices.Index(lines, cart); at < 0 || !strings.HasPrefix(lines[at+1], "checkout/cart-7f9c-p81mm") {
		t.Errorf("the pods of a cause do not stand below it:\n%s", d.frame())
	}
	d.keys("n")
	if cursor := d.list(frame.Run).Table.Cursor(); cursor != "checkout/cart-7f9c-p81mm" {
		t.Fatalf("n went to %s", cursor)
	}
	d.shows("1 evict the unhealthy pod cart-7f9c-k2xzq", "leave worker-a2")
	d.keys("n")
	if cursor := d.list(frame.Run).Table.Cursor(); cursor != "jobs/report-5k2pl" {
		t.Fatalf("n went to %s", cursor)
	}
	d.now = d.now.Add(3 * time.Second)
	d.send(tickMsg{d.m.tickTurn})
	d.shows("next try in 1s")
	d.now = d.now.Add(3 * time.Second)
	d.send(tickMsg{d.m.tickTurn})
	d.shows("next try now")
}

// A pod that is gone and whose replacement needs a look is not folded away with the others, and n finds it.
func TestAStuckReplacementIsNotFolded(t *testing.T) {
	s := runState()
	for i, p := range s.Pods[2:] {
		p.State, p.Wait, p.Ended = eviction.Gone, nil, moment.Add(-time.Duration(i)*time.Second)
	}
	stuck := s.Pods[4]
	stuck.Replacement = stuck.Replacement.Become(replacement.Facts{State: replacement.Pending, Pod: "cart-new", Reason: "Unschedulable", Why: "no room"}, moment.Add(-9*time.Second))
	d := drive(t, company(), 120, 40, attached(s))
	d.shows("▲ gone, and the replacement needs a look · 1 pod", "checkout/cart-7f9c-p81mm", "› Pending for 9s: Unschedulable: no room", "✔ 7 pods gone")
	d.keys("G", "n")
	if cursor := d.list(frame.Run).Table.Cursor(); cursor != string(stuck.UID) {
		t.Errorf("n went to %s", cursor)
	}
}

// A number opens the question of its choice, and sends nothing by itself.
func TestAChoiceAsksFirst(t *testing.T) {
	d := drive(t, company(), 120, 40, attached(runState()))
	run := d.m.s.Run.(*fakeRun)
	d.keys("n", "1")
	d.shows("Evict the unhealthy pod cart-7f9c-k2xzq?", "evict k2xzq")
	if len(run.sent) != 0 {
		t.Fatalf("sent %v", run.sent)
	}
	d.typed("evict k2xzq")
	d.keys("enter")
	if len(run.sent) != 1 || run.sent[0].(drain.Command).Kind != drain.CommandRemedy {
		t.Fatalf("sent %v", run.sent)
	}
	d = drive(t, company(), 120, 40, attached(runState()), func(d *Deps) { d.ReadOnly = true })
	d.keys("n", "1")
	d.shows("there is no choice 1")
}

// The advice of a plan is repeated where the run hangs.
func TestAdviceWhereTheRunHangs(t *testing.T) {
	t.Run("an order that blocks itself", func(t *testing.T) {
		s := runState()
		s.Run.Options.StrictOrder = true
		s.Nodes = append(s.Nodes, &drain.NodeRun{NodeFacts: drain.NodeFacts{Name: "worker-b1"}, State: drain.NodeWaiting})
		d := drive(t, company(), 160, 40, attached(s))
		d.keys("n")
		d.shows("1 leave worker-a2: worker-b1, which holds it, is drained next", "waits for worker-a1 and worker-a2")
		d.keys("1")
		d.shows("Leave worker-a2?")
	})
	t.Run("a finalizer", func(t *testing.T) {
		w := company()
		p := *w.Snapshot().PodNamed("jobs", "report-5k2pl")
		p.Deleted, p.Finalizers = moment.Add(-time.Minute), []string{"example.com/hold"}
		w.Put(&p)
		d := drive(t, w, 200, 40, attached(runState()))
		d.shows("see who should remove finalizer example.com/hold", "what the controller of example.com was to do before is then not done")
		at := slices.IndexFunc(d.lines(), func(l string) bool { return strings.Contains(l, "by hand") })
		if at < 0 || !strings.Contains(d.lines()[at], "2 remove finalizer") {
			t.Fatalf("no number:\n%s", d.frame())
		}
		d.keys("2")
		d.shows("kubectl --context=prod-eu-1 patch pod -n jobs report-5k2pl --type=json")
	})
	t.Run("a cordoned node would make room", func(t *testing.T) {
		w := company()
		p := *w.Snapshot().PodNamed("checkout", "cart-7f9c-k2xzq")
		p.Node, p.Phase, p.Ready = "", corev1.PodPending, false
		w.Put(&p)
		d := drive(t, w, 160, 40, attached(runState()))
		d.keys("n")
		d.shows("1 uncordon worker-a3: makes room for cart-7f9c-k2xzq")
		d.keys("1", "y")
		if fmt.Sprint(d.cordons) != "[-worker-a3]" {
			t.Errorf("%v\n%s", d.cordons, d.frame())
		}
	})
}

// Pods that are gone or stay are one row each until somebody wants to see them; what their
// leaving cost is said there.
func TestFinishedPodsFold(t *testing.T) {
	s := runState()
	for i := range 8 {
		p := &eviction.Record{State: eviction.Gone, Ended: moment, Begun: moment.Add(-9 * time.Second), Since: moment,
			Facts: eviction.Facts{Node: "worker-a1", Namespace: "web", Name: fmt.Sprintf("old-%d", i), UID: kube.UID(fmt.Sprint("old", i)), Action: plan.ActionEvict}}
		if i == 3 {
			p.Costs = []plan.EffectKind{plan.Data}
		}
		s.Pods = append(s.Pods, p)
	}
	d := drive(t, company(), 120, 40, attached(s))
	d.shows("▲ 10 pods gone", "1 loses data · enter shows them")
	if strings.Contains(d.frame(), "web/old-0") {
		t.Fatalf("not folded:\n%s", d.frame())
	}
	d.keys("G", "enter")
	d.shows("web/old-0", "enter folds them")
	d.keys("enter", "/")
	d.typed("old-5")
	d.shows("web/old-5")
}

// The rest of a run is estimated as a plan of its nodes.
func TestTheRunSaysHowLongItTakesStill(t *testing.T) {
	s := runState()
	s.Run.Options.IgnoreDaemonSets, s.Run.Options.DeleteEmptyDirData = true, true
	d := drive(t, company(), 120, 40, attached(s), func(d *Deps) {
		paper(d).forecast = func(_ *kube.Snapshot, p plan.Plan, _ time.Time) plan.Estimate {
			if fmt.Sprint(p.Names()) != "[worker-a1 worker-a2]" {
				t.Errorf("estimated %v", p.Names())
			}
			return plan.Estimate{Total: 70 * time.Second, Waves: []int{1}, Held: 2}
		}
	})
	d.shows("about 1m10s left, without 2 blocked")
	d.now = d.now.Add(4 * time.Second)
	d.send(tickMsg{d.m.tickTurn})
	d.shows("about 1m06s left")
	d = drive(t, company(), 120, 40, attached(s), func(d *Deps) {
		paper(d).forecast = func(*kube.Snapshot, plan.Plan, time.Time) plan.Estimate {
			return plan.Estimate{Total: 7 * time.Second, Held: 2}
		}
	})
	d.shows("waits for you: 2 blocked")
}
