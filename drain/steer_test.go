package drain

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// recorded begins a run of node a with a journal.
func recorded(t *testing.T, s *simulation) (*Engine, *Journal) {
	t.Helper()
	return recordedWith(t, s, s)
}

func recordedWith(t *testing.T, s *simulation, w kube.Writer) (*Engine, *Journal) {
	t.Helper()
	plan, err := NewPlan(s.Snapshot(), []string{"a"}, DefaultOptions(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	journal, err := CreateJournal(t.TempDir(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	e, err := Start(t.Context(), EngineConfig{Source: s, Writer: w, Journal: journal, Now: time.Now}, plan, RunFacts{ID: "r1"})
	if err != nil {
		t.Fatal(err)
	}
	return e, journal
}

func steer(t *testing.T, e *Engine, c Control, complaint string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	c.By = "ada"
	seq, err := e.Steer(ctx, c)
	switch {
	case complaint != "":
		if err == nil || !strings.Contains(err.Error(), complaint) {
			t.Errorf("%s: error %v, want %q", c.Kind, err, complaint)
		}
	case err != nil:
		t.Errorf("%s: %v", c.Kind, err)
	default:
		if event := e.Events(seq - 1)[0]; event.Kind != EventControl || event.Control != c.Kind || event.By != "ada" {
			t.Errorf("%s: event %d is %s %s by %q", c.Kind, seq, event.Kind, event.Control, event.By)
		}
	}
}

// A control is answered when the run took it, or with why it changed nothing.
func TestSteerIsAnsweredByTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		s.addNode("a")
		s.addNode("b")
		held, gone := s.addPod("held", "a"), s.addPod("web", "a")
		s.addBudget("held", 1)
		e, _ := recorded(t, s)
		steer(t, e, Control{Kind: ControlRetry, Pod: held.UID}, "only a pod that waits can be tried again")
		steer(t, e, Control{Kind: ControlContinue}, "is not paused")
		steer(t, e, Control{Kind: ControlSkip, Pod: "nobody"}, "not in the run")
		steer(t, e, Control{Kind: ControlLeave, Node: "b"}, "node b is not in the run")
		s.later(20*time.Second, func() {})
		done := make(chan struct{})
		go func() { defer close(done); confirmAll(t.Context(), s, e) }()
		time.Sleep(20 * time.Second)
		steer(t, e, Control{Kind: ControlSkip, Pod: gone.UID}, "nothing more happens to pod default/"+gone.Name+": it is Gone")
		steer(t, e, Control{Kind: ControlPause}, "")
		steer(t, e, Control{Kind: ControlPause}, "paused already")
		steer(t, e, Control{Kind: ControlContinue}, "")
		steer(t, e, Control{Kind: ControlLast, Pod: held.UID}, "")
		steer(t, e, Control{Kind: ControlLast, Pod: held.UID}, "is last already")
		steer(t, e, Control{Kind: ControlRetry, Pod: held.UID}, "")
		steer(t, e, Control{Kind: "dance"}, `"dance" is nothing that a run can be told`)
		steer(t, e, Control{Kind: ControlAbort}, "")
		<-done
		steer(t, e, Control{Kind: ControlPause}, "the run has ended: aborted")
	})
}

// What is said on a screen while the run tries the pod once more counts as soon as
// the answer is here; who waits for what became of it is told at once.
func TestAWordOnTheScreenOutlivesATry(t *testing.T) {
	for _, kind := range []ControlKind{ControlSkip, ControlRetry, ControlClimb} {
		synctest.Test(t, func(t *testing.T) {
			s := newSimulation()
			s.answerLag = 5 * time.Second
			s.addNode("a")
			s.addNode("b")
			held := s.addPod("held", "a")
			s.addBudget("held", 1)
			e, _ := recorded(t, s)
			go confirmUntilDone(t.Context(), e)
			trying := func() bool { return e.State().Pod(held.UID).InFlight != 0 }
			for !trying() { // after half a minute, by itself
				time.Sleep(time.Second)
			}
			said, c := e.State().Seq, Control{Kind: kind, Pod: held.UID, By: "ada", OnScreen: true}
			if kind == ControlClimb {
				rungs := e.Ladder(held.UID)
				at := slices.IndexFunc(rungs, func(r Rung) bool { return r.Kind == RungDelete })
				c.Rung, c.Word = rungs[at].RungFacts, rungs[at].Word
			}
			e.Send(c)
			synctest.Wait()
			if !trying() || len(e.Events(said)) > 0 {
				t.Fatalf("%s: it came before the answer: %+v", kind, e.Events(said))
			}
			if kind != ControlClimb {
				steer(t, e, Control{Kind: kind, Pod: held.UID}, "is on its way")
			}
			time.Sleep(s.answerLag)
			synctest.Wait()
			events := e.Events(said)
			answered := slices.IndexFunc(events, func(e Event) bool { return e.Kind == EventAnswer })
			taken := slices.IndexFunc(events, func(e Event) bool { return e.Kind == EventControl && e.Control == kind })
			if answered < 0 || taken < answered {
				t.Errorf("%s: answered at %d, taken at %d", kind, answered, taken)
			}
			for _, event := range events {
				if event.Kind == EventRung && event.RungState == RungRefused {
					t.Errorf("%s: refused: %s", kind, event.Message)
				}
			}
			e.Send(Control{Kind: ControlAbort})
			<-e.Done()
			s.halt()
		})
	}
}

// A suspended run ends its process, not itself: nothing more is sent, the
// answers that were out are in the journal, and it can be resumed to its end.
func TestSuspendedRunResumes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		s.answerLag = 200 * time.Millisecond
		s.addNode("a")
		s.addNode("b")
		for range 6 {
			s.addPod("web", "a")
		}
		s.addBudget("web", 5)
		e, journal := recorded(t, s)
		s.onChange = func() {
			if len(s.evictions) == 2 {
				e.Send(Control{Kind: ControlSuspend, By: "signal", Why: "suspended by SIGHUP"})
			}
		}
		s.later(time.Minute, func() {})
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		confirmUntilDone(ctx, e)
		sent := len(s.evictions)
		state := e.State()
		if state.Outcome != "" || !state.Suspended || state.inFlight() {
			t.Fatalf("outcome %q, suspended %v, in flight %v", state.Outcome, state.Suspended, state.inFlight())
		}
		steer(t, e, Control{Kind: ControlAbort}, "suspended")
		time.Sleep(time.Minute)
		if len(s.evictions) != sent || sent == 6 {
			t.Errorf("%d evictions when it was suspended, %d a minute later", sent, len(s.evictions))
		}
		again, events, err := OpenJournal(journal.Path())
		if err != nil {
			t.Fatal(err)
		}
		if last := Fold(nil, events...); last.Outcome != "" || !last.Suspended || last.inFlight() {
			t.Errorf("the journal tells of outcome %q, suspended %v", last.Outcome, last.Suspended)
		}
		resumed, err := Resume(ctx, EngineConfig{Source: s, Writer: s, Journal: again, Now: time.Now}, events)
		if err != nil {
			t.Fatal(err)
		}
		confirmUntilDone(ctx, resumed)
		if state := resumed.State(); state.Outcome != OutcomeDone || state.Suspended {
			t.Errorf("resumed: %s, suspended %v", state.Outcome, state.Suspended)
		}
		s.halt()
	})
}

// An abort that a hangup cuts short is brought to its end by resume: nothing more is
// evicted, and what the run made for its time is taken away.
func TestAnAbortSurvivesASuspend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		s.addNode("a")
		s.addPod("web", "a")
		e, journal := recordedWith(t, s, unanswered{s})
		confirmUntil(t, e, "the eviction is out", func(state *State) bool { return state.Pods[0].InFlight != 0 })
		e.Send(Control{Kind: ControlAbort, By: "ada", Why: "enough"})
		e.Send(Control{Kind: ControlSuspend, By: "signal", Why: "suspended by SIGHUP"})
		<-e.Done()
		if state := e.State(); state.Outcome != "" || !state.Suspended || !state.Aborting {
			t.Fatalf("outcome %q, suspended %v, aborting %v", state.Outcome, state.Suspended, state.Aborting)
		}
		again, events, err := OpenJournal(journal.Path())
		if err != nil {
			t.Fatal(err)
		}
		resumed, err := Resume(t.Context(), EngineConfig{Source: s, Writer: s, Journal: again, Now: time.Now}, events)
		if err != nil {
			t.Fatal(err)
		}
		confirmUntilDone(t.Context(), resumed)
		if state := resumed.State(); state.Outcome != OutcomeAborted || state.Message != "enough" || len(s.evictions) != 0 {
			t.Errorf("%s: %q, %d evictions", state.Outcome, state.Message, len(s.evictions))
		}
		s.halt()
	})
}

// Several nodes are never drained on a plain yes, also where the connection has no
// context that could be typed.
func TestSeveralNodesTakeAWord(t *testing.T) {
	nodes := func(states ...NodeState) (list []*NodeRun) {
		for i, state := range states {
			list = append(list, &NodeRun{NodeFacts: NodeFacts{Name: string(rune('a' + i))}, State: state})
		}
		return list
	}
	for _, c := range []struct {
		context string
		nodes   []*NodeRun
		want    string
	}{
		{"prod", nodes(NodeCordoned), "a"},
		{"", nodes(NodeCordoned), "a"},
		{"prod", nodes(NodeCordoned, NodeCordoned), "prod"},
		{"", nodes(NodeCordoned, NodeCordoned, NodeCordoned), "drain 3 nodes"},
		{"", nodes(NodeCordoned, NodeRefused), "drain 1 node"},
	} {
		st := &stepper{s: &State{Run: RunFacts{Context: c.context}, Nodes: c.nodes}}
		if got := st.evictWord(); got != c.want {
			t.Errorf("%q, %d nodes: %q, want %q", c.context, len(c.nodes), got, c.want)
		}
	}
}

// unanswered is a server that never answers an eviction.
type unanswered struct{ *simulation }

func (unanswered) Evict(ctx context.Context, _ kube.EvictRequest) kube.Answer {
	<-ctx.Done()
	return kube.Answer{Failure: ctx.Err().Error()}
}

// A write whose answer does not come in time stays in doubt: an intent without
// an answer.
func TestSuspendWaitsOnlySoLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		s.addNode("a")
		s.addPod("web", "a")
		e, journal := recordedWith(t, s, unanswered{s})
		began := time.Now()
		s.later(10*time.Second, func() { e.Send(Control{Kind: ControlSuspend, By: "signal"}) })
		confirmUntilDone(t.Context(), e)
		if took := time.Since(began); took > 10*time.Second+lastAnswers+time.Second {
			t.Errorf("it took %s", took)
		}
		events, _, err := ReadJournal(journal.Path())
		if err != nil {
			t.Fatal(err)
		}
		if !Fold(nil, events...).inFlight() {
			t.Error("the eviction is not in doubt")
		}
		s.halt()
	})
}

// After a full disk the run goes on with a whole journal where there is room
// again, and without one only at its own word.
func TestContinueAfterALostJournal(t *testing.T) {
	for _, room := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			s := newSimulation()
			s.addNode("a")
			s.addNode("b")
			s.addPod("web", "a")
			e, journal := recorded(t, s)
			synctest.Wait()
			file := journal.file
			unwritable, err := os.Open(os.DevNull) // for reading only: every write fails
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = unwritable.Close() }()
			journal.file = unwritable
			e.Send(Confirm{Phase: PhaseCordon, By: "ada"})
			synctest.Wait()
			if state := e.State(); !state.Paused || state.JournalLost == "" || s.cordons != 0 {
				t.Fatalf("paused %v, lost %q, %d cordons", state.Paused, state.JournalLost, s.cordons)
			}
			steer(t, e, Control{Kind: ControlContinue}, "the journal cannot be written")
			steer(t, e, Control{Kind: ControlContinue, Word: "yes"}, "the journal cannot be written")
			if room {
				journal.file = file
				steer(t, e, Control{Kind: ControlContinue}, "")
			} else {
				steer(t, e, Control{Kind: ControlContinue, Word: WordWithoutJournal}, "")
			}
			confirmUntilDone(t.Context(), e)
			state := e.State()
			if state.Outcome != OutcomeDone || (e.Err() == nil) != room || (state.JournalLost == "") != room {
				t.Errorf("outcome %s, error %v, lost %q", state.Outcome, e.Err(), state.JournalLost)
			}
			events, torn, err := ReadJournal(journal.Path())
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
			s.halt()
		})
	}
}

// confirmUntilDone gives every word that the run asks for.
func confirmUntilDone(ctx context.Context, e *Engine) {
	changed := e.Changed(ctx)
	for {
		if q := e.State().Question; q != nil {
			e.Send(Confirm{Phase: q.Phase, Word: q.Word, By: "ada"})
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
