package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/drain"
)

// A drain tells its command and keeps its metrics; what fails there changes nothing in it.
func TestDrainIsTold(t *testing.T) {
	dir := t.TempDir()
	told, metrics := filepath.Join(dir, "told"), filepath.Join(dir, "kdrain.prom")
	b := newBench(t, smallCluster())
	b.script(happyRun())
	b.expect(t, ExitDone, nil, append(drainWorker1, "--yes", "--notify", "cat >>'"+told+"'", "--metrics", metrics)...)
	text, err := os.ReadFile(told)
	if err != nil || !strings.HasSuffix(string(text), "}\n") || !strings.Contains(string(text), `"kind":"Ended"`) {
		t.Errorf("%v told\n%s", err, text)
	}
	shown, err := os.ReadFile(metrics)
	if err != nil || !strings.Contains(string(shown), `outcome="done"} 1`) {
		t.Errorf("%v metrics\n%s", err, shown)
	}
}

func TestWhatCannotBeToldIsSaid(t *testing.T) {
	b := newBench(t, smallCluster())
	run := happyRun()
	b.script(run)
	b.expect(t, ExitDone, []string{"Warning: a notification", "exit code 3"}, append(drainWorker1, "--yes", "--notify", "exit 3")...)
	for _, in := range run.sent {
		if _, is := in.(drain.Warned); is {
			return
		}
	}
	t.Errorf("sent %v", run.sent)
}

func TestWhereIsJudgedFirst(t *testing.T) {
	for _, bad := range [][]string{{"--notify=https://"}, {"--notify-blocked-after=-1s"}, {"--metrics=x"}, {"--metrics", filepath.Join(t.TempDir(), "no", "x.prom")}} {
		for _, command := range [][]string{drainWorker1, {"roll", "worker-1", "--work=true"}, {"retire", "worker-1"}} {
			b := newBench(t, smallCluster())
			b.expect(t, ExitUsage, []string{strings.SplitN(bad[0], "=", 2)[0]}, append(append(command[:len(command):len(command)], "--yes"), bad...)...)
		}
	}
}

// A command that cannot start is refused before the cluster is asked for anything.
func TestCommandsThatCannotStartAreRefusedFirst(t *testing.T) {
	const none = "nowhere-to-be-found {node}"
	for _, args := range [][]string{
		{"roll", "worker-1", "--work", none}, {"roll", "worker-1", "--work=true", "--before", none}, {"roll", "worker-1", "--work", "echo 'no end"},
		{"retire", "worker-1", "--delete-node", "--host-exec", none}, {"retire", "worker-1", "--host-exec", " "}, append(drainWorker1, "--notify", none),
		{"resume", "k7f3pm", "--host-exec", none},
	} {
		b := newBench(t, smallCluster())
		want := strings.SplitN(args[len(args)-2], "=", 2)[0]
		b.expect(t, ExitUsage, []string{want}, append(args[:len(args):len(args)], "--yes")...)
	}
}
