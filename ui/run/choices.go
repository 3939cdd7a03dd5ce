package run

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// mostChoices is how many numbered choices there are at most.
const mostChoices = 5

// choice is one of the best next actions for what holds the selected pod. It asks, or shows
// a command: nothing is sent by its number alone.
type choice struct {
	label string
	short string      // the same in a narrow frame
	token paint.Token // how much it puts at risk
	do    func()
}

// risks are the colours of the remedies: mild, costly, brutal.
var risks = map[remedy.Kind]paint.Token{
	remedy.EvictUnhealthy: themes.Good, remedy.Surge: themes.Good, remedy.RolloutRestart: themes.Good, remedy.Scale: themes.Good,
	remedy.AskController: themes.Warning,
	remedy.Delete:        themes.Warning, remedy.ForceDelete: themes.Bad, remedy.OutOfService: themes.Bad,
}

// deeds are the remedies in few words.
var deeds = map[remedy.Kind]string{
	remedy.EvictUnhealthy: "evict the unhealthy pod", remedy.Surge: "replacement first", remedy.RolloutRestart: "restart",
	remedy.Scale: "one replica more", remedy.AskController: "ask its controller", remedy.Delete: "delete the pod", remedy.ForceDelete: "force delete the pod",
	remedy.OutOfService: "declare off",
}

// chooser makes the choices of a page.
type chooser struct{ *Page }

// makeChoices are the choices for the selected pod, the least harmful first.
func (m chooser) makeChoices() []choice {
	if m.s.State.Outcome != "" {
		return leaver(m).choices()
	}
	p := m.selectedRunPod()
	if p == nil || causeOf(p) == "" || m.s.ReadOnly || m.s.Replay || !m.s.Live() {
		return nil
	}
	order := m.orderChoices(p)
	all := slices.Concat(order, m.roomChoices(p), m.finalizerChoices(p), m.remedyChoices(p),
		m.lastChoices(p, order == nil))
	return all[:min(len(all), mostChoices)]
}

// orderChoices free a run whose order blocks itself: a node waits for a pod on one that is
// begun only after it.
func (m chooser) orderChoices(p *eviction.Record) []choice {
	if p.Wait == nil || p.Wait.UnhealthyPod == nil || !m.s.State.Run.Options.StrictOrder {
		return nil
	}
	later, node := m.s.State.Node(p.Wait.UnhealthyPod.Node), p.Node
	if later == nil || later.Name == node || later.State != drain.NodeWaiting && later.State != drain.NodeCordoned {
		return nil
	}
	return []choice{{"leave " + node + ": " + later.Name + ", which holds it, is drained next", "leave " + node,
		themes.Good, func() { m.askToLeave(node) }}}
}

// roomChoices uncordon a node where the pod that holds the budget could start.
func (m chooser) roomChoices(p *eviction.Record) []choice {
	if p.Wait == nil || p.Wait.UnhealthyPod == nil || m.room.pod != p.Wait.UnhealthyPod.Name {
		return nil
	}
	var all []choice
	for _, node := range m.room.nodes[:min(len(m.room.nodes), 2)] {
		all = append(all, choice{"uncordon " + node + ": makes room for " + m.room.pod, "uncordon " + node,
			themes.Good, func() { m.askToUncordon(node) }})
	}
	return all
}

// remedyChoices are the remedies that can be taken now.
func (m chooser) remedyChoices(p *eviction.Record) []choice {
	var all []choice
	surges := false
	for _, r := range remediesOf(m.s, p.UID) {
		if r.Kind == remedy.Wait || r.DisabledReason != "" {
			continue
		}
		switch r.Kind {
		case remedy.Surge:
			surges = true
		case remedy.RolloutRestart, remedy.Scale:
			if surges {
				continue // it does the same, and leaves more changed
			}
		}
		all = append(all, choice{r.Title, deeds[r.Kind], risks[r.Kind], func() {
			askToApply(m.shell, r, func() *remedy.Remedy {
				now := remediesOf(m.s, r.Pod)
				if i := slices.IndexFunc(now, func(other remedy.Remedy) bool { return other.Kind == r.Kind }); i >= 0 {
					return &now[i]
				}
				return nil
			})
		}})
	}
	return all
}

// finalizerChoices show who should remove a finalizer, and the patch that does it by hand.
func (m chooser) finalizerChoices(p *eviction.Record) []choice {
	if p.Wait == nil || p.Wait.For != waits.ForFinalizers {
		return nil
	}
	live := m.s.Snap.Pod(p.UID)
	if live == nil {
		return nil
	}
	var all []choice
	for i, a := range budget.AdviseFinalizers(live) {
		all = append(all, choice{a.Text, []string{"see finalizers", "patch for the finalizer"}[i], themes.Warning,
			func() { m.shell.ShowCommand(m.s.Target().Line(a.Command)) }})
	}
	return all
}

// lastChoices give the pod up, or its node where no choice before does.
func (m chooser) lastChoices(p *eviction.Record, leave bool) []choice {
	var all []choice
	if ok, _ := applies(m.s, drain.CommandSkip, p); ok {
		all = append(all, choice{"skip it: " + p.Node + " will not be empty", "skip", themes.Warning, m.askToSkip})
	}
	if ok, _ := applies(m.s, drain.CommandLeave, p); ok && leave && len(nodesAtWork(m.s.State)) > 1 {
		all = append(all, choice{"leave " + p.Node, "leave " + p.Node, themes.Warning, func() { m.askToLeave(p.Node) }})
	}
	return all
}

// choiceLines are the choices with their numbers, in at most two lines: in full where these
// have room.
func choiceLines(choices []choice, width int) []paint.Line {
	const most = 2
	long := fill(choices, width, func(c choice) string { return c.label })
	if len(long) <= most {
		return long
	}
	short := fill(choices, width, func(c choice) string { return c.short })
	return short[:min(len(short), most)]
}

// fill puts as many choices into a line as it has room for.
func fill(choices []choice, width int, label func(choice) string) []paint.Line {
	var lines []paint.Line
	for i, c := range choices {
		one := paint.L(themes.Key, strconv.Itoa(i+1)+" ").Add(c.token, label(c))
		if n := len(lines); n > 0 && lines[n-1].Width()+3+one.Width() <= width {
			lines[n-1] = append(append(lines[n-1], paint.Blank(3)), one...)
			continue
		}
		lines = append(lines, append(paint.Line{paint.Blank(2)}, one.Fit(min(one.Width(), width-2))...))
	}
	return lines
}

// choiceActions are the keys of the choices.
func (m chooser) choiceActions(group string) []keys.Action {
	order := []string{"first", "second", "third", "fourth", "fifth"}
	all := make([]keys.Action, mostChoices)
	for i := range all {
		all[i] = keys.Action{ID: fmt.Sprintf("choice%d", i+1), Keys: []string{strconv.Itoa(i + 1)}, Group: group,
			Help: "the " + order[i] + " of the numbered choices, for a held pod or a drained node; it asks first, or shows a command",
			Enabled: func() (bool, string) {
				return i < len(m.choices), "there is no choice " + strconv.Itoa(i+1)
			},
			Do: func() { m.list.Touched = true; m.choices[i].do() }}
	}
	return all
}
