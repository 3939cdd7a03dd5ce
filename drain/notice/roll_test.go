package notice

import (
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/replacement"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
)

func TestRoll(t *testing.T) {
	facts := &roll.Facts{Run: drain.RunFacts{ID: "r0ll", Nodes: []drain.NodeFacts{{Name: "a"}, {Name: "b"}}},
		Batches: []roll.Batch{{Nodes: []string{"a"}}, {Nodes: []string{"b"}}}}
	now := noon
	s := roll.Fold(nil, roll.Event{Seq: 1, Time: now, Kind: roll.EventRollStarted, Roll: facts})
	watch := NewRollWatch(s)
	for _, step := range []struct {
		after  time.Duration
		events []roll.Event
		want   string
	}{
		{0, nil, ""},
		{time.Second, []roll.Event{{Kind: roll.EventBatchStarted, Batch: 1}}, ""},
		{time.Second, []roll.Event{{Kind: roll.EventQuestion, Question: roll.AskWork, Node: "a"}}, ""},
		{questionAfter, nil, "Question roll r0ll: it waits for an answer about node a"},
		{time.Hour, []roll.Event{{Kind: roll.EventReply, Node: "a", Question: roll.AskWork},
			{Kind: roll.EventNode, Node: "a", State: roll.Failed, Message: "broken"}, {Kind: roll.EventBatchEnded, Batch: 1}},
			"BatchEnded roll r0ll: batch 1 of 2 ended, 1 node failed"},
		{0, []roll.Event{{Kind: roll.EventGate, Gate: &replacement.Gate{Closed: true}}},
			"GateClosed roll r0ll: the health gate is closed, no further batch begins: 0 workloads are worse than before: "},
		// a whole batch between two looks
		{0, []roll.Event{{Kind: roll.EventGate, Gate: &replacement.Gate{}}, {Kind: roll.EventBatchStarted, Batch: 2},
			{Kind: roll.EventNode, Node: "b", State: roll.Done}, {Kind: roll.EventBatchEnded, Batch: 2},
			{Kind: roll.EventRollEnded, Outcome: drain.OutcomePartly, Message: "1 node failed"}},
			"BatchEnded roll r0ll: batch 2 of 2 ended|Ended roll r0ll: ended: partly, 1 of 2 nodes done, 1 node failed"},
		{time.Hour, nil, ""},
	} {
		now = now.Add(step.after)
		for _, e := range step.events {
			e.Seq, e.Time = s.Seq+1, now
			s = roll.Fold(s, e)
		}
		due, _ := watch.See(s, now)
		var told []string
		for _, n := range due {
			told = append(told, string(n.Kind)+" "+n.Message)
			if !n.Roll || n.Run != "r0ll" || !n.Time.Equal(now) {
				t.Errorf("%+v", n)
			}
		}
		if got := strings.Join(told, "|"); got != step.want {
			t.Errorf("at %s: %s\nwant %s", now.Sub(noon), got, step.want)
		}
	}
	if due, _ := NewRollWatch(s).See(s, now); len(due) != 0 {
		t.Errorf("what was before is told again: %+v", due)
	}
}
