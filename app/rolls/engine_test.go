package rolls

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/engine"
	"github.com/kdrain-tui/kdrain-tui/app/hook"
	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/process"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// owning is a simulation whose server tells, as a real one, who cordoned a node.
type owning struct{ *kubetest.Simulation }

func (s owning) Cordon(ctx context.Context, r request.Cordon) kube.Answer {
	answer := s.Simulation.Cordon(ctx, r)
	if answer.OK() {
		s.Mu.Lock()
		defer s.Mu.Unlock()
		s.SetNode(r.Node, func(n *corev1.Node) {
			n.ManagedFields = nil
			if r.Unschedulable {
				n.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: kube.FieldManager,
					FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:unschedulable":{}}}`)}}
			}
		})
	}
	return answer
}

// stage is a cluster with machines that reboot when they are worked on.
type stage struct {
	t         *testing.T
	sim       owning
	dir       string
	boots     int
	written   *journal.Of[roll.Event]
	hooks     []string // "NODE COMMAND"
	unready   int      // how often a run cannot be resumed
	process   process.Group
	livesOn   time.Time // until then a command lives without the roll's process
	elsewhere bool      // that command was started on another host
	options   plan.Options
	busy      *busy // the server of the roll, if set
	// during, if set, is called while a command runs.
	during func(ctx context.Context, command string) (int, error)
}

func newStage(t *testing.T, nodes int) *stage {
	s := &stage{t: t, sim: owning{kubetest.NewSimulation()}, dir: t.TempDir(), options: plan.DefaultOptions()}
	for i := range nodes {
		name := fmt.Sprintf("w%d", i+1)
		s.sim.AddNode(name)
		s.sim.AddPod("web", name)
	}
	return s
}

func (s *stage) config(written *journal.Of[roll.Event]) config {
	var writer request.Writer = s.sim
	if s.busy != nil {
		writer = s.busy
	}
	return config{Source: s.sim, Writer: writer, Journal: written, Now: time.Now,
		Look: func(g process.Group) process.Seen {
			if g != s.process {
				s.t.Errorf("%+v is looked at", g)
			}
			if s.elsewhere {
				return process.Seen{Life: process.Unknown, Why: "it was started on host z"}
			}
			if time.Now().Before(s.livesOn) {
				return process.Seen{Life: process.Runs}
			}
			return process.Seen{Life: process.Ended}
		},
		Drains: func(ctx context.Context, wanted roll.Drain) (app.Run, bool, error) {
			run := wanted.Run
			path := journal.JournalPath(s.dir, run)
			if events, _, err := journal.ReadJournal(path); err == nil {
				if s.unready > 0 {
					s.unready--
					return nil, true, errors.New("connection refused")
				}
				if events[len(events)-1].Kind == drain.EventRunEnded {
					run, err := journal.Ended(events)
					return run, true, err
				}
				opened, before, err := journal.OpenJournal(path)
				if err != nil {
					return nil, true, err
				}
				run, err := engine.Resume(context.WithoutCancel(ctx), s.engine(opened), before)
				return run, true, err
			}
			if wanted.Ends {
				return nil, false, errors.New("the roll was aborted")
			}
			planned, err := plan.New(s.sim.Snapshot(), wanted.Nodes, s.options, time.Now())
			if err != nil {
				return nil, false, err
			}
			created, err := journal.CreateJournal(s.dir, run)
			if err != nil {
				return nil, false, err
			}
			begun, err := engine.Start(context.WithoutCancel(ctx), s.engine(created), planned, drain.RunFacts{ID: run, User: "ada"})
			return begun, false, err
		},
		Hooks: func(ctx context.Context, c hook.Command) (int, error) {
			s.sim.Mu.Lock()
			node := strings.TrimPrefix(c.Env[0], "NODE=")
			s.hooks = append(s.hooks, node+" "+c.Line)
			s.sim.Mu.Unlock()
			if err := c.Began(s.process); err != nil {
				return 0, err
			}
			c.Tell([]string{"working on " + node})
			if s.during != nil {
				if exit, err := s.during(ctx, c.Line); exit != 0 || err != nil {
					return exit, err
				}
			}
			if c.Line == "reboot" {
				s.reboot(node)
			}
			return 0, nil
		}}
}

func (s *stage) engine(written *journal.Journal) engine.EngineConfig {
	return engine.EngineConfig{Source: s.sim, Writer: s.sim, Journal: written, Now: time.Now}
}

// reboot lets a machine go down, and come up with another boot id after a while.
func (s *stage) reboot(node string) {
	set := func(status corev1.ConditionStatus, boot string) {
		s.sim.SetNode(node, func(n *corev1.Node) {
			n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: status}}
			n.Status.NodeInfo.BootID = boot
		})
	}
	s.sim.Mu.Lock()
	defer s.sim.Mu.Unlock()
	s.boots++
	boot := fmt.Sprint("boot-", s.boots)
	set(corev1.ConditionFalse, boot)
	s.sim.Later(5*time.Second, func() { set(corev1.ConditionTrue, boot) })
}

func (s *stage) begin(o roll.Options) *Roll {
	facts := roll.Facts{Options: o, Run: drain.RunFacts{ID: "k7f3", User: "ada"}}
	nodes := s.sim.Snapshot().Nodes()
	for _, n := range nodes {
		facts.Run.Nodes = append(facts.Run.Nodes, drain.NodeFacts{Name: n.Name, UID: n.UID})
	}
	facts.Batches = roll.Batches(nodes, o)
	written, err := journal.CreateRoll(s.dir, "k7f3")
	if err != nil {
		s.t.Fatal(err)
	}
	s.written = written
	r, err := start(s.t.Context(), s.config(written), facts)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// again is another process that goes on with the roll.
func (s *stage) again() *Roll {
	written, before, err := journal.OpenRoll(journal.RollPath(s.dir, "k7f3"))
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := resume(s.t.Context(), s.config(written), before)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// suspendAt ends the process in order, as a hangup does, once the roll is so far.
func (s *stage) suspendAt(r *Roll, reached func(*roll.State) bool) {
	changed := r.Changed(s.t.Context())
	for !reached(r.State()) {
		<-changed
	}
	r.Send(roll.Command{Kind: drain.CommandSuspend, By: "signal"})
	for _, run := range r.Drains() {
		run.Send(drain.Command{Kind: drain.CommandSuspend, By: "signal"})
	}
	<-r.Done()
	if r.State().Outcome != "" {
		s.t.Fatalf("the roll ended: %s", r.State().Outcome)
	}
}

// Nodes are drained, rebooted and brought back one after the other, although two processes of the roll end
// before it.
func TestARollThatIsSuspendedTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, 4)
		r := s.begin(roll.Options{Batch: 1, Before: "stepdown", Work: "reboot", ExpectReboot: true})
		s.suspendAt(r, func(s *roll.State) bool { return nodeOf(s, "w1").State == roll.Draining && s.Run != "" })
		r = s.again()
		s.suspendAt(r, func(s *roll.State) bool { return nodeOf(s, "w3").State == roll.Returning })
		s.unready = 3 // the API server does not answer then
		r = s.again()
		<-r.Done()
		state := r.State()
		if state.Outcome != drain.OutcomeDone || state.Count(roll.Done) != 4 || r.Err() != nil {
			t.Fatalf("%s %s, %d done, %v", state.Outcome, state.Message, state.Count(roll.Done), r.Err())
		}
		for _, n := range s.sim.Snapshot().Nodes() {
			if n.Unschedulable || n.Ready != kube.NodeReady {
				t.Errorf("%s: unschedulable %v, ready %s", n.Name, n.Unschedulable, n.Ready)
			}
		}
		want := []string{}
		for _, n := range []string{"w1", "w2", "w3", "w4"} {
			want = append(want, n+" stepdown", n+" reboot")
		}
		if !slices.Equal(s.hooks, want) {
			t.Errorf("commands %q", s.hooks)
		}
		events, torn, err := journal.ReadRoll(journal.RollPath(s.dir, "k7f3"))
		if err != nil || torn || len(events) != len(r.Events(0)) {
			t.Errorf("%d events in the journal of %d, torn %v, %v", len(events), len(r.Events(0)), torn, err)
		}
		if !slices.ContainsFunc(events, func(e roll.Event) bool { return e.Text == "working on w4" }) {
			t.Error("the output of a command is not in the journal")
		}
		s.cutAnywhere(journal.RollPath(s.dir, "k7f3"))
		for _, run := range []string{"k7f3-1", "k7f3-4"} {
			if events, _, err := journal.ReadJournal(journal.JournalPath(s.dir, run)); err != nil ||
				events[len(events)-1].Outcome != drain.OutcomeDone {
				t.Errorf("run %s: %v", run, err)
			}
		}
		s.sim.Halt()
	})
}

// cutAnywhere reads a journal as far as a process that was killed has written it: at the end of each event, and at
// each byte of the last one. Whatever it holds is shown, and a node is done only by what it holds.
func (s *stage) cutAnywhere(path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	whole := strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
	last := strings.Join(whole[:len(whole)-1], "")
	var cuts []string
	for i := 1; i < len(whole); i++ {
		cuts = append(cuts, strings.Join(whole[:i], ""))
	}
	for i := range len(whole[len(whole)-1]) {
		cuts = append(cuts, string(text)[:len(last)+i])
	}
	file := filepath.Join(s.dir, "cut.roll")
	done := 0
	for _, cut := range cuts {
		if err := os.WriteFile(file, []byte(cut), 0o600); err != nil {
			s.t.Fatal(err)
		}
		events, torn, err := journal.ReadRoll(file)
		if err != nil || torn == strings.HasSuffix(cut, "\n") || len(events) != strings.Count(cut, "\n")-1 {
			s.t.Fatalf("%d bytes: %d events, torn %v, %v", len(cut), len(events), torn, err)
		}
		told := roll.ReportOf(events, false)
		_ = told.Markdown() + told.Text()
		if now := roll.Fold(nil, events...); now.Count(roll.Done) < done || now.Outcome != "" {
			s.t.Errorf("%d bytes: %d done after %d, outcome %q", len(cut), now.Count(roll.Done), done, now.Outcome)
		} else {
			done = now.Count(roll.Done)
		}
	}
}

// busy is a server whose kubelets patch their nodes right before each is uncordoned for the first time.
type busy struct {
	owning
	met map[string]bool
}

func (b busy) Cordon(ctx context.Context, r request.Cordon) kube.Answer {
	if !r.Unschedulable && !b.met[r.Node] {
		b.met[r.Node] = true
		b.Mu.Lock()
		defer b.Mu.Unlock()
		b.SetNode(r.Node, func(*corev1.Node) {})
		return kube.Answer{Code: 409, Reason: "Conflict", Message: "Operation cannot be fulfilled"}
	}
	return b.owning.Cordon(ctx, r)
}

// A conflict with the patch of a kubelet is no failure: the node is uncordoned as it is then.
func TestAConflictIsNotReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, 1)
		met := map[string]bool{}
		s.busy = &busy{s.sim, met}
		r := s.begin(roll.Options{Batch: 1, Work: "reboot"})
		<-r.Done()
		if state := r.State(); state.Outcome != drain.OutcomeDone || !met["w1"] {
			t.Errorf("%s %s, conflicts %v", state.Outcome, state.Message, met)
		}
		for _, e := range r.Events(0) {
			if strings.Contains(e.Message, "cannot be fulfilled") {
				t.Errorf("reported: %s", e.Message)
			}
		}
		s.sim.Halt()
	})
}

// An abort ends the command that runs, and leaves the rest as it is.
func TestAbortEndsTheCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, 2)
		s.during = func(ctx context.Context, _ string) (int, error) {
			<-ctx.Done()
			return -1, errors.New("killed")
		}
		r := s.begin(roll.Options{Batch: 1, Work: "reboot"})
		changed := r.Changed(t.Context())
		for nodeOf(r.State(), "w1").Running() == "" {
			<-changed
		}
		if _, err := r.Command(t.Context(), roll.Command{Kind: drain.CommandContinue}); err == nil {
			t.Error("a roll that is not paused was continued")
		}
		if _, err := r.Command(t.Context(), roll.Command{Kind: drain.CommandAbort, By: "ada", Why: "enough"}); err != nil {
			t.Error(err)
		}
		<-r.Done()
		state := r.State()
		if state.Outcome != drain.OutcomeAborted || nodeOf(state, "w1").State != roll.Failed || nodeOf(state, "w2").State != roll.Waiting {
			t.Errorf("%s, %s, %s", state.Outcome, nodeOf(state, "w1").State, nodeOf(state, "w2").State)
		}
		if !s.sim.Snapshot().Node("w1").Unschedulable {
			t.Error("w1 was uncordoned")
		}
		s.sim.Halt()
	})
}

// A roll whose process ended while it was being aborted ends the run of its batch when it is resumed, and with it what
// that run has made for the drain.
func TestAnAbortThatWasCutShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, 2)
		s.sim.AddReplicaSet("web", 2)
		s.sim.EndAfter, s.options.Guard, s.options.GuardWrite = time.Hour, "50%", true
		r := s.begin(roll.Options{Batch: 1, Work: "reboot"})
		s.suspendAt(r, func(*roll.State) bool {
			s.sim.Mu.Lock()
			defer s.sim.Mu.Unlock()
			return len(s.sim.Accepted) > 0
		})
		written, events, err := journal.OpenRoll(journal.RollPath(s.dir, "k7f3"))
		if err != nil {
			t.Fatal(err)
		}
		aborted := roll.Event{Seq: uint64(len(events) + 1), Time: time.Now(), Kind: roll.EventControl,
			Command: drain.CommandAbort, By: "ada"}
		if err := errors.Join(written.Append([]roll.Event{aborted}, true), written.Close()); err != nil {
			t.Fatal(err)
		}
		s.unready = 1
		r = s.again()
		<-r.Done()
		if state := r.State(); state.Outcome != drain.OutcomeAborted || len(state.Warnings) > 0 {
			t.Errorf("%s, warnings %q", state.Outcome, state.Warnings)
		}
		run, _, err := journal.ReadJournal(journal.JournalPath(s.dir, "k7f3-1"))
		if err != nil || run[len(run)-1].Outcome != drain.OutcomeAborted {
			t.Errorf("the run has not ended: %+v, %v", run[len(run)-1], err)
		}
		if len(s.sim.Made) == 0 || len(s.sim.Unmade) != len(s.sim.Made) {
			t.Errorf("temporary budgets made %q, removed %q", s.sim.Made, s.sim.Unmade)
		}
		s.sim.Halt()
	})
}

// While the journal cannot be written nothing new begins, and the roll can be aborted.
func TestNothingBeginsWithoutAJournal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, 1)
		s.during = func(context.Context, string) (int, error) { return 0, s.written.File.Close() }
		r := s.begin(roll.Options{Batch: 1, Before: "stepdown", Work: "reboot"})
		time.Sleep(time.Minute)
		if err := r.Err(); err == nil {
			t.Error("the journal is closed, and nothing is said of it")
		}
		if len(r.Drains()) != 0 || s.sim.Snapshot().Node("w1").Unschedulable {
			t.Error("a drain began that no journal has")
		}
		r.Send(roll.Command{Kind: drain.CommandAbort, By: "ada"})
		<-r.Done()
		s.sim.Halt()
	})
}

// A command that waited for the journal is not run on a node that is in use again by then.
func TestACommandThatWaitedForTheJournal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, 1)
		r := s.begin(roll.Options{Batch: 1, Work: "reboot"})
		changed := r.Changed(t.Context())
		for r.State().Run == "" {
			<-changed
		}
		if err := s.written.File.Close(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if state := nodeOf(r.State(), "w1").State; state != roll.Working || len(s.hooks) > 0 {
			t.Errorf("%s, commands %q", state, s.hooks)
		}
		s.sim.Mu.Lock()
		s.sim.SetNode("w1", func(n *corev1.Node) { n.Spec.Unschedulable = false })
		s.sim.Mu.Unlock()
		synctest.Wait()
		file, err := os.OpenFile(journal.RollPath(s.dir, "k7f3"), os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		r.State() // all that the roll did with the old file is before this
		s.sim.Mu.Lock()
		s.written.File, s.sim.NodeLag = file, 0
		s.sim.SetNode("w1", func(*corev1.Node) {}) // and all that it does with the new one is after that
		s.sim.Mu.Unlock()
		<-r.Done()
		if n := nodeOf(r.State(), "w1"); n.State != roll.Failed || !strings.Contains(n.Message, "not run: it was uncordoned") || len(s.hooks) > 0 {
			t.Errorf("%s: %s, commands %q", n.State, n.Message, s.hooks)
		}
		s.sim.Halt()
	})
}

// killedAt begins a roll and kills its process while the first command runs, which lives on.
func (s *stage) killedAt(o roll.Options) {
	var left []byte
	runs := make(chan struct{})
	s.during = func(ctx context.Context, _ string) (_ int, err error) {
		left, err = os.ReadFile(journal.RollPath(s.dir, "k7f3"))
		if close(runs); err != nil {
			return 0, err
		}
		<-ctx.Done()
		return -1, errors.New("killed")
	}
	r := s.begin(o)
	<-runs
	r.Send(roll.Command{Kind: drain.CommandAbort, By: "ada"})
	<-r.Done()
	s.during = nil
	if err := os.WriteFile(journal.RollPath(s.dir, "k7f3"), left, 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// A command that outlives the process of its roll is named and waited for, and no second one begins beside it.
func TestACommandThatOutlivesItsRoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, 1)
		s.process = process.Group{ID: 7, Host: "a"}
		s.killedAt(roll.Options{Batch: 1, Before: "stepdown", Work: "reboot", RerunWork: true})
		s.livesOn = time.Now().Add(time.Minute)
		r := s.again()
		changed := r.Changed(t.Context())
		for !strings.Contains(nodeOf(r.State(), "w1").Message, "still runs as process group 7 on host a; kill -- -7 ends it") {
			<-changed
		}
		time.Sleep(time.Until(s.livesOn) - time.Second)
		if ran := s.ran(); len(ran) != 1 {
			t.Errorf("commands beside the one that lives: %q", ran)
		}
		<-r.Done()
		if want := []string{"w1 stepdown", "w1 stepdown", "w1 reboot"}; !slices.Equal(s.hooks, want) || r.State().Outcome != drain.OutcomeDone {
			t.Errorf("%s, commands %q", r.State().Outcome, s.hooks)
		}
		s.sim.Halt()
	})
}

// Whether a command of another host still runs is not known: the operator is asked, and told so.
func TestACommandOfAnotherHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, 1)
		s.process = process.Group{ID: 7, Host: "z"}
		s.killedAt(roll.Options{Batch: 1, Before: "stepdown", Work: "reboot"})
		s.elsewhere = true
		r := s.again()
		changed := r.Changed(t.Context())
		for r.State().Question == nil {
			<-changed
		}
		if q := r.State().Question; q.Kind != roll.AskAgain || q.Message != "it was started on host z" || len(s.hooks) != 1 {
			t.Errorf("%+v, commands %q", q, s.hooks)
		}
		r.Send(roll.Reply{Node: "w1", Kind: roll.AskAgain, Answer: roll.AnswerAgain, By: "ada"})
		<-r.Done()
		if len(s.hooks) != 3 || r.State().Outcome != drain.OutcomeDone {
			t.Errorf("%s, commands %q", r.State().Outcome, s.hooks)
		}
		s.sim.Halt()
	})
}

// ran are the commands that were run until now, while the roll lives.
func (s *stage) ran() []string {
	s.sim.Mu.Lock()
	defer s.sim.Mu.Unlock()
	return slices.Clone(s.hooks)
}

func nodeOf(s *roll.State, name string) *roll.Node {
	return &s.Nodes[slices.IndexFunc(s.Nodes, func(n roll.Node) bool { return n.Name == name })]
}

// What hooks print is kept, but not as it is for ever.
func TestOldEventsAreKeptSmall(t *testing.T) {
	var kept engine.Chronicle[roll.Event]
	const lines = 100_000
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for i := range lines {
		kept.Add(roll.Event{Seq: uint64(i + 1), Time: time.Unix(int64(i), 0), Kind: roll.EventHookOutput, Node: "w1", Hook: roll.HookWork,
			Text: fmt.Sprintf("package %d is up to date", i)})
	}
	if each := (heap() - before) / lines; each > 60 {
		t.Errorf("%d bytes a line", each)
	}
	all := kept.After(0)
	if last := all[lines-1]; len(all) != lines || last.Seq != lines || all[7].Text != "package 7 is up to date" || len(kept.After(lines-3)) != 3 {
		t.Errorf("%d events, the last %+v", len(all), last)
	}
}

// No roll begins on a node while the command of another one, whose process died, runs there.
func TestNoRollUnderACommand(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "go")
	facts := func(id string) roll.Facts {
		return roll.Facts{Run: drain.RunFacts{ID: id, Nodes: []drain.NodeFacts{{Name: "w1", UID: "u1"}}},
			Batches: []roll.Batch{{Nodes: []string{"w1"}}}}
	}
	c := hook.Command{Line: `echo on; until [ -e ` + file + ` ]; do sleep 0.05; done`}
	c.Began = func(g process.Group) error {
		died, err := journal.CreateRoll(dir, "x")
		if err != nil {
			return err
		}
		first := facts("x")
		return errors.Join(died.Append([]roll.Event{{Seq: 1, Kind: roll.EventRollStarted, Roll: &first},
			{Seq: 2, Kind: roll.EventHookStarted, Node: "w1", Hook: roll.HookWork},
			{Seq: 3, Kind: roll.EventHookProcess, Node: "w1", Hook: roll.HookWork, Process: &g}}, true), died.Close())
	}
	c.Tell = func([]string) {
		_, err := Begin(t.Context(), &app.Session{Runs: app.NewRuns(dir, "kdrain-tui")}, facts("y"))
		if err == nil || !strings.Contains(err.Error(), "the --work command of roll x still runs for node w1") ||
			Known(app.NewRuns(dir, ""), "y") {
			t.Errorf("a roll under a command: %v", err)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Error(err)
		}
	}
	if _, err := hook.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}
