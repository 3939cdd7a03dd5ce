package remedy

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func record(kind Kind, state State) *Record {
	return &Record{Facts: Facts{ID: 1, Kind: kind, Object: "ReplicaSet", Namespace: "shop", Name: "web", UID: "w", From: 2, To: 3}, State: state}
}

// failed is a record whose undoing failed so often, the last time just now.
func failed(kind Kind, tries int) *Record {
	r := record(kind, Done)
	for range tries {
		r.Become(Done, "no", kubetest.Now.Add(time.Second), kubetest.Now)
	}
	return r
}

func TestAfter(t *testing.T) {
	for name, c := range map[string]struct {
		record  *Record
		verb    attempt.Verb
		answer  kube.Answer
		state   State
		again   bool
		message string
	}{
		"done":                   {record(Scale, Requested), attempt.VerbScale, kube.Answer{Code: 200}, Done, false, ""},
		"no answer":              {record(Scale, Requested), attempt.VerbScale, kube.Answer{Failure: "timeout"}, InDoubt, false, "timeout"},
		"a server that failed":   {record(Delete, Requested), attempt.VerbDelete, kube.Answer{Code: 500, Message: "oops"}, InDoubt, false, "oops"},
		"never sent":             {record(Scale, Requested), attempt.VerbScale, kube.Answer{Failure: "no route", Unsent: true}, Refused, false, "no route"},
		"changed meanwhile":      {record(Scale, Requested), attempt.VerbScale, kube.Answer{Code: 409, Message: "conflict"}, Refused, false, "changed meanwhile"},
		"another number by now":  {record(Scale, Requested), attempt.VerbScale, kube.Answer{Code: 422}, Refused, false, "2 replicas"},
		"the budget says no":     {record(EvictUnhealthy, Requested), attempt.VerbEvict, kube.Answer{Code: 429, Message: "no"}, Refused, false, "no"},
		"undone":                 {record(Scale, Done), attempt.VerbUnscale, kube.Answer{Code: 200}, Undone, false, ""},
		"gone by then":           {record(Scale, Done), attempt.VerbUnscale, kube.Answer{Code: 404, Reason: "NotFound"}, Kept, false, "gone"},
		"not taken back yet":     {record(OutOfService, Done), attempt.VerbUntaint, kube.Answer{Code: 503}, Done, true, ""},
		"without the right":      {record(Scale, Done), attempt.VerbUnscale, kube.Answer{Code: 403, Message: "no"}, Orphaned, false, "not undone: no; to do it: kubectl"},
		"not taken back for all": {failed(Scale, attempt.RemoveTries), attempt.VerbUnscale, kube.Answer{Code: 503}, Orphaned, false, "kubectl"},
	} {
		got := c.record.After(c.verb, c.answer, c.answer.Class(), "kubectl", kubetest.Now)
		if got.State != c.state || got.Retry.IsZero() == c.again || !strings.Contains(got.Message, c.message) {
			t.Errorf("%s: %+v; want %s, again %v, %q", name, got, c.state, c.again, c.message)
		}
	}
}

func TestOpen(t *testing.T) {
	for _, c := range []struct {
		kind    Kind
		state   State
		open    bool
		mayLast bool
	}{
		{Scale, Requested, true, true}, {Scale, InDoubt, true, true}, {Scale, Done, true, true}, {OutOfService, Done, true, true},
		{Scale, Orphaned, false, true}, {Scale, Undone, false, false}, {Scale, Kept, false, false}, {Scale, Refused, false, false},
		{Delete, Done, false, false}, {EvictUnhealthy, InDoubt, false, false},
	} {
		r := record(c.kind, c.state)
		if r.Open() != c.open || r.MayStand() != c.mayLast {
			t.Errorf("%s %s: open %v, may stand %v", c.kind, c.state, r.Open(), r.MayStand())
		}
	}
}

func TestResume(t *testing.T) {
	r := record(Scale, Requested)
	r.Sent(&attempt.ActionFacts{ID: 1, Verb: attempt.VerbScale})
	if r.Resume(); r.State != InDoubt || r.InFlight != 0 || !r.Awaited(kubetest.Now) {
		t.Errorf("%+v", r)
	}
	r = record(Scale, Done)
	r.Answered(&attempt.AnswerFacts{Code: http.StatusOK})
	if r.Resume(); r.State != Done || r.Last != nil {
		t.Errorf("%+v", r)
	}
}

// A run says at its end which taint stays, and how it is removed.
func TestLeave(t *testing.T) {
	if c := record(OutOfService, Done).Leave("kubectl taint"); c == nil || c.State != Orphaned || !strings.HasSuffix(c.Message, "kubectl taint") {
		t.Errorf("%+v", c)
	}
	if c := record(Scale, Done).Leave("kubectl scale"); c != nil {
		t.Errorf("%+v", c)
	}
}
