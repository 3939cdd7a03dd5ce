package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	rules "github.com/kdrain-tui/kdrain-tui/drain/roll"
)

// A command line that is wrong is refused before anything connects.
func TestRollIsRefused(t *testing.T) {
	for args, says := range map[string]string{
		"roll a --yes":                              "add --work=COMMAND",
		"roll a --work=x":                           "there is no terminal to ask on",
		"roll a --yes --work=x --batch=0":           "--batch=0: must be 1 or more",
		"roll a --yes --work=x --max-failed=-1":     "--max-failed=-1: must be 0 or more",
		"roll a --yes --work=x --window=22-4":       `--window="22-4"`,
		"roll a --yes --rerun-work":                 "--rerun-work needs --work or --before",
		"roll a --yes --work=x --return-timeout":    "flag needs an argument",
		"roll a --yes --work=x --pause-between=-1s": "must not be negative",
		"roll a --yes --work=x -o yaml":             "text or json",
		"roll a --yes --work=x --read-only":         "--read-only forbids a drain",
	} {
		b := newBench(t, smallCluster())
		b.expect(t, ExitUsage, []string{"error: ", says}, strings.Fields(args)...)
		if len(b.opened) > 0 || b.out.Len() > 0 {
			t.Errorf("%s: connected %d times, and on standard output %q", args, len(b.opened), b.out)
		}
	}
}

// rollLines are what `roll -o json` printed: its last line is the report.
func rollLines(t *testing.T, b *bench) (schemas []string, report rules.Report) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(b.out.String()), "\n")
	for _, line := range lines {
		var of struct{ Schema string }
		if err := json.Unmarshal([]byte(line), &of); err != nil {
			t.Fatalf("no JSON: %v\n%s", err, line)
		}
		schemas = append(schemas, of.Schema)
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &report); err != nil {
		t.Fatal(err)
	}
	return schemas, report
}

// A roll prints a line for each event and the report last; what its command printed is among them. A command that
// fails is exit code 4, and its node is named.
func TestRoll(t *testing.T) {
	for work, want := range map[string]struct {
		code    int
		outcome drain.Outcome
		state   rules.NodeState
		says    string
	}{
		"echo hello $NODE":         {ExitDone, drain.OutcomeDone, rules.Done, ""},
		"echo hello $NODE; exit 7": {ExitPartly, drain.OutcomePartly, rules.Failed, "exit code 7"},
	} {
		s := retiringServer(t)
		b, code := s.runOn(t, "roll", "node", "--yes", "--force", "-o", "json", "--work", work)
		if code != want.code {
			t.Fatalf("%s: exit code %d\n%s", work, code, b.err)
		}
		schemas, report := rollLines(t, b)
		if schemas[0] != rules.Schema || schemas[len(schemas)-1] != "kdrain-tui/roll-report/v1" {
			t.Errorf("%s: schemas %q", work, schemas)
		}
		if report.Outcome != want.outcome || len(report.Nodes) != 1 || report.Nodes[0].State != want.state ||
			!strings.Contains(report.Nodes[0].Message, want.says) || report.Batches[0].Run != report.Roll+"-1" {
			t.Errorf("%s: %+v", work, report)
		}
		if !strings.Contains(b.out.String(), `"text":"hello node"`) {
			t.Errorf("%s: the output of the command is missing\n%s", work, b.out)
		}
		b.out.Reset()
		b.expect(t, ExitDone, nil, "runs", "-o", "json")
		if !strings.Contains(b.out.String(), `"roll": true`) {
			t.Errorf("runs does not tell that it was a roll:\n%s", b.out)
		}
		b.expect(t, ExitError, []string{"there is nothing to resume"}, "resume", report.Roll, "--yes", "--server="+s.URL)
		b.expect(t, ExitError, []string{"there is nothing to steer"}, "ctl", report.Roll, "pause")
	}
}

// writing calls a function with each text that is written.
type writing struct {
	io.Writer
	seen func(text string)
}

func (w writing) Write(text []byte) (int, error) {
	w.seen(string(text))
	return w.Writer.Write(text)
}

// Somebody moves the folder of the journals away, and back when the roll has said so: it goes on.
func TestARollWhoseJournalIsGone(t *testing.T) {
	s := retiringServer(t)
	b := s.connected(t)
	said := filepath.Join(t.TempDir(), "said")
	b.Err = writing{b.err, func(text string) {
		if strings.Contains(text, "begins nothing new until its journal can be written") && strings.Contains(text, "somebody has removed it") {
			if err := os.WriteFile(said, nil, 0o600); err != nil {
				t.Error(err)
			}
		}
	}}
	work := fmt.Sprintf("cd '%s' && mv runs away && until [ -e '%s' ]; do echo still; sleep 0.05; done; mv away runs", b.StateDir, said)
	code := b.run("roll", "node", "--yes", "--force", "--server="+s.URL, "--work", work)
	if code != ExitDone || !strings.Contains(b.err.String(), "the journal of the roll can be written again") {
		t.Errorf("exit code %d\n%s", code, b.err)
	}
}

// A journal of a roll that was restored from a copy may not have the last batch: its run has a journal of its own.
func TestRollbackOfARollWhoseJournalLostItsEnd(t *testing.T) {
	s := retiringServer(t)
	b, code := s.runOn(t, "roll", "node", "--yes", "--force", "-o", "json", "--work", "exit 1")
	if code != ExitPartly {
		t.Fatalf("exit code %d\n%s", code, b.err)
	}
	_, report := rollLines(t, b)
	path := journal.RollPath(b.StateDir, report.Roll)
	lines, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, _, found := bytes.Cut(lines, []byte(`"DrainStarted"`))
	if !found {
		t.Fatalf("no batch in %s", lines)
	}
	if err := os.WriteFile(path, before[:bytes.LastIndexByte(before, '\n')+1], 0o600); err != nil {
		t.Fatal(err)
	}
	b.expect(t, ExitDone, []string{"to undo for run " + report.Roll + "-1"}, "rollback", report.Roll,
		"--yes", "--server="+s.URL)
}

// A closed terminal suspends the roll once its command has ended, and says so.
func TestARollWhoseTerminalIsClosed(t *testing.T) {
	s := retiringServer(t)
	b, signals := s.connected(t), make(chan os.Signal, 1)
	b.Signals = signals
	said := filepath.Join(t.TempDir(), "said")
	b.Out = writing{b.out, func(text string) {
		switch {
		case strings.HasSuffix(text, "at work\n"):
			signals <- syscall.SIGHUP
		case strings.Contains(text, "the terminal was closed: nothing more begins, the roll can be resumed"):
			if err := os.WriteFile(said, nil, 0o600); err != nil {
				t.Error(err)
			}
		}
	}}
	b.Err = b.Out
	work := fmt.Sprintf("echo at work; until [ -e '%s' ]; do sleep 0.05; done", said)
	code := b.run("roll", "node", "--yes", "--force", "--server="+s.URL, "--work", work)
	text := b.out.String()
	if code != 128+int(syscall.SIGHUP) || !strings.Contains(text, "is suspended, not ended: kdrain-tui") || strings.Contains(text, "is ended") {
		t.Errorf("exit code %d, said:\n%s", code, text)
	}
}

// Without the right to count the pods of workloads the gate would be blind: nothing begins.
func TestRollWithoutTheRights(t *testing.T) {
	s := retiringServer(t)
	s.denied = []string{"list", "replicasets"}
	b, code := s.runOn(t, "roll", "node", "--yes", "--force", "--work=true")
	if code != ExitPermission || !strings.Contains(b.err.String(), "replicasets") || s.sent("PATCH", "/nodes/node") > 0 {
		t.Errorf("exit code %d\n%s", code, b.err)
	}
}

// replay shows a roll on the dashboard, with no cluster; watch is for a live one.
func TestReplayOfARoll(t *testing.T) {
	b := newBench(t, nil)
	written, err := journal.CreateRoll(b.StateDir, "x4wz")
	if err != nil {
		t.Fatal(err)
	}
	facts := &rules.Facts{Run: drain.RunFacts{ID: "x4wz"}, Batches: []rules.Batch{{Nodes: []string{"w1"}}}}
	if err := written.Append([]rules.Event{{Seq: 1, Time: noon, Kind: rules.EventRollStarted, Roll: facts}}, false); err != nil {
		t.Fatal(err)
	}
	if err := written.Close(); err != nil {
		t.Fatal(err)
	}
	b.Terminal = Terminal{In: true, Out: true}
	shown := false
	b.Dashboard = func(_ context.Context, r DashboardRequest) (DashboardEnd, error) {
		shown = r.ReplayRoll != nil && r.ReadOnly && r.Session == nil && r.ReplayRoll.State().Facts.Run.ID == "x4wz"
		return DashboardEnd{}, nil
	}
	b.expect(t, ExitDone, nil, "replay", "x4wz", "--speed=0")
	if !shown || len(b.opened) > 0 {
		t.Errorf("shown: %t, opened %d", shown, len(b.opened))
	}
	b.expect(t, ExitError, []string{"roll x4wz is not live", "resume x4wz"}, "watch", "x4wz")
}

// On a terminal a roll whose process died goes on on the dashboard, in this process.
func TestARollIsResumedOnTheDashboard(t *testing.T) {
	s := retiringServer(t)
	b, code := s.runOn(t, "roll", "node", "--yes", "--force", "-o", "json", "--work=true")
	if code != ExitDone {
		t.Fatalf("exit code %d\n%s", code, b.err)
	}
	_, report := rollLines(t, b)
	path := journal.RollPath(b.StateDir, report.Roll)
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	end := strings.LastIndex(strings.TrimSpace(string(written)), "\n") + 1 // as if it had died right before
	if err := os.WriteFile(path, written[:end], 0o600); err != nil {
		t.Fatal(err)
	}
	b.Terminal = Terminal{In: true, Out: true, Err: true}
	b.Dashboard = func(_ context.Context, r DashboardRequest) (DashboardEnd, error) {
		if _, foreign := r.AttachRoll.(live.ForeignRoll); foreign || r.Session == nil || r.Attach != nil {
			t.Errorf("shown %+v", r)
		}
		<-r.AttachRoll.Done()
		return DashboardEnd{Roll: r.AttachRoll}, nil
	}
	b.expect(t, ExitDone, nil, "resume", report.Roll, "--server="+s.URL)
	if now, err := os.ReadFile(path); err != nil || !strings.Contains(string(now[end:]), `"Resumed"`) || !strings.Contains(string(now[end:]), `"RollEnded"`) {
		t.Errorf("%v\n%s", err, now[end:])
	}
	b.expect(t, ExitError, []string{"there is nothing to resume"}, "resume", report.Roll, "--headless", "--server="+s.URL)
}
