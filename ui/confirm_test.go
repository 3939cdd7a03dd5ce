package ui

import (
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

func TestCordonIsConfirmedOnceAndEvictIsTyped(t *testing.T) {
	d := toEvictQuestion(t, 100, 30)
	if len(d.started) != 1 || len(d.run.sent) != 1 || d.run.sent[0] != (drain.Confirm{Phase: drain.PhaseCordon, By: "ada"}) {
		t.Fatalf("started %d, sent %#v", len(d.started), d.run.sent)
	}
	d.shows("Evict 4 pods from worker-a1?", "one moment")
	d.typed("worker-a1")
	d.keys("enter")
	if len(d.run.sent) != 1 {
		t.Fatal("keys that were on their way answered a dialog that opened by itself")
	}
	d.quiet()
	d.typed("worker-a2")
	d.keys("enter")
	d.shows("that is not “worker-a1”")
	if len(d.run.sent) != 1 {
		t.Fatal("a wrong word was sent")
	}
	d.keys("backspace")
	d.typed("1")
	d.keys("enter")
	if len(d.run.sent) != 2 || d.run.sent[1] != (drain.Confirm{Phase: drain.PhaseEvict, Word: "worker-a1", By: "ada"}) {
		t.Fatalf("sent %#v", d.run.sent)
	}
}

// The questions count what a yes would touch: nothing of a refused node.
func TestQuestionsLeaveRefusedNodesOut(t *testing.T) {
	d := drive(t, company(), 100, 30, usual)
	for _, name := range []string{"worker-a1", "worker-b1"} { // b1 has a pod that nobody declares
		d.list(frame.Nodes).Table.Select(name)
		d.keys("space")
	}
	d.keys("D", "D")
	d.shows("Cordon worker-a1 and continue?", "1 node refused and left untouched: worker-b1", "1 waits · 3 move · 1 stays")
	d.keys("y")
	d.change(func(s *drain.State) {
		s.Phase, s.Phases = drain.PhaseEvict, map[drain.Phase]drain.PhaseStatus{
			drain.PhaseCheck: drain.PhaseDone, drain.PhaseCordon: drain.PhaseDone, drain.PhaseEvict: drain.PhaseAsks}
		s.Question = &drain.Question{Phase: drain.PhaseEvict, Word: "worker-a1", Since: moment}
		for _, n := range s.Nodes {
			if n.Name == "worker-b1" {
				n.State = drain.NodeRefused
			}
		}
	})
	d.shows("Evict 4 pods from worker-a1?", "evict 0 of 4 to confirm", "1 waits · 3 move")
	d.quiet()
	d.keys("esc")
	d.shows("enter answer")
	d.keys("q")
	d.shows("0 of 4 pods gone", "Nodes that it cordoned stay cordoned either way: worker-a1.")
}

func TestFocusIsOnCancel(t *testing.T) {
	d := drive(t, company(), 100, 30, usual)
	d.list(frame.Nodes).Table.Select("worker-a1")
	d.keys("D", "D", "enter")
	if len(d.started) != 0 || len(d.m.dialogs) != 0 {
		t.Fatal("Enter on a fresh dialog did not cancel")
	}
}

func TestDriftIsShownAndAskedAgain(t *testing.T) {
	d := drive(t, company(), 100, 30, usual)
	d.list(frame.Nodes).Table.Select("worker-a1")
	d.keys("D", "D")
	d.w.pod("worker-a1", "web", "front-66d5f7c9b-zz9zz", "front")
	d.keys("y")
	if len(d.started) != 0 {
		t.Fatal("a plan that was not confirmed was started")
	}
	d.shows("The plan changed since you looked", "front-66d5f7c9b-zz9zz is new")
	d.keys("y")
	if len(d.started) != 0 {
		t.Fatal("the second dialog opened by itself and took a key at once")
	}
	d.quiet()
	d.keys("y")
	if len(d.started) != 1 || len(d.started[0].Nodes[0].Pods) != 6 {
		t.Fatalf("started %d", len(d.started))
	}
}

func TestDriftBeforeEvictionsIsShownAndAskedAgain(t *testing.T) {
	d := toEvictQuestion(t, 100, 34)
	d.quiet()
	d.typed("worker-a1")
	d.w.pod("worker-a1", "web", "front-66d5f7c9b-zz9zz", "front")
	d.keys("enter")
	if len(d.run.sent) != 1 {
		t.Fatal("evictions were confirmed on a plan that changed")
	}
	d.shows("The plan changed since you looked", "front-66d5f7c9b-zz9zz is new")
}

func TestNothingStartsOnWhatIsNotTrue(t *testing.T) {
	d := drive(t, company(), 100, 30, usual)
	d.list(frame.Nodes).Table.Select("worker-a1")
	d.keys("D", "D")
	d.w.SetHealth(down().Snapshot().Health())
	d.keys("y")
	d.shows("Nothing was started")
	d.refresh()
	d.keys("esc", "D")
	d.shows("the API server is unreachable")
	if len(d.started) != 0 {
		t.Fatal("started")
	}
}

func TestAPlanThatIsNotWholeSaysSo(t *testing.T) {
	d := drive(t, halfSynced(), 120, 30, usual)
	d.list(frame.Nodes).Table.Select("worker-b2")
	d.keys("D")
	d.shows("Still being read: pods (25 of 30,000)", "not whole yet")
	for _, untrue := range []string{"no pods", "still valid", "no pod on it"} {
		if strings.Contains(strings.ToLower(d.frame()), untrue) {
			t.Errorf("it says %q:\n%s", untrue, d.frame())
		}
	}
	d.keys("D")
	if len(d.m.dialogs) != 0 {
		t.Fatal("a plan that is not whole can be confirmed")
	}
	d.shows("the plan is not complete yet", "y copy command") // the word leaves the hints alone
	d.w.SetSync(kube.KindPods, kube.SyncState{Phase: kube.Synced})
	d.w.SetSync(kube.KindDaemonSets, kube.SyncState{Phase: kube.Synced})
	d.refresh()
	d.shows("still valid", "1 stays")
}

func TestLiveIsSaidOnlyOfWhatIsSeen(t *testing.T) {
	for want, w := range map[string]world{
		"● live": company(), "◌ pods polled": polled(), "✖ pods denied": deniedPods(), "◐ loading pods": halfSynced(), "✖ down": down(),
	} {
		d := drive(t, w, 120, 30)
		d.shows(want)
		if live := strings.Contains(d.frame(), "live"); live != (want == "● live") {
			t.Errorf("%s: live is %v", want, live)
		}
	}
}

func TestTheResultOffersOnlyWhatIsThere(t *testing.T) {
	s := endedState(drain.OutcomePartly)
	s.Nodes[1].State, s.Nodes[1].Message = drain.NodeStopped, "the node was deleted"
	s.Pods = append(s.Pods, &eviction.Record{Facts: eviction.Facts{Node: "worker-a2", Namespace: "kube-system", Name: "cni-x", UID: "cni", Action: plan.ActionSkip},
		State: eviction.Skipped, Ended: moment, Begun: moment})
	d := drive(t, company(), 120, 40, attached(s))
	text := d.m.result(false).Text()
	for _, text := range []string{text, d.frame()} {
		if !strings.Contains(text, "worker-a2 stopped: the node was deleted") {
			t.Errorf("no reason in\n%s", text)
		}
		for _, untrue := range []string{"cni-x", "rollback", "uncordon"} {
			if strings.Contains(text, untrue) {
				t.Errorf("%q in\n%s", untrue, text)
			}
		}
	}
	mark := annotation.Mark{Run: "k7f3", By: "ada", At: moment, Was: "schedulable"}.String()
	d.w.node("worker-a1", "eu-1a", time.Hour, func(n *kube.Node) {
		n.Unschedulable, n.Cordon = true, &kube.Cordon{Manager: kube.FieldManager, Mark: mark, Since: moment}
	})
	d.refresh()
	d.shows("kdrain-tui --context=prod-eu-1 rollback k7f3")

	// A live roll takes back its batches itself, and refuses these commands.
	r := rollState()
	r.drain = newFakeRun(endedState(drain.OutcomePartly))
	of := drive(t, d.w, 120, 40, withRoll(r))
	of.keys("enter")
	of.shows("batch of roll x4wz")
	if frame := of.frame(); strings.Contains(frame, "rollback") || strings.Contains(frame, "uncordon") {
		t.Errorf("a command that the roll refuses in\n%s", frame)
	}
}

func TestQuittingDuringARun(t *testing.T) {
	d := drive(t, company(), 100, 30, attached(runState()))
	run := d.m.s.Run.(*fakeRun)
	d.keys("q", "enter")
	if d.quit || len(run.sent) != 0 {
		t.Fatal("the safe answer was not to keep watching")
	}
	d.keys("q", "y")
	if d.quit || len(run.sent) != 1 {
		t.Fatalf("quit %v, sent %v", d.quit, run.sent)
	}
	d.send(runMsg{run, run.set(func(s *drain.State) { s.Outcome, s.Ended = drain.OutcomeAborted, moment }), false})
	if !d.quit || d.m.left != LeftByOperator {
		t.Fatal("did not leave when the aborted run had ended")
	}
}

// Suspending is the way to leave a run without its end.
func TestLeavingSuspendsARun(t *testing.T) {
	d := drive(t, company(), 100, 30, attached(runState()))
	run := d.m.s.Run.(*fakeRun)
	d.keys("q")
	d.shows("s  Suspend", "kdrain-tui --context=prod-eu-1 resume k7f3")
	d.keys("s")
	if d.quit || len(run.sent) != 1 {
		t.Fatalf("quit %v, sent %v", d.quit, run.sent)
	}
	if c, ok := run.sent[0].(drain.Command); !ok || c.Kind != drain.CommandSuspend || c.By != "ada" {
		t.Fatalf("sent %+v", run.sent[0])
	}
	suspended := run.set(func(s *drain.State) { s.Suspended = true })
	d.send(runMsg{run, suspended, false})
	if d.quit {
		t.Fatal("left before the outstanding answers were in")
	}
	d.send(runMsg{run, suspended, true})
	if !d.quit || d.m.left != LeftByOperator {
		t.Fatal("did not leave when the run was suspended")
	}
}

// A run that was suspended from elsewhere says how it continues.
func TestARunSuspendedByCtlSaysHowToResumeIt(t *testing.T) {
	d := drive(t, company(), 120, 30, attached(runState()))
	run := d.m.s.Run.(*fakeRun)
	d.send(runMsg{run, run.set(func(s *drain.State) { s.Suspended = true }), true})
	d.shows("The run is suspended; kdrain-tui --context=prod-eu-1 resume k7f3 continues it.")
}

func TestInterruptTwiceLeavesAtOnce(t *testing.T) {
	d := drive(t, company(), 100, 30, attached(runState()))
	d.keys("ctrl+c")
	d.shows("A run is active")
	d.keys("ctrl+c")
	if !d.quit || d.m.left != LeftByForce {
		t.Fatal("did not leave")
	}
	if sent := d.m.s.Run.(*fakeRun).sent; len(sent) != 1 || sent[0].(drain.Command).Kind != drain.CommandAbort {
		t.Fatalf("sent %v", sent)
	}
	result := d.m.result(false)
	if !strings.Contains(result.Text(), "Still running on worker-a1 and worker-a2") {
		t.Errorf("text %q", result.Text())
	}
	run := d.m.s.Run.(*fakeRun)
	ended := *run.State()
	ended.Outcome = drain.OutcomeAborted // its end comes after the dashboard was left
	run.state = &ended
	if !strings.Contains(result.Text(), "Aborted worker-a1 and worker-a2") {
		t.Errorf("text %q", result.Text())
	}
}

// Nobody is asked any more what becomes of a run that has ended.
func TestTheQuestionWhetherToLeaveEndsWithTheRun(t *testing.T) {
	d := drive(t, company(), 100, 30, attached(runState()))
	d.keys("ctrl+c")
	d.shows("A run is active")
	d.send(runMsg{d.m.s.Run, endedState(drain.OutcomeDone), false})
	d.shows("Result k7f3")
	if frame := d.frame(); strings.Contains(frame, "A run is active") {
		t.Errorf("it still asks:\n%s", frame)
	}
	d.keys("ctrl+c")
	d.shows("Leave kdrain-tui?")
	if d.quit {
		t.Error("the first Ctrl+C after the run left at once")
	}
}

func TestTheResultStays(t *testing.T) {
	d := drive(t, company(), 100, 30, attached(runState()))
	d.keys("esc")
	d.send(runMsg{d.m.s.Run, endedState(drain.OutcomeDone), false})
	d.shows("Result k7f3", "Drained worker-a1 and worker-a2 in 41s")
	d.now = d.now.Add(time.Hour)
	d.send(tickMsg{d.m.tickTurn})
	d.shows("Result k7f3")
	d.keys("esc", "w")
	d.shows("Result k7f3")
}

func TestTooSmallAnswersNothing(t *testing.T) {
	d := drive(t, company(), 100, 30, usual)
	d.list(frame.Nodes).Table.Select("worker-a1")
	d.keys("D", "D")
	d.send(tea.WindowSizeMsg{Width: 40, Height: 8})
	d.keys("y")
	if len(d.started) != 0 {
		t.Fatal("a dialog that cannot be seen was answered")
	}
	d.shows("◐ to confirm", "at least 60 x 12")
	d.keys("esc", "q")
	if !d.quit {
		t.Fatal("q does not leave")
	}
}

func TestDisabledKeysSayWhy(t *testing.T) {
	d := drive(t, company(), 100, 30)
	d.list(frame.Nodes).Table.Select("worker-a1")
	d.keys("U")
	d.shows("not cordoned: worker-a1")
	d.keys("D", "D")
	d.shows("--ignore-daemonsets --delete-emptydir-data are only assumed: a accepts them", "3 move")
	d.keys("a")
	d.shows("3 move", "options: --ignore-daemonsets --delete-emptydir-data")
	d = drive(t, company(), 100, 30, func(d *Deps) { d.ReadOnly = true })
	d.keys("C")
	d.shows("read only", "READ ONLY")
	d = drive(t, company(), 100, 30, attached(endedState(drain.OutcomeDone)))
	d.keys("A")
	d.shows("the run has ended: done")
}

func TestCordonNamesWhatAFilterHides(t *testing.T) {
	d := drive(t, company(), 100, 30)
	d.keys("*", "/")
	d.typed("b1")
	d.keys("enter", "C")
	d.shows("Cordon 7 nodes?", "control-1, worker-a1, worker-a2")
	d.keys("esc")
	d.shows("8 marked, 7 not shown")
	d.keys("C")
	d.now = d.now.Add(time.Hour)
	d.typed("7")
	d.keys("enter")
	if len(d.cordons) != 7 {
		t.Fatalf("%v", d.cordons)
	}
}

func TestTypingAFilterTriggersNothing(t *testing.T) {
	d := drive(t, company(), 100, 30, usual)
	d.keys("/")
	d.typed("CUDqy*- A")
	if len(d.m.dialogs) != 0 || d.quit || d.m.path.page != frame.Nodes || len(d.marked()) != 0 {
		t.Fatal("a character of a filter was an action")
	}
	d.shows("CUDqy*- A")
	d.keys("esc")
	if d.list(frame.Nodes).Table.Len() != 8 {
		t.Fatal("esc does not show all again")
	}
}

func TestRunCursorStaysWithItsPod(t *testing.T) {
	d := drive(t, company(), 100, 30, attached(runState()))
	run := d.m.s.Run.(*fakeRun)
	cursor := func() string { return d.list(frame.Run).Table.Cursor() }
	resort := func() {
		d.send(runMsg{run, run.set(func(s *drain.State) {
			pods := append([]*eviction.Record(nil), s.Pods...)
			gone, blocked := *s.Pod(kube.UID(cursor())), *pods[0]
			gone.State, gone.Ended = eviction.Gone, moment
			blocked.State, blocked.Wait = eviction.Failed, nil
			for i, p := range pods {
				if p.UID == gone.UID {
					pods[i] = &gone
				}
			}
			pods[0], s.Pods = &blocked, pods
		}), false})
	}
	if cursor() != "jobs/report-5k2pl" {
		t.Fatalf("the cursor is on %s, not on the pod that most needs a look", cursor())
	}
	resort()
	if cursor() != "web/front-66d5f7c9b-a8sd0" {
		t.Fatalf("the cursor is on %s, not on the first row, though nobody moved it", cursor())
	}
	d.keys("down")
	chosen := cursor()
	resort()
	if cursor() != chosen {
		t.Fatalf("the cursor went from %s to %s by itself", chosen, cursor())
	}
}

// A terminal with no room for a page has one line of what must be known, the most important first.
func TestOneLineOfStateWhereThereIsNoRoom(t *testing.T) {
	d := drive(t, company(), 100, 30, attached(runState()))
	d.send(tea.WindowSizeMsg{Width: 24, Height: 1})
	if got := strings.TrimSpace(d.frame()); got != "2/8 gone · 2 blocked" {
		t.Errorf("%q", got)
	}
	for _, row := range []struct {
		up   *driver
		want string
	}{
		{drive(t, company(), 40, 3), "8 nodes"},
		{drive(t, down(), 40, 3, usual), "✖ server away"},
		{drive(t, company(), 40, 3, attached(questionState())), "◐ to confirm · 2/8 gone"},
		{drive(t, company(), 40, 3, attached(endedState(drain.OutcomePartly))), "run partly"},
	} {
		if got, _, _ := strings.Cut(row.up.frame(), "\n"); !strings.HasPrefix(got, row.want) {
			t.Errorf("%q, want %q", got, row.want)
		}
	}
}

// Many nodes are not cordoned by one key: their number is typed.
func TestACordonOfManyNodesIsTyped(t *testing.T) {
	d := drive(t, company(), 100, 30)
	d.keys("*", "C")
	cordoned := len(d.m.pages[frame.Nodes].(frame.Targeter).Targets())
	d.shows("Cordon ", "and press Enter")
	d.now = d.now.Add(time.Hour)
	d.keys("y", "enter")
	if len(d.cordons) != 0 {
		t.Fatalf("%q were cordoned by y", d.cordons)
	}
	d.keys("backspace")
	d.typed(strconv.Itoa(cordoned - 1)) // one is cordoned already
	d.keys("enter")
	if len(d.cordons) != cordoned-1 {
		t.Errorf("%q were cordoned, want %d", d.cordons, cordoned-1)
	}
}

// The question of a run that another process began shows the costs too. The plan for them is made again.
func TestAResumedRunAsksWithItsCosts(t *testing.T) {
	s := runState()
	s.Phases[drain.PhaseEvict] = drain.PhaseAsks
	s.Question = &drain.Question{Phase: drain.PhaseEvict, Word: "worker-a2", Since: moment}
	s.Run.Options.DeleteEmptyDirData, s.Run.Options.IgnoreDaemonSets = true, true
	d := drive(t, company(), 100, 30, attached(s))
	d.keys("enter")
	d.shows("to confirm", "move", "1 pod loses its emptyDir data")
}
