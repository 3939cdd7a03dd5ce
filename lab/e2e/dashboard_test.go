//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// toEvictionOf goes from the nodes page to the question that is the last before
// the first eviction, and returns the words of the plan on the way.
func (term *terminal) toEvictionOf(node string) {
	term.t.Helper()
	term.choose(node)
	term.keys("Space")
	term.waitFor("✓ "+node, "1 marked")
	term.keys("D")
	const offered, accepted = "a accepts them", "options: --ignore-daemonsets --delete-emptydir-data"
	plan := term.until(patience, "a plan that is refused or has its flags", func(s screen) bool {
		return s.shows("Plan  "+node, "still valid") && (s.shows(offered) || s.shows(accepted))
	})
	if plan.shows(offered) {
		term.keys("a")
	}
	term.waitFor(accepted, "D continue to cordon") // which needs the rights to be known
	term.keys("D")
	term.waitFor("Cordon "+node+" and continue?", "[ n  Cancel ]")
	term.keys("y")
	term.waitFor("pods from "+node+"?", "type "+node+" and press Enter", "esc  Cancel")
}

// rowName is the first word of a row, without the cursor and the mark or turn before it.
func rowName(line string) string {
	if fields := strings.Fields(strings.TrimLeft(line, "▌✓0123456789 ")); len(fields) > 0 {
		return fields[0]
	}
	return ""
}

// wayTo is the row that the cursor is on, "" where none is drawn, and the key that
// brings it nearer to the row that begins so, "" where it is there.
func (s screen) wayTo(begins string) (from, key string) {
	at := slices.IndexFunc(s.lines, func(line string) bool { return strings.HasPrefix(line, "▌") })
	switch {
	case at < 0:
		return "", ""
	case rowName(s.lines[at]) == begins:
		return begins, ""
	case slices.ContainsFunc(s.lines[:at], func(line string) bool { return rowName(line) == begins }):
		return rowName(s.lines[at]), "k"
	}
	return rowName(s.lines[at]), "j"
}

// choose moves the cursor to the row that begins so, a key at a time: what each did
// is seen before the next, as a key that comes late would move the cursor on from
// its row. Rows change places meanwhile, so each step looks again where to go.
func (term *terminal) choose(begins string) {
	term.t.Helper()
	const enough = 100 // keys
	for range enough {
		from, key := "", ""
		term.until(patience, "a cursor", func(s screen) bool {
			from, key = s.wayTo(begins)
			return from != ""
		})
		if key == "" {
			return
		}
		term.keys(key)
		term.until(patience, "the cursor leaves "+from+" for "+begins, func(s screen) bool {
			now, way := s.wayTo(begins)
			return now != "" && (now != from || way != key)
		})
	}
	term.t.Fatalf("no row %s to choose\n%s", begins, framed(term.look()))
}

// blockedLines are the lines about the pods of a namespace that wait for their
// budget.
func blockedLines(s screen, namespace string) []string {
	var found []string
	for _, line := range s.lines {
		if isBlocked(line) && strings.Contains(line, namespace) {
			found = append(found, line)
		}
	}
	return found
}

// isBlocked reports whether a line is that of a blocked pod, whether it will go by itself or never.
func isBlocked(line string) bool {
	return strings.Contains(line, "‖ blocked") || strings.Contains(line, "✖ blocked")
}

// The main job on the smallest screen that is fully served: choose a node, look
// at the plan, confirm twice, and see at once who is held up, by what and why.
func TestDrainFromTheDashboard(t *testing.T) {
	world := ownWorld(t)
	operator := world.operator(t)
	sick := world.sickCart(t)
	term := operator.open(80, 24)
	opened := term.waitFor("● live · 13 nodes", "control-1", "worker-a1", "worker-a4", "worker-b1", "worker-c4", "? help")
	t.Logf("all 13 nodes are shown after %s", opened.at.Sub(term.asked).Round(time.Millisecond))

	term.toEvictionOf("worker-a2")
	term.typing("worker-a3")
	term.keys("Enter")
	term.waitFor("nothing was done")
	term.stays(time.Second, "the question", func(s screen) bool { return s.shows("> worker-a3") })
	if n := len(world.podsOn(t, "worker-a2")); n != 13 || !world.node(t, "worker-a2").Spec.Unschedulable {
		t.Errorf("before the confirmation %d pods of 13 are left, and the node is to be cordoned", n)
	}

	term.keys("C-u")
	term.typing("worker-a2")
	term.keys("Enter")
	says := []string{"cart needs 3, has 3", shortName(sick), "worker-b1", "CrashLoopBackOff"}
	blocked := term.until(patience, fmt.Sprintf("two blocked pods below a line with %q", says), func(s screen) bool {
		cause := slices.IndexFunc(s.lines, func(l string) bool { return firstMissing(l, says) == "" })
		return cause >= 0 && len(blockedLines(s, "check")) == 2
	})
	t.Log("\n" + framed(blocked))
	term.waitFor("8 of 10 · 2 blocked")
	world.healCart(t)
	healed := time.Now()
	result := term.until(patience, "the run goes on by itself and ends", func(s screen) bool { return s.shows("✔ Drained worker-a2") })
	t.Logf("the run was over %s after its cause was gone", result.at.Sub(healed).Round(time.Millisecond))
	term.stays(time.Second, "the result", func(s screen) bool { return s.shows("✔ Drained worker-a2", "10 of 10 pods gone") })

	term.keys("q")
	if _, normal := operator.leaves(term, 0); !normal.shows("✔ Drained worker-a2", "10 of 10 pods gone", "evictions") {
		t.Errorf("on the normal screen\n%s", framed(normal))
	}
	world.onlyDaemonsLeft(t, "worker-a2")
	t.Logf("the blocked pods' lines say all there is to say after %s", blocked.at.Sub(firstBlock(t, operator)).Round(time.Millisecond))
}

// firstBlock is when the engine first knew that a pod has to wait for its
// budget, by its journal.
func firstBlock(t *testing.T, o *operator) time.Time {
	t.Helper()
	for _, path := range o.journals() {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if e := decode[event](t, line); e.PodState == "BudgetBlocked" && e.Namespace == "checkout" {
				return e.Time
			}
		}
	}
	t.Fatal("no journal tells of a blocked pod")
	return time.Time{}
}

// Looking around changes nothing: marks, filter, order, help, sizes.
func TestLookingAround(t *testing.T) {
	world := sharedWorld(t)
	before := world.versions(t)
	term := world.operator(t).open(120, 40, "worker-c2")
	term.waitFor("● live · 13 nodes", "✓ worker-c2", "1 marked")

	// While a filter is typed, keys are letters.
	term.keys("/")
	term.typing("WORKER-B")
	filtered := term.until(patience, "only the nodes of zone b", func(s screen) bool {
		return s.shows("worker-b1 ", "worker-b2 ", "worker-b3 ", "worker-b4 ") && s.line(" worker-a1 ") == "" && s.line("control-1 ") == ""
	})
	if n := strings.Count(filtered.String(), "Ready"); n < 4 {
		t.Errorf("%d nodes of four are left\n%s", n, framed(filtered))
	}
	term.keys("C-u")
	term.typing("DCq")
	term.waitFor("DCq")
	term.keys("Escape")
	term.waitFor("control-1 ", "worker-c4 ", "✓ worker-c2")

	// By pods, most first.
	for range 4 {
		term.keys(">")
	}
	term.waitFor("sorted by pods, the largest first")
	term.until(patience, "worker-a1, which has most pods, comes first", func(s screen) bool {
		first := slices.IndexFunc(s.lines, func(line string) bool { return strings.Contains(line, " worker-") })
		return first > 0 && strings.Contains(s.lines[first], " worker-a1 ") && !strings.Contains(s.lines[first-1], "control-1 ")
	})

	term.choose("worker-c3")
	term.until(patience, "who cordoned worker-c3", func(s screen) bool { return s.line("kubectl") != "" })
	term.keys("?")
	term.waitFor("Keys", "show what a drain of the marked nodes")
	term.keys("Escape")
	term.waitFor("● live")

	for _, size := range []struct{ width, height int }{{200, 50}, {60, 12}, {80, 24}, {61, 13}, {120, 40}} {
		term.resize(size.width, size.height)
		term.until(patience, fmt.Sprintf("a screen of %dx%d", size.width, size.height), func(s screen) bool {
			return len(s.lines) == size.height && strings.Contains(s.lines[0], "kdrain") && s.shows("worker-c3", "? help")
		})
	}
	term.resize(40, 8)
	term.waitFor("at least 60 x 12")
	term.resize(120, 40)
	term.waitFor("● live", "? help", "✓ worker-c2")
	term.keys("q")
	if code, _ := term.ended(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	world.unchanged(t, before)
}

// Without colour, or on a terminal of few characters, all words are still there.
func TestWithoutColour(t *testing.T) {
	world := sharedWorld(t)
	operator := world.operator(t)
	operator.env = []string{"NO_COLOR=1"}
	term := operator.open(80, 24, with("--ascii")...)
	page := term.waitFor("live", "13 nodes", "Cordoned", "Not ready", "2 wait - 8 move")
	for _, line := range page.lines {
		for _, r := range line {
			if r > 0x7e {
				t.Errorf("--ascii shows %q in %q", r, line)
				break
			}
		}
	}
	styled := term.tmux("capture-pane", "-p", "-e")
	for _, style := range regexp.MustCompile(`\x1b\[([0-9;]*)m`).FindAllStringSubmatch(styled, -1) {
		for code := range strings.SplitSeq(style[1], ";") {
			// 39 and 49 are the terminal's own colours.
			if n, _ := strconv.Atoi(code); n >= 30 && n <= 48 && n != 39 || n >= 90 && n <= 107 {
				t.Fatalf("there is colour %d despite NO_COLOR:\n%q", n, styled)
			}
		}
	}
	term.keys("q")
	term.ended()
}
