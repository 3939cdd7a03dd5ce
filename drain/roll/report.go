package roll

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Report is what became of a roll: the last line of `roll -o json`.
type Report struct {
	Schema    string        `json:"schema"`
	Roll      string        `json:"roll"`
	Context   string        `json:"context"`
	User      string        `json:"user"`
	Options   Options       `json:"options"`
	Outcome   drain.Outcome `json:"outcome"` // "" while it has no end
	Message   string        `json:"message,omitempty"`
	Live      bool          `json:"live"`
	StartedAt time.Time     `json:"startedAt"`
	EndedAt   *time.Time    `json:"endedAt"`
	Batches   []BatchReport `json:"batches"`
	Nodes     []NodeReport  `json:"nodes"`
	Warnings  []string      `json:"warnings,omitempty"`
	// CheckedAt is when the nodes were compared with the cluster, Unchecked why they were not.
	CheckedAt time.Time `json:"checkedAt,omitzero"`
	Unchecked string    `json:"unchecked,omitempty"`
}

// BatchReport is one batch of a Report.
type BatchReport struct {
	Batch int      `json:"batch"` // from 1
	Value string   `json:"value,omitempty"`
	Nodes []string `json:"nodes"`
	Run   string   `json:"run,omitempty"` // that drained it: `report RUN` tells more
}

// NodeReport is one node of a Report.
type NodeReport struct {
	Name      string     `json:"name"`
	Batch     int        `json:"batch"`
	State     NodeState  `json:"state"`
	Message   string     `json:"message,omitempty"`
	StartedAt *time.Time `json:"startedAt"`
	EndedAt   *time.Time `json:"endedAt"`
	Now       string     `json:"now,omitempty"` // what the cluster showed at CheckedAt, as kubectl prints it
}

const reportSchema = "kdrain-tui/roll-report/v1"

// ReportOf tells what became of the roll of these events.
func ReportOf(events []Event, live bool) Report {
	s := Fold(nil, events...)
	r := Report{Schema: reportSchema, Roll: s.Facts.Run.ID, Context: s.Facts.Run.Context, User: s.Facts.Run.User,
		Options: s.Facts.Options, Outcome: s.Outcome, Message: s.Message, Live: live, StartedAt: s.Started.UTC(),
		EndedAt: timeOrNil(s.Ended), Batches: []BatchReport{}, Nodes: []NodeReport{}, Warnings: s.Warnings}
	for i, b := range s.Facts.Batches {
		r.Batches = append(r.Batches, BatchReport{Batch: i + 1, Value: b.Value, Nodes: b.Nodes})
	}
	for i := range events {
		if e := &events[i]; e.Kind == EventDrainStarted {
			r.Batches[e.Batch-1].Run = e.Run
		}
	}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		r.Nodes = append(r.Nodes, NodeReport{Name: n.Name, Batch: n.Batch + 1, State: n.State, Message: n.Message,
			StartedAt: timeOrNil(n.Began), EndedAt: timeOrNil(n.Ended)})
	}
	return r
}

// Check compares the nodes of the roll with the cluster.
func (r *Report) Check(run *State, s *kube.Snapshot, now time.Time) {
	r.CheckedAt = now.UTC()
	for i := range r.Nodes {
		n := &r.Nodes[i]
		switch live := s.Node(n.Name); {
		case !s.Health().Live || s.On(n.Name).Sync(kube.KindNodes).Phase != kube.Synced:
			n.Now = "not known"
		case live == nil:
			n.Now = "deleted"
		case live.UID != run.Nodes[i].UID:
			n.Now = "replaced by another node with its name"
		default:
			n.Now = live.Status()
		}
	}
}

func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// Head says in a line what the roll is and how it ended.
func (r *Report) Head() string {
	done := 0
	for _, n := range r.Nodes {
		if n.State == Done {
			done++
		}
	}
	outcome := string(r.Outcome)
	switch {
	case r.Live:
		outcome = "live"
	case outcome == "":
		outcome = "not ended"
	}
	text := fmt.Sprintf("roll %s: %s, %d of %d nodes done", r.Roll, outcome, done, len(r.Nodes))
	if r.Message != "" {
		text += " (" + r.Message + ")"
	}
	return text
}

// Rows are a table of the nodes, its head first.
func (r *Report) Rows() [][]string {
	rows := [][]string{{"BATCH", "NODE", "STATE", "NOW", "TOOK", "RUN", "MESSAGE"}}
	for _, n := range r.Nodes {
		took := ""
		if n.StartedAt != nil && n.EndedAt != nil {
			took = format.Duration(n.EndedAt.Sub(*n.StartedAt))
		}
		rows = append(rows, []string{fmt.Sprint(n.Batch), n.Name, string(n.State), n.Now, took,
			r.Batches[n.Batch-1].Run, n.Message})
	}
	if r.CheckedAt.IsZero() {
		for i := range rows {
			rows[i] = slices.Delete(rows[i], 3, 4)
		}
	}
	return rows
}

// Notes are the lines below the table.
func (r *Report) Notes() (notes []string) {
	if r.Unchecked != "" {
		notes = append(notes, "the nodes were not compared with the cluster: "+r.Unchecked)
	}
	for _, w := range r.Warnings {
		notes = append(notes, "Warning: "+kube.Clean(w))
	}
	return notes
}

// Text is the report for a terminal.
func (r *Report) Text() string {
	rows := r.Rows()
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	text := r.Head()
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			line += fmt.Sprintf("%-*s  ", widths[i], kube.Clean(cell))
		}
		text += "\n  " + strings.TrimRight(line, " ")
	}
	return strings.Join(append([]string{text}, r.Notes()...), "\n")
}

// Markdown is the report for a ticket.
func (r *Report) Markdown() string {
	var text strings.Builder
	fmt.Fprintf(&text, "# %s\n\nStarted %s by %s, context %s.\n\n", escape(r.Head()), r.StartedAt.Format(time.RFC3339),
		escape(r.User), escape(r.Context))
	for i, row := range r.Rows() {
		for j := range row {
			row[j] = escape(row[j])
		}
		fmt.Fprintf(&text, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			text.WriteString(strings.Repeat("| --- ", len(row)) + "|\n")
		}
	}
	for _, note := range r.Notes() {
		fmt.Fprintf(&text, "\n%s\n", escape(note))
	}
	return text.String()
}

// escape keeps a foreign text from being read as Markdown.
func escape(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`).Replace(text)
}
