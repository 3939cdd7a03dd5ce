package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/audit"
	"github.com/kdrain-tui/kdrain-tui/lab/bench/film"
)

func noted(seq, at int, kind, more string) journalEvent {
	e := journalEvent{Seq: seq, Time: second(at), Kind: kind, Node: "target", Namespace: "ns", Pod: "web-1", UID: "1"}
	if kind == "Control" {
		e.Control = more
	} else {
		e.Action.Verb = more
	}
	return e
}

// costs asks for a deletion cost of the pod.
func costs(was, to string) journalEvent {
	e := noted(2, 2, "Intent", "deletion-cost")
	e.Cost = &deletionCostChange{Was: was, To: to}
	return e
}

// wrongOf is what a check accuses a run of, "" for nothing.
func wrongOf(e *evidence, check func(*evidence)) string {
	e.wrong = nil
	check(e)
	return strings.Join(e.wrong, "; ")
}

func expectWrong(t *testing.T, got, want string) {
	t.Helper()
	if want == "" && got != "" || !strings.Contains(got, want) {
		t.Errorf("wrong: %q, want %q", got, want)
	}
}

func TestCommandsOfTheOperatorAreJudged(t *testing.T) {
	pause := spoken{Verb: "pause", Asked: second(1), Answered: second(1)}
	goOn := spoken{Verb: "continue", Asked: second(20), Answered: second(20)}
	for name, c := range map[string]struct {
		events  []journalEvent
		steered []spoken
		state   string // of the pod in the report
		wrong   string
	}{
		"nothing was said":           {nil, nil, "Gone", ""},
		"evicted in a pause":         {[]journalEvent{noted(1, 1, "Control", "pause"), noted(2, 2, "Intent", "evict")}, nil, "Gone", "it was paused, and began to evict"},
		"evicted after a pause":      {[]journalEvent{noted(1, 1, "Control", "pause"), noted(2, 2, "Control", "continue"), noted(3, 3, "Intent", "evict")}, nil, "Gone", ""},
		"a request in a pause":       {[]journalEvent{noted(1, 1, "Control", "pause"), noted(2, 2, "Control", "continue")}, []spoken{pause, goOn}, "Gone", "it was paused from"},
		"taken, and not noted":       {nil, []spoken{{Verb: "last", Asked: second(1), Answered: second(2)}}, "Gone", "noted it 0 times"},
		"refused without a reason":   {nil, []spoken{{Verb: "last", Code: 1}}, "Gone", "was answered with code 1"},
		"left, and evicted":          {[]journalEvent{noted(1, 1, "Control", "skip"), noted(2, 2, "Intent", "evict")}, nil, "Skipped", "was to be left, and it began to evict"},
		"left, and first to go":      {[]journalEvent{noted(1, 1, "Control", "skip"), costs("", "-2147483648")}, nil, "Skipped", "was to be left, and it began to deletion-cost"},
		"left, and its cost is back": {[]journalEvent{noted(1, 1, "Control", "skip"), costs("7", "7")}, nil, "Skipped", ""},
		"left, and reported as gone": {[]journalEvent{noted(1, 1, "Control", "skip")}, nil, "Gone", "was to be left, and the report says Gone"},
		"scaled without its flag":    {nil, []spoken{{Verb: "scale"}}, "Gone", "without --allow-scale"},
		"last goes first": {[]journalEvent{noted(1, 1, "Control", "last"), noted(2, 2, "Intent", "evict"),
			{Seq: 3, Time: second(2), Kind: "Intent", UID: "2", Action: noted(0, 0, "Intent", "evict").Action}}, nil, "Gone", "was to go last"},
		"last, and its cost is back first": {[]journalEvent{noted(1, 1, "Control", "last"), costs("7", "7"),
			{Seq: 3, Time: second(2), Kind: "Intent", UID: "2", Action: noted(0, 0, "Intent", "deletion-cost").Action,
				Cost: &deletionCostChange{Was: "7", To: "7"}}}, nil, "Gone", ""},
	} {
		t.Run(name, func(t *testing.T) {
			e := story()
			e.said.report.Nodes[0].Pods[0].State = c.state
			e.steered = c.steered
			e.ordeal = &ordeal{e: e, journal: journal{events: c.events}}
			expectWrong(t, wrongOf(e, (*evidence).checkSteering), c.wrong)
		})
	}
}

// A word for the run that loses its nodes says nothing about the one that takes them.
func TestAPauseEndsWithATakeOver(t *testing.T) {
	e := story()
	e.world.Killing = &killing{TakeOver: true}
	e.steered = []spoken{{Verb: "pause", Asked: second(1), Answered: second(1)}}
	e.ordeal = &ordeal{e: e, former: journal{events: []journalEvent{noted(1, 1, "Control", "pause"), noted(2, 2, "Intent", "evict")}},
		journal: journal{events: []journalEvent{noted(1, 1, "RunStarted", ""), noted(2, 2, "Intent", "evict")}}}
	wrong := wrongOf(e, (*evidence).checkSteering)
	expectWrong(t, wrong, "it was paused, and began to evict")
	if strings.Count(wrong, "it was paused") != 1 {
		t.Errorf("more than the intent of the paused run is wrong: %s", wrong)
	}
}

func TestScaleNeedsFlagAndConfirmation(t *testing.T) {
	e := story()
	e.requests = append(e.requests, audit.Request{Verb: "patch", Resource: "deployments", Subresource: "scale", Namespace: "ns", Name: "web", URI: "/scale"})
	expectWrong(t, wrongOf(e, (*evidence).checkWrites), "which was not asked for")
	e.steered = []spoken{{Verb: "scale", Namespace: "ns", App: "web"}}
	expectWrong(t, wrongOf(e, (*evidence).checkWrites), "which was not asked for")
	e.world.Flags = []string{allowScale}
	expectWrong(t, wrongOf(e, (*evidence).checkWrites), "")
}

func TestNothingIsSentBySuspendedRuns(t *testing.T) {
	e := story()
	e.ordeal = &ordeal{journal: journal{events: []journalEvent{noted(1, 1, "Control", "suspend"), noted(2, 2, "Resumed", ""), noted(3, 3, "Intent", "evict")}}}
	expectWrong(t, wrongOf(e, (*evidence).checkSuspensions), "")
	if e.ordeal.journal.suspended() || !(journal{events: e.ordeal.journal.events[:1]}).suspended() {
		t.Error("who takes a run up, ends its suspension")
	}
	e.ordeal.journal.events[1] = noted(2, 2, "Phase", "")
	expectWrong(t, wrongOf(e, (*evidence).checkSuspensions), "it was suspended, and sent evict")
}

func TestATakenNodeIsLeftAlone(t *testing.T) {
	e := story()
	e.ordeal = &ordeal{journal: journal{events: []journalEvent{noted(1, 5, "Intent", "evict")}},
		former: journal{events: []journalEvent{noted(1, 4, "Intent", "evict")}}}
	expectWrong(t, wrongOf(e, (*evidence).checkTakenOver), "")
	e.ordeal.former.events[0].Time = second(5).Add(noticed + time.Millisecond)
	expectWrong(t, wrongOf(e, (*evidence).checkTakenOver), "node target was taken over")
}

// withDisks is a run that evicted two pods with volumes of one driver, the second
// at the second of that number.
func withDisks(next int) *evidence {
	e := story()
	e.world.Apps[0].Kind, e.world.Apps[0].Driver = "StatefulSet", "disk"
	second2 := make([]film.PodFrame, len(e.pods["1"]))
	for i, f := range e.pods["1"] {
		f.UID, f.Name = "2", "web-2"
		if i > 0 {
			f.At = second(next + i)
		}
		second2[i] = f
	}
	e.pods["2"] = second2
	r := e.requests[1]
	r.Name, r.Received, r.Answered = "web-2", second(next), second(next+1)
	e.requests = append(e.requests, r)
	e.said.report.EndedAt = second(40)
	e.attachments = []attachment{
		{Volume: "ns-web-1", Node: "target", Since: second(0), Gone: second(14)}, {Volume: "ns-web-2", Node: "target", Since: second(0), Gone: second(24)},
	}
	return e
}

func TestVolumesInTurnAreJudged(t *testing.T) {
	check := (*evidence).checkVolumes
	expectWrong(t, wrongOf(withDisks(15), check), "")
	expectWrong(t, wrongOf(withDisks(13), check), "still had their volumes of disk on target")
	two := withDisks(13)
	two.world.Flags = []string{"--max-parallel-volumes=2"}
	expectWrong(t, wrongOf(two, check), "")
	left := withDisks(15)
	left.attachments[1].Gone = time.Time{}
	expectWrong(t, wrongOf(left, check), "the report does not name it")
	left.said.report.Nodes[0].Attached = []struct{ Volume string }{{"ns-web-2"}}
	expectWrong(t, wrongOf(left, check), "")
	left.attachments[1].Gone = second(24)
	expectWrong(t, wrongOf(left, check), "which it was not")
	skipped := withDisks(13)
	skipped.ordeal = &ordeal{journal: journal{events: []journalEvent{noted(1, 12, "Control", "skip")}}}
	expectWrong(t, wrongOf(skipped, check), "")
	stays := withDisks(15)
	stays.attachments[1].Gone, stays.pods["2"] = time.Time{}, stays.pods["2"][:1]
	expectWrong(t, wrongOf(stays, check), "")
	for began, want := range map[int]string{5: "still had their volumes of disk on target", 13: ""} {
		taken := withDisks(13)
		taken.world.Killing = &killing{TakeOver: true}
		taken.ordeal = &ordeal{e: taken, journal: journal{events: []journalEvent{noted(1, began, "RunStarted", "")}}}
		expectWrong(t, wrongOf(taken, check), want)
	}
}

// A pod that terminates and was skipped is left on a drained node; the report says so.
func TestASkippedPodThatTerminates(t *testing.T) {
	check := func(e *evidence) { e.checkDrained(e.said.report.Nodes[0]) }
	left := story()
	left.pods["1"] = left.pods["1"][:2]
	expectWrong(t, wrongOf(left, check), "is said to be drained, and pod ns/web-1 is on it")
	left.ordeal = &ordeal{journal: journal{events: []journalEvent{noted(1, 12, "Control", "skip")}}}
	expectWrong(t, wrongOf(left, check), "")
	left.pods["1"] = left.pods["1"][:1]
	expectWrong(t, wrongOf(left, check), "is said to be drained, and pod ns/web-1 is on it")
}

func TestWhoWaitsForAVolumeTurnIsNotIdle(t *testing.T) {
	e := withDisks(15)
	next := e.pods["2"][0]
	for since, want := range map[int]bool{13: true, 24: false} {
		if got := e.volumeTurnTaken(next, second(since)); got != want {
			t.Errorf("since %ds the turn is taken: %v", since, got)
		}
	}
	e.world.Flags = []string{"--max-parallel-volumes=0"}
	if e.volumeTurnTaken(next, second(13)) {
		t.Error("without turns one is taken")
	}
}

// A pod that was to be left may be gone by the hands of others, not by ours.
func TestSkippedIsNotEvicted(t *testing.T) {
	e := story()
	e.said.report.EndedAt = second(20)
	e.said.report.Nodes[0].Pods[0].State = "Skipped"
	expectWrong(t, wrongOf(e, (*evidence).checkReport), "the report says Skipped")
	e.requests = e.requests[:1]
	expectWrong(t, wrongOf(e, (*evidence).checkReport), "")
}

func TestKilledWorldsHaveVariety(t *testing.T) {
	counts := map[string]int{}
	for run := 1; run < 300; run++ {
		w := newKilledWorld(7, run, kinds{})
		again, err := json.Marshal(newKilledWorld(7, run, kinds{}))
		if text, failed := json.Marshal(w); err != nil || failed != nil || string(text) != string(again) {
			t.Fatalf("run %d does not come again", run)
		}
		k := w.Killing
		for what, is := range map[string]bool{
			"hangup": k.Moments[0].Hangup, "elsewhere": k.Elsewhere, "take-over": k.TakeOver, "volumes": len(w.drivers()) > 0,
			"words": len(w.Words) > 0, "scale": w.has(allowScale), "fault": k.Fault != nil,
		} {
			if is {
				counts[what]++
			}
		}
		if k.TakeOver && (k.Elsewhere || k.Rollback || k.Fault != nil) || k.Elsewhere && k.Fault != nil {
			t.Errorf("run %d: %s", run, k)
		}
	}
	for _, what := range []string{"hangup", "elsewhere", "take-over", "volumes", "words", "scale", "fault"} {
		if counts[what] < 10 {
			t.Errorf("%d of 300 worlds have %s", counts[what], what)
		}
	}
}

// Who takes a run up finds a pod terminating that the first run had evicted, and
// skips it.
func TestWhatEitherRunMovesMayMove(t *testing.T) {
	one := func(action string) said {
		return said{planned: map[types.UID]plannedPod{"1": {UID: "1", Action: action}}, nodes: map[string]bool{}, uids: map[string]bool{}}
	}
	for actions, want := range map[[2]string]string{{"evict", "skip"}: "evict", {"skip", "delete"}: "delete", {"skip", "skip"}: "skip"} {
		if got := one(actions[0]).with(one(actions[1])).planned["1"].Action; got != want {
			t.Errorf("%v together: %s, want %s", actions, got, want)
		}
	}
}
