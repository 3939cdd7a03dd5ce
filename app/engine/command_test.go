package engine

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// recorded begins a run of node a with a journal.
func recorded(t *testing.T, s *kubetest.Simulation) (*Engine, *journal.Journal) {
	t.Helper()
	return recordedWith(t, s, s)
}

func recordedWith(t *testing.T, s *kubetest.Simulation, w request.Writer) (*Engine, *journal.Journal) {
	t.Helper()
	plan, err := plan.New(s.Snapshot(), []string{"a"}, plan.DefaultOptions(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	journal, err := journal.CreateJournal(t.TempDir(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	return startRecorded(t, EngineConfig{Source: s, Writer: w, Journal: journal, Now: time.Now}, plan), journal
}

func startRecorded(t *testing.T, config EngineConfig, planned plan.Plan) *Engine {
	t.Helper()
	e, err := Start(t.Context(), config, planned, drain.RunFacts{ID: "r1"})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func steer(t *testing.T, e *Engine, c drain.Command, complaint string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	c.By = "ada"
	seq, err := e.Command(ctx, c)
	switch {
	case complaint != "":
		if err == nil || !strings.Contains(err.Error(), complaint) {
			t.Errorf("%s: error %v, want %q", c.Kind, err, complaint)
		}
	case err != nil:
		t.Errorf("%s: %v", c.Kind, err)
	default:
		if event := e.Events(seq - 1)[0]; event.Kind != drain.EventControl || event.Command != c.Kind || event.By != "ada" {
			t.Errorf("%s: event %d is %s %s by %q", c.Kind, seq, event.Kind, event.Command, event.By)
		}
	}
}

// A control is answered when the run took it, or with why it changed nothing.
func TestSteerIsAnsweredByTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddNode("b")
		held, gone := s.AddPod("held", "a"), s.AddPod("web", "a")
		s.AddBudget("held", 1)
		e, _ := recorded(t, s)
		steer(t, e, drain.Command{Kind: drain.CommandRetry, Pod: held.UID}, "only a pod that waits can be tried again")
		steer(t, e, drain.Command{Kind: drain.CommandContinue}, "is not paused")
		steer(t, e, drain.Command{Kind: drain.CommandSkip, Pod: "unknown"}, "not in the run")
		steer(t, e, drain.Command{Kind: drain.CommandLeave, Node: "b"}, "node b is not in the run")
		s.Later(20*time.Second, func() {})
		done := make(chan struct{})
		go func() { defer close(done); confirmAll(t.Context(), s, e) }()
		time.Sleep(20 * time.Second)
		steer(t, e, drain.Command{Kind: drain.CommandSkip, Pod: gone.UID}, "nothing more happens to pod default/"+gone.Name+": it is gone")
		steer(t, e, drain.Command{Kind: drain.CommandPause}, "")
		steer(t, e, drain.Command{Kind: drain.CommandPause}, "already paused")
		steer(t, e, drain.Command{Kind: drain.CommandContinue}, "")
		steer(t, e, drain.Command{Kind: drain.CommandLast, Pod: held.UID}, "")
		steer(t, e, drain.Command{Kind: drain.CommandLast, Pod: held.UID}, "is already last")
		steer(t, e, drain.Command{Kind: drain.CommandRetry, Pod: held.UID}, "")
		steer(t, e, drain.Command{Kind: "dance"}, `unknown command "dance"`)
		steer(t, e, drain.Command{Kind: drain.CommandAbort}, "")
		<-done
		steer(t, e, drain.Command{Kind: drain.CommandPause}, "the run has ended: aborted")
	})
}

// What is said on a screen while the run tries the pod once more counts as soon as
// the answer is here; who waits for what became of it is told at once.
func TestACommandOnTheScreenOutlivesATry(t *testing.T) {
	for _, kind := range []drain.CommandKind{drain.CommandSkip, drain.CommandRetry, drain.CommandRemedy} {
		synctest.Test(t, func(t *testing.T) {
			s := kubetest.NewSimulation()
			s.AnswerLag = 5 * time.Second
			s.AddNode("a")
			s.AddNode("b")
			held := s.AddPod("held", "a")
			s.AddBudget("held", 1)
			e, _ := recorded(t, s)
			go confirmUntilDone(t.Context(), e)
			trying := func() bool { return e.State().Pod(held.UID).InFlight != 0 }
			for !trying() { // after half a minute, by itself
				time.Sleep(time.Second)
			}
			said, c := e.State().Seq, drain.Command{Kind: kind, Pod: held.UID, By: "ada", OnScreen: true}
			if kind == drain.CommandRemedy {
				remedies := e.Remedies(held.UID)
				at := slices.IndexFunc(remedies, func(r remedy.Remedy) bool { return r.Kind == remedy.Delete })
				c.Remedy, c.Word = remedies[at].Facts, remedies[at].Word
			}
			e.Send(c)
			synctest.Wait()
			if !trying() || len(e.Events(said)) > 0 {
				t.Fatalf("%s: it came before the answer: %+v", kind, e.Events(said))
			}
			if kind != drain.CommandRemedy {
				steer(t, e, drain.Command{Kind: kind, Pod: held.UID}, "is in flight")
			}
			time.Sleep(s.AnswerLag)
			synctest.Wait()
			events := e.Events(said)
			answered := slices.IndexFunc(events, func(e drain.Event) bool { return e.Kind == drain.EventAnswer })
			taken := slices.IndexFunc(events, func(e drain.Event) bool { return e.Kind == drain.EventControl && e.Command == kind })
			if answered < 0 || taken < answered {
				t.Errorf("%s: answered at %d, taken at %d", kind, answered, taken)
			}
			for _, event := range events {
				if event.Kind == drain.EventRemedy && event.RemedyState == remedy.Refused {
					t.Errorf("%s: refused: %s", kind, event.Message)
				}
			}
			e.Send(drain.Command{Kind: drain.CommandAbort})
			<-e.Done()
			s.Halt()
		})
	}
}

// A suspended run ends its process, not itself: nothing more is sent, the
// answers that were out are in the journal, and it can be resumed to its end.
func TestSuspendedRunResumes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AnswerLag = 200 * time.Millisecond
		s.AddNode("a")
		s.AddNode("b")
		for range 6 {
			s.AddPod("web", "a")
		}
		s.AddBudget("web", 5)
		e, record := recorded(t, s)
		s.OnChange = func() {
			if len(s.Evictions) == 2 {
				e.Send(drain.Command{Kind: drain.CommandSuspend, By: "signal", Why: "suspended by SIGHUP"})
			}
		}
		s.Later(time.Minute, func() {})
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		confirmUntilDone(ctx, e)
		sent := len(s.Evictions)
		state := e.State()
		if state.Outcome != "" || !state.Suspended || state.InFlight() {
			t.Fatalf("outcome %q, suspended %v, in flight %v", state.Outcome, state.Suspended, state.InFlight())
		}
		steer(t, e, drain.Command{Kind: drain.CommandAbort}, "suspended")
		time.Sleep(time.Minute)
		if len(s.Evictions) != sent || sent == 6 {
			t.Errorf("%d evictions when it was suspended, %d a minute later", sent, len(s.Evictions))
		}
		again, events, err := journal.OpenJournal(record.Path())
		if err != nil {
			t.Fatal(err)
		}
		if last := drain.Fold(nil, events...); last.Outcome != "" || !last.Suspended || last.InFlight() {
			t.Errorf("the journal tells of outcome %q, suspended %v", last.Outcome, last.Suspended)
		}
		resumed, err := Resume(ctx, EngineConfig{Source: s, Writer: s, Journal: again, Now: time.Now}, events)
		if err != nil {
			t.Fatal(err)
		}
		confirmUntilDone(ctx, resumed)
		if state := resumed.State(); state.Outcome != drain.OutcomeDone || state.Suspended {
			t.Errorf("resumed: %s, suspended %v", state.Outcome, state.Suspended)
		}
		s.Halt()
	})
}

// An abort that a hangup cuts short is brought to its end by resume: nothing more is
// evicted, and what the run made for its time is taken away.
func TestAnAbortSurvivesASuspend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddPod("web", "a")
		e, record := recordedWith(t, s, unanswered{s})
		confirmUntil(t, e, "the eviction is out", func(state *drain.State) bool { return state.Pods[0].InFlight != 0 })
		e.Send(drain.Command{Kind: drain.CommandAbort, By: "ada", Why: "enough"})
		e.Send(drain.Command{Kind: drain.CommandSuspend, By: "signal", Why: "suspended by SIGHUP"})
		<-e.Done()
		if state := e.State(); state.Outcome != "" || !state.Suspended || !state.Aborting {
			t.Fatalf("outcome %q, suspended %v, aborting %v", state.Outcome, state.Suspended, state.Aborting)
		}
		again, events, err := journal.OpenJournal(record.Path())
		if err != nil {
			t.Fatal(err)
		}
		resumed, err := Resume(t.Context(), EngineConfig{Source: s, Writer: s, Journal: again, Now: time.Now}, events)
		if err != nil {
			t.Fatal(err)
		}
		confirmUntilDone(t.Context(), resumed)
		if state := resumed.State(); state.Outcome != drain.OutcomeAborted || state.Message != "enough" || len(s.Evictions) != 0 {
			t.Errorf("%s: %q, %d evictions", state.Outcome, state.Message, len(s.Evictions))
		}
		s.Halt()
	})
}

// unanswered is a server that never answers an eviction.
type unanswered struct{ *kubetest.Simulation }

func (unanswered) Evict(ctx context.Context, _ request.Evict) kube.Answer {
	<-ctx.Done()
	return kube.Answer{Failure: ctx.Err().Error()}
}

// A write whose answer does not come in time stays in doubt: an intent without
// an answer.
func TestSuspendWaitsOnlySoLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddPod("web", "a")
		e, record := recordedWith(t, s, unanswered{s})
		began := time.Now()
		s.Later(10*time.Second, func() { e.Send(drain.Command{Kind: drain.CommandSuspend, By: "signal"}) })
		confirmUntilDone(t.Context(), e)
		if took := time.Since(began); took > 10*time.Second+lastAnswers+time.Second {
			t.Errorf("it took %s", took)
		}
		events, _, err := journal.ReadJournal(record.Path())
		if err != nil {
			t.Fatal(err)
		}
		if !drain.Fold(nil, events...).InFlight() {
			t.Error("the eviction is not in doubt")
		}
		s.Halt()
	})
}

// After a full disk the run goes on with a whole journal where there is room
// again, and without one only at its own word.
func TestContinueAfterALostJournal(t *testing.T) {
	for _, room := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			s := kubetest.NewSimulation()
			s.AddNode("a")
			s.AddNode("b")
			s.AddPod("web", "a")
			e, record := recorded(t, s)
			synctest.Wait()
			file := record.File
			unwritable, err := os.Open(os.DevNull) // for reading only: every write fails
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = unwritable.Close() }()
			record.File = unwritable
			e.Send(drain.Confirm{Phase: drain.PhaseCordon, By: "ada"})
			synctest.Wait()
			if state := e.State(); !state.Paused || state.JournalLost == "" || s.Cordons != 0 {
				t.Fatalf("paused %v, lost %q, %d cordons", state.Paused, state.JournalLost, s.Cordons)
			}
			steer(t, e, drain.Command{Kind: drain.CommandContinue}, "the journal cannot be written")
			steer(t, e, drain.Command{Kind: drain.CommandContinue, Word: "yes"}, "the journal cannot be written")
			if room {
				record.File = file
				steer(t, e, drain.Command{Kind: drain.CommandContinue}, "")
			} else {
				steer(t, e, drain.Command{Kind: drain.CommandContinue, Word: drain.WordWithoutJournal}, "")
			}
			confirmUntilDone(t.Context(), e)
			state := e.State()
			if state.Outcome != drain.OutcomeDone || (e.Err() == nil) != room || (state.JournalLost == "") != room {
				t.Errorf("outcome %s, error %v, lost %q", state.Outcome, e.Err(), state.JournalLost)
			}
			events, torn, err := journal.ReadJournal(record.Path())
			if err != nil || torn {
				t.Fatal(err, torn)
			}
			if whole := len(events) == len(e.Events(0)); whole != room {
				t.Errorf("%d of %d events in the journal", len(events), len(e.Events(0)))
			}
			if !room {
				if err := errors.Join(file.Close()); err != nil {
					t.Error(err)
				}
			}
			s.Halt()
		})
	}
}

// confirmUntilDone gives every word that the run asks for.
func confirmUntilDone(ctx context.Context, e *Engine) {
	changed := e.Changed(ctx)
	for {
		if q := e.State().Question; q != nil {
			e.Send(drain.Confirm{Phase: q.Phase, Word: q.Word, By: "ada"})
		}
		select {
		case <-changed:
		case <-e.Done():
			return
		case <-ctx.Done():
			return
		}
	}
}
