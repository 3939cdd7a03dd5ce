package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// toldRun is a run that keeps its events.
type toldRun struct {
	*fakeRun
	events []drain.Event
}

func (r *toldRun) Events(after uint64) []drain.Event {
	return r.events[min(after, uint64(len(r.events))):]
}

// teller writes down the events of a run.
type teller struct {
	events []drain.Event
	at     time.Time
}

func (c *teller) add(after time.Duration, e drain.Event) {
	c.at = c.at.Add(after)
	e.Seq, e.Time = uint64(len(c.events)+1), c.at
	c.events = append(c.events, e)
}

// pod is an event about a pod, named node/namespace/name.
func (c *teller) pod(after time.Duration, of string, e drain.Event) {
	parts := strings.SplitN(of, "/", 3)
	e.Node, e.Namespace, e.Pod, e.UID = parts[0], parts[1], parts[2], kube.UID(of)
	c.add(after, e)
}

// try is a request for a pod and its answer.
func (c *teller) try(after time.Duration, of string, code int) {
	action := &attempt.ActionFacts{ID: uint64(len(c.events)), Verb: attempt.VerbEvict}
	c.pod(after, of, drain.Event{Kind: drain.EventIntent, Action: action})
	c.pod(100*time.Millisecond, of, drain.Event{Kind: drain.EventAnswer, Action: action, Answer: &attempt.AnswerFacts{Code: code, AuditID: "audit"}})
}

const toldFront, toldCart, toldReport = "worker-a1/web/front-66d5f7c9b-a8sd0", "worker-a2/checkout/cart-7f9c-x2x9q", "worker-a2/jobs/report-5k2pl"

// told is a run of two nodes, as its events tell it up to now: one pod gone, one blocked, one
// stuck, and the API server away for a while.
func told() *teller {
	c := &teller{at: moment.Add(-2 * time.Minute)}
	facts := drain.RunFacts{ID: "k7f3", Context: "prod-eu-1", User: "ada", Options: plan.DefaultOptions(),
		Nodes: []drain.NodeFacts{{Name: "worker-a1", UID: "node-worker-a1"}, {Name: "worker-a2", UID: "node-worker-a2"}}}
	for _, of := range []string{toldFront, toldCart, toldReport} {
		parts := strings.SplitN(of, "/", 3)
		facts.Pods = append(facts.Pods, eviction.Facts{Node: parts[0], Namespace: parts[1], Name: parts[2], UID: kube.UID(of), Action: plan.ActionEvict})
	}
	c.add(0, drain.Event{Kind: drain.EventRunStarted, Run: &facts})
	c.add(3*time.Second, drain.Event{Kind: drain.EventConfirmed, Phase: drain.PhaseEvict, By: "ada"})
	for _, node := range []string{"worker-a1", "worker-a2"} {
		c.add(0, drain.Event{Kind: drain.EventNode, Node: node, NodeState: drain.NodeDraining})
	}
	c.try(time.Second, toldFront, 201)
	c.pod(0, toldFront, drain.Event{Kind: drain.EventPod, PodState: eviction.Terminating, Wait: &waits.Wait{For: waits.ForGrace, Until: c.at.Add(30 * time.Second)}})
	c.try(time.Second, toldCart, 429)
	blocked := &waits.Wait{For: waits.ForBudget, Budget: &budget.Numbers{Namespace: "checkout", Name: "cart", Needed: 3, Present: 3},
		UnhealthyPod: &budget.UnhealthyPod{Namespace: "checkout", Name: "cart-7f9c-k2xzq", Node: "worker-b1", Reason: "CrashLoopBackOff"}}
	c.pod(0, toldCart, drain.Event{Kind: drain.EventPod, PodState: eviction.BudgetBlocked, Wait: blocked})
	c.try(time.Second, toldReport, 201)
	c.pod(0, toldReport, drain.Event{Kind: drain.EventPod, PodState: eviction.Terminating, Wait: &waits.Wait{For: waits.ForGrace}})
	c.pod(20*time.Second, toldFront, drain.Event{Kind: drain.EventPod, PodState: eviction.Gone})
	c.add(5*time.Second, drain.Event{Kind: drain.EventConnection, Message: "connection refused"})
	c.add(10*time.Second, drain.Event{Kind: drain.EventConnection})
	c.pod(0, toldReport, drain.Event{Kind: drain.EventPod, PodState: eviction.StuckTerminating, Wait: &waits.Wait{For: waits.ForFinalizers, Finalizers: []string{"example.com/hold"}}})
	c.add(5*time.Second, drain.Event{Kind: drain.EventControl, Command: drain.CommandPause, By: "ada"})
	return c
}

// attachTold shows a run by its events.
func attachTold(c *teller, change ...func(*Deps)) func(*Deps) {
	return func(d *Deps) {
		d.Attach = &toldRun{newFakeRun(drain.Fold(nil, c.events...)), c.events}
		for _, f := range change {
			f(d)
		}
	}
}

// onTold is a page of that run.
func onTold(press ...string) func(testing.TB, int, int) *driver {
	return func(t testing.TB, w, h int) *driver {
		d := drive(t, company(), w, h, attachTold(told()))
		d.keys(press...)
		return d
	}
}

// pageScenes are the pages beside those of planning and steering.
var pageScenes = []scene{
	{"events", onTold("e")},
	{"timeline", onTold("t", "down")},
	{"timeline-earlier", onTold("t", "[", "[", "left")},
	{"budgets", func(t testing.TB, w, h int) *driver {
		d := drive(t, company(), w, h)
		d.keys("b")
		return d
	}},
	{"budgets-managed", func(t testing.TB, w, h int) *driver {
		in := company()
		in.Put(&kube.Workload{Kind: "ReplicaSet", Namespace: "data", Name: "pg-7f9c", UID: "rs-pg", Replicas: 1,
			Selector: labels.SelectorFromSet(labels.Set{"app": "pg"})})
		in.pod("worker-b1", "data", "pg-1", "pg")
		in.budget("data", "pg", 1, 1, 0)
		managed := *in.Snapshot().BudgetNamed("data", "pg")
		managed.ExpectedPods, managed.Owner = 1, &kube.Owner{APIVersion: "postgresql.cnpg.io/v1", Kind: "Cluster", Name: "pg"}
		in.Put(&managed)
		d := drive(t, in, w, h)
		d.keys("b", "down", "down")
		return d
	}},
	{"runs", func(t testing.TB, w, h int) *driver {
		d := drive(t, company(), w, h, onRuns(somePast()))
		d.keys("r")
		return d
	}},
	{"find", func(t testing.TB, w, h int) *driver {
		d := drive(t, company(), w, h)
		d.keys(":")
		d.typed("cart")
		return d
	}},
	{"checklist", func(t testing.TB, w, h int) *driver {
		d := drive(t, company(), w, h, attached(endedState(drain.OutcomeDone)))
		d.keys("c")
		return d
	}},
	{"result-checked", func(t testing.TB, w, h int) *driver {
		world, s := oneDrained()
		return drive(t, world, w, h, attached(s))
	}},
}

func TestGoldenPages(t *testing.T) {
	for _, sc := range pageScenes {
		for _, size := range [][2]int{{60, 12}, {80, 24}, {200, 50}} {
			name := fmt.Sprintf("%s-%dx%d", sc.name, size[0], size[1])
			t.Run(name, func(t *testing.T) { golden(t, name, sc.up(t, size[0], size[1]).frame()) })
		}
		for look, set := range map[string]func(*model){
			"dark": func(m *model) { m.dark = true }, "light": func(m *model) { m.dark = false }, "plain": func(m *model) { m.d.NoColor = true },
			"ascii": func(m *model) { m.d.ASCII = true },
		} {
			name := "look-" + sc.name + "-" + look
			t.Run(name, func(t *testing.T) {
				theme, err := themes.Load("default", "")
				if err != nil {
					t.Fatal(err)
				}
				d := sc.up(t, 80, 24)
				d.m.d.Theme = theme
				set(d.m)
				d.m.repaint()
				golden(t, name, d.m.View().Content)
			})
		}
	}
}

// The event log has evictions, answers, actions and outages in their order, is filtered, and
// follows the run until somebody looks back.
func TestEventLog(t *testing.T) {
	c := told()
	d := drive(t, company(), 140, 40, attachTold(c))
	run := d.m.s.Run.(*toldRun)
	d.keys("e")
	d.shows("Event log  run k7f3", "▶ action", "pause, by ada", "✖ outage", "the API server is unreachable: connection refused", "✔ outage",
		"‖ answer", "evict of Pod: 429", "‖ blocked", "▲ stuck", "▶ follows")
	list := d.list(frame.Events)
	if list.Table.Index() != list.Table.Len()-1 {
		t.Fatalf("the cursor is on %d of %d", list.Table.Index(), list.Table.Len())
	}
	more := func() {
		c.try(time.Second, toldCart, 429)
		run.events = c.events
		d.now = d.now.Add(5 * time.Second)
		d.send(runMsg{d.m.s.Run, run.set(func(s *drain.State) { s.Seq = uint64(len(c.events)) }), false})
	}
	before := list.Table.Len()
	more()
	if list.Table.Len() == before || list.Table.Index() != list.Table.Len()-1 {
		t.Errorf("it does not follow: %d of %d", list.Table.Index(), list.Table.Len())
	}
	d.keys("up", "up")
	at := list.Table.Cursor()
	more()
	if list.Table.Cursor() != at {
		t.Errorf("it went from %s to %s", at, list.Table.Cursor())
	}
	d.shows("G follows")
	d.keys("/")
	d.typed("outage")
	if list.Table.Len() != 2 {
		t.Errorf("%d outages:\n%s", list.Table.Len(), d.frame())
	}
}

// The cursor of the timeline moves in time, and says what the pod was in then.
func TestTimeline(t *testing.T) {
	d := drive(t, company(), 120, 30, attachTold(told()))
	d.keys("t")
	d.shows("Timeline  run k7f3", "worker-a1 · 1 pod", "worker-a2 · 2 pods", "at 2:00", "✔ gone")
	d.list(frame.Timeline).Table.Select(toldReport)
	d.keys("0")
	d.shows("stuck since", "finalizer example.com/hold")
	for range 7 {
		d.keys("[")
	}
	d.shows("ending since 0:06")
	d.keys("0")
	d.shows("stuck since")
	for range 30 {
		d.keys("[")
	}
	d.shows("Not asked for yet.")
	d.keys("esc")
	if d.m.path.page != frame.Run {
		t.Errorf("esc went to %s", d.m.path.page)
	}
}

// The page of budgets has those that hold a drain first, with the nodes and the reason.
func TestBudgetsPage(t *testing.T) {
	w := company()
	w.budget("jobs", "report", 2, 1, 0)
	d := drive(t, w, 160, 40)
	d.keys("b")
	d.shows("Budgets", "4 budgets · 3 allow no eviction", "✖ never", "‖ blocks", "✔ allows", "worker-a1, worker-a2, worker-b1", "What would help: ")
	keys := d.list(frame.Budgets).Table.Keys()
	if fmt.Sprint(keys) != "[pdb-report pdb-cart pdb-ledger pdb-front]" {
		t.Errorf("%v", keys)
	}
	d.keys("down")
	d.shows("Not healthy: cart-7f9c-k2xzq.")
	d.keys("enter")
	d.shows("Pod checkout/cart-7f9c-k2xzq")
	d.keys("esc", "/")
	d.typed("ledger")
	if n := d.list(frame.Budgets).Table.Len(); n != 1 {
		t.Errorf("%d rows", n)
	}
	d = drive(t, blindToBudgets(), 100, 30)
	d.keys("b")
	d.shows("budgets cannot be read")
}

// A replay has both pages too.
func TestReplayHasItsHistory(t *testing.T) {
	d := drive(t, emptyWorld(), 120, 30, attachTold(told(), func(d *Deps) { d.Replay = true }))
	d.keys("t")
	d.shows("REPLAY", "worker-a2 · 2 pods")
	d.keys("e")
	d.shows("Event log")
	d.keys("esc", "esc")
	if d.m.path.page != frame.Run {
		t.Errorf("esc went to %s", d.m.path.page)
	}
}

func TestPagesKeepTheirBounds(t *testing.T) {
	c := told()
	for i := range c.events {
		if e := &c.events[i]; e.Run != nil {
			for k := range e.Run.Pods {
				e.Run.Pods[k].Name, e.Run.Pods[k].Namespace = "p"+nasty[k+1], nasty[k]
			}
		} else {
			e.Pod, e.Message = nasty[i%len(nasty)], nasty[(i+3)%len(nasty)]
		}
	}
	for name, up := range map[string]func() *driver{
		"events":    func() *driver { d := drive(t, hostileWorld(), 80, 24, attachTold(c)); d.keys("e"); return d },
		"timeline":  func() *driver { d := drive(t, hostileWorld(), 80, 24, attachTold(c)); d.keys("t", "["); return d },
		"budgets":   func() *driver { d := drive(t, hostileWorld(), 80, 24); d.keys("b"); return d },
		"checklist": func() *driver { d := drive(t, hostileWorld(), 80, 24, attached(hostileRun())); d.keys("c"); return d },
	} {
		t.Run(name, func(t *testing.T) {
			d := up()
			for w := 20; w <= 220; w += 20 {
				for h := 5; h <= 60; h += 11 {
					d.send(tea.WindowSizeMsg{Width: w, Height: h})
					content := d.m.View().Content
					if lipgloss.Width(content) > w || lipgloss.Height(content) > h || strings.ContainsAny(d.frame(), "\t\r\a") || strings.Contains(content, "\x1b]") {
						t.Fatalf("%dx%d:\n%s", w, h, d.frame())
					}
				}
				d.keys("down", "left")
			}
		})
	}
}

// longStory is a run of 5,000 nodes and 150,000 pods.
func longStory() *teller {
	c := &teller{at: moment.Add(-time.Hour)}
	facts := drain.RunFacts{ID: "long", Options: plan.DefaultOptions()}
	for n := range 5000 {
		node := fmt.Sprintf("node-%04d", n)
		facts.Nodes = append(facts.Nodes, drain.NodeFacts{Name: node, UID: kube.UID(node)})
		for p := range 30 {
			of := fmt.Sprintf("%s/shop/pod-%d-%d", node, n, p)
			facts.Pods = append(facts.Pods, eviction.Facts{Node: node, Namespace: "shop", Name: of[len(node)+6:], UID: kube.UID(of), Action: plan.ActionEvict})
		}
	}
	c.add(0, drain.Event{Kind: drain.EventRunStarted, Run: &facts})
	for i := range facts.Pods {
		p := &facts.Pods[i]
		c.add(time.Millisecond, drain.Event{Kind: drain.EventPod, Node: p.Node, Namespace: p.Namespace, Pod: p.Name, UID: p.UID, PodState: eviction.Terminating})
	}
	return c
}

// BenchmarkPages is a frame of each page of a run of 5,000 nodes and 150,000 pods.
func BenchmarkPages(b *testing.B) {
	c := longStory()
	for _, key := range []string{"e", "t"} {
		b.Run(key, func(b *testing.B) {
			d := drive(b, emptyWorld(), 200, 50, attachTold(c))
			d.keys(key)
			for b.Loop() {
				_ = d.m.View()
			}
		})
	}
}

// BenchmarkBudgets is a frame of the budgets of 5,000 nodes and 150,000 pods.
func BenchmarkBudgets(b *testing.B) {
	d := drive(b, crowd(5000, 30), 200, 50)
	d.keys("b")
	for b.Loop() {
		_ = d.m.View()
	}
}

// BenchmarkRunPage is a frame of the page of that run.
func BenchmarkRunPage(b *testing.B) {
	d := drive(b, emptyWorld(), 200, 50, attachTold(longStory()))
	for b.Loop() {
		_ = d.m.View()
	}
}
