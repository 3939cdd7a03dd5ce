package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/watch"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

var nasty = []string{
	strings.Repeat("x", 63), "日本語のポッド名前前前前前前前前", "a\x1b[31mred\x1b]0;title\x07", "e\u0301e\u0301e\u0301\u200d👩‍👩‍👧", "tab\tnew\nline\rback",
	"हिन्दी", "\u202eevil", "", "‖▇…", strings.Repeat("ⅷ", 200),
}

// hostileWorld has strings in it that no API server would let through, and that
// a broken one might.
func hostileWorld() world {
	w := company()
	for i, s := range nasty {
		w.node("n"+s, s, 0, func(n *kube.Node) { n.Unschedulable = true; n.Cordon = &kube.Cordon{Manager: s}; n.ReadyMessage = s })
		w.pod("worker-a1", s, "p"+s, "o"+s, func(p *kube.Pod) { p.UID = kube.UID(fmt.Sprint("h", i)) })
		w.budget(s, "o"+s, 3, 2, 0)
	}
	w.SetHealth(kube.Health{DownSince: moment, Reason: nasty[2]})
	return w
}

func hostileRun() *drain.State {
	s := runState()
	for i, p := range s.Pods {
		h := nasty[i%len(nasty)]
		p.Namespace, p.Name, p.Owner, p.Message = h, "p"+h, h, h
		if p.Wait != nil {
			wait := *p.Wait
			wait.Words, wait.Finalizers = h, []string{h}
			if wait.Budget != nil {
				b := *wait.Budget
				b.Name = h
				unhealthyPod := *wait.UnhealthyPod
				unhealthyPod.Name, unhealthyPod.Node, unhealthyPod.Reason = h, h, h
				wait.Budget, wait.UnhealthyPod = &b, &unhealthyPod
			}
			p.Wait = &wait
		}
	}
	s.Nodes[0].Name, s.Run.ID, s.Run.Context, s.Message = nasty[1], nasty[0], nasty[1], nasty[2]
	return s
}

// hostilePod is the page of a pod whose details are nasty too.
func hostilePod(t *testing.T) func() *driver {
	return func() *driver {
		d := drive(t, hostileWorld(), 80, 24, attached(hostileRun()), func(d *Deps) {
			paper(d).details = func(string, string, kube.UID, string) (watch.PodDetails, error) {
				k := details(nasty[0], nasty[1])
				for _, h := range nasty {
					k.Missing = append(k.Missing, watch.Missing{Part: watch.PartEvents, Why: h}, watch.Missing{Part: watch.PartLog, Why: h})
					k.YAML += "\n" + h
					k.Logs[0].Lines = append(k.Logs[0].Lines, h)
					k.Events = append(k.Events, watch.PodEvent{Reason: h, Message: h, From: h})
					k.Conditions = append(k.Conditions, watch.Condition{Type: h, Message: h})
				}
				return k, nil
			}
		})
		d.keys("enter", "b")
		return d
	}
}

func TestFramesKeepTheirBounds(t *testing.T) {
	ups := map[string]func() *driver{
		"nodes": func() *driver { return drive(t, hostileWorld(), 80, 24, usual) },
		"plan": func() *driver {
			d := drive(t, hostileWorld(), 80, 24, func(d *Deps) { d.Marked = []string{"worker-a1", "n" + nasty[0]} })
			d.keys("D")
			return d
		},
		"run": func() *driver { return drive(t, company(), 80, 24, attached(hostileRun())) },
		"result": func() *driver {
			s := hostileRun()
			s.Outcome = drain.OutcomeFailed
			return drive(t, company(), 80, 24, attached(s))
		},
		"dialog": func() *driver {
			d := drive(t, hostileWorld(), 80, 24)
			d.keys("*", "U")
			return d
		},
		"question": func() *driver {
			s := questionState()
			s.Question.Word = nasty[1]
			return drive(t, company(), 80, 24, attached(s))
		},
		"node": func() *driver {
			d := drive(t, hostileWorld(), 80, 24)
			d.list(frame.Nodes).Table.Select("n" + nasty[0])
			d.keys("i")
			return d
		},
		"all pods": func() *driver {
			d := drive(t, hostileWorld(), 80, 24)
			d.keys("p", "down", "n", "n")
			return d
		},
		"pod":     hostilePod(t),
		"options": func() *driver { d := drive(t, company(), 80, 24); d.keys("D", "o"); return d },
		"remedies": func() *driver {
			d := drive(t, hostileWorld(), 80, 24, attached(hostileRun()))
			d.keys("E", "down", "enter")
			return d
		},
		"themes":   func() *driver { d := drive(t, company(), 80, 24); d.keys("ctrl+t"); return d },
		"find":     func() *driver { d := drive(t, hostileWorld(), 80, 24); d.keys(":"); return d },
		"budgets":  func() *driver { d := drive(t, hostileWorld(), 80, 24); d.keys("b"); return d },
		"findings": func() *driver { d := drive(t, hostileWorld(), 80, 24); d.keys("D", "f"); return d },
		"messages": func() *driver { d := drive(t, hostileWorld(), 80, 24); d.keys("e"); return d },
		"new roll": func() *driver { d := drive(t, hostileWorld(), 80, 24); d.keys("M"); return d },
		"checklist": func() *driver {
			s := hostileRun()
			s.Outcome = drain.OutcomeFailed
			d := drive(t, company(), 80, 24, attached(s))
			d.keys("c")
			return d
		},
		"grouped": func() *driver {
			d := drive(t, hostileWorld(), 80, 24, func(d *Deps) { d.Marked = []string{"worker-a1", "n" + nasty[1]} })
			d.keys("D", ">", ">")
			return d
		},
		"help": func() *driver { d := drive(t, company(), 80, 24); d.keys("?"); return d },
	}
	for name, up := range ups {
		t.Run(name, func(t *testing.T) {
			d := up()
			for w := 20; w <= 220; w += 10 {
				for h := 5; h <= 60; h += 11 {
					d.send(tea.WindowSizeMsg{Width: w, Height: h})
					content := d.m.View().Content
					if got := lipgloss.Width(content); got > w {
						t.Fatalf("%dx%d: %d wide\n%s", w, h, got, d.frame())
					}
					if got := lipgloss.Height(content); got > h {
						t.Fatalf("%dx%d: %d high", w, h, got)
					}
					if strings.ContainsAny(d.frame(), "\t\r\a") || strings.Contains(content, "\x1b]") {
						t.Fatalf("%dx%d: a control character came through", w, h)
					}
					if c := d.m.View().Cursor; c != nil && (c.X < 0 || c.Y < 0 || c.X >= w || c.Y >= h) {
						t.Fatalf("%dx%d: cursor at %d,%d", w, h, c.X, c.Y)
					}
				}
				d.keys("down", "down", "tab")
			}
		})
	}
}

func TestBlockedPodAt80x24(t *testing.T) {
	d := drive(t, company(), 80, 24, attached(runState()))
	d.shows("cart needs 3, has 3 · cart-7f9c-k2xzq on worker-b1: CrashLoopBackOff")
	for _, line := range strings.Split(d.frame(), "\n") {
		if strings.Contains(line, "needs 3") && strings.Contains(line, "…") {
			t.Errorf("cut: %s", line)
		}
	}
	s := runState()
	for _, p := range s.Pods {
		if p.State == eviction.BudgetBlocked {
			w := *p.Wait
			b, sib := *w.Budget, *w.UnhealthyPod
			b.Name, sib.Name, sib.Node = "cart-"+strings.Repeat("b", 50), strings.Repeat("c", 57)+"-k2xzq", strings.Repeat("d", 63)
			w.Budget, w.UnhealthyPod = &b, &sib
			p.Wait = &w
		}
	}
	d = drive(t, company(), 80, 24, attached(s))
	d.shows("needs 3, has 3", "…-k2xzq on", "CrashLoopBackOff")
}

func TestViewIsPureOfTheTerminal(t *testing.T) {
	v := drive(t, company(), 80, 24, attached(runState())).m.View()
	if !v.AltScreen || v.MouseMode != tea.MouseModeNone || v.Cursor == nil || v.ProgressBar == nil || !strings.HasPrefix(v.WindowTitle, "2/8 ") {
		t.Errorf("%+v", v)
	}
}

// Pods that no node has are counted where the pods are, also where the line has no room for more.
func TestPendingPodsAreCounted(t *testing.T) {
	w := company()
	d := drive(t, w, 120, 40)
	if strings.Contains(d.frame(), "Pending") {
		t.Errorf("without any:\n%s", d.frame())
	}
	w.pod("", "web", "waiting", "front")
	d.refresh()
	d.shows("pods · 1 Pending · 3 budgets")
	d = drive(t, w, 60, 24)
	d.shows("8 nodes · 1 Pending")
}
