package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/film"
	"github.com/kdrain-tui/kdrain-tui/lab/bench/rig"
)

// rolled is a roll of two nodes, one after the other, as it should be: the first is out of service from second 10 to 20, its
// work runs from 12 to 14; the second follows 20 seconds later.
func rolled() *evidence {
	frames := func(name, run string, from int) []nodeFrame {
		return []nodeFrame{{At: second(0), Name: name}, {At: second(from), Name: name, Cordoned: true, Run: run},
			{At: second(from + 10), Name: name}}
	}
	works := func(name string, from int) []work {
		return []work{{Hook: "before", Node: name, Began: second(from - 2), Ended: second(from - 1)},
			{Hook: "work", Node: name, Began: second(from + 2), Ended: second(from + 4)}}
	}
	run := func(id, node string) journal {
		start, _ := json.Marshal(started{Nodes: []struct{ Name, UID, Refused string }{{Name: node}}})
		return journal{run: id, events: []journalEvent{{Kind: "RunStarted", Run: start}}}
	}
	e := &evidence{
		world: world{Targets: []string{"target-1", "target-2"}, Killing: &killing{},
			Roll: &rolling{Batch: 1, Zones: true, Before: true, PauseBetween: 3 * time.Second},
			Apps: []app{{Namespace: "ns", Name: "web", Kind: "Deployment"}}},
		pods: map[types.UID][]film.PodFrame{"1": {
			{At: second(0), UID: "1", Namespace: "ns", Name: "web-1", Node: "target-1", Labels: map[string]string{"own": "web"}},
			{At: second(11), UID: "1", Namespace: "ns", Name: "web-1", Node: "target-1", Gone: true}}},
		attachments: []attachment{{Volume: "disk", Node: "target-1", Since: second(0), Gone: second(11)}},
	}
	report := `{"schema":"kdrain-tui/roll-report/v1","roll":"r","outcome":"done","nodes":[` +
		`{"name":"target-1","state":"Done"},{"name":"target-2","state":"Done"}]}`
	e.ordeal = &ordeal{e: e, calls: []call{{Args: []string{"roll"}, Result: rig.Result{Began: second(1), Ended: second(50), Out: report}}},
		roll: &rollLife{
			nodes:   map[string][]nodeFrame{"target-1": frames("target-1", "r-1", 10), "target-2": frames("target-2", "r-2", 30)},
			works:   slices.Concat(works("target-1", 10), works("target-2", 30)),
			journal: rollJournal{id: "r", events: []rollEvent{{Kind: "RollEnded", Outcome: "done"}}, runs: []journal{run("r-1", "target-1"), run("r-2", "target-2")}},
		}}
	return e
}

// saying is the report of the roll with other words in it.
func (e *evidence) saying(outcome, state, message string) {
	text, _ := json.Marshal(rollReport{Schema: rollReportSchema, Outcome: outcome, Nodes: []rollNode{{Name: "target-1", State: "Done"},
		{Name: "target-2", State: state, Message: message}}})
	e.ordeal.calls[0].Result.Out, e.ordeal.calls[0].Result.Code = string(text), codes[outcome]
	e.ordeal.roll.journal.events = []rollEvent{{Kind: "RollEnded", Outcome: outcome}}
}

func TestRollsAreJudged(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*evidence, *rollLife)
		wrong  string
	}{
		"as it should be":         {func(*evidence, *rollLife) {}, ""},
		"work on a node in use":   {func(_ *evidence, r *rollLife) { r.nodes["target-1"][1].Cordoned = false }, "which was not cordoned"},
		"work on a node for long": {func(_ *evidence, r *rollLife) { r.nodes["target-1"][2].At = second(10) }, "which was not cordoned"},
		"uncordoned a moment ago": {func(_ *evidence, r *rollLife) {
			again := r.nodes["target-1"][2]
			r.nodes["target-1"][2].At = second(12).Add(-time.Millisecond)
			r.nodes["target-1"] = append(r.nodes["target-1"], again)
		}, ""},
		"work on a node of another run": {func(_ *evidence, r *rollLife) {
			r.nodes["target-1"] = append(r.nodes["target-1"][:2:2], nodeFrame{At: second(11), Name: "target-1", Cordoned: true, Run: "other"},
				nodeFrame{At: second(20), Name: "target-1"})
		}, "which run other had taken over"},
		"work on a node that is gone": {func(_ *evidence, r *rollLife) { r.nodes["target-1"][1].Gone = true }, "which is gone"},
		"work on a node with a pod":   {func(e *evidence, _ *rollLife) { e.pods["1"][1].At = second(15) }, "pod ns/web-1 was on it"},
		"a pod of a DaemonSet":        {func(e *evidence, _ *rollLife) { e.pods["1"][1].At, e.world.Apps[0].Kind = second(15), "DaemonSet" }, ""},
		"work before the detach":      {func(e *evidence, _ *rollLife) { e.attachments[0].Gone = second(15) }, "volume disk was attached"},
		"its pod stays with it": {func(e *evidence, _ *rollLife) {
			e.attachments[0].Volume, e.attachments[0].Gone = "ns-db-1", second(15)
			e.world.Apps = append(e.world.Apps, app{Namespace: "ns", Name: "db", Driver: "disk"})
			e.world.Flags = []string{"--pod-selector=own in (app-1,app-2)"}
			e.pods["2"] = []film.PodFrame{{At: second(0), UID: "2", Namespace: "ns", Name: "db-1", Node: "target-1",
				Labels: map[string]string{"own": "db"}}}
		}, ""},
		"work twice": {func(_ *evidence, r *rollLife) {
			r.works = append(r.works, work{Hook: "work", Node: "target-2", Began: second(36), Ended: second(37)})
		}, "without --rerun-work"},
		"work twice, its end known": {func(e *evidence, r *rollLife) {
			e.world.Roll.Rerun = true
			r.journal.events = append(r.journal.events, rollEvent{Kind: "HookEnded", Node: "target-2", Hook: "work", Time: second(34)})
			r.works = append(r.works, work{Hook: "work", Node: "target-2", Began: second(36), Ended: second(37)})
		}, "stands in the journal"},
		"work again after it was cut off": {func(e *evidence, r *rollLife) {
			e.world.Roll.Rerun = true
			r.works = append(r.works, work{Hook: "work", Node: "target-2", Began: second(36), Ended: second(37)})
		}, ""},
		"work beside work": {func(e *evidence, r *rollLife) {
			e.world.Roll.Rerun = true
			r.works = append(r.works, work{Hook: "work", Node: "target-2", Began: second(33), Ended: second(37)})
		}, "still ran there"},
		"two nodes at work":  {func(_ *evidence, r *rollLife) { r.works[1].Ended = second(33) }, "2 nodes were out of service"},
		"two zones at work":  {func(e *evidence, r *rollLife) { e.world.Roll.Batch, r.works[1].Ended = 2, second(33) }, "nodes of 2 zones"},
		"two nodes cordoned": {func(_ *evidence, r *rollLife) { r.nodes["target-1"][2].At = second(31) }, "2 nodes were out of service"},
		"one of two has failed": {func(_ *evidence, r *rollLife) {
			r.nodes["target-1"][2].At = second(31)
			r.journal.events = append(r.journal.events, rollEvent{Kind: "Node", NodeState: "Failed", Node: "target-1", Time: second(25)})
		}, ""},
		"work without the command before": {func(_ *evidence, r *rollLife) { r.works[0].Code = 3 }, "no command before it had ended well"},
		"work in a pause":                 {func(e *evidence, _ *rollLife) { e.steered = []spoken{{Verb: "pause", Answered: second(11)}} }, "the roll was paused or aborted"},
		"work after a pause": {func(e *evidence, _ *rollLife) {
			e.steered = []spoken{{Verb: "pause", Answered: second(5)}, {Verb: "continue", Asked: second(7)}}
		}, ""},
		"no pause between batches":       {func(e *evidence, _ *rollLife) { e.world.Roll.PauseBetween = time.Minute }, "of the batch before ended at"},
		"done without work":              {func(_ *evidence, r *rollLife) { r.works = r.works[:3] }, "is said to be done, and its work is"},
		"done after work failed":         {func(_ *evidence, r *rollLife) { r.works[3].Code = 1 }, "is said to be done, and its work is"},
		"done and still cordoned":        {func(_ *evidence, r *rollLife) { r.nodes["target-2"] = r.nodes["target-2"][:2] }, "was not uncordoned after its work"},
		"done with code 4":               {func(e *evidence, _ *rollLife) { e.ordeal.calls[0].Result.Code = 4 }, "ended with code 4"},
		"another end than the journal's": {func(_ *evidence, r *rollLife) { r.journal.events[0].Outcome = "partly" }, "the journal says that the roll ended"},
		"failed without a reason":        {func(e *evidence, _ *rollLife) { e.saying("partly", "Failed", "") }, "without a reason"},
		"failed by a good command": {func(e *evidence, _ *rollLife) {
			e.saying("partly", "Failed", "its --work command ended with exit code 3")
		}, "no command of it did"},
		"waits after its work":       {func(e *evidence, _ *rollLife) { e.saying("partly", "Waiting", "") }, "is said to wait"},
		"aborted by nobody":          {func(e *evidence, _ *rollLife) { e.saying("aborted", "Done", "") }, "nobody asked for that"},
		"partly without a failure":   {func(e *evidence, _ *rollLife) { e.saying("partly", "Done", "") }, `ended "partly"`},
		"work goes on after the end": {func(_ *evidence, r *rollLife) { r.works[3].Ended = second(60) }, "at 0"},
		"refused, and it worked": {func(e *evidence, r *rollLife) {
			r.never, e.ordeal.calls[0].Result.Code = true, codes["refused"]
		}, "did not begin, and ran commands"},
		"another run drains the node": {func(e *evidence, r *rollLife) {
			cordon := noted(1, 10, "Intent", "cordon")
			cordon.Node = "target-1"
			r.later = []journal{{run: "other", events: []journalEvent{cordon}}}
			e.world.Roll.Batch = 1
		}, "which run other was draining"},
	} {
		t.Run(name, func(t *testing.T) {
			e := rolled()
			c.change(e, e.ordeal.roll)
			got := wrongOf(e, func(e *evidence) {
				e.checkWorkPlaces()
				e.checkWorkTwice()
				e.checkWorkTimes()
				e.checkOut()
				e.checkBatchPauses()
				e.checkRollReport()
				for _, other := range e.ordeal.roll.later {
					e.checkNoWorkBeside(other, second(20))
				}
			})
			expectWrong(t, got, c.wrong)
		})
	}
}

// A node is the roll's again once the other run is through with it, although that one drains others still.
func TestWorkAfterTheDrainOfAnotherRun(t *testing.T) {
	e := rolled()
	cordon, drained := noted(1, 10, "Intent", "cordon"), noted(2, 11, "Node", "")
	cordon.Node, drained.Node, drained.NodeState = "target-1", "target-1", "Drained"
	uncordoned := noted(3, 19, "Node", "")
	uncordoned.Node, uncordoned.NodeState = "target-1", "Stopped" // as the roll uncordons it
	expectWrong(t, wrongOf(e, func(e *evidence) {
		e.checkNoWorkBeside(journal{run: "other", events: []journalEvent{cordon, drained, uncordoned}}, second(20))
	}), "")
}

// What others change in a world is left out of the comparison after a roll, and nothing else.
func TestOnlyWhatOthersChangeIsLeftOut(t *testing.T) {
	d := dump{}
	for _, name := range []string{"node a", "node b", "lease x", "budget ns/one", "budget ns/two", "deployment ns/web",
		"replicaset ns/web-1", "annotations deployment ns/web", "deployment ns/webby"} {
		d[name] = ""
	}
	w := world{Happenings: []happening{{What: "uncordon", Name: "a"}, {What: "tighten", Namespace: "ns", Name: "one"},
		{What: "scale", Namespace: "ns", Name: "web"}, {What: "delete a pod", Namespace: "ns", Name: "webby"}}}
	left := d.differences(w.untouched(d))
	want := []string{"annotations deployment ns/web is gone: ", "budget ns/one is gone: ", "deployment ns/web is gone: ",
		"node a is gone: ", "replicaset ns/web-1 is gone: "}
	if !slices.Equal(left, want) {
		t.Errorf("left out: %q, want %q", left, want)
	}
}

// A trace tells of each command how far it came.
func TestTraces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace")
	t.Setenv("NODE", "b")
	if code := leaveTrace([]string{"-file", path, "-fails", "b"}); code != 3 {
		t.Errorf("it ended with code %d", code)
	}
	if err := (step{Hook: "before", Node: "a", Pid: os.Getpid() + 1}).note(path, "begin"); err != nil {
		t.Fatal(err)
	}
	steps, err := readTrace(path)
	works := worksOf(steps)
	if err != nil || len(works) != 2 || works[0].Node != "b" || works[0].Code != 3 || works[0].succeeded() || !works[0].over(time.Now()) ||
		works[1].Hook != "before" || works[1].over(time.Now()) {
		t.Errorf("%+v, %v", works, err)
	}
}
