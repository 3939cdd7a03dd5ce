package print

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/report"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
)

// Printer prints the result of a command.
type Printer interface {
	// Line prints a line of the result. It reports whether there are any: JSON has its own.
	Line(t Tone, text string) bool
	// Event prints an event of a run, Report how a run ended.
	Event(e drain.Event) error
	Report(r report.Report) error
	// Record prints an event or the report of a roll, for programs.
	Record(v any) error
	Plan(id conn.Identity, plan plan.Plan) error
	// Value prints anything else: v as one object, or what text makes of it.
	Value(v any, text func(*Text)) error
	// Watched reports whether somebody watches who has to be told that a run goes on.
	Watched() bool
}

// Text prints for a person.
type Text struct {
	W     io.Writer
	Style Style
	// Since makes each line of a result begin with the time since then, by Now, and a
	// run end with its report: for a person at a terminal. Zero for neither.
	Since time.Time
	Now   func() time.Time
}

// Line is that of Printer.
func (t *Text) Line(tone Tone, text string) bool {
	fmt.Fprintln(t.W, t.stamp()+t.Style.In(tone, t.Style.Plain(text)))
	return true
}

// stamp is the time since the start.
func (t *Text) stamp() string {
	if t.Since.IsZero() {
		return ""
	}
	d := t.Now().Sub(t.Since).Round(time.Second)
	return t.Style.In(Quiet, fmt.Sprintf("%3d:%02d", int(d.Minutes()), int(d.Seconds())%60)) + "  "
}

// Event is told by lines.
func (t *Text) Event(drain.Event) error { return nil }

// Record is that of Printer: a person reads lines.
func (t *Text) Record(any) error { return nil }

// Report is that of Printer.
func (t *Text) Report(r report.Report) error {
	if t.Since.IsZero() {
		return nil
	}
	_, err := fmt.Fprint(t.W, "\n"+t.Style.Plain(strings.TrimRight(r.Result(nil).Text(), "\n"))+"\n")
	return err
}

// Plan is that of Printer.
func (t *Text) Plan(id conn.Identity, plan plan.Plan) error {
	planText{w: t.W, style: t.Style}.write(id, plan)
	return nil
}

// Value is that of Printer.
func (t *Text) Value(_ any, text func(*Text)) error {
	text(t)
	return nil
}

// Watched is that of Printer.
func (t *Text) Watched() bool { return true }

// table is a table in the style of the text.
func (t *Text) table(head ...string) *table {
	rows := &table{Style: t.Style}
	rows.Add(Quiet, head...)
	return rows
}

// Say prints a line whose text may come from elsewhere.
func (t *Text) Say(format string, args ...any) {
	fmt.Fprintln(t.W, kube.Clean(fmt.Sprintf(format, args...)))
}

// JSON prints for programs: a run as a line for each event and one for its report,
// everything else as one object. Its forms are the contract of docs/events.md.
type JSON struct{ W io.Writer }

// Line is that of Printer.
func (JSON) Line(Tone, string) bool { return false }

// eventJSON is a line of `drain -o json`.
type eventJSON struct {
	Schema string `json:"schema"`
	drain.Event
}

// Event is that of Printer.
func (j JSON) Event(e drain.Event) error { return j.encode(eventJSON{drain.EventSchema, e}, "") }

// Record is that of Printer.
func (j JSON) Record(v any) error { return j.encode(v, "") }

// Report is that of Printer.
func (j JSON) Report(r report.Report) error { return j.encode(r, "") }

// Plan is that of Printer.
func (j JSON) Plan(id conn.Identity, plan plan.Plan) error {
	return j.encode(projectPlan(id, plan), "  ")
}

// Value is that of Printer.
func (j JSON) Value(v any, _ func(*Text)) error { return j.encode(v, "  ") }

// Watched is that of Printer.
func (JSON) Watched() bool { return false }

func (j JSON) encode(v any, indent string) error {
	enc := json.NewEncoder(j.W)
	enc.SetIndent("", indent)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
