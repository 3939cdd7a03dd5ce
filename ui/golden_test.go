package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// scene is a page brought up in one state.
type scene struct {
	name string
	up   func(t testing.TB, width, height int) *driver
}

func attached(s *drain.State) func(*Deps) {
	return func(d *Deps) { d.Attach = newFakeRun(s) }
}

func endedState(o drain.Outcome) *drain.State {
	s := runState()
	s.Outcome, s.Ended = o, moment
	s.Phases[drain.PhaseEvict], s.Phases[drain.PhaseVerify], s.Phases[drain.PhaseClose] = drain.PhaseDone, drain.PhaseDone, drain.PhaseDone
	for _, n := range s.Nodes {
		n.State = drain.NodeDrained
	}
	for i, p := range s.Pods {
		if o == drain.OutcomeDone || i%2 == 0 {
			p.State, p.Wait, p.Ended = eviction.Gone, nil, moment.Add(-time.Duration(i)*time.Second)
		} else {
			s.Nodes[1].State, s.Nodes[1].Message = drain.NodeFailed, "timed out after 41s"
			p.State, p.Message = eviction.Failed, "still there when the time was over"
		}
	}
	s.Pods[3].Blocked = 31 * time.Second
	return s
}

// down is a world whose API server went away.
func down() world {
	w := company()
	w.SetHealth(kube.Health{LastContact: moment.Add(-40 * time.Second), DownSince: moment.Add(-12 * time.Second), Reason: "dial tcp 10.0.0.1:6443: connect: connection refused"})
	return w
}

func unsynced() world {
	w := emptyWorld()
	w.SetSync(kube.KindNodes, kube.SyncState{})
	w.SetSync(kube.KindPods, kube.SyncState{})
	w.SetSync(kube.KindBudgets, kube.SyncState{})
	return w
}

// halfSynced is a world of which some pods and no DaemonSet are in.
func halfSynced() world {
	w := company()
	w.SetSync(kube.KindPods, kube.SyncState{Total: 30_000, Since: moment.Add(-5 * time.Second)})
	w.SetSync(kube.KindDaemonSets, kube.SyncState{})
	return w
}

// polled is a world that we may list and not watch.
func polled() world {
	w := company()
	w.SetSync(kube.KindPods, kube.SyncState{Phase: kube.Synced, Reason: "polled: no permission to watch"})
	return w
}

// deniedPods is a world in which nobody lets us list pods.
func deniedPods() world {
	w := company()
	w.SetSync(kube.KindPods, kube.SyncState{Phase: kube.Denied, Reason: `pods is forbidden: User "ada" cannot list resource "pods"`})
	return w
}

func blindToBudgets() world {
	w := company()
	w.SetSync(kube.KindBudgets, kube.SyncState{Phase: kube.Denied, Reason: `poddisruptionbudgets.policy is forbidden: User "ada" cannot list resource`})
	return w
}

var scenes = []scene{
	{"remedies", func(t testing.TB, w, h int) *driver { return onRemedies(t, w, h) }},
	{"confirm-remedy", func(t testing.TB, w, h int) *driver {
		d := onRemedies(t, w, h)
		d.list(frame.Remedies).Table.Select(string(remedy.Delete))
		d.keys("enter")
		return d
	}},
	{"nodes", func(t testing.TB, w, h int) *driver { return drive(t, company(), w, h) }},
	{"nodes-usual", func(t testing.TB, w, h int) *driver {
		d := drive(t, company(), w, h, usual)
		d.keys("down", "down", "space", "space", "up")
		return d
	}},
	{"nodes-down", func(t testing.TB, w, h int) *driver { return drive(t, down(), w, h, usual) }},
	{"nodes-unsynced", func(t testing.TB, w, h int) *driver { return drive(t, unsynced(), w, h) }},
	{"nodes-half-synced", func(t testing.TB, w, h int) *driver { return drive(t, halfSynced(), w, h) }},
	{"nodes-blind", func(t testing.TB, w, h int) *driver {
		return drive(t, blindToBudgets(), w, h, usual, func(d *Deps) { d.ReadOnly = true })
	}},
	{"nodes-filter", func(t testing.TB, w, h int) *driver {
		d := drive(t, company(), w, h, usual)
		d.keys("*", "/")
		d.typed("!b1")
		return d
	}},
	{"themes", func(t testing.TB, w, h int) *driver {
		d := drive(t, company(), w, h)
		d.keys("ctrl+t", "down")
		return d
	}},
	{"find-context", func(t testing.TB, w, h int) *driver {
		d := drive(t, company(), w, h, func(d *Deps) { d.Contexts = []string{"prod-eu-1", "worker-test"} })
		d.keys(":")
		d.typed("work")
		return d
	}},
	{"plan-nodes", func(t testing.TB, w, h int) *driver {
		d := drive(t, company(), w, h, usual)
		d.keys("down", "space", "down", "space", "D", ">", ">")
		return d
	}},
	{"pods", func(t testing.TB, w, h int) *driver {
		d := drive(t, company(), w, h, usual)
		d.list(frame.Nodes).Table.Select("worker-b1")
		d.keys("enter")
		return d
	}},
	{"allpods", func(t testing.TB, w, h int) *driver { return onAllPods(t, w, h) }},
	{"allpods-namespace", func(t testing.TB, w, h int) *driver { return onAllPods(t, w, h, "n", "m") }},
	{"allpods-filter", func(t testing.TB, w, h int) *driver {
		d := onAllPods(t, w, h, ">", ">", ">", "/")
		d.typed("front")
		return d
	}},
	{"node", func(t testing.TB, w, h int) *driver { return aboutNode(t, w, h) }},
	{"node-filter", func(t testing.TB, w, h int) *driver {
		d := aboutNode(t, w, h, "/")
		d.typed("pressure")
		return d
	}},
	{"plan", func(t testing.TB, w, h int) *driver {
		d := drive(t, company(), w, h, usual, func(d *Deps) { d.Marked = []string{"worker-a1", "worker-a2"} })
		d.keys("D")
		return d
	}},
	{"plan-unsynced", func(t testing.TB, w, h int) *driver {
		d := drive(t, halfSynced(), w, h, usual, func(d *Deps) { d.Marked = []string{"worker-b2"} })
		d.keys("D", "D")
		return d
	}},
	{"plan-usual-missing", func(t testing.TB, w, h int) *driver {
		d := drive(t, company(), w, h, func(d *Deps) { d.Marked = []string{"worker-a1", "worker-a2"} })
		d.keys("D")
		return d
	}},
	{"plan-drifted", func(t testing.TB, w, h int) *driver {
		d := drive(t, company(), w, h, usual, func(d *Deps) { d.Marked = []string{"worker-a1"} })
		d.keys("D")
		d.w.pod("worker-a1", "web", "front-66d5f7c9b-zz9zz", "front")
		d.refresh()
		return d
	}},
	{"options", func(t testing.TB, w, h int) *driver {
		d := drive(t, company(), w, h, usual)
		d.keys("D", "o")
		return d
	}},
	{"confirm-cordon", func(t testing.TB, w, h int) *driver {
		d := drive(t, company(), w, h, usual, func(d *Deps) { d.Marked = []string{"worker-a1", "worker-a2"} })
		d.keys("D", "D")
		return d
	}},
	{"confirm-evict", func(t testing.TB, w, h int) *driver {
		d := toEvictQuestion(t, w, h)
		d.quiet()
		d.typed("worker-")
		return d
	}},
	{"confirm-guard", func(t testing.TB, w, h int) *driver {
		d := toGuardQuestion(t, w, h)
		d.quiet()
		return d
	}},
	{"run", func(t testing.TB, w, h int) *driver {
		d := drive(t, company(), w, h, attached(runState()))
		d.keys("down")
		return d
	}},
	{"pod", func(t testing.TB, w, h int) *driver { return podScene(t, w, h) }},
	{"pod-logs", func(t testing.TB, w, h int) *driver { return podScene(t, w, h, "b", "2") }},
	{"pod-yaml", func(t testing.TB, w, h int) *driver { return podScene(t, w, h, "3") }},
	{"result", func(t testing.TB, w, h int) *driver {
		return drive(t, company(), w, h, attached(endedState(drain.OutcomeDone)))
	}},
	{"result-partly", func(t testing.TB, w, h int) *driver {
		return drive(t, company(), w, h, attached(endedState(drain.OutcomePartly)))
	}},
	{"replay", func(t testing.TB, w, h int) *driver {
		return drive(t, emptyWorld(), w, h, attached(questionState()), func(d *Deps) { d.Replay = true })
	}},
	{"quit-run", func(t testing.TB, w, h int) *driver {
		d := drive(t, company(), w, h, attached(runState()))
		d.keys("q")
		return d
	}},
	{"help", func(t testing.TB, w, h int) *driver {
		d := drive(t, company(), w, h)
		d.keys("?")
		return d
	}},
}

// podScene is the page of a pod that its budget holds.
func podScene(t testing.TB, w, h int, keys ...string) *driver {
	var read []string
	d := drive(t, company(), w, h, attached(runState()), readable(&read))
	d.list(frame.Run).Table.Select("checkout/cart-7f9c-x2x9q")
	d.keys("enter")
	d.keys(keys...)
	return d
}

// toEvictQuestion goes from the nodes page to the typed question of a run.
func toEvictQuestion(t testing.TB, w, h int) *driver {
	d := drive(t, company(), w, h, usual)
	d.list(frame.Nodes).Table.Select("worker-a1")
	d.keys("D", "D", "y")
	d.change(func(s *drain.State) {
		s.Phase, s.Phases = drain.PhaseEvict, map[drain.Phase]drain.PhaseStatus{
			drain.PhaseCheck: drain.PhaseDone, drain.PhaseCordon: drain.PhaseDone, drain.PhaseEvict: drain.PhaseAsks}
		s.Question = &drain.Question{Phase: drain.PhaseEvict, Word: "worker-a1", Since: moment}
	})
	return d
}

func TestGoldenFrames(t *testing.T) {
	for _, sc := range scenes {
		for _, size := range [][2]int{{60, 12}, {80, 24}, {120, 40}, {200, 50}} {
			name := fmt.Sprintf("%s-%dx%d", sc.name, size[0], size[1])
			t.Run(name, func(t *testing.T) { golden(t, name, sc.up(t, size[0], size[1]).frame()) })
		}
	}
}

func TestGoldenLooks(t *testing.T) {
	for _, name := range themes.Names("") {
		for _, dark := range []bool{true, false} {
			file := fmt.Sprintf("look-%s-%s", name, map[bool]string{true: "dark", false: "light"}[dark])
			t.Run(file, func(t *testing.T) {
				theme, err := themes.Load(name, "")
				if err != nil {
					t.Fatal(err)
				}
				d := drive(t, company(), 100, 24, attached(runState()), func(d *Deps) { d.Theme = theme })
				d.m.dark = dark
				d.m.repaint()
				golden(t, file, d.m.View().Content)
			})
		}
	}
	for name, change := range map[string]func(*Deps){
		"look-no-color": func(d *Deps) { d.NoColor = true },
		"look-ascii":    func(d *Deps) { d.ASCII, d.NoColor = true, true },
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t, company(), 100, 24, attached(runState()), change)
			golden(t, name, d.m.View().Content)
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got+"\n" != string(want) {
		t.Errorf("frame %s changed (go test ./ui -update rewrites it):\n%s", name, got)
	}
}
