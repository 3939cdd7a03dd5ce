package report

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
)

// A report names the object of each request of a remedy, and its log what became of
// the remedy, in order.
func TestReportTellsOfTheRemedies(t *testing.T) {
	c := aDrain()
	free := remedy.Facts{ID: 1, Kind: remedy.EvictUnhealthy, Pod: "api-1", For: "shop/api-1", Object: "Pod", Namespace: "shop", Name: "api-2", UID: "api-2"}
	taint := remedy.Facts{ID: 2, Kind: remedy.OutOfService, Pod: "api-1", For: "shop/api-1", Object: "Node", Name: "worker-1", UID: "n1"}
	for _, facts := range []*remedy.Facts{&free, &taint} {
		c.action++
		action := &attempt.ActionFacts{ID: c.action, Verb: attempt.Verb(facts.Kind)}
		c.add(time.Second, drain.Event{Kind: drain.EventControl, Command: drain.CommandRemedy, By: "ada", Node: "worker-1", Namespace: "shop", Pod: "api-1", UID: "api-1"})
		c.add(0, drain.Event{Kind: drain.EventRemedy, Remedy: facts, RemedyState: remedy.Requested, By: "ada"})
		c.add(0, drain.Event{Kind: drain.EventIntent, Node: "worker-1", Remedy: facts, Action: action})
		c.add(time.Second, drain.Event{Kind: drain.EventAnswer, Node: "worker-1", Remedy: facts, Action: action, Answer: &attempt.AnswerFacts{Code: 200}})
		c.add(0, drain.Event{Kind: drain.EventRemedy, Remedy: facts, RemedyState: remedy.Refused, Message: "not now"})
	}
	c.add(0, drain.Event{Kind: drain.EventRemedy, Remedy: &taint, RemedyState: remedy.Done, Wait: &waits.Wait{For: waits.ForServer}})
	r := Of(c.events, true)
	objects := map[attempt.Verb]string{}
	for _, a := range r.Answers {
		objects[a.Verb] = a.Object
	}
	if objects["evict-unhealthy"] != "Pod/shop/api-2" || objects["out-of-service"] != "Node/worker-1" {
		t.Errorf("the requests were about %v", objects)
	}
	var told []string
	for _, entry := range r.Log {
		if rest, found := strings.CutPrefix(entry.Text, "remedy for shop/api-1: "); found {
			told = append(told, strings.TrimSpace(rest+" "+entry.By))
		} else if strings.Contains(entry.Text, "remedy ") {
			t.Errorf("told twice: %s", entry.Text)
		}
	}
	want := []string{"eviction of shop/api-2, asked for ada", "eviction of shop/api-2, not done: not now",
		"out-of-service taint on node worker-1, asked for ada", "out-of-service taint on node worker-1, not done: not now"}
	if !slices.Equal(told, want) {
		t.Errorf("told %q,\nwant %q", told, want)
	}
}
