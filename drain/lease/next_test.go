package lease

import (
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func view(change func(*View)) View {
	v := View{Run: "r1", By: "ada", Namespace: "kube-system", Node: "a", UID: "node-a", Wanted: true, Untouched: true, Trusted: true, Now: t0}
	change(&v)
	return v
}

func of(run string) *kube.Lease {
	return &kube.Lease{Namespace: "kube-system", Name: kube.LeaseName("node-a"), UID: "l", ResourceVersion: "7", Holder: run,
		Duration: kube.LeaseDuration, Transitions: 2}
}

// held is a record of a Lease that was renewed so long ago.
func held(age time.Duration) *Record {
	r := &Record{}
	f := Facts{Namespace: "kube-system", Name: kube.LeaseName("node-a"), UID: "l", Holder: "r1"}
	at := t0.Add(-age)
	r.Sent(f, &attempt.ActionFacts{ID: 1, Verb: attempt.VerbAcquire, Version: "5"}, at)
	r.Answered(f, attempt.VerbAcquire, &attempt.AnswerFacts{Code: http.StatusOK, ResourceVersion: "6"}, at)
	r.Become(f, Held, "", at)
	return r
}

func denied(age, since time.Duration) *Record {
	r := held(age)
	for _, at := range []time.Time{t0.Add(-since), t0} {
		r.Sent(r.Facts, &attempt.ActionFacts{ID: 2, Verb: attempt.VerbRenew, Version: "6"}, at)
		r.Answered(r.Facts, attempt.VerbRenew, &attempt.AnswerFacts{Code: http.StatusForbidden}, at)
	}
	return r
}

// doubted is a record of a Lease whose renewal was sent just now and not answered.
func doubted() *Record {
	r := held(renewal)
	r.Sent(r.Facts, &attempt.ActionFacts{ID: 2, Verb: attempt.VerbRenew, Version: "6"}, t0)
	r.Answered(r.Facts, attempt.VerbRenew, attempt.AnswerFactsOf(kube.Answer{Failure: "EOF"}), t0)
	return r
}

func TestNext(t *testing.T) {
	for name, c := range map[string]struct {
		record  *Record
		view    func(*View)
		state   State // that it comes to
		message string
		verb    attempt.Verb // of what is sent
		version string
		stops   bool
		refuses bool
		wake    time.Duration
	}{
		"not wanted yet":      {view: func(v *View) { v.Wanted = false }},
		"a free one":          {view: func(*View) {}, verb: attempt.VerbAcquire},
		"not trusted":         {view: func(v *View) { v.Trusted = false }},
		"may not be read":     {view: func(v *View) { v.Denied, v.DeniedWhy = true, "forbidden" }, state: Disabled, message: "forbidden"},
		"its own from before": {view: func(v *View) { v.Live = of("r1") }, verb: attempt.VerbAcquire, version: "7"},
		"expired":             {view: func(v *View) { v.Live, v.Ends = of("r2"), t0 }, verb: attempt.VerbAcquire, version: "7"},
		"to be taken over": {view: func(v *View) { v.Live, v.Ends, v.Alive, v.TakesOver = of("r2"), t0.Add(time.Minute), true, true },
			verb: attempt.VerbAcquire, version: "7"},
		"another's, not seen to renew": {view: func(v *View) { v.Live, v.Ends = of("r2"), t0.Add(9*time.Second) },
			state: Awaited, message: "held by run r2", wake: 9 * time.Second},
		"another's, alive, untouched": {view: func(v *View) { v.Live, v.Ends, v.Alive = of("r2"), t0.Add(time.Minute), true }, refuses: true},
		"another's, alive, begun": {view: func(v *View) {
			v.Live, v.Ends, v.Alive, v.Untouched = of("r2"), t0.Add(time.Minute), true, false
		}, state: Lost, message: "taken over by run r2", stops: true},

		"held, fresh":                {record: held(0), view: func(*View) {}, wake: renewal},
		"held, due":                  {record: held(renewal), view: func(*View) {}, verb: attempt.VerbRenew, version: "6", wake: OverdueAfter - renewal},
		"held, overdue":              {record: held(OverdueAfter), view: func(*View) {}, state: Overdue, message: "not renewed"},
		"taken over":                 {record: held(0), view: func(v *View) { v.Live = of("r2") }, state: Lost, message: "taken over by run r2", stops: true},
		"shows what was before ours": {record: held(0), view: func(v *View) { v.Live = of("r2"); v.Live.ResourceVersion = "5" }, wake: renewal},
		"renewed, without an answer": {record: doubted(), view: func(v *View) { v.Live = of("r1") }, state: Held},
		"in doubt, shows what was before": {record: doubted(), view: func(v *View) { v.Live = of("r1"); v.Live.ResourceVersion = "6" },
			wake: RetryAfter},
		"in doubt, the watch is late": {record: doubted(), view: func(v *View) { v.Live = of("r1"); v.Live.ResourceVersion = "5" },
			wake: RetryAfter},
		"denied for a moment":     {record: denied(OverdueAfter, deniedFor-1), view: func(*View) {}, state: Overdue},
		"denied for long":         {record: denied(OverdueAfter, deniedFor), view: func(*View) {}, state: Disabled},
		"denied, not overdue yet": {record: denied(renewal, deniedFor), view: func(*View) {}, wake: RetryAfter},

		"done, held": {record: held(0), view: func(v *View) { v.Final = true }, verb: attempt.VerbRelease, version: "6"},
		"done, annotated since": {record: held(0), view: func(v *View) { v.Final, v.Live = true, of("r1") },
			verb: attempt.VerbRelease, version: "7"},
		"done, refused as outdated, the watch is late": {record: conflicting(), view: func(v *View) {
			v.Final, v.Live = true, of("r1")
			v.Live.ResourceVersion = "6"
		}, verb: attempt.VerbRelease, version: "6"},
		"done, refused as outdated, another's": {record: conflicting(), view: func(v *View) { v.Final, v.Live = true, of("r2") },
			state: Released},
		"done, of before": {view: func(v *View) { v.Final, v.Live = true, of("r1") }, state: Held},
		"done, of before, its acquisition failed": {record: &Record{Facts: Facts{Holder: "r1"}, State: Awaited},
			view: func(v *View) { v.Final, v.Live = true, of("r1") }, state: Held},
		"done, none":            {view: func(v *View) { v.Final = true }},
		"done, another's":       {view: func(v *View) { v.Final, v.Live = true, of("r2") }},
		"resumed, it shows":     {record: held(0).Resume(true), view: func(v *View) { v.Final, v.Resumed, v.Live = true, t0, of("r1") }, verb: attempt.VerbRelease, version: "7"},
		"resumed, it is gone":   {record: held(0).Resume(true), view: func(v *View) { v.Final, v.Resumed = true, t0 }, state: Released},
		"resumed, not seen yet": {record: held(0).Resume(true), view: func(v *View) { v.Final, v.Resumed, v.Trusted = true, t0, false }, wake: kube.LeaseDuration},
		"resumed, may not be read": {record: held(0).Resume(true), view: func(v *View) { v.Final, v.Resumed, v.Trusted, v.Denied = true, t0, false, true },
			state: Expiring, message: "does not show"},
	} {
		t.Run(name, func(t *testing.T) {
			d := Next(c.record, view(c.view))
			if d.Change == nil {
				d.Change = &Change{}
			}
			if d.Send == nil {
				d.Send = &Send{}
			}
			if d.Change.State != c.state || !strings.Contains(d.Change.Message, c.message) {
				t.Errorf("%q, %q; want %q, %q", d.Change.State, d.Change.Message, c.state, c.message)
			}
			if d.Send.Verb != c.verb || d.Send.Version != c.version {
				t.Errorf("sends %q %q, want %q %q", d.Send.Verb, d.Send.Version, c.verb, c.version)
			}
			if (d.Stop != "") != c.stops || (d.Refuse != "") != c.refuses {
				t.Errorf("stops the node %q, refuses it %q", d.Stop, d.Refuse)
			}
			if wake := d.Wake.Sub(t0); c.wake != 0 && wake != c.wake || c.wake == 0 && !d.Wake.IsZero() {
				t.Errorf("wakes after %s, want %s", wake, c.wake)
			}
		})
	}
}

// conflicting is a Lease whose release was refused, as its version had changed.
func conflicting() *Record {
	r := held(0)
	r.Sent(r.Facts, &attempt.ActionFacts{ID: 3, Verb: attempt.VerbRelease, Version: "6"}, t0.Add(-time.Second))
	r.Answered(r.Facts, attempt.VerbRelease, attempt.AnswerFactsOf(answered(http.StatusConflict)), t0.Add(-time.Second))
	return r
}

// A release that the end of the run waits for is tried twice, then left to expire.
func TestReleaseThatFails(t *testing.T) {
	r, now := held(0), t0
	for range releaseTries {
		d := Next(r, view(func(v *View) { v.Final, v.Now, v.Live = true, now, of("r1") }))
		if d.Send == nil || d.Send.Verb != attempt.VerbRelease {
			t.Fatalf("%+v", d)
		}
		r.Sent(r.Facts, &attempt.ActionFacts{ID: 3, Verb: attempt.VerbRelease}, now)
		answer := kube.Answer{Code: http.StatusInternalServerError}
		r.Answered(r.Facts, attempt.VerbRelease, attempt.AnswerFactsOf(answer), now)
		if c := r.After(attempt.VerbRelease, r.Facts, "", answer, false); c != nil {
			t.Fatalf("%+v", c)
		}
		now = now.Add(time.Second)
	}
	if d := Next(r, view(func(v *View) { v.Final, v.Now, v.Live = true, now, of("r1") })); d.Change == nil || d.Change.State != Expiring {
		t.Errorf("%+v", d)
	}
	elsewhere := func(at time.Time) Decision {
		return Next(r, view(func(v *View) { v.Final, v.Elsewhere, v.Now, v.Live = true, true, at, of("r1") }))
	}
	if d := elsewhere(now); d.Send == nil || d.Send.Verb != attempt.VerbRelease {
		t.Errorf("%+v: while the run works on other nodes it is tried on", d)
	}
	if d := elsewhere(t0.Add(kube.LeaseDuration)); d.Change == nil || d.Change.State != Expiring {
		t.Errorf("%+v: it has expired", d)
	}
}

func answered(code int) kube.Answer {
	a := kube.Answer{Code: code, Message: `leases "l" not found`}
	if code == http.StatusNotFound {
		a.Reason = metav1.StatusReasonNotFound
	}
	return a
}

func TestAfter(t *testing.T) {
	for name, c := range map[string]struct {
		record   *Record
		verb     attempt.Verb
		code     int
		expected string
		starting bool
		want     State
	}{
		"taken":                      {&Record{}, attempt.VerbAcquire, 201, "", false, Held},
		"taken by another meanwhile": {&Record{}, attempt.VerbAcquire, 409, "", false, ""},
		"the right is missing":       {&Record{}, attempt.VerbAcquire, 403, "", false, Disabled},
		"missing as it starts":       {&Record{}, attempt.VerbAcquire, 403, "", true, ""},
		"no such namespace":          {&Record{}, attempt.VerbAcquire, 404, "", false, Disabled},
		"it was deleted meanwhile":   {&Record{}, attempt.VerbAcquire, 404, "7", false, Awaited},
		"renewed":                    {held(0), attempt.VerbRenew, 200, "6", false, ""},
		"deleted by somebody":        {held(0), attempt.VerbRenew, 404, "6", false, Awaited},
		"not renewed":                {held(0), attempt.VerbRenew, 500, "6", false, Held},
		"released":                   {held(0), attempt.VerbRelease, 200, "", false, Released},
		"released, it has changed":   {held(0), attempt.VerbRelease, 409, "", false, ""}, // the view shows whose it is
	} {
		var got State
		if change := c.record.After(c.verb, c.record.Facts, c.expected, answered(c.code), c.starting); change != nil {
			got = change.State
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
