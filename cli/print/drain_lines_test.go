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
		"answered, then gone":  {[]drain.Event{evict, event(remedy.Taken), event(remedy.Done), gone}, "pod/mailer deleted"},
		"gone, then answered":  {[]drain.Event{evict, event(remedy.Taken), gone, event(remedy.Done)}, "pod/mailer deleted"},
		"in doubt, then gone":  {[]drain.Event{event(remedy.Taken), event(remedy.InDoubt), gone}, "pod/mailer deleted"},
		"refused, and evicted": {[]drain.Event{evict, event(remedy.Taken), event(remedy.Refused), gone}, "pod/mailer evicted"},
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
