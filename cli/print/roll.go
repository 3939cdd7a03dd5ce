package print

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/control"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Roll prints a roll between the lines of its runs.
type Roll struct{ *Drain }

// Of prints a run of the roll, as far as the run knows its plan.
func (r Roll) Of(run *drain.RunFacts) *Drain {
	one := *r.Drain
	return one.Of(planOf(run))
}

// rollEventJSON is a line of `roll -o json`.
type rollEventJSON struct {
	Schema string `json:"schema"`
	roll.Event
}

// Batches shows the batches before they are confirmed.
func (r Roll) Batches(f *roll.Facts) {
	o := f.Options
	order := fmt.Sprintf("%s in %s", format.Count(len(f.Run.Nodes), "node"), format.Plural(len(f.Batches),
		"batch", "batches"))
	if o.By != "" {
		order += ", never two values of " + o.By + " at once"
	}
	r.Note("%s:", order)
	for i, b := range f.Batches {
		r.Note("  %d  %s%s", i+1, strings.Join(b.Nodes, ", "), valueOf(o.By, b.Value))
	}
	for _, line := range []struct{ head, text string }{{"before each drain", o.Before}, {"work on each node",
		cmp.Or(o.Work, "yours: you are asked when it is done")},
		{"batches begin", o.Window}} {
		if line.text != "" {
			r.Note("%s: %s", line.head, line.text)
		}
	}
}

func valueOf(label, value string) string {
	switch {
	case label == "":
		return ""
	case value == "":
		return "  (without " + label + ")"
	}
	return "  (" + label + "=" + value + ")"
}

// Event prints one event; s is the roll after it.
func (r Roll) Event(e roll.Event, s *roll.State) {
	r.wrote(r.Out.Record(rollEventJSON{roll.Schema, e}))
	switch e.Kind {
	case roll.EventBatchStarted:
		b := s.Facts.Batches[e.Batch-1]
		r.Line(Bold, "batch %d of %d: %s%s", e.Batch, len(s.Facts.Batches), strings.Join(e.Nodes, ", "),
			valueOf(s.Facts.Options.By, b.Value))
	case roll.EventNode:
		r.node(e)
	case roll.EventHookStarted:
		r.Line("", "node/%s --%s command begins", e.Node, e.Hook)
	case roll.EventHookOutput:
		r.Line(Quiet, "%s | %s", e.Node, e.Text)
	case roll.EventHookEnded:
		if e.ExitCode == 0 {
			r.Line("", "node/%s --%s command done", e.Node, e.Hook)
		}
	case roll.EventGate:
		if e.Gate.Closed {
			r.Warn("the health gate is closed, no further batch begins: " + e.Message)
		} else {
			r.Note("the health gate is open again")
		}
	case roll.EventWait:
		r.wait(e)
	case roll.EventControl:
		if e.Message != "" {
			r.Note("%s: %s", e.Command, e.Message)
			return
		}
		r.Note("%s by %s", e.Command, e.By)
	case roll.EventWarning:
		r.Warn(e.Message)
	case roll.EventRollEnded:
		r.ended(s)
	default:
	}
}

func (r Roll) node(e roll.Event) {
	text := "node/" + e.Node + " " + strings.ToLower(string(e.State))
	if e.Message != "" {
		text += ": " + e.Message
	}
	switch e.State {
	case roll.Failed:
		r.Complain(text)
	case roll.Done:
		r.Line(Good, "%s", text)
	default:
		r.Line("", "%s", text)
	}
}

func (r Roll) wait(e roll.Event) {
	until := e.Until.Local().Format("2006-01-02 15:04 MST")
	switch e.Wait {
	case roll.WaitRun:
		r.Complain(fmt.Sprintf("cannot resume the run of the batch: %s; retrying at %s", e.Message,
			e.Until.Local().Format(time.TimeOnly)))
	case roll.WaitWindow:
		if e.Message != "" {
			r.Complain("the window cannot be read, no batch begins: " + e.Message)
			return
		}
		r.Note("the window is closed: the next batch begins at %s at the earliest", until)
	case roll.WaitPauseBetween:
		r.Note("pause between batches until %s", e.Until.Local().Format(time.TimeOnly))
	}
}

// ended says how the roll ended, and which nodes were left how.
func (r Roll) ended(s *roll.State) {
	tone := Good
	if s.Outcome != drain.OutcomeDone {
		tone = Bad
	}
	text := fmt.Sprintf("roll %s %s: %d of %d nodes done", s.Facts.Run.ID, s.Outcome, s.Count(roll.Done), len(s.Nodes))
	if s.Message != "" {
		text += ", " + s.Message
	}
	r.Line(tone, "%s", text)
	for i := range s.Nodes {
		if n := &s.Nodes[i]; n.State != roll.Done && n.State != roll.Waiting {
			cut := "it was " + strings.ToLower(string(n.State)) + " when the roll ended"
			r.Note("node/%s is left as it is: %s", n.Name, cmp.Or(n.Message, cut))
		}
	}
}

// RollEnd prints the report of a roll for a program.
func (r Roll) RollEnd(events []roll.Event) {
	r.wrote(r.Out.Record(roll.ReportOf(events, false)))
}

// RollReport prints a report for a person.
func RollReport(t *Text, report roll.Report) {
	t.Say("%s", report.Head())
	rows := report.Rows()
	nodes := t.table(rows[0]...)
	for _, row := range rows[1:] {
		for i := range row {
			row[i] = kube.Clean(row[i])
		}
		nodes.Add("", row...)
	}
	nodes.Write(t.W)
	for _, note := range report.Notes() {
		t.Say("%s", note)
	}
}

// rollStatus is where a roll stands.
func rollStatus(t *Text, a control.Answer, now time.Time) {
	s := a.Roll
	head := fmt.Sprintf("roll %s: batch %d of %d", a.Run, s.Batch, s.Batches)
	for _, note := range []struct {
		holds bool
		text  string
	}{
		{s.Run != "", "run " + s.Run}, {s.Question != "", "waits for the operator about " + s.Question}, {s.Paused, "paused"},
		{s.Aborting, "being aborted"}, {s.Gate != "", "the health gate is closed: " + s.Gate},
		{s.Wait != "", "waits for " + string(s.Wait) + " until " + s.Until.UTC().Format(time.RFC3339)},
	} {
		if note.holds {
			head += ", " + note.text
		}
	}
	t.Say("%s", head)
	nodes := t.table("BATCH", "NODE", "STATE", "FOR", "MESSAGE")
	for _, n := range s.Nodes {
		nodes.Add("", fmt.Sprint(n.Batch), n.Name, string(n.State), format.Duration(now.Sub(n.Since)),
			kube.Clean(n.Message))
	}
	nodes.Write(t.W)
}

// ProjectRoll is the line of a roll among those of the runs.
func ProjectRoll(r roll.Report, s *roll.State, now time.Time) Run {
	run := Run{Run: r.Roll, StartedAt: r.StartedAt, EndedAt: r.EndedAt, Nodes: []string{}, Outcome: r.Outcome,
		Live: r.Live, Suspended: s.Suspended && !r.Live, Context: r.Context, User: r.User, Roll: true}
	end := s.Updated
	switch {
	case r.Live:
		end = now
	case !s.Ended.IsZero():
		end = s.Ended
	}
	run.Duration = max(0, end.Sub(s.Started)).Seconds()
	for _, n := range r.Nodes {
		run.Nodes = append(run.Nodes, n.Name)
	}
	return run
}
