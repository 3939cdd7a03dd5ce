package ui

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// manyFindings makes plans in which more is at risk than the plan page has room for.
func manyFindings(d *Deps) {
	usual(d)
	d.Marked = []string{"worker-a1", "worker-a2"}
	paper(d).planned = func(p plan.Plan) plan.Plan {
		found := []plan.Finding{{Code: preflight.FindingLastControlPlane, Level: plan.LevelError, Message: "the last control-plane node that is Ready is among them",
			Advice: []budget.Advice{{Text: "bring another one up first", Command: "kubectl get nodes -l node-role.kubernetes.io/control-plane"}}}}
		for i := range 10 {
			found = append(found, plan.Finding{Code: preflight.FindingSingleReplica, Level: plan.LevelWarning,
				Message: fmt.Sprintf("only one replica, down until its replacement is Ready: Deployment shop/service-%02d", i)})
		}
		p.Findings = slices.Concat(found, p.Findings)
		return p
	}
}

// waitingState is a run that waits for a Lease on one node and for volumes on the
// other.
func waitingState() *drain.State {
	s := runState()
	s.Nodes[0].State = drain.NodeWaiting
	s.Nodes[0].Lease = &lease.Record{Facts: lease.Facts{Holder: "p4wq"}, State: lease.Awaited, Since: moment.Add(-9 * time.Second),
		Message: `held by run p4wq of bob since 2026-08-21 13:58 UTC ("new disk"); whether that run is still running is known within 40s`}
	vol := func(name string, state volume.State) []volume.VolumeRun {
		return []volume.VolumeRun{{Facts: volume.Facts{Name: "data", Volume: name, Driver: "csi.example.com", State: state}}}
	}
	away := func(p *eviction.Record, since time.Duration) {
		p.State, p.Wait, p.Since, p.Ended = eviction.Gone, nil, moment.Add(-since), moment.Add(-since)
	}
	away(s.Pods[5], 12*time.Second)
	s.Pods[5].Volumes = vol("pvc-81c", volume.VolumeDetaching)
	away(s.Pods[6], 3*time.Minute)
	s.Pods[6].Volumes = vol("pvc-07f", volume.VolumeStillAttached)
	s.Pods[7].State, s.Pods[7].Attempts = eviction.Planned, 0
	s.Pods[7].Wait = &waits.Wait{For: waits.ForVolumeQueue, Driver: "csi.example.com",
		Ahead: &waits.Ahead{Namespace: "web", Pod: "front-66d5f7c9b-b8sd1", Node: "worker-a2", Volumes: []string{"pvc-81c"}}}
	return s
}

// surgingState is a run in which each pod is at another step of its surge.
func surgingState() *drain.State {
	s := runState()
	surging := func(i int, w waits.Wait) {
		p := s.Pods[i]
		p.State, p.Wait, p.Attempts, p.Since = eviction.Surging, &w, 0, moment.Add(-4*time.Second)
	}
	surging(2, waits.Wait{For: waits.ForSurge})
	surging(3, waits.Wait{For: waits.ForReplacement})
	surging(4, waits.Wait{For: waits.ForReplacement, Replacement: &waits.Replacement{Pod: "cart-7f9c-n4w01", Node: "worker-b2", Reason: "ContainerCreating"}})
	surging(5, waits.Wait{For: waits.ForReplacement, Replacement: &waits.Replacement{Pod: "front-66d5f7c9b-n7q12", Node: "worker-b1", Ready: true}})
	surging(7, waits.Wait{For: waits.ForRemoval, Replacement: &waits.Replacement{Pod: "front-66d5f7c9b-n9z44", Node: "worker-b1", Ready: true}})
	return s
}

// unrecordedState is a run that stopped because its journal cannot be written.
func unrecordedState() *drain.State {
	s := runState()
	s.Paused, s.JournalLost = true, "write k7f3.jsonl: no space left on device"
	return s
}

// onNode is the nodes page with a node under the cursor and some keys pressed.
func onNode(node string, press ...string) func(testing.TB, int, int) *driver {
	return func(t testing.TB, w, h int) *driver {
		d := drive(t, company(), w, h, usual)
		d.list(frame.Nodes).Table.Select(node)
		d.keys(press...)
		return d
	}
}

// withRun is the run page of a state with some keys pressed.
func withRun(s func() *drain.State, press ...string) func(testing.TB, int, int) *driver {
	return func(t testing.TB, w, h int) *driver {
		d := drive(t, company(), w, h, attached(s()))
		d.keys(press...)
		return d
	}
}

// controlScenes are the pages and questions by which a run is prepared and steered.
var controlScenes = []scene{
	{"plan-findings", func(t testing.TB, w, h int) *driver {
		d := drive(t, company(), w, h, manyFindings)
		d.keys("D")
		return d
	}},
	{"findings", func(t testing.TB, w, h int) *driver {
		d := drive(t, company(), w, h, manyFindings)
		d.keys("D", "f")
		return d
	}},
	{"options-ours", func(t testing.TB, w, h int) *driver {
		d := drive(t, company(), w, h, withLeases)
		d.keys("D", "o", "G")
		return d
	}},
	{"ask-cordon", onNode("worker-a1", "C")},
	{"ask-uncordon", onNode("worker-a3", "U", "ctrl+y")},
	{"ask-takeover", func(t testing.TB, w, h int) *driver {
		d := drive(t, heldWorld("k7f3pm"), w, h, withLeases)
		d.list(frame.Nodes).Table.Select("worker-a1")
		d.keys("D", "D")
		return d
	}},
	{"ask-abort", withRun(runState, "A")},
	{"ask-leave", withRun(runState, "N")},
	{"run-waits", withRun(waitingState, "down")},
	{"run-surge", withRun(surgingState, "down")},
	{"run-paused", withRun(func() *drain.State { s := runState(); s.Paused = true; return s })},
	{"run-unrecorded", withRun(unrecordedState)},
	{"ask-unrecorded", withRun(unrecordedState, "P")},
	{"run-watched", func(t testing.TB, w, h int) *driver { return drive(t, company(), w, h, foreign(questionState())) }},
	{"ask-suspend", withRun(runState, "Z")},
	{"run-suspended", withRun(func() *drain.State { s := runState(); s.Suspended = true; return s })},
}

func TestGoldenControlFrames(t *testing.T) {
	for _, sc := range controlScenes {
		for _, size := range [][2]int{{80, 24}, {200, 50}} {
			name := fmt.Sprintf("%s-%dx%d", sc.name, size[0], size[1])
			t.Run(name, func(t *testing.T) { golden(t, name, sc.up(t, size[0], size[1]).frame()) })
		}
	}
}

// The same pages as a terminal gets them: on a dark and on a light ground, and
// without colour.
func TestGoldenControlLooks(t *testing.T) {
	theme, err := themes.Load("default", "")
	if err != nil {
		t.Fatal(err)
	}
	looks := map[string]func(*model){
		"dark":  func(m *model) { m.dark = true },
		"light": func(m *model) { m.dark = false },
		"plain": func(m *model) { m.d.NoColor = true },
	}
	for _, sc := range controlScenes {
		switch sc.name {
		case "plan-findings", "options-ours", "ask-cordon", "run-waits", "ask-unrecorded":
		default:
			continue
		}
		for look, set := range looks {
			name := "look-" + sc.name + "-" + look
			t.Run(name, func(t *testing.T) {
				d := sc.up(t, 80, 24)
				d.m.d.Theme = theme
				set(d.m)
				d.m.repaint()
				golden(t, name, d.m.View().Content)
			})
		}
	}
}
