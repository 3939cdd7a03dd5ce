package drain

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// scaledOnce is a run that has given an app one more replica and is told to end, with
// the request that takes it back.
func scaledOnce(shown bool) (*steps, Write) {
	f := newSteps()
	w := f.remediate(remedy.Scale, nil)[0]
	if shown {
		f.scaleTo("web", 3, true)
	}
	f.step(Answered{Write: w, Answer: kube.Answer{Code: http.StatusOK}})
	return f, f.step(Command{Kind: CommandAbort, By: "ada"})[0]
}

// What a refusal is about only reading tells. Whatever could not be taken back stays
// something to do, with the server's words, and a rollback finds it.
func TestWhatCannotBeTakenBackStaysToBeDone(t *testing.T) {
	policy := kube.Answer{Code: http.StatusUnprocessableEntity, Message: "ValidatingAdmissionPolicy 'frozen' denied request"}
	for name, c := range map[string]struct {
		answer kube.Answer
		since  func(*steps) // what somebody did meanwhile
		want   remedy.State
		words  string
	}{
		"token":             {kube.Answer{Code: 401, Message: "Unauthorized"}, nil, remedy.Orphaned, "not undone: Unauthorized; to do it: kubectl scale"},
		"bad request":       {kube.Answer{Code: 400, Message: "no"}, nil, remedy.Orphaned, "not undone: no"},
		"too large":         {kube.Answer{Code: 413, Message: "no"}, nil, remedy.Orphaned, "not undone: no"},
		"policy":            {policy, nil, remedy.Orphaned, "'frozen' denied request"},
		"conflict":          {kube.Answer{Code: 409, Message: "please apply your changes to the latest version"}, nil, remedy.Orphaned, "latest version"},
		"404 of a proxy":    {kube.Answer{Code: 404, Message: "404 page not found"}, nil, remedy.Orphaned, "404 page not found"},
		"no right":          {kube.Answer{Code: 403, Message: "may not"}, nil, remedy.Orphaned, "may not"},
		"no answer":         {kube.Answer{Failure: "EOF"}, nil, remedy.Orphaned, "EOF"},
		"it is gone":        {kube.Answer{Code: 404, Reason: "NotFound", Message: `replicasets.apps "web" not found`}, nil, remedy.Kept, "it is gone"},
		"another number":    {kube.Answer{Code: 422, Message: "no"}, func(f *steps) { f.scaleTo("web", 5, false) }, remedy.Kept, "another run or somebody else has set it to 5 since"},
		"the number before": {kube.Answer{Code: 422, Message: "no"}, func(f *steps) { f.scaleTo("web", 2, false) }, remedy.Kept, "it already has that number"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, w := scaledOnce(true)
				if c.since != nil {
					c.since(f)
				}
				tries := 1
				for f.step(Answered{Write: w, Answer: c.answer}); f.state.Remedies[0].Open(); tries++ {
					if tries > 2*attempt.RemoveTries {
						t.Fatal("it is tried for ever")
					}
					time.Sleep(attempt.RetryMost)
					if writes := f.step(); len(writes) > 0 {
						w = writes[0]
						f.step(Answered{Write: w, Answer: c.answer})
					}
				}
				r := f.state.Remedies[0]
				if r.State != c.want || !strings.Contains(r.Message, c.words) {
					t.Errorf("%s: %q", r.State, r.Message)
				}
				undo, _ := r.Undo("r1", f.Snapshot())
				if again := r.MayStand() && undo != nil; again != (c.want == remedy.Orphaned) {
					t.Errorf("rollback: %+v", undo)
				}
			})
		})
	}
}

// A single refused token is no reason to leave anything behind.
func TestTakingBackIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, w := scaledOnce(true)
		f.step(Answered{Write: w, Answer: kube.Answer{Code: 401, Message: "Unauthorized"}})
		time.Sleep(attempt.RetryMost)
		again := f.step()
		if len(again) != 1 || again[0].Verb != attempt.VerbUnscale {
			t.Fatalf("%+v, %+v", again, f.state.Remedies[0])
		}
		f.step(Answered{Write: again[0], Answer: kube.Answer{Code: 200}})
		if r := f.state.Remedies[0]; r.State != remedy.Undone || f.state.Outcome != OutcomeAborted {
			t.Errorf("%s, %q", r.State, f.state.Outcome)
		}
	})
}

// Right after the change the watch may still show what was before: that is no proof that
// somebody has changed it.
func TestAWatchThatLagsLosesNoReplica(t *testing.T) {
	f, w := scaledOnce(false)
	if w.Verb != attempt.VerbUnscale || sent[request.Scale](w).From != 3 || sent[request.Scale](w).To != 2 {
		t.Errorf("%+v, %+v", w, f.state.Remedies[0])
	}
}

// The run at its end and a rollback go by one rule: what the one leaves alone the other
// leaves alone.
func TestOneRuleOfWhatCanBeTakenBack(t *testing.T) {
	for name, since := range map[string]func(*steps){
		"nothing": func(*steps) {},
		"by hand": func(f *steps) { f.scaleTo("web", 3, false) },
		"gone":    func(f *steps) { f.Store.Remove(f.Snapshot().Workload("rs-web")) },
		"unseen":  func(f *steps) { f.Store.SetSync(kube.KindReplicaSets, kube.SyncState{Phase: kube.Stale}) },
		"gone or so": func(f *steps) {
			f.Store.SetSync(kube.KindReplicaSets, kube.SyncState{Phase: kube.Stale})
			f.Store.Remove(f.Snapshot().Workload("rs-web"))
		},
		"scaled to two": func(f *steps) { f.scaleTo("web", 2, false) },
	} {
		f := newSteps()
		w := f.remediate(remedy.Scale, nil)[0]
		f.scaleTo("web", 3, true)
		f.step(Answered{Write: w, Answer: kube.Answer{Code: http.StatusOK}})
		since(f)
		undo, left := f.state.Remedies[0].Undo("r1", f.Snapshot())
		writes := f.step(Command{Kind: CommandAbort, By: "ada"})
		if len(writes) == 1 { // what the server says where the number is another
			if live := f.Replicas["web"]; live != 3 {
				f.step(Answered{Write: writes[0], Answer: kube.Answer{Code: 422, Message: "test failed"}})
				f.state = Fold(f.state, Event{Seq: f.state.Seq + 1, Time: time.Now(), Kind: EventRemedy, Remedy: &f.state.Remedies[0].Facts, RemedyState: remedy.Done})
				writes = f.step()
			}
		}
		if r := f.state.Remedies[0]; (len(writes) == 1) != (undo != nil) || left != "" && (r.State != remedy.Kept || r.Message != left) {
			t.Errorf("%s: the run %+v, %s %q; rollback %+v", name, writes, r.State, r.Message, undo)
		}
	}
}
