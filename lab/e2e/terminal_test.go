//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// glance is how often a screen is looked at.
const glance = 25 * time.Millisecond

var terminals atomic.Int64

// terminal is an operator's terminal: a shell in a tmux server of its own, and
// kdrain-tui in that shell.
type terminal struct {
	t         *testing.T
	socket    string
	pidFile   string
	recording string    // the file with all that was written to it
	asked     time.Time // when kdrain-tui was started
}

// screen is what a terminal shows at a moment.
type screen struct {
	lines []string
	at    time.Time
}

func (s screen) String() string { return strings.Join(s.lines, "\n") }

// shows tells whether the texts are there, each anywhere.
func (s screen) shows(texts ...string) bool { return firstMissing(s.String(), texts) == "" }

// line is the first line with all of the texts, "" if there is none.
func (s screen) line(texts ...string) string {
	for _, line := range s.lines {
		if firstMissing(line, texts) == "" {
			return line
		}
	}
	return ""
}

// shellStart makes a shell that keeps the terminal as it finds it, which one
// with line editing does not.
const shellStart = "set +o emacs +o vi\nPS1='at-home> '\n"

// open starts a terminal of that size, and in it kdrain-tui.
func (o *operator) open(width, height int, args ...string) *terminal {
	o.t.Helper()
	term := o.shell(width, height)
	o.file("go", "echo $$ >pid\nexec "+o.bin+" \"$@\"\n")
	term.asked = time.Now()
	term.enters("sh go " + strings.Join(args, " "))
	return term
}

// shell starts a terminal of that size with nothing but a shell in it.
func (o *operator) shell(width, height int) *terminal {
	o.t.Helper()
	name := fmt.Sprintf("kdrain-e2e-%d-%d", os.Getpid(), terminals.Add(1))
	term := &terminal{t: o.t, socket: name, pidFile: filepath.Join(o.home, "pid"), recording: o.file(name, "")}
	o.t.Cleanup(leftovers.add(func() { _ = exec.Command("tmux", "-L", term.socket, "kill-server").Run() }))
	cmd := exec.Command("tmux", "-L", term.socket, "-f", "/dev/null",
		"new-session", "-d", "-x", strconv.Itoa(width), "-y", strconv.Itoa(height), "sh")
	cmd.Env, cmd.Dir = append(o.environment(), "ENV="+o.file("shrc", shellStart)), o.home
	if output, err := cmd.CombinedOutput(); err != nil {
		o.t.Fatalf("start tmux: %v\n%s", err, output)
	}
	term.tmux("set", "-g", "status", "off")
	term.resize(width, height)
	term.tmux("pipe-pane", "cat >>'"+term.recording+"'")
	term.waitFor("at-home>")
	return term
}

// enters types a command, which ended is waited for by.
func (term *terminal) enters(line string) {
	term.t.Helper()
	term.typing(line + "; echo ended with $?")
	term.keys("Enter")
}

// answers waits for a question and types an answer.
func (term *terminal) answers(question, answer string) {
	term.t.Helper()
	term.waitFor(question)
	term.typing(answer)
	term.keys("Enter")
}

func (term *terminal) tmux(args ...string) string {
	term.t.Helper()
	output, err := exec.Command("tmux", append([]string{"-L", term.socket}, args...)...).CombinedOutput()
	if err != nil {
		term.t.Fatalf("tmux %s: %v\n%s", strings.Join(args, " "), err, output)
	}
	return strings.TrimRight(string(output), "\n")
}

// keys presses keys, by the names that tmux has for them.
func (term *terminal) keys(names ...string) {
	term.t.Helper()
	term.tmux(append([]string{"send-keys"}, names...)...)
}

// typing types a text as it is.
func (term *terminal) typing(text string) {
	term.t.Helper()
	term.tmux("send-keys", "-l", text)
}

func (term *terminal) resize(width, height int) {
	term.t.Helper()
	term.tmux("resize-window", "-x", strconv.Itoa(width), "-y", strconv.Itoa(height))
}

func (term *terminal) look() screen {
	term.t.Helper()
	return term.capture()
}

// capture is a look with the options that tmux has for it.
func (term *terminal) capture(options ...string) screen {
	term.t.Helper()
	return screen{lines: strings.Split(term.tmux(append([]string{"capture-pane", "-p"}, options...)...), "\n"), at: time.Now()}
}

// until waits for a screen.
func (term *terminal) until(patience time.Duration, what string, holds func(screen) bool) screen {
	term.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(glance) {
		s := term.look()
		if holds(s) {
			return s
		}
		if time.Now().After(deadline) {
			term.t.Fatalf("not within %s: %s\n%s", patience, what, framed(s))
		}
	}
}

// waitFor waits until all texts are on the screen.
func (term *terminal) waitFor(texts ...string) screen {
	term.t.Helper()
	return term.until(patience, fmt.Sprintf("a screen with %q", texts), func(s screen) bool { return s.shows(texts...) })
}

// waitGone waits until a text has left the screen.
func (term *terminal) waitGone(text string) screen {
	term.t.Helper()
	return term.until(patience, fmt.Sprintf("a screen without %q", text), func(s screen) bool { return !s.shows(text) })
}

// settled is the screen once it has not changed between two looks: one that is
// caught half drawn proves nothing.
func (term *terminal) settled() screen {
	term.t.Helper()
	before := ""
	return term.until(patience, "a screen that is drawn", func(s screen) bool {
		drawn := s.String() == before
		before = s.String()
		return drawn
	})
}

// stays watches that something holds for a while.
func (term *terminal) stays(while time.Duration, what string, holds func(screen) bool) {
	term.t.Helper()
	for end := time.Now().Add(while); time.Now().Before(end); time.Sleep(glance) {
		if holds(term.look()) {
			continue
		}
		if s := term.settled(); !holds(s) {
			term.t.Fatalf("%s does not stay\n%s", what, framed(s))
		}
	}
}

func framed(s screen) string {
	var b strings.Builder
	for _, line := range s.lines {
		b.WriteString("| " + line + "\n")
	}
	return b.String()
}

// kill sends a signal to kdrain-tui itself.
func (term *terminal) kill(s syscall.Signal) {
	term.t.Helper()
	text, err := os.ReadFile(term.pidFile)
	if err != nil {
		term.t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		term.t.Fatal(err)
	}
	if err := syscall.Kill(pid, s); err != nil {
		term.t.Fatalf("signal %s: %v\n%s", s, err, framed(term.look()))
	}
}

var endedWith = regexp.MustCompile(`(?m)ended with (\d+)\nat-home>`)

// ended waits until kdrain-tui has given the terminal back in order, and
// returns its exit code and what is on the normal screen then, long lines whole.
func (term *terminal) ended() (int, screen) {
	term.t.Helper()
	s := term.until(patience, "kdrain-tui ends and the shell is back", func(s screen) bool {
		return endedWith.MatchString(s.String())
	})
	code, err := strconv.Atoi(endedWith.FindStringSubmatch(s.String())[1])
	if err != nil {
		term.t.Fatal(err)
	}
	s = term.capture("-J")
	term.inOrder()
	return code, s
}

// inOrder asserts that the terminal is as a shell needs it.
func (term *terminal) inOrder() {
	term.t.Helper()
	modes := "alternate_on=#{alternate_on} cursor_flag=#{cursor_flag} mouse_any_flag=#{mouse_any_flag} keypad_flag=#{keypad_flag} keypad_cursor_flag=#{keypad_cursor_flag}"
	const want = "alternate_on=0 cursor_flag=1 mouse_any_flag=0 keypad_flag=0 keypad_cursor_flag=0"
	if got := term.tmux("display-message", "-p", modes); got != want {
		term.t.Errorf("the terminal is left as %s\n%s", got, framed(term.look()))
	}
	output, err := exec.Command("stty", "-F", term.tmux("display-message", "-p", "#{pane_tty}"), "-a").CombinedOutput()
	if err != nil {
		term.t.Fatalf("stty: %v\n%s", err, output)
	}
	set := " " + strings.Join(strings.Fields(string(output)), " ") + " "
	for _, mode := range []string{"echo", "icanon", "isig", "icrnl", "opost"} {
		if !strings.Contains(set, " "+mode+" ") {
			term.t.Errorf("the terminal is left without %s:%s", mode, set)
		}
	}
	// And what is typed now arrives, and arrives once.
	term.typing("echo back-$((40+2))")
	term.keys("Enter")
	term.waitFor("back-42")
	eventually(term.t, patience, "all that was written is recorded", func() bool { return strings.Contains(term.written(), "back-42") })
	written := term.written()
	if left := modesLeft(written); len(left) > 0 {
		term.t.Errorf("the terminal is left with %v", left)
	}
	if dashboard := !term.asked.IsZero(); dashboard && firstMissing(written, []string{"\x1b[?1049h", "\x1b[?2004h"}) != "" {
		term.t.Error("no dashboard is in the record of the terminal: it proves nothing")
	}
}
