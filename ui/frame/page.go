package frame

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// The pages.
const (
	Nodes    keys.Page = "nodes"
	Pods     keys.Page = "pods"
	AllPods  keys.Page = "all pods"
	Node     keys.Page = "node"
	Plan     keys.Page = "plan"
	Options  keys.Page = "options"
	Run      keys.Page = "run"
	Pod      keys.Page = "pod"
	Remedies keys.Page = "remedies"
	Checks   keys.Page = "checklist"
	Events   keys.Page = "events"
	Timeline keys.Page = "timeline"
	Budgets  keys.Page = "budgets"
	Map      keys.Page = "map"
	Help     keys.Page = "help"
	Messages keys.Page = "messages"
	Findings keys.Page = "findings"
	Roll     keys.Page = "roll"
	NewRoll  keys.Page = "new roll"
	History  keys.Page = "runs"
	Palette  keys.Page = "find"
	Themes   keys.Page = "themes"
)

// Page is one page of the dashboard. It is made once, keeps its state while others are
// shown, and imports no other page: what it wants of them goes through its Shell.
//
// Whatever waits, reads or writes is handed to Shell.Go, so no method returns a command.
type Page interface {
	// Update takes a message: every page gets every message, for an answer belongs to
	// the page that asked, also when another is shown by now. It changes the page itself.
	Update(tea.Msg)
	// Layout is called after each message on the page that is shown: it prepares what
	// View reads, and asks for what the visible rows need.
	Layout(Layout)
	// View is a projection; it changes nothing.
	View() View
	// Actions are what keys do on the page: dispatch, hints, help and docs/keys.md.
	Actions() []keys.Action
}

// A page is a Lister or a Scroller.
type (
	// Lister is a page with a table. The frame moves its cursor and edits its filter;
	// the page brings its rows in order.
	Lister interface {
		List() *List
		// Rebuild filters and orders the rows.
		Rebuild()
		// Sorts are what to sort by, nil where there is one order.
		Sorts() []Sort
	}
	// Scroller is a page of text.
	Scroller interface{ Scroll() *Scroll }
	// Mover is a Scroller with a cursor of its own, which moves by so many lines.
	Mover interface {
		Scroller
		Move(lines int)
		// Point puts the cursor on what stands on a line of the text, so many cells from its left; it
		// reports whether it was there already.
		Point(line, x int) (again bool)
	}
)

// What a page may have beside that.
type (
	// Opener is told what to be about when it is opened.
	Opener interface{ Opened(Ref) }
	// Targeter is a page about some nodes: what an action on them would be about.
	Targeter interface{ Targets() []string }
	// Planner is a page with a plan on it, nil until there is one.
	Planner interface{ Planned() *plan.Plan }
	// Waiter tells that its page changes soon by itself.
	Waiter interface{ Waits() bool }
	// Hinter puts facts that must not be forgotten before the hints.
	Hinter interface{ Hints() paint.Line }
)

// Ref is the address of a page: its kind, and what it is about.
type Ref struct {
	Page  keys.Page
	Nodes []string // of a plan
	Pod   PodRef   // of the pages of a pod
	// PlannedPod is the pod in the plan from which its page was opened, as that plan is
	// now; nil where the page is about a pod of the run.
	PlannedPod func() (plan.Pod, bool)
}

// PodRef is a pod by all that tells it from another.
type PodRef struct {
	Namespace, Name string
	UID             kube.UID
}

func (r PodRef) String() string { return r.Namespace + "/" + r.Name }

// View is what a page wants to show, before it has a place on the frame.
type View struct {
	Left, Right paint.Line // the title line
	Brief       paint.Line // Right where that would cut Left, nil for the same
	Head        []paint.Line
	Cell        func(key, column string, width int) paint.Line
	Above       func(key string) []paint.Line // lines over a row, such as the title of its section
	Extra       func(key string) paint.Line   // the continuation of a row
	Mark        func(key string) string       // before a row, up to two cells
	Empty       paint.Line                    // instead of rows
	Subject     string                        // what the sentence below is about
	Detail      paint.Line
	// Pane, where set, is more on the selected row in lines of that width: where the frame
	// has room it stands, with the sentence above it, beside the table or below it.
	Pane func(width int) []paint.Line
	Text []paint.Line // of a Scroller: lines that scroll
}

// Scroll is where a page of text was scrolled to, and what is looked for in it.
type Scroll struct {
	Top  int
	End  bool   // it stays at the end as lines come, until one scrolls away from it
	Find string // "" for nothing
	Hit  int    // the line with it that was found last
}

// Match is what is looked for, as a test of lines.
func (s *Scroll) Match() Match { return (&List{Filter: s.Find}).Match() }

// Seek scrolls to the first line with what is looked for, from one on and round the end; it reports whether
// there is one.
func (s *Scroll) Seek(lines []paint.Line, from, height int) bool {
	match := s.Match()
	for i := range lines {
		at := (from + i) % len(lines)
		if match.In(lines[at]) {
			s.Hit, s.Top, s.End = at, max(0, min(at, len(lines)-height)), false
			return true
		}
	}
	return false
}

// ToTop scrolls to the top.
func (s *Scroll) ToTop() { s.Top, s.End = 0, false }

// By scrolls, within so many lines of which height are seen; 0 where only these changed.
func (s *Scroll) By(by, lines, height int) {
	last := max(0, lines-height)
	if s.Top = max(0, min(min(s.Top, last)+by, last)); by != 0 {
		s.End = s.Top > 0 && s.Top == last
	}
	if s.End {
		s.Top = last
	}
}
