package tempbudget

import (
	"net/http"
	"strings"
	"testing"
	"time"

	policyv1 "k8s.io/api/policy/v1"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func record(state State, uid kube.UID) *Record {
	return &Record{Facts: Facts{Namespace: "shop", Name: "kdrain-r1-web", UID: uid, OwnerUID: "w"}, State: state}
}

// pausing is a record whose last request failed so often, the last time just now.
func pausing(state State, uid kube.UID, tries int) *Record {
	r := record(state, uid)
	for range tries {
		r.Become(r.Facts, state, "no answer", t0.Add(time.Second), t0)
	}
	return r
}

func live(uid kube.UID, run string, observed bool, pods int32) *kube.Budget {
	b := &kube.Budget{Namespace: "shop", Name: "kdrain-r1-web", UID: uid, Generation: 1, ExpectedPods: pods}
	b.Labels = map[string]string{kube.ManagedByLabel: kube.ManagedByValue, kube.RunLabel: run}
	if observed {
		b.ObservedGeneration = 1
	}
	return b
}

func view(change func(*View)) View {
	v := View{Run: "r1", Most: "25%", Trusted: true, Making: true, Now: t0, Others: func() bool { return false },
		Workload: &kube.Workload{UID: "w", Kind: "Deployment", Name: "web", Replicas: 3}, Remove: "kubectl delete pdb"}
	if change != nil {
		change(&v)
	}
	return v
}

func TestDecisions(t *testing.T) {
	shared := func(v *View) { v.Live, v.Others = live("1", "r1", true, 3), func() bool { return true } }
	for name, c := range map[string]struct {
		record *Record
		decide func(*Record, View) Decision
		view   func(*View)
		state  State
		verb   attempt.Verb
	}{
		"make":                      {record(Planned, ""), (*Record).Make, nil, "", attempt.VerbCreateBudget},
		"make, paused":              {record(Planned, ""), (*Record).Make, func(v *View) { v.Paused = true }, "", ""},
		"make, pausing after tries": {pausing(Planned, "", 1), (*Record).Make, nil, "", ""},
		"make, workload gone":       {record(Planned, ""), (*Record).Make, func(v *View) { v.Workload = nil }, Removed, ""},
		"made, not observed":        {record(Created, "1"), (*Record).Make, func(v *View) { v.Live = live("1", "r1", false, 3) }, "", ""},
		"made, observed":            {record(Created, "1"), (*Record).Make, func(v *View) { v.Live = live("1", "r1", true, 3) }, Observed, ""},
		"made, counts no pod yet":   {record(Created, "1"), (*Record).Make, func(v *View) { v.Live = live("1", "r1", true, 0) }, "", ""},
		"made, scaled to zero": {record(Created, "1"), (*Record).Make, func(v *View) {
			v.Live, v.Workload.Replicas = live("1", "r1", true, 0), 0
		}, Observed, ""},
		"made, over a pod of another budget": {record(Created, "1"), (*Record).Make, shared, "", attempt.VerbDeleteBudget},
		"over a pod of another budget, paused": {record(Created, "1"), (*Record).Make, func(v *View) {
			shared(v)
			v.Paused, v.Live = true, live("1", "r1", false, 3)
		}, "", ""},
		"made, cannot be computed": {record(Created, "1"), (*Record).Make, func(v *View) {
			v.Live = live("1", "r1", false, 0)
			v.Live.ConditionReason = policyv1.SyncFailedReason
		}, Observed, ""},
		"in force, over a pod of another budget": {record(Observed, "1"), (*Record).Make, shared, "", attempt.VerbDeleteBudget},
		"in doubt":                               {record(InDoubt, ""), (*Record).Make, nil, "", attempt.VerbGet},
		"in doubt, it shows":                     {record(InDoubt, ""), (*Record).Make, func(v *View) { v.Live = live("1", "r1", false, 0) }, Created, ""},
		"in doubt, another's":                    {record(InDoubt, ""), (*Record).Make, func(v *View) { v.Live = live("1", "r2", false, 0) }, "", attempt.VerbGet},
		"in force":                               {record(Observed, "1"), (*Record).Watch, func(v *View) { v.Live = live("1", "r1", true, 3) }, "", ""},
		"removed by somebody":                    {record(Observed, "1"), (*Record).Watch, nil, Removed, ""},
		"not seen":                               {record(Observed, "1"), (*Record).Watch, func(v *View) { v.Trusted = false }, "", ""},
		"another covers a pod":                   {record(Observed, "1"), (*Record).Watch, shared, "", attempt.VerbDeleteBudget},
		"never made":                             {record(Planned, ""), (*Record).TakeBack, nil, Removed, ""},
		"take back":                              {record(Observed, "1"), (*Record).TakeBack, nil, "", attempt.VerbDeleteBudget},
		"take back, pausing":                     {pausing(Observed, "1", 1), (*Record).TakeBack, nil, "", ""},
		"removed already":                        {record(Removed, "1"), (*Record).TakeBack, nil, "", ""},
	} {
		d := c.decide(c.record, view(c.view))
		var state State
		var verb attempt.Verb
		if d.Change != nil {
			state = d.Change.State
		}
		if d.Send != nil {
			verb = d.Send.Verb
		}
		if state != c.state || verb != c.verb {
			t.Errorf("%s: becomes %q, sends %q; want %q, %q", name, state, verb, c.state, c.verb)
		}
	}
}

func TestAfter(t *testing.T) {
	create, look, remove := request.CreateBudget{}, request.GetBudget{}, request.BudgetRef{}
	over := func(v *View) { v.Making = false }
	for name, c := range map[string]struct {
		record  *Record
		request request.Request
		answer  kube.Answer
		view    func(*View)
		state   State
		again   bool
		message string
	}{
		"made":                         {record(Planned, ""), create, kube.Answer{Code: 201, UID: "1"}, nil, Created, false, ""},
		"the name is in use":           {record(Planned, ""), create, kube.Answer{Code: 409}, nil, InDoubt, false, ""},
		"no answer":                    {record(Planned, ""), create, kube.Answer{Failure: "timeout"}, nil, InDoubt, true, "timeout"},
		"never sent":                   {record(Planned, ""), create, kube.Answer{Failure: "no route", Unsent: true}, nil, Planned, true, "no route"},
		"refused":                      {record(Planned, ""), create, kube.Answer{Code: 403, Message: "no"}, nil, Failed, false, "no"},
		"looked up, ours":              {record(InDoubt, ""), look, kube.Answer{Code: 200, UID: "1"}, nil, Created, false, ""},
		"looked up, another's":         {record(InDoubt, ""), look, kube.Answer{Code: 200}, nil, Failed, false, "another budget"},
		"looked up, another's, at end": {record(InDoubt, ""), look, kube.Answer{Code: 200}, over, Removed, false, "another budget"},
		"looked up, none":              {record(InDoubt, ""), look, kube.Answer{Code: 404, Reason: "NotFound"}, nil, Planned, false, ""},
		"looked up, none, at the end":  {record(InDoubt, ""), look, kube.Answer{Code: 404, Reason: "NotFound"}, over, Removed, false, ""},
		"may not be looked up":         {record(InDoubt, ""), look, kube.Answer{Code: 403}, nil, Planned, false, ""},
		"not looked up":                {record(InDoubt, ""), look, kube.Answer{Code: 500}, nil, InDoubt, true, ""},
		"never looked up": {pausing(InDoubt, "", removeTries), look, kube.Answer{Code: 500, Message: "no"}, over,
			Orphaned, false, "kubectl delete pdb"},
		"removed":         {record(Observed, "1"), remove, kube.Answer{Code: 200}, over, Removed, false, ""},
		"gone":            {record(Observed, "1"), remove, kube.Answer{Code: 404, Reason: "NotFound"}, over, Removed, false, ""},
		"another by now":  {record(Observed, "1"), remove, kube.Answer{Code: 409}, over, InDoubt, true, ""},
		"not removed yet": {record(Observed, "1"), remove, kube.Answer{Code: 503}, over, Observed, true, ""},
		"not removed": {pausing(Observed, "1", removeTries), remove, kube.Answer{Code: 503, Message: "no"}, over,
			Orphaned, false, "not removed: no; to do it: kubectl delete pdb"},
	} {
		got := c.record.After(c.request, c.answer, c.answer.Class(), view(c.view))
		if got == nil || got.State != c.state || got.Retry.IsZero() == c.again || !strings.Contains(got.Message, c.message) {
			t.Errorf("%s: %+v; want %s, again %v, %q", name, got, c.state, c.again, c.message)
		}
	}
}

// What another process had asked for and was not answered may exist.
func TestResume(t *testing.T) {
	r := record(Planned, "")
	r.Sent(&attempt.ActionFacts{ID: 1, Verb: attempt.VerbCreateBudget})
	if r.Resume(); r.State != InDoubt || r.InFlight != 0 {
		t.Errorf("%+v", r)
	}
	for _, code := range []int{http.StatusCreated, http.StatusServiceUnavailable} { // what followed is not known
		r = record(Planned, "")
		r.Sent(&attempt.ActionFacts{ID: 1, Verb: attempt.VerbCreateBudget})
		r.Answered(&attempt.AnswerFacts{Code: code})
		if r.Resume(); r.State != InDoubt {
			t.Errorf("%d: %+v", code, r)
		}
	}
	r = record(Planned, "")
	if r.Resume(); r.State != Planned {
		t.Errorf("%+v", r)
	}
}
