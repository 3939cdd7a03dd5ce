package print

import (
	"fmt"
	"io"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
	"github.com/kdrain-tui/kdrain-tui/drain/report"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
)

// Drain prints a drain: its result in the form of the printer, in kubectl's words
// where it is text, and everything about it as notes.
type Drain struct {
	Out      Printer
	Err      io.Writer // for notes
	ErrStyle Style
	Identity conn.Identity
	Target   plan.Target // what printed commands are for
	Now      func() time.Time

	lines   lineState
	printed int
}

// Of tells it the plan of the drain, before anything is printed.
func (d *Drain) Of(plan plan.Plan) *Drain {
	d.lines = newLineState(plan)
	return d
}

// Printed is the number of lines so far, for whoever wonders whether anything happens.
func (d *Drain) Printed() int { return d.printed }

// Line is a line of the result.
func (d *Drain) Line(t Tone, format string, args ...any) {
	if d.Out.Line(t, fmt.Sprintf(format, args...)) {
		d.printed++
	}
}

// Note is a line about the result, for whoever watches.
func (d *Drain) Note(format string, args ...any) {
	d.say("", fmt.Sprintf(format, args...))
}

// say is a note that may come from a server.
func (d *Drain) say(t Tone, text string) {
	d.printed++
	fmt.Fprintln(d.Err, d.ErrStyle.In(t, kube.Clean(d.ErrStyle.Plain(text))))
}

// Warn is a note that begins with that word.
func (d *Drain) Warn(text string) {
	d.printed++
	fmt.Fprintln(d.Err, d.ErrStyle.In(Warning, "Warning:")+" "+kube.Clean(text))
}

// Complain is a note about what went wrong.
func (d *Drain) Complain(text string) {
	d.printed++
	fmt.Fprintln(d.Err, d.ErrStyle.In(Bad, "error:")+" "+kube.Clean(text))
}

// JournalLost tells why the journal cannot be written, for which the run has paused itself, or that it can be written
// again; gone tells that its folder is gone.
func (d *Drain) JournalLost(s *drain.State, program string, gone bool) {
	if s.JournalLost == "" {
		d.Note("the journal can be written again")
		return
	}
	ctl := program + " ctl " + s.Run.ID
	d.Complain("the run paused itself: " + s.JournalLost)
	d.Note("  nothing is sent without a journal; make room or put it back, then: %s continue", ctl)
	if gone {
		d.Note("  if its folder was removed, ctl cannot reach the run: end it with Ctrl-C")
		d.FolderGone(s, program)
		return
	}
	d.Note("  to continue without it, unknown to resume, rollback and report: %s continue --without-journal", ctl)
	d.Note("  to end the run: Ctrl-C, or %s abort", ctl)
}

// FolderGone prints the command that undoes what a run left whose journal is gone.
func (d *Drain) FolderGone(s *drain.State, program string) {
	nodes, target := "", s.Run.Target()
	for _, n := range s.Nodes {
		nodes += " --node " + n.Name
	}
	target.Program = program
	d.Note("  without its journal, this undoes what the run left: %s", target.Line("kdrain-tui rollback"+nodes))
}

// Ask is a question, without the end of its line.
func (d *Drain) Ask(prompt string) { fmt.Fprint(d.Err, kube.Clean(d.ErrStyle.Plain(prompt))) }

// wrote complains of a result that could not be written.
func (d *Drain) wrote(err error) {
	if err != nil {
		d.Complain("cannot write: " + err.Error())
	}
}

// Preview shows the plan before the first question.
func (d *Drain) Preview(plan plan.Plan) {
	planText{w: d.Err, style: d.ErrStyle}.write(d.Identity, plan)
	fmt.Fprintln(d.Err)
}

// Refusals says which nodes are left untouched and why, in kubectl's words.
func (d *Drain) Refusals(plan plan.Plan) {
	for _, n := range plan.Refused() {
		d.Complain(fmt.Sprintf("unable to drain node %q due to error: %s, continuing command...", n.Node, n.Why))
	}
}

// changesTold is how many changes of a plan are told one by one.
const changesTold = 6

// Changes tells what of the plan that was shown does not hold any longer.
func (d *Drain) Changes(changes []plan.Change) {
	d.Warn("the plan changed since it was shown:")
	for i, c := range changes {
		if i == changesTold {
			d.Note("  and %s", format.Count(len(changes)-i, "more change"))
			return
		}
		d.Note("  %s", c.What)
	}
}

// Event prints one event of the run.
func (d *Drain) Event(e drain.Event) {
	d.Record(e)
	d.eventLines(e)
}

// Record prints an event without its lines.
func (d *Drain) Record(e drain.Event) { d.wrote(d.Out.Event(e)) }

// End prints how a run ended, from all of its events.
func (d *Drain) End(events []drain.Event) { d.wrote(d.Out.Report(report.Of(events, true))) }

// Nothing is the end of a drain of no node.
func (d *Drain) Nothing() {
	d.Note(noNodeMatches)
	at := d.Now().UTC()
	d.Summary(report.Report{
		Schema: report.Schema, Context: d.Identity.Context, Server: d.Identity.Server, User: d.Identity.User,
		Outcome: drain.OutcomeDone, Message: "no node matches", StartedAt: at, EndedAt: at,
		Nodes: []report.Node{}, Requests: map[attempt.Verb]int{},
	})
}

// Summary is the report of what had no run. A person has read its lines.
func (d *Drain) Summary(r report.Report) {
	if !d.Out.Watched() {
		d.wrote(d.Out.Report(r))
	}
}

// Leftovers says what is not drained, what was left cordoned, and how to undo
// it. On a terminal the report has said so.
func (d *Drain) Leftovers(s *drain.State, snap *kube.Snapshot) {
	var pending []*drain.NodeRun
	for _, n := range s.Nodes {
		if n.State != drain.NodeDrained {
			pending = append(pending, n)
		}
	}
	if len(pending) == 0 || d.reported() {
		return
	}
	d.Note("There are pending nodes to be drained:")
	for _, n := range pending {
		d.Note(" %s", n.Name)
	}
	for _, n := range pending {
		d.pendingPods(s, n)
		pods := s.Progress(n.Name)
		still := ""
		if left := pods.Total - pods.Left; left > 0 && n.State != drain.NodeRefused {
			still = fmt.Sprintf(", %d of %s still on it", left, format.Count(pods.Total, "pod"))
		}
		undo := d.Target.Line("kdrain-tui uncordon " + format.ShellWord(n.Name))
		switch node := snap.Node(n.Name); {
		case n.Cordoned && (node == nil || node.UID != n.UID):
			d.Note("node/%s no longer exists%s", n.Name, still)
		case n.Cordoned && !node.Unschedulable:
			d.Note("node/%s is schedulable again%s", n.Name, still)
		case n.TakenOverBy() != "":
			d.Note("node/%s was taken over by run %s%s: that run is responsible for the rest", n.Name, n.TakenOverBy(),
				still)
		case n.Cordoned:
			d.Note("node/%s is left cordoned by this run%s; to undo: %s", n.Name, still, undo)
		case n.State == drain.NodeCordoning:
			d.Note("node/%s was being cordoned by this run%s; to undo: %s", n.Name, still, undo)
		case n.CordonInDoubt && (node == nil || node.Unschedulable):
			d.Note("node/%s may be cordoned by this run: its last cordon is in doubt%s; to see: %s; to undo: %s",
				n.Name, still,
				d.Target.Line("kubectl get node "+format.ShellWord(n.Name)), undo)
		case n.CordonInDoubt:
			d.Note("node/%s was schedulable when it was last seen, its last cordon is in doubt%s", n.Name, still)
		case n.State == drain.NodeRefused:
			d.Note("node/%s was left untouched", n.Name)
		case still != "":
			d.Note("node/%s is as it was before%s", n.Name, still)
		}
	}
}

// pendingPods lists what is left on a node that was begun, and why.
func (d *Drain) pendingPods(s *drain.State, n *drain.NodeRun) {
	if n.Started.IsZero() {
		return
	}
	headed := false
	for _, p := range s.Pods {
		if p.Node != n.Name || p.Action == plan.ActionSkip || p.State.Left() {
			continue
		}
		if !headed {
			d.Note("There are pending pods in node %q:", n.Name)
			headed = true
		}
		why := report.StateWord(p.State)
		if cause := causeOf(p.Wait, d.Now()); cause != "" {
			why += ": " + cause
		} else if p.Message != "" {
			why += ": " + p.Message
		}
		d.Note("pod/%s -n %s (%s)", p.Name, p.Namespace, why)
	}
}

// Findings says what the plan found wrong, a line each, where the plan is not
// shown; and how to remove what was left behind.
func (d *Drain) Findings(planned plan.Plan) {
	for _, f := range planned.Findings {
		switch f.Level {
		case plan.LevelError:
			d.Complain(f.Message)
		case plan.LevelWarning:
			d.Warn(f.Message)
		default:
			continue
		}
		if f.Code != preflight.FindingLeftBudgets {
			continue
		}
		for _, a := range f.Advice {
			d.Note("%s: %s", a.Text, a.Command)
		}
	}
}

// reported reports whether the report of the run is for a person.
func (d *Drain) reported() bool {
	text, ok := d.Out.(*Text)
	return ok && !text.Since.IsZero()
}
