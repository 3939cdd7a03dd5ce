package run

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/retire"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/confirm"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// leaver takes the nodes of a run that has ended out of the cluster, step by step.
type leaver struct{ *Page }

// stepMsg brings the run that takes a step, or why none does.
type stepMsg struct {
	run live.Run
	err error
}

// steps are the next step of each node that was drained; nil where none can be taken here.
func (m leaver) steps() (nodes []*drain.NodeRun) {
	if m.s.State.Outcome == "" || m.s.ReadOnly || m.s.Replay || m.s.Foreign || m.s.Cluster == nil {
		return nil
	}
	for _, n := range m.s.State.Nodes {
		if n.State == drain.NodeDrained && n.Retire.Next() != "" && len(nodes) < mostChoices {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// again are the plans of the nodes that were left before they were drained.
func (m leaver) again() []choice {
	if m.s.ReadOnly || m.s.Replay || m.s.Foreign || m.s.Cluster == nil {
		return nil
	}
	var nodes []string
	for _, n := range m.s.State.Nodes {
		if n.State != drain.NodeDrained && n.State != drain.NodeRefused && n.TakenOverBy() == "" &&
			m.s.Snap.Node(n.Name) != nil {
			nodes = append(nodes, n.Name)
		}
	}
	if nodes == nil {
		return nil
	}
	return []choice{{"plan another drain of " + format.List(nodes, 3), "plan " + format.List(nodes, 1) + " again",
		themes.Good, func() { m.shell.Open(frame.Ref{Page: frame.Plan, Nodes: nodes}) }}}
}

// back uncordons the nodes that this run has cordoned, but those of which a step out of the cluster was taken.
func (m leaver) back() []choice {
	if m.s.ReadOnly || m.s.Foreign || !m.s.Snap.Health().Live {
		return nil
	}
	nodes := slices.DeleteFunc(rollback.Uncordons(m.s.Undos(m.s.Snap)), func(name string) bool {
		n := m.s.State.Node(name)
		return n == nil || n.Retire.Begun()
	})
	if len(nodes) == 0 {
		return nil
	}
	return []choice{{"uncordon " + format.List(nodes, 3) + ": back into service", "uncordon " + format.List(nodes, 1),
		themes.Good, func() { confirm.Cordon{Nodes: nodes}.Ask(m.shell) }}}
}

// choices are what comes next: plans of nodes that were left, the way back, and the next steps of the drained ones
// out of the cluster, while none is being taken.
func (m leaver) choices() []choice {
	if !m.s.Over {
		return nil
	}
	all := append(m.again(), m.back()...)
	for _, n := range m.steps() {
		step, token := n.Retire.Next(), themes.Text
		if n.Retire.Of(step).Status == retire.Failed {
			token = themes.Warning
		}
		all = append(all, choice{"take " + n.Name + " out of the cluster: " + step.Does(), n.Name + ": " + string(step),
			token, func() { m.ask(n.Name, step) }})
	}
	return all[:min(len(all), mostChoices)]
}

// mostOutput is how many lines of a script the result shows.
const mostOutput = 4

// lines are the choices, and what the step says that is being taken or that failed.
func (m leaver) lines() []paint.Line {
	var lines []paint.Line
	for _, n := range m.steps() {
		taken := n.Retire.Of(n.Retire.Next())
		if taken.Status != retire.Running && taken.Status != retire.Failed {
			continue
		}
		text := paint.L(themes.Accent, n.Name+": ").Add(themes.Text, n.Retire.Next().Does())
		if taken.Status == retire.Failed {
			text = text.Add(themes.Bad, "  failed: ").Add(themes.Text, wording.Clean(taken.Message))
		}
		lines = append(lines, text.Fit(min(text.Width(), m.s.Width-2)))
		for _, line := range taken.Output[max(0, len(taken.Output)-mostOutput):] {
			lines = append(lines, paint.L(themes.Muted, "  │ "+paint.Truncate(wording.Clean(line), m.s.Width-6)))
		}
	}
	if all := m.choices(); len(all) > 0 { // the frame measures the head before Layout
		lines = append(lines, paint.L(themes.Muted, "what comes next:"))
		lines = append(lines, choiceLines(all, m.s.Width-2)...)
	}
	return lines
}

// ask asks for a step, with what speaks against it and what hangs on the Node object.
func (m leaver) ask(node string, step retire.Step) {
	n := m.s.State.Node(node)
	why, known := m.s.State.StillDrained(m.s.Snap, n, m.s.Now)
	seen := retire.SeenIn(m.s.Snap, node, n.UID, m.s.State.Checklist(m.s.Snap, n, m.s.Now), why, known)
	if err := n.Retire.Objection(step, node, seen); err != nil {
		m.shell.Refuse(wording.Clean(err.Error()))
		return
	}
	confirmed := retire.Confirmed{Step: step, By: m.s.Identity.User}
	if order := m.s.State.Run.Retire; order != nil {
		confirmed.HostExec = order.HostExec
	}
	title, word := wording.FirstUpper(step.Does())+": "+node+"?", retire.Word(step, node, seen)
	d := dialog.Typed("retire", title, word, string(step), m.body(step, node, seen, confirmed.HostExec)...)
	if _, onHost := step.Host(); onHost && confirmed.HostExec == "" {
		d.Title, d.Command = "Is it done? "+node+": "+step.Does(), m.byHand(step, node)
	}
	m.shell.Ask(d, func(a dialog.Answer) {
		if a.Value != dialog.Accept {
			return
		}
		confirmed.Word = a.Text
		cluster, id := m.s.Cluster, m.s.State.Run.ID
		m.shell.Go("a step of "+node, func(ctx context.Context) tea.Msg {
			run, err := cluster.Retire(ctx, id, node, confirmed)
			return stepMsg{run, err}
		})
	})
}

// body is what the dialog says of a step.
func (m leaver) body(step retire.Step, node string, seen retire.Seen, hostExec string) []paint.Line {
	var body []paint.Line
	if step == retire.StepDelete && seen.Node != nil {
		ties := retire.TiesOf(seen.Node)
		for _, line := range ties.Lines() {
			body = append(body, paint.T(line))
		}
		if ties.Warning != "" {
			body = append(body, paint.L(themes.Bad, ties.Warning+"."))
		}
	}
	if len(retire.Against(step, seen)) > 0 {
		body = append(body, paint.L(themes.Bad, "The node is "+wording.Clean(seen.Sentence())+"."))
	}
	switch _, onHost := step.Host(); {
	case !onHost:
		body = append(body, paint.T("Only the Node object that was drained is deleted. It cannot be taken back."))
	case hostExec == "":
		body = append(body, paint.T("Run this as root on the host, then confirm that it is done."))
	default:
		if line, err := retire.HostCommand(hostExec, node); err == nil {
			body = append(body, paint.L(themes.Muted, "This gets the script on its standard input:  ").
				Add(themes.Text, line))
		}
	}
	return body
}

// byHand is the command that prints the script of a step.
func (m leaver) byHand(step retire.Step, node string) string {
	line := "kdrain-tui cleanup-script " + format.ShellWord(node) + " --step " + string(step)
	if step == retire.StepClean {
		line += " --run " + m.s.State.Run.ID
	}
	return m.s.Target().Line(line) + " | ssh " + format.ShellWord(node) + " sudo sh -s -- --yes"
}

// onStep shows the run that takes the step.
func (m leaver) onStep(msg stepMsg) {
	if msg.err != nil {
		m.shell.Fail(wording.Clean(msg.err.Error()))
		return
	}
	m.shell.Attach(msg.run)
}
