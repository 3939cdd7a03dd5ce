package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/replacement"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// fakeRoll is a roll whose events the test brings; it records what it is sent.
type fakeRoll struct {
	events []roll.Event
	drain  live.Run
	sent   []roll.Input
	done   chan struct{}
}

func (r *fakeRoll) State() *roll.State                      { return roll.Fold(nil, r.events...) }
func (r *fakeRoll) Events(after uint64) []roll.Event        { return r.events[after:] }
func (r *fakeRoll) Drain() live.Run                         { return r.drain }
func (r *fakeRoll) Changed(context.Context) <-chan struct{} { return make(chan struct{}) }
func (r *fakeRoll) Send(in roll.Input)                      { r.sent = append(r.sent, in) }
func (r *fakeRoll) Done() <-chan struct{}                   { return r.done }

// tell brings what happened so long before the moment of all tests.
func (r *fakeRoll) tell(ago time.Duration, e roll.Event) {
	e.Seq, e.Time = uint64(len(r.events)+1), moment.Add(-ago)
	r.events = append(r.events, e)
}

// beginRoll is a roll over five nodes in three batches, which has just begun.
func beginRoll(o roll.Options) *fakeRoll {
	r := &fakeRoll{done: make(chan struct{})}
	facts := roll.Facts{Run: drain.RunFacts{ID: "x4wz", Context: "prod-eu-1", User: "ada"}, Options: o, Batches: []roll.Batch{
		{Value: "eu-1a", Nodes: []string{"worker-a1", "worker-a2"}}, {Value: "eu-1b", Nodes: []string{"worker-b1", "worker-b2"}},
		{Value: "eu-1c", Nodes: []string{"worker-c3"}}}}
	for _, b := range facts.Batches {
		for _, name := range b.Nodes {
			facts.Run.Nodes = append(facts.Run.Nodes, drain.NodeFacts{Name: name, UID: kube.UID("node-" + name)})
		}
	}
	r.tell(12*time.Minute, roll.Event{Kind: roll.EventRollStarted, Roll: &facts})
	return r
}

func (r *fakeRoll) node(ago time.Duration, name string, state roll.NodeState, message string) {
	r.tell(ago, roll.Event{Kind: roll.EventNode, Node: name, State: state, Message: message})
}

// firstBatch is through: one node is done, one has failed.
func (r *fakeRoll) firstBatch() {
	r.tell(12*time.Minute, roll.Event{Kind: roll.EventBatchStarted, Batch: 1, Nodes: []string{"worker-a1", "worker-a2"}})
	for _, name := range []string{"worker-a1", "worker-a2"} {
		r.node(12*time.Minute, name, roll.Draining, "")
	}
	r.tell(12*time.Minute, roll.Event{Kind: roll.EventDrainStarted, Batch: 1, Run: "x4wz-1", Nodes: []string{"worker-a1", "worker-a2"}})
	for _, name := range []string{"worker-a1", "worker-a2"} {
		r.node(10*time.Minute, name, roll.Working, "")
	}
	r.node(9*time.Minute, "worker-a1", roll.Returning, "")
	r.node(8*time.Minute, "worker-a1", roll.Done, "")
	r.node(8*time.Minute, "worker-a2", roll.Failed, "its --work command ended with exit code 7")
	r.tell(8*time.Minute, roll.Event{Kind: roll.EventDrainEnded, Run: "x4wz-1", Outcome: drain.OutcomeDone})
	r.tell(8*time.Minute, roll.Event{Kind: roll.EventBatchEnded, Batch: 1})
}

// rollState is a roll in the middle of its second batch: one node is drained, a command runs for the other.
func rollState() *fakeRoll {
	r := beginRoll(roll.Options{Batch: 2, By: "zone", Work: "./patch.sh", MaxFailed: 1})
	r.firstBatch()
	r.tell(3*time.Minute, roll.Event{Kind: roll.EventBatchStarted, Batch: 2, Nodes: []string{"worker-b1", "worker-b2"}})
	r.node(3*time.Minute, "worker-b1", roll.Draining, "")
	r.node(3*time.Minute, "worker-b2", roll.Draining, "")
	r.tell(3*time.Minute, roll.Event{Kind: roll.EventDrainStarted, Batch: 2, Run: "x4wz-2", Nodes: []string{"worker-b1", "worker-b2"}})
	r.node(41*time.Second, "worker-b2", roll.Working, "")
	r.tell(41*time.Second, roll.Event{Kind: roll.EventHookStarted, Node: "worker-b2", Hook: roll.HookWork})
	for i, text := range []string{"fetching the list of packages", "unpacking linux-image-6.12.41", "\x1b[31mwarning\x1b[0m: initramfs is rebuilt, 40 %"} {
		r.tell(time.Duration(30-i)*time.Second, roll.Event{Kind: roll.EventHookOutput, Node: "worker-b2", Hook: roll.HookWork, Text: text})
	}
	run := runState()
	run.Run.ID = "x4wz-2"
	for _, n := range run.Nodes {
		n.Name = strings.Replace(n.Name, "-a", "-b", 1)
	}
	for _, p := range run.Pods {
		p.Node = strings.Replace(p.Node, "-a", "-b", 1)
	}
	r.drain = newFakeRun(run)
	return r
}

// rollAtGate is a roll between its batches, behind a closed gate, in a closed window.
func rollAtGate() *fakeRoll {
	r := beginRoll(roll.Options{Batch: 2, By: "zone", Work: "./patch.sh", MaxFailed: 1})
	r.firstBatch()
	r.tell(2*time.Minute, roll.Event{Kind: roll.EventGate, Gate: &replacement.Gate{Closed: true, Workloads: []replacement.Worse{{
		Workload: replacement.Workload{Kind: "Deployment", Namespace: "web", Name: "front", Wanted: 9, Available: 7}, Why: "2 pods: ImagePullBackOff"}}}})
	return r
}

func withRoll(r *fakeRoll) func(*Deps) { return func(d *Deps) { d.AttachRoll = r } }

// toNewRoll opens the page of a new roll over the four workers in two zones.
func toNewRoll(t testing.TB, w, h int, change ...func(*Deps)) *driver {
	change = append(change, usual, func(d *Deps) { d.Marked = []string{"worker-a1", "worker-a2", "worker-c3", "worker-c1"} })
	d := drive(t, company(), w, h, change...)
	d.keys("M")
	return d
}

// setFlag types the value of a flag of a new roll.
func (d *driver) setFlag(flag, value string) {
	d.list(frame.NewRoll).Table.Select(flag)
	d.keys("enter")
	for range 12 {
		d.keys("backspace")
	}
	d.typed(value)
	d.keys("enter")
}

func toRollQuestion(t testing.TB, w, h int, change ...func(*Deps)) *driver {
	d := toNewRoll(t, w, h, change...)
	d.setFlag("batch", "2")
	d.setFlag("by", "topology.kubernetes.io/zone")
	d.setFlag("work", "./patch.sh")
	d.keys("M")
	return d
}

var rollScenes = []scene{
	{"roll", func(t testing.TB, w, h int) *driver {
		d := drive(t, company(), w, h, withRoll(rollState()))
		d.list(frame.Roll).Table.Select("worker-b2")
		return d
	}},
	{"roll-gate", func(t testing.TB, w, h int) *driver { return drive(t, company(), w, h, withRoll(rollAtGate())) }},
	{"roll-ended", func(t testing.TB, w, h int) *driver {
		r := rollAtGate()
		r.tell(time.Minute, roll.Event{Kind: roll.EventRollEnded, Outcome: drain.OutcomePartly, Message: "1 node failed: 3 nodes are left as before"})
		return drive(t, company(), w, h, withRoll(r))
	}},
	{"roll-asks", func(t testing.TB, w, h int) *driver {
		r := beginRoll(roll.Options{Batch: 2})
		r.firstBatch()
		r.tell(time.Minute, roll.Event{Kind: roll.EventQuestion, Node: "worker-b1", Question: roll.AskAgain, Hook: roll.HookWork})
		d := drive(t, company(), w, h, withRoll(r))
		d.quiet()
		return d
	}},
	{"roll-new", func(t testing.TB, w, h int) *driver { return toNewRoll(t, w, h) }},
	{"roll-confirm", func(t testing.TB, w, h int) *driver { return toRollQuestion(t, w, h) }},
	{"roll-quit", func(t testing.TB, w, h int) *driver {
		d := drive(t, company(), w, h, withRoll(rollState()))
		d.keys("q")
		return d
	}},
}

func TestGoldenRollFrames(t *testing.T) {
	for _, sc := range rollScenes {
		for _, size := range [][2]int{{60, 12}, {80, 24}, {200, 50}} {
			name := fmt.Sprintf("%s-%dx%d", sc.name, size[0], size[1])
			t.Run(name, func(t *testing.T) { golden(t, name, sc.up(t, size[0], size[1]).frame()) })
		}
	}
	for look, change := range map[string]func(*driver){
		"dark": func(*driver) {}, "light": func(d *driver) { d.m.dark = false }, "plain": func(d *driver) { d.m.d.NoColor = true },
		"ascii": func(d *driver) { d.m.d.NoColor, d.m.d.ASCII = true, true },
	} {
		t.Run("look-roll-"+look, func(t *testing.T) {
			d := drive(t, company(), 100, 24, withRoll(rollState()))
			change(d)
			d.m.repaint()
			golden(t, "look-roll-"+look, d.m.View().Content)
		})
	}
}

// A roll begins after its typed word alone, with the flags that were set, and the board shows it.
func TestARollIsBegunFromTheScreen(t *testing.T) {
	begun := []roll.Options{}
	d := toRollQuestion(t, 120, 40, func(d *Deps) {
		paper(d).rolls = func(p plan.Plan, o roll.Options) (live.Roll, error) {
			begun = append(begun, o)
			return rollState(), nil
		}
	})
	d.shows("Drain and maintain 4 nodes, batch by batch?", "4 nodes in 2 batches, never two values of topology.kubernetes.io/zone at once", "./patch.sh")
	if strings.Contains(d.frame(), "land nowhere") {
		t.Errorf("where pods land is told as if all nodes were drained at a time:\n%s", d.frame())
	}
	d.keys("y")
	d.typed("es")
	d.keys("enter")
	d.shows("nothing was done")
	if len(begun) > 0 {
		t.Fatal("a roll began without its word")
	}
	for range 3 {
		d.keys("backspace")
	}
	d.typed("prod-eu-1")
	d.keys("enter")
	if len(begun) != 1 || begun[0].Batch != 2 || begun[0].Work != "./patch.sh" || begun[0].By != "topology.kubernetes.io/zone" {
		t.Fatalf("begun: %+v", begun)
	}
	d.shows("Roll x4wz", "1 of 5 done", "1 failed")
	d.keys("esc")
	if marked := d.marked(); len(marked) > 0 {
		t.Errorf("still marked: %v", marked)
	}
	d.keys("D", "D")
	d.shows("a roll is active")
	d.keys("esc", "esc", "w")
	d.shows("Roll x4wz")
}

// What is refused or fails is said, and nothing begins.
func TestARollThatDoesNotBegin(t *testing.T) {
	d := toNewRoll(t, 120, 40, func(d *Deps) {
		d.Marked = nil
		paper(d).rolls = func(plan.Plan, roll.Options) (live.Roll, error) { return nil, errors.New("the disk is full") }
	})
	d.setFlag("batch", "0")
	d.shows("must be 1 or more")
	d.keys("esc")
	d.keys("M")
	d.typed("prod-eu-1")
	d.keys("enter")
	d.shows("The roll was not begun: the disk is full")

	refused := drive(t, company(), 120, 40)
	refused.list(frame.Nodes).Table.Select("worker-b1")
	refused.keys("M", "M")
	refused.shows("The roll does not begin, nothing was changed: refused worker-b1")
}

// Keys of the board steer the roll, and its questions are put by themselves and answered once.
func TestARollIsSteeredFromTheBoard(t *testing.T) {
	r := rollState()
	d := drive(t, company(), 120, 40, withRoll(r))
	d.keys("P")
	d.keys("A")
	d.shows("Abort the roll?", "worker-b1", "worker-b2")
	d.keys("n")
	d.keys("enter")
	d.shows("Run x4wz-2", "batch of roll x4wz")
	d.keys("esc")
	r.tell(0, roll.Event{Kind: roll.EventQuestion, Node: "worker-b1", Question: roll.AskWork})
	d.send(rollMsg{r, r.State(), false})
	d.quiet()
	d.shows("Is the work on worker-b1 done?")
	d.keys("n")
	d.shows("waits for your answer about worker-b1")
	d.keys("enter", "y")
	want := []roll.Input{roll.Command{Kind: drain.CommandPause, By: "ada"}, roll.Reply{Node: "worker-b1", Kind: roll.AskWork, Answer: roll.AnswerDone, By: "ada"}}
	if fmt.Sprint(r.sent) != fmt.Sprint(want) {
		t.Errorf("sent %+v", r.sent)
	}
}

// Leaving asks what becomes of the roll; the program ends when the roll has.
func TestLeavingARoll(t *testing.T) {
	r := rollState()
	d := drive(t, company(), 120, 40, withRoll(r))
	d.keys("q")
	d.shows("A roll is active", "kdrain-tui", "resume x4wz")
	d.keys("s")
	if len(r.sent) != 1 || r.sent[0].(roll.Command).Kind != drain.CommandSuspend {
		t.Fatalf("sent %+v", r.sent)
	}
	if d.quit {
		t.Fatal("it left before the roll was suspended")
	}
	r.tell(0, roll.Event{Kind: roll.EventControl, Command: drain.CommandSuspend})
	close(r.done)
	d.send(rollMsg{r, r.State(), true})
	if result := d.m.result(false); !d.quit || result.Roll == nil || result.Run != nil || !strings.Contains(result.Text(), "roll x4wz: not ended, 1 of 5 nodes done") {
		t.Errorf("left: %t, %+v", d.quit, result)
	}
}

// A roll of a journal, or of another process, is only looked at.
func TestARollOfAJournal(t *testing.T) {
	r := rollState()
	r.tell(0, roll.Event{Kind: roll.EventQuestion, Node: "worker-b1", Question: roll.AskWork})
	theme, err := themes.Load("mono", "")
	if err != nil {
		t.Fatal(err)
	}
	d := drive(t, emptyWorld(), 100, 30, withRoll(r), func(d *Deps) { d.Replay, d.Theme = true, theme })
	d.shows("REPLAY", "waits for an answer about worker-b1, which is given where it runs")
	d.keys("P", "A", "esc")
	d.shows("esc does not leave")
	if len(r.sent) > 0 {
		t.Errorf("sent %+v", r.sent)
	}
	d.keys("q")
	if !d.quit {
		t.Error("q asks though nothing would end")
	}
}
