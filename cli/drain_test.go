package cli

import (
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/report"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
)

var drainWorker1 = []string{"drain", "worker-1", "--ignore-daemonsets"}

func TestDrainInAPipe(t *testing.T) {
	b := newBench(t, smallCluster())
	run := happyRun()
	b.script(run)
	b.expect(t, ExitDone, nil, append(drainWorker1, "--yes")...)
	golden(t, "drain.out.txt", b.out.String())
	runID := regexp.MustCompile(`(run|ctl) [a-z0-9]{6}\b`)
	golden(t, "drain.err.txt", runID.ReplaceAllString(b.err.String(), "$1 RUN"))
	if len(run.sent) != 2 {
		t.Errorf("--yes sent %v", run.sent)
	}
}

func TestDrainJSON(t *testing.T) {
	b := newBench(t, smallCluster())
	b.script(happyRun())
	b.expect(t, ExitDone, nil, append(drainWorker1, "--yes", "-o", "json")...)
	lines := strings.Split(strings.TrimSpace(b.out.String()), "\n")
	for i, line := range lines {
		var object struct {
			Schema  string
			Seq     int
			Kind    string
			Outcome string
			Nodes   []any
		}
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			t.Fatalf("line %d is not JSON: %v\n%s", i, err, line)
		}
		last := i == len(lines)-1
		switch {
		case last && (object.Schema != report.Schema || object.Outcome != "done" || len(object.Nodes) != 1):
			t.Errorf("the last line is not the report: %s", line)
		case !last && (object.Schema != drain.EventSchema || object.Seq != i+1 || object.Kind == ""):
			t.Errorf("line %d is not event %d: %s", i, i+1, line)
		}
	}
}

func TestDrainOnATerminal(t *testing.T) {
	b := newBench(t, smallCluster())
	b.Terminal.Out = true
	b.types("y\nworker-2\nworker-1\n")
	b.script(happyRun())
	b.expect(t, ExitDone, []string{
		"Plan for worker-1", "Cordon worker-1? [y/N] ",
		"Evict 2 pods from worker-1? Type worker-1 to continue: ", "That does not match.",
	}, drainWorker1...)
	if !strings.Contains(b.out.String(), "  0:00  node/worker-1 drained\n") {
		t.Errorf("output:\n%s", b.out)
	}
	if strings.Contains(b.out.String(), "Cordon worker-1?") {
		t.Error("prompts belong to standard error")
	}
}

// Whatever is not the confirmation confirms nothing.
func TestDrainNotConfirmed(t *testing.T) {
	for typed, sent := range map[string]int{"n\n": 0, "\n": 0, "": 0, "yo\n": 0, "y\nno\n": 1, "y\n\n": 1, "y\n": 1, "y\ny\n": 1} {
		b := newBench(t, smallCluster())
		b.types(typed)
		run := happyRun()
		b.script(run)
		b.expect(t, ExitAborted, []string{"not confirmed", "There are pending nodes to be drained:\n worker-1\n"}, drainWorker1...)
		confirms := 0
		for _, in := range run.sent {
			if _, ok := in.(drain.Confirm); ok {
				confirms++
			}
		}
		if confirms != sent {
			t.Errorf("%q sent %v", typed, run.sent)
		}
	}
}

// --yes is no word for a question that this program does not know.
func TestYesConfirmsOnlyWhatItSays(t *testing.T) {
	b := newBench(t, smallCluster())
	run := happyRun()
	run.batches[0] = asks("retire", "")
	b.script(run)
	b.expect(t, ExitAborted, []string{"there is no terminal to confirm the phase retire"}, append(drainWorker1, "--yes")...)
}

// --surge asks for the surge by name, so --yes is enough for it.
func TestYesConfirmsASurge(t *testing.T) {
	b := newBench(t, smallCluster())
	run := happyRun()
	run.batches[1] = append(run.batches[1], asks(drain.PhaseSurge, "surge 1 workload")...)
	b.script(run)
	b.expect(t, ExitDone, nil, append(drainWorker1, "--yes")...)
	said := slices.ContainsFunc(run.sent, func(in drain.Input) bool {
		c, is := in.(drain.Confirm)
		return is && c.Phase == drain.PhaseSurge && c.Word == "surge 1 workload"
	})
	if !said {
		t.Errorf("sent %v", run.sent)
	}
}

func TestSignalAbortsTheRun(t *testing.T) {
	left := "node/worker-1 is left cordoned by this run, 2 of 2 pods still on it; to undo: kdrain-tui --context=prod uncordon worker-1"
	t.Run("still cordoned", func(t *testing.T) { signalAborts(t, smallClusterWith(true), left) })
	t.Run("uncordoned meanwhile", func(t *testing.T) {
		signalAborts(t, smallClusterWith(false), "node/worker-1 is schedulable again, 2 of 2 pods still on it")
	})
}

func signalAborts(t *testing.T, cluster *kube.Snapshot, left string) {
	b := newBench(t, cluster)
	run := happyRun()
	run.batches[2] = run.batches[2][:5] // web-1 is blocked, and stays so
	run.onPlay = func(batch int) {
		if batch == 2 {
			b.signals <- syscall.SIGTERM
		}
	}
	b.script(run)
	b.expect(t, 128+15, []string{
		"interrupted by SIGTERM: nothing more is sent",
		"There are pending pods in node \"worker-1\":\npod/api-1 -n shop (ending)\n" +
			"pod/web-1 -n shop (blocked: budget web needs 1, has 1: web-2 on worker-2: ImagePullBackOff)\n",
		left,
		"the journal of this run: ",
	}, append(drainWorker1, "--yes")...)
}

// A run that its operator suspends by ctl ends its process with a code of its own, and
// asks no question meanwhile.
func TestDrainThatIsSuspended(t *testing.T) {
	b := newBench(t, smallCluster())
	run := happyRun()
	run.onPlay = func(batch int) {
		if batch == 1 { // while it asks for the evictions
			run.Send(drain.Command{Kind: drain.CommandSuspend, By: "ada"})
		}
	}
	b.script(run)
	b.expect(t, ExitAborted, []string{"is suspended, not ended: kdrain-tui", "resume"}, "drain", "worker-1", "--ignore-daemonsets", "--yes")
}

func TestSecondSignalEndsAtOnce(t *testing.T) {
	b := newBench(t, smallCluster())
	run := happyRun()
	last := run.aborted
	run.aborted = nil // the answers that are out do not come
	run.batches[2] = run.batches[2][:5]
	b.Exit = func(code int) {
		b.exits = append(b.exits, code)
		run.play(last) // ends the test; the real Exit does not return
	}
	run.onPlay = func(batch int) {
		switch batch {
		case 2:
			b.signals <- syscall.SIGINT
		case 3:
			b.signals <- syscall.SIGINT
		}
	}
	b.script(run)
	b.expect(t, 128+2, nil, append(drainWorker1, "--yes")...)
	if len(b.exits) != 1 || b.exits[0] != 130 {
		t.Errorf("exits %v", b.exits)
	}
}

// A prompt does not keep a signal from being heard.
func TestSignalWhileAsking(t *testing.T) {
	b := newBench(t, smallCluster())
	reader, writer := io.Pipe()
	defer writer.Close()
	b.Terminal, b.In = Terminal{In: true, Err: true}, reader
	run := happyRun()
	run.onPlay = func(batch int) {
		if batch == 0 {
			b.signals <- syscall.SIGINT
		}
	}
	b.script(run)
	b.expect(t, 130, []string{"interrupted by SIGINT"}, drainWorker1...)
}

func TestDrainExitCodes(t *testing.T) {
	for outcome, code := range map[drain.Outcome]int{
		drain.OutcomeDone: 0, drain.OutcomeFailed: 1, drain.OutcomeRefused: 3, drain.OutcomePartly: 4, drain.OutcomeAborted: 6,
	} {
		b := newBench(t, smallCluster())
		b.script(&scripted{batches: [][]drain.Event{{ended(outcome)}}})
		b.expect(t, code, nil, append(drainWorker1, "--yes")...)
	}
}

func TestFailedPod(t *testing.T) {
	b := newBench(t, smallCluster())
	b.script(&scripted{batches: [][]drain.Event{asks(drain.PhaseCordon, ""), cordoned(), {
		nodeEvent(drain.NodeDraining, ""),
		write(drain.EventIntent, attempt.VerbEvict, "api-1", 0), write(drain.EventAnswer, attempt.VerbEvict, "api-1", 403),
		podEvent("api-1", eviction.Failed, nil, "forbidden"),
		nodeEvent(drain.NodeFailed, "1 pod failed"), ended(drain.OutcomePartly),
	}}})
	b.expect(t, ExitPartly, []string{
		"error: pod shop/api-1: forbidden\n",
		`error: unable to drain node "worker-1" due to error: [1 pod failed, shop/api-1: forbidden], continuing command...`,
	}, append(drainWorker1, "--yes")...)
	if !strings.Contains(b.out.String(), "pod/api-1 eviction failed\n") {
		t.Errorf("output:\n%s", b.out)
	}
}

func TestDeletedPods(t *testing.T) {
	b := newBench(t, smallCluster())
	b.script(&scripted{batches: [][]drain.Event{asks(drain.PhaseCordon, ""), cordoned(), {
		write(drain.EventIntent, attempt.VerbDelete, "api-1", 0), write(drain.EventAnswer, attempt.VerbDelete, "api-1", 200),
		podEvent("api-1", eviction.Gone, nil, ""), nodeEvent(drain.NodeDrained, ""), ended(drain.OutcomeDone),
	}}})
	b.run(append(drainWorker1, "--yes", "--disable-eviction")...)
	if want := "deleting pod shop/api-1\npod/api-1 deleted\n"; !strings.Contains(b.out.String(), want) {
		t.Errorf("lacks %q:\n%s", want, b.out)
	}
}

// A refused node is named with kubectl's words before anything is sent.
func TestRefusedNodeIsExplained(t *testing.T) {
	b := newBench(t, smallCluster())
	b.script(&scripted{batches: [][]drain.Event{{ended(drain.OutcomeRefused)}}})
	b.expect(t, ExitRefused, []string{
		`error: unable to drain node "worker-2" due to error: cannot delete Pods that declare no controller (use --force to override): shop/bare, continuing command...`,
		"node/worker-2 was left untouched",
	}, "drain", "worker-2", "--yes")
}

// A journal that cannot be written pauses the run; where ctl cannot reach it,
// nobody is there to let it go on.
func TestRunThatPausedItself(t *testing.T) {
	b := newBench(t, smallCluster())
	run := happyRun()
	run.batches[0] = []drain.Event{{Kind: drain.EventJournal, Message: "no space left"},
		{Kind: drain.EventControl, Command: drain.CommandPause, Message: "no space left"}}
	b.script(run)
	b.expect(t, ExitAborted, []string{"the run stopped itself: no space left"}, append(drainWorker1, "--yes")...)
}

func TestDrainNeedsItsRules(t *testing.T) {
	for _, test := range []struct{ flags, denied string }{
		{"", "create pods/eviction"},
		{"--disable-eviction", "delete pods"},
		{"--force-after=5m", "delete pods"}, {"--max-evict-retries=3", "delete pods"},
		{"", "get daemonsets.apps"}, {"", "get nodes"}, {"", "list pods"},
		{"--dry-run=client", "list pods"}, {"--dry-run=server", "patch nodes"},
	} {
		b := newBench(t, smallCluster())
		b.denied = []string{test.denied}
		args := append([]string{"drain", "worker-1", "--yes"}, strings.Fields(test.flags)...)
		b.expect(t, ExitPermission, []string{"ada may not " + test.denied}, args...)
		if b.writer.writes() > 0 {
			t.Error("a write before the access was known")
		}
	}
	b := newBench(t, smallCluster())
	b.denied = []string{"patch nodes", "create pods/eviction", "delete pods"}
	b.expect(t, ExitDone, nil, append(drainWorker1, "--dry-run=client")...)
}

func TestNoNodeMatches(t *testing.T) {
	b := newBench(t, smallCluster())
	b.expect(t, ExitDone, []string{"no node matches"}, "drain", "-l", "pool=red", "--yes", "-o", "json")
	if !strings.Contains(b.out.String(), `"outcome":"done"`) || !strings.Contains(b.out.String(), `"nodes":[]`) {
		t.Errorf("output:\n%s", b.out)
	}
}

// A plan without a node is not a drain that would go through.
func TestNoNodeToPlan(t *testing.T) {
	b := newBench(t, smallCluster())
	b.expect(t, ExitDone, nil, "plan", "-l", "pool=red")
	if b.out.String() != "no node matches; nothing to do"+"\n" {
		t.Errorf("output:\n%s", b.out)
	}
}

// timeout(1) signals the process and then its group: that is one SIGTERM, not
// the second one that ends the program at once.
func TestSignalTwiceAtATime(t *testing.T) {
	b := newBench(t, smallCluster())
	run := happyRun()
	run.batches[2] = run.batches[2][:5]
	run.onPlay = func(batch int) {
		if batch == 2 {
			b.signals <- syscall.SIGTERM
			b.signals <- syscall.SIGTERM
		}
	}
	b.script(run)
	b.expect(t, 128+15, []string{"interrupted by SIGTERM: nothing more is sent", "the journal of this run: "}, append(drainWorker1, "--yes")...)
	if len(b.exits) > 0 {
		t.Errorf("ended at once: %v", b.exits)
	}
}

// stuckOutput takes nothing more from the moment that nobody reads it, until the run
// has ended.
type stuckOutput struct {
	stuck atomic.Bool
	until chan struct{}
}

func (o *stuckOutput) Write(p []byte) (int, error) {
	if o.stuck.Load() {
		<-o.until
	}
	return len(p), nil
}

// The first signal ends the run although nobody reads its output, as in
// "drain | less".
func TestSignalWhileOutputIsNotRead(t *testing.T) {
	b := newBench(t, smallCluster())
	run := happyRun()
	run.batches[2] = run.batches[2][:5]
	out := &stuckOutput{}
	b.Out, b.Err = out, out
	run.onPlay = func(batch int) {
		if batch == 2 {
			out.stuck.Store(true)
			b.signals <- syscall.SIGINT
		}
	}
	b.script(run)
	out.until = run.done
	b.expect(t, 130, nil, append(drainWorker1, "--yes")...)
}

func TestSignalBeforeTheRun(t *testing.T) {
	b := newBench(t, notSynced())
	b.signals <- syscall.SIGINT
	b.expect(t, 130, []string{"ended by SIGINT"}, append(drainWorker1, "--yes")...)
}

// shifting is a cluster that a test changes while the program looks.
type shifting struct {
	still
	now atomic.Pointer[kube.Snapshot]
}

func (s *shifting) Snapshot() *kube.Snapshot { return s.now.Load() }

// An answer counts for what was shown: what has changed since is told, and asked about.
func TestDrainAsksAgainWhenThePlanChanged(t *testing.T) {
	b := newBench(t, smallCluster())
	source := &shifting{still: still{smallCluster()}}
	source.now.Store(smallCluster())
	b.shows = source
	b.types("y\nworker-1\nworker-1\n")
	run := happyRun()
	run.onPlay = func(batch int) {
		if batch == 1 { // the cordon is done, and is no change of the plan; a pod has come past it
			store := smallStore(true)
			record, err := convert.Record(pod("worker-1", "late-1", "ReplicaSet", "web", true))
			if err != nil {
				t.Error(err)
			}
			store.Put(record)
			source.now.Store(store.Snapshot())
		}
	}
	b.script(run)
	b.expect(t, ExitDone, []string{"the plan changed since it was shown:\n  shop/late-1 is new: "}, drainWorker1...)
	if got := strings.Count(b.err.String(), "Type worker-1 to continue: "); got != 2 {
		t.Errorf("asked %d times:\n%s", got, b.err)
	}
}
