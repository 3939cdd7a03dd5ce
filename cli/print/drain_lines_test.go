package print

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Causes that alternate are told as they come up, and again once a minute, not
// with every turn.
func TestAlternatingCausesAreSaidOnce(t *testing.T) {
	said := saidWaits{texts: map[string]bool{}}
	for _, c := range []struct {
		after time.Duration
		text  string
		want  bool
	}{
		{0, "web-1", true},
		{time.Second, "web-1", false},
		{2 * time.Second, "web-2", true},
		{3 * time.Second, "web-1", false},
		{4 * time.Second, "web-2", false},
		{50 * time.Second, "web-3", true},
		{70 * time.Second, "web-1", false}, // a minute since the last line has not passed
		{111 * time.Second, "web-1", true},
		{200 * time.Second, "web-1", false}, // it is what was said last
	} {
		if got := said.news(c.text, noon.Add(c.after)); got != c.want {
			t.Errorf("after %s %q: %v", c.after, c.text, got)
		}
	}
}

// A pod whose eviction was refused last, and that is gone then, was not evicted.
func TestWhoRemovedAPod(t *testing.T) {
	for _, c := range []struct {
		codes []int
		want  string
	}{
		{[]int{429}, "pod/kafka-0 gone\n"},
		{[]int{201}, "pod/kafka-0 evicted\n"},
		{[]int{429, 201}, "pod/kafka-0 evicted\n"},
		{[]int{0}, "pod/kafka-0 evicted\n"}, // without an answer it may have been
		{[]int{404}, "pod/kafka-0 evicted\n"},
	} {
		var out, err bytes.Buffer
		o := (&Drain{Out: &Text{W: &out}, Err: &err, Now: time.Now}).Of(plan.Plan{})
		for _, code := range c.codes {
			evict := &attempt.ActionFacts{Verb: attempt.VerbEvict}
			o.Event(drain.Event{Kind: drain.EventIntent, Pod: "kafka-0", UID: "p1", Action: evict})
			o.Event(drain.Event{Kind: drain.EventAnswer, Pod: "kafka-0", UID: "p1", Action: evict, Answer: &attempt.AnswerFacts{Code: code}})
		}
		o.Event(drain.Event{Kind: drain.EventPod, Pod: "kafka-0", UID: "p1", PodState: eviction.Gone})
		if text := out.String(); !strings.HasSuffix(text, c.want) {
			t.Errorf("%v: %q, want %q", c.codes, text, c.want)
		}
	}
}

// A raise that is on its way is not said to be done, and what a surge waits for is said as the wait begins. A temporary
// budget that could not be removed is named with its command.
func TestTheLinesOfASurge(t *testing.T) {
	var out, err bytes.Buffer
	o := (&Drain{Out: &Text{W: &out}, Err: &err, Now: time.Now}).Of(plan.Plan{})
	facts := &surge.Facts{Kind: "Deployment", Namespace: "shop", Name: "web"}
	for _, c := range []surge.Change{
		{State: surge.Planned, Held: true, Message: "run k7f3pm has raised Deployment web from 2 to 3 replicas"},
		{State: surge.Raising, Batch: &surge.Batch{Was: 2, To: 3}},
		{State: surge.Refused, Message: "deployments.apps web is forbidden"},
	} {
		o.Event(drain.Event{Kind: drain.EventSurge, Surge: facts, SurgeChange: &c, Message: c.Message})
	}
	for _, state := range []tempbudget.State{tempbudget.Created, tempbudget.Orphaned} {
		o.Event(drain.Event{Kind: drain.EventBudget, Budget: &tempbudget.Facts{Namespace: "shop", Name: "kdrain-web"},
			BudgetState: state, Message: "not removed: forbidden; to do it: kubectl delete pdb"})
	}
	want := "Deployment shop/web: no replacement starts yet: run k7f3pm has raised Deployment web from 2 to 3 replicas\n" +
		"Deployment shop/web: raising from 2 to 3 replicas, so that its pods move when their replacements are Ready\n" +
		"Deployment shop/web: deployments.apps web is forbidden\n" +
		"Warning: temporary budget shop/kdrain-web: not removed: forbidden; to do it: kubectl delete pdb\n"
	if got := err.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// The end of a pod can be seen before the answer to the request that ended it.
func TestAPodThatARemedyDeletesIsNotCalledEvicted(t *testing.T) {
	const uid = kube.UID("1")
	event := func(state remedy.State) drain.Event {
		return drain.Event{Kind: drain.EventRemedy, RemedyState: state, Remedy: &remedy.Facts{Kind: remedy.ForceDelete, Pod: uid, For: "shop/mailer"}}
	}
	evict := drain.Event{Kind: drain.EventIntent, Namespace: "shop", Pod: "mailer", UID: uid, Action: &attempt.ActionFacts{Verb: attempt.VerbEvict}}
	gone := drain.Event{Kind: drain.EventPod, Namespace: "shop", Pod: "mailer", UID: uid, PodState: eviction.Gone}
	for name, test := range map[string]struct {
		events []drain.Event
		want   string
	}{
		"answered, then gone":  {[]drain.Event{evict, event(remedy.Requested), event(remedy.Done), gone}, "pod/mailer deleted"},
		"gone, then answered":  {[]drain.Event{evict, event(remedy.Requested), gone, event(remedy.Done)}, "pod/mailer deleted"},
		"in doubt, then gone":  {[]drain.Event{event(remedy.Requested), event(remedy.InDoubt), gone}, "pod/mailer deleted"},
		"refused, and evicted": {[]drain.Event{evict, event(remedy.Requested), event(remedy.Refused), gone}, "pod/mailer evicted"},
	} {
		var out, err bytes.Buffer
		o := (&Drain{Out: &Text{W: &out}, Err: &err, Now: time.Now}).Of(plan.Plan{})
		for _, event := range test.events {
			o.eventLines(event)
		}
		if !strings.Contains(out.String(), test.want+"\n") {
			t.Errorf("%s: %q, want %q", name, out.String(), test.want)
		}
	}
}
