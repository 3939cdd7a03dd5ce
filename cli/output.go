package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/report"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// output prints a drain: events as JSON lines, or as text in kubectl's words.
// The result goes to out, everything about it to err.
type output struct {
	out, err io.Writer
	json     bool
	paint    paint // of out
	errPaint paint
	live     bool // out is a terminal: elapsed times and a closing report
	session  *app.Session
	options  drain.Options
	now      func() time.Time
	started  time.Time

	lines   lineState
	printed int // lines so far, for whoever wonders whether anything happens
}

func (p *Program) newOutput(f *flags, session *app.Session, plan drain.Plan) *output {
	return &output{
		out: p.Out, err: p.Err, json: f.json(),
		paint: p.paintFor(f, p.Terminal.Out), errPaint: p.paintFor(f, p.Terminal.Err),
		live: p.Terminal.Out && !f.json(), session: session, options: plan.Options,
		now: p.Now, started: p.Now(), lines: newLineState(plan),
	}
}

// result is a line of the result; JSON has its own.
func (o *output) result(t tone, format string, args ...any) {
	if o.json {
		return
	}
	o.printed++
	fmt.Fprintln(o.out, o.stamp()+o.paint.in(t, o.paint.plain(fmt.Sprintf(format, args...))))
}

// note is a line about the result, for whoever watches.
func (o *output) note(format string, args ...any) {
	o.say("", fmt.Sprintf(format, args...))
}

// say is a line to standard error; its words may come from a server.
func (o *output) say(t tone, text string) {
	o.printed++
	fmt.Fprintln(o.err, o.errPaint.in(t, kube.Clean(o.errPaint.plain(text))))
}

func (o *output) warn(text string) {
	o.printed++
	fmt.Fprintln(o.err, o.errPaint.in(toneWarn, "Warning:")+" "+kube.Clean(text))
}

func (o *output) complain(text string) {
	o.printed++
	fmt.Fprintln(o.err, o.errPaint.in(toneBad, "error:")+" "+kube.Clean(text))
}

func (o *output) ask(prompt string) { fmt.Fprint(o.err, kube.Clean(o.errPaint.plain(prompt))) }

// stamp is the time since the start, for a human who watches.
func (o *output) stamp() string {
	if !o.live {
		return ""
	}
	d := o.now().Sub(o.started).Round(time.Second)
	return o.paint.in(toneQuiet, fmt.Sprintf("%3d:%02d", int(d.Minutes()), int(d.Seconds())%60)) + "  "
}

// preview shows the plan before the first question.
func (o *output) preview(plan drain.Plan) {
	planText{w: o.err, paint: o.errPaint}.write(o.session.Identity(), plan)
	fmt.Fprintln(o.err)
}

// refusals says which nodes are left untouched and why, in kubectl's words.
func (o *output) refusals(plan drain.Plan) {
	for _, n := range plan.Nodes {
		if text := refusalOf(n); text != "" {
			o.complain(fmt.Sprintf("unable to drain node %q due to error: %s, continuing command...", n.Name, text))
		}
	}
}

// eventJSON is a line of `drain -o json`.
type eventJSON struct {
	Schema string `json:"schema"`
	drain.Event
}

// event prints one event of the run.
func (o *output) event(e drain.Event) {
	if o.json {
		o.writeJSON(eventJSON{drain.EventSchema, e})
	}
	o.eventLines(e)
}

func (o *output) writeJSON(v any) {
	enc := json.NewEncoder(o.out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		o.complain("cannot write: " + err.Error())
	}
}

// end prints the report: as the last JSON line, or for a human on a terminal.
func (o *output) end(events []drain.Event) {
	told := report.Of(events, true)
	switch {
	case o.json:
		o.writeJSON(told)
	case o.live:
		fmt.Fprint(o.out, "\n"+o.paint.plain(strings.TrimRight(told.Text(), "\n"))+"\n")
	}
}

// nothing is the report of a drain of no node.
func (o *output) nothing() {
	if !o.json {
		return
	}
	at, identity := o.now().UTC(), o.session.Identity()
	o.writeJSON(report.Report{
		Schema: report.Schema, Context: identity.Context, Server: identity.Server, User: identity.User,
		Outcome: drain.OutcomeDone, Message: "no node matches", StartedAt: at, EndedAt: at,
		Nodes: []report.Node{}, Requests: map[drain.Verb]int{},
	})
}

// leftovers says what is not drained, what was left cordoned, and how to undo
// it. On a terminal the report has said so.
func (o *output) leftovers(s *drain.State, snap *kube.Snapshot) {
	var pending []*drain.NodeRun
	for _, n := range s.Nodes {
		if n.State != drain.NodeDrained {
			pending = append(pending, n)
		}
	}
	if len(pending) == 0 || o.live {
		return
	}
	o.note("There are pending nodes to be drained:")
	for _, n := range pending {
		o.note(" %s", n.Name)
	}
	for _, n := range pending {
		o.pendingPods(s, n)
		pods := s.Progress(n.Name)
		still := ""
		if left := pods.Total - pods.Left; left > 0 && n.State != drain.NodeRefused {
			still = fmt.Sprintf(", %d of %s still on it", left, plural(pods.Total, "pod", "pods"))
		}
		undo := o.session.Target.Line("kdrain-tui uncordon " + drain.ShellWord(n.Name))
		switch node := snap.Node(n.Name); {
		case n.Cordoned && node != nil && node.UID == n.UID && !node.Unschedulable:
			o.note("node/%s is schedulable again%s", n.Name, still)
		case n.TakenOverBy() != "":
			o.note("node/%s was taken over by run %s%s: what is left to do there is that run's", n.Name, n.TakenOverBy(), still)
		case n.Cordoned:
			o.note("node/%s is left cordoned by this run%s; to undo: %s", n.Name, still, undo)
		case n.State == drain.NodeCordoning:
			o.note("node/%s was being cordoned by this run%s; to undo: %s", n.Name, still, undo)
		case n.CordonInDoubt && (node == nil || node.Unschedulable):
			o.note("node/%s may be cordoned by this run: its last cordon is in doubt%s; to see: %s; to undo: %s", n.Name, still,
				o.session.Target.Line("kubectl get node "+drain.ShellWord(n.Name)), undo)
		case n.CordonInDoubt:
			o.note("node/%s was schedulable when it was last seen, its last cordon is in doubt%s", n.Name, still)
		case n.State == drain.NodeRefused:
			o.note("node/%s was left untouched", n.Name)
		case still != "":
			o.note("node/%s is as it was before%s", n.Name, still)
		}
	}
}

// pendingPods lists what is left on a node that was begun, and why.
func (o *output) pendingPods(s *drain.State, n *drain.NodeRun) {
	if n.Started.IsZero() {
		return
	}
	headed := false
	for _, p := range s.Pods {
		if p.Node != n.Name || p.Action == drain.ActionSkip || p.State.Left() {
			continue
		}
		if !headed {
			o.note("There are pending pods in node %q:", n.Name)
			headed = true
		}
		why := string(p.State)
		if cause := causeOf(p.Wait, o.now()); cause != "" {
			why += ": " + cause
		} else if p.Message != "" {
			why += ": " + p.Message
		}
		o.note("pod/%s -n %s (%s)", p.Name, p.Namespace, why)
	}
}

// sayFindings says what the plan found wrong, a line each, where nobody is shown the
// plan; and how to remove what was left behind.
func (o *output) sayFindings(plan drain.Plan) {
	for _, f := range plan.Findings {
		switch f.Level {
		case drain.LevelError:
			o.complain(f.Message)
		case drain.LevelWarning:
			o.warn(f.Message)
		default:
			continue
		}
		if f.Code != drain.FindingLeftBudgets {
			continue
		}
		for _, a := range f.Advice {
			o.note("%s: %s", a.Text, a.Command)
		}
	}
}
