package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/landing"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

func TestFindingLines(t *testing.T) {
	finding := func(level plan.Level, message string) plan.Finding {
		return plan.Finding{Level: level, Message: message}
	}
	all := []plan.Finding{finding(plan.LevelError, "grave"), finding(plan.LevelWarning, "one"), finding(plan.LevelWarning, "two"),
		finding(plan.LevelWarning, "three"), finding(plan.LevelInfo, "said elsewhere")}
	for most, want := range map[int][]string{
		9:  {"✖ grave", "▲ one", "▲ two", "▲ three"},
		4:  {"✖ grave", "▲ one", "▲ two", "▲ three"},
		3:  {"✖ grave", "▲ one", "… 2 more: f shows all"},
		1:  {"▲ 4 findings: f shows all"},
		0:  nil,
		-2: nil,
	} {
		var got []string
		for _, l := range findingLines(all, most, "f") {
			got = append(got, l.String())
		}
		if !slices.Equal(got, want) {
			t.Errorf("in %d lines %q, want %q", most, got, want)
		}
	}
	all[0].Advice = []budget.Advice{{Text: "wait for it.", Command: "kubectl get pods"}}
	var full []string
	for _, l := range findingsInFull(all, 60) {
		full = append(full, l.String())
	}
	for _, want := range []string{"· said elsewhere", "  would help: wait for it", "    kubectl get pods"} {
		if !slices.Contains(full, want) {
			t.Errorf("%q is missing in %q", want, full)
		}
	}
}

// Where a replacement fits nowhere, no green mark stands, however little room there is.
func TestNowhereHasNoGreenMark(t *testing.T) {
	p := plan.Pod{Action: plan.ActionEvict, Landing: &plan.Landing{Verdict: landing.Verdict{Answer: landing.DoesNotFit, Why: "0/3 nodes are available"}}}
	for width := range 30 {
		if l := landsCell(p, width); strings.Contains(l.String(), paint.Good) {
			t.Errorf("%d cells: %s", width, l)
		}
	}
}

// On the plan of one node the node that a pod fits on stays where there is room for it.
func TestLeastLands(t *testing.T) {
	for _, c := range []struct {
		room    int
		oneNode bool
		want    int
	}{{18, true, 18}, {17, true, 9}, {30, false, 9}} {
		if got := leastLands(18, c.room, c.oneNode); got != c.want {
			t.Errorf("%d cells in %d, want %d", got, c.room, c.want)
		}
	}
}
