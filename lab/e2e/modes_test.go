//go:build e2e

package e2e

import (
	"os"
	"regexp"
	"slices"
	"strings"
)

// recorded is a sequence that a program writes to its terminal and that stays in force
// until another one of its kind: what tmux does not tell of itself, as bracketed paste.
var recorded = regexp.MustCompile("\x1b" + `(?:` +
	`\[\?([0-9;]+)([hl])` + // private modes
	`|\[([<=>])([0-9;]*)u` + // keyboard flags, pushed, set and popped
	`|\[>4;?([0-9]*)m` + // how modified keys are told
	`|\[([0-9]*) q` + // shape of the cursor
	`|\](12|112|9;4)(?:;([^\x07\x1b]*))?` + // colour of the cursor, progress in the task bar
	`|(=|>)` + // keypad
	`)`)

// modesLeft are the modes of a terminal that are not as a shell has them, after these bytes.
func modesLeft(written string) (left []string) {
	modes, pushed := map[string]bool{}, 0
	for _, m := range recorded.FindAllStringSubmatch(written, -1) {
		switch {
		case m[2] != "":
			for mode := range strings.SplitSeq(m[1], ";") {
				usual := mode == "25" || mode == "7" // the cursor is shown, lines wrap
				modes["?"+mode] = (m[2] == "h") != usual
			}
		case m[3] == ">":
			pushed++
		case m[3] == "<":
			pushed--
		case m[3] == "=":
			modes["keyboard flags"] = m[4] != "0" && !strings.HasPrefix(m[4], "0;")
		case m[7] == "12" || m[7] == "112":
			modes["colour of the cursor"] = m[7] == "12" && m[8] != "?"
		case m[7] == "9;4":
			modes["progress"] = !strings.HasPrefix(m[8], "0")
		case m[9] != "":
			modes["keypad"] = m[9] == "="
		case strings.HasSuffix(m[0], " q"):
			modes["shape of the cursor"] = m[6] != "" && m[6] != "0"
		case strings.HasSuffix(m[0], "m"):
			modes["modified keys"] = m[5] != "" && m[5] != "0"
		}
	}
	modes["pushed keyboard flags"] = pushed > 0
	for name, on := range modes {
		if on {
			left = append(left, name)
		}
	}
	return slices.Sorted(slices.Values(left))
}

// written is everything that was written to the terminal so far.
func (term *terminal) written() string {
	term.t.Helper()
	text, err := os.ReadFile(term.recording)
	if err != nil {
		term.t.Fatal(err)
	}
	return string(text)
}
