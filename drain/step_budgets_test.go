package drain

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// guardedSteps is a run that makes a temporary budget, with the request for it.
func guardedSteps() (*steps, Write) {
	f := newSteps()
	delete(f.Budgets, "web")
	f.Store.Remove(f.Snapshot().BudgetNamed("default", "web"))
	o := plan.DefaultOptions()
	o.Guard, o.GuardWrite = "1", true
	facts := eviction.Facts{Node: "a", Namespace: "default", Name: f.pod.Name, UID: f.pod.UID, Action: plan.ActionEvict}
	f.state = Fold(nil, Event{Seq: 1, Time: time.Now(), Kind: EventRunStarted, Run: &RunFacts{ID: "r1", User: "ada", Options: o,
		Nodes: []NodeFacts{{Name: "a", UID: "node-a"}}, Pods: []eviction.Facts{facts}}})
	f.step()
	return f, f.step(Confirm{Phase: PhaseGuard, By: "ada"})[0]
}

var (
	brokenOff  = kube.Answer{Failure: "unexpected EOF"}
	nameTaken  = kube.Answer{Code: http.StatusConflict, Message: `poddisruptionbudgets.policy "kdrain-r1-web" already exists`}
	notThere   = kube.Answer{Code: http.StatusNotFound, Reason: "NotFound", Message: `poddisruptionbudgets.policy "kdrain-r1-web" not found`}
	ourBudget  = kube.Answer{Code: http.StatusOK, UID: "made"}
	otherOnes  = kube.Answer{Code: http.StatusOK}
	mayNotLook = kube.Answer{Code: http.StatusForbidden, Message: `User "ada" cannot get resource "poddisruptionbudgets"`}
)

// Whether a budget stands of whose making no clear answer came is read, from the server:
// it is neither taken for made nor for not made. After an abort the same holds.
func TestABudgetInDoubtIsLookedUp(t *testing.T) {
	for name, c := range map[string]struct {
		answers []kube.Answer // to each request in turn, the last one again and again
		abort   bool          // after the first
		verbs   []attempt.Verb
		state   tempbudget.State
		words   string
	}{
		"it stands":                {[]kube.Answer{brokenOff, ourBudget}, false, []attempt.Verb{attempt.VerbCreateBudget, attempt.VerbGet}, tempbudget.Created, ""},
		"it does not":              {[]kube.Answer{brokenOff, notThere, ourBudget}, false, []attempt.Verb{attempt.VerbCreateBudget, attempt.VerbGet, attempt.VerbCreateBudget}, tempbudget.Created, ""},
		"an earlier try":           {[]kube.Answer{nameTaken, ourBudget}, false, []attempt.Verb{attempt.VerbCreateBudget, attempt.VerbGet}, tempbudget.Created, ""},
		"another run's":            {[]kube.Answer{nameTaken, otherOnes}, false, []attempt.Verb{attempt.VerbCreateBudget, attempt.VerbGet}, tempbudget.Failed, "another budget has its name"},
		"never sent":               {[]kube.Answer{{Failure: "no route", Unsent: true}, ourBudget}, false, []attempt.Verb{attempt.VerbCreateBudget, attempt.VerbCreateBudget}, tempbudget.Created, ""},
		"may not look":             {[]kube.Answer{brokenOff, mayNotLook, ourBudget}, false, []attempt.Verb{attempt.VerbCreateBudget, attempt.VerbGet, attempt.VerbCreateBudget}, tempbudget.Created, ""},
		"abort: it stands":         {[]kube.Answer{brokenOff, ourBudget, {Code: 200}}, true, []attempt.Verb{attempt.VerbCreateBudget, attempt.VerbGet, attempt.VerbDeleteBudget}, tempbudget.Removed, ""},
		"abort: it does not":       {[]kube.Answer{brokenOff, notThere}, true, []attempt.Verb{attempt.VerbCreateBudget, attempt.VerbGet}, tempbudget.Removed, ""},
		"abort: no answer":         {[]kube.Answer{brokenOff}, true, []attempt.Verb{attempt.VerbCreateBudget, attempt.VerbGet, attempt.VerbGet, attempt.VerbGet, attempt.VerbGet}, tempbudget.Orphaned, "whether it exists is not known: unexpected EOF"},
		"abort: another's":         {[]kube.Answer{nameTaken, otherOnes}, true, []attempt.Verb{attempt.VerbCreateBudget, attempt.VerbGet}, tempbudget.Removed, ""},
		"abort: removal unclear":   {[]kube.Answer{brokenOff, ourBudget, {Code: 409, Message: "x"}, ourBudget, {Code: 200}}, true, []attempt.Verb{attempt.VerbCreateBudget, attempt.VerbGet, attempt.VerbDeleteBudget, attempt.VerbGet, attempt.VerbDeleteBudget}, tempbudget.Removed, ""},
		"abort: replaced meantime": {[]kube.Answer{brokenOff, ourBudget, {Code: 409, Message: "x"}, otherOnes}, true, []attempt.Verb{attempt.VerbCreateBudget, attempt.VerbGet, attempt.VerbDeleteBudget, attempt.VerbGet}, tempbudget.Removed, "another budget"},
		"abort: conflicts for ever": {[]kube.Answer{brokenOff, ourBudget, {Code: 409, Message: "x"}, ourBudget, {Code: 409, Message: "x"}, ourBudget, {Code: 409, Message: "x"}, ourBudget, {Code: 409, Message: "x"}, ourBudget, {Code: 409, Message: "x"}},
			true, nil, tempbudget.Orphaned, "not removed: x"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, w := guardedSteps()
				var verbs []attempt.Verb
				writes := []Write{w}
				for range 40 {
					if len(writes) > 0 {
						w = writes[0]
						verbs = append(verbs, w.Verb)
						answer := c.answers[min(len(verbs), len(c.answers))-1]
						in := []Input{Answered{Write: w, Answer: answer}}
						if c.abort && len(verbs) == 1 {
							in = append(in, Command{Kind: CommandAbort, By: "ada"})
						}
						writes = f.step(in...)
						continue
					}
					if f.state.Budgets[0].State == c.state {
						break
					}
					time.Sleep(attempt.RetryMost)
					writes = f.step()
				}
				b := f.state.Budgets[0]
				if b.State != c.state || !strings.Contains(b.Message, c.words) || c.verbs != nil && !slices.Equal(verbs, c.verbs) {
					t.Errorf("%s %q after %v", b.State, b.Message, verbs)
				}
				if c.abort && f.state.Outcome != OutcomeAborted {
					t.Errorf("outcome %q", f.state.Outcome)
				}
			})
		})
	}
}

// A process that died with the request out leaves it in doubt: whoever takes the run up
// looks first, and a rollback finds the budget by its label.
func TestABudgetThatADeadProcessAskedFor(t *testing.T) {
	f, w := guardedSteps()
	f.CreateBudget(t.Context(), sent[request.CreateBudget](w))
	if undo, left := f.state.Budgets[0].Undo("r1", f.Snapshot()); undo == nil || undo.UID != "made-web" {
		t.Errorf("rollback: %+v, %s", undo, left)
	}
	f.Store.Remove(f.Snapshot().BudgetNamed("default", sent[request.CreateBudget](w).Name)) // the watch does not show it yet
	if undo, _ := f.state.Budgets[0].Undo("r1", f.Snapshot()); undo != nil {
		t.Errorf("rollback of nothing: %+v", undo)
	}
	f.state = Fold(f.state, Event{Seq: f.state.Seq + 1, Time: time.Now(), Kind: EventResumed})
	if writes := f.step(); len(writes) != 1 || writes[0].Verb != attempt.VerbGet || sent[request.GetBudget](writes[0]).Run != "r1" {
		t.Errorf("resume sends %+v", writes)
	}
}
