//go:build lab

package engine

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

const mergePatch = types.MergePatchType

func quantity(text string) resource.Quantity { return resource.MustParse(text) }

// labRun is a run of the engine on the lab.
type labRun struct {
	*Engine
	s    *stage
	kill func() // ends its process as it stands
}

// bareOptions drain the bare pods of the tests.
func bareOptions() plan.Options {
	o := plan.DefaultOptions()
	o.Force, o.IgnoreDaemonSets = true, true
	return o
}

// start begins a run and confirms nothing.
func (s *stage) start(source Source, writer request.Writer, o plan.Options, nodes ...string) *labRun {
	s.Helper()
	s.until(source, "the nodes are Ready", func(snap *kube.Snapshot) bool {
		for _, n := range nodes {
			if node := snap.Node(n); node == nil || node.Ready != kube.NodeReady {
				return false
			}
		}
		return true
	})
	plan, err := plan.New(source.Snapshot(), nodes, o, time.Now())
	s.must(err)
	journal, err := journal.CreateJournal(s.TempDir(), "r1")
	s.must(err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.Context()))
	e, err := Start(ctx, EngineConfig{Source: source, Writer: writer, Journal: journal, Now: time.Now}, plan,
		drain.RunFacts{ID: "r1", Context: "lab", User: "ada"})
	s.must(err)
	s.Cleanup(func() { cancel(); <-e.Done() })
	return &labRun{Engine: e, s: s, kill: cancel}
}

// drain begins a run and confirms everything that it asks.
func (s *stage) drain(source Source, writer request.Writer, o plan.Options, nodes ...string) *labRun {
	s.Helper()
	r := s.start(source, writer, o, nodes...)
	r.confirm(drain.PhaseCordon)
	r.confirm(drain.PhaseEvict)
	return r
}

func (r *labRun) confirm(phase drain.Phase) {
	r.s.Helper()
	q := r.until("it asks to "+string(phase), func(state *drain.State) bool { return state.Question != nil && state.Question.Phase == phase }).Question
	r.Send(drain.Confirm{Phase: q.Phase, Word: q.Word, By: "ada"})
}

// until waits until the run has come to something.
func (r *labRun) until(what string, holds func(*drain.State) bool) *drain.State {
	r.s.Helper()
	ctx, cancel := context.WithTimeout(r.s.Context(), patience)
	defer cancel()
	changed := r.Changed(ctx)
	for {
		state := r.State()
		if holds(state) {
			return state
		}
		select {
		case <-changed:
		case <-ctx.Done():
			r.s.Fatalf("the run does not come to where %s:\n%s", what, r.story())
		}
	}
}

// pod waits until the pod is in the state.
func (r *labRun) pod(p *corev1.Pod, want eviction.State) *eviction.Record {
	r.s.Helper()
	state := r.until(fmt.Sprintf("pod %s is %s", p.Name, want), func(state *drain.State) bool {
		run := state.Pod(p.UID)
		return run != nil && run.State == want
	})
	return state.Pod(p.UID)
}

// tried waits for the server's answer to the next attempt of a blocked pod, which
// the operator asks for: without that the engine would not send one in vain.
func (r *labRun) tried(p *corev1.Pod) *eviction.Record {
	r.s.Helper()
	before := r.State().Pod(p.UID).Refusals
	r.Send(drain.Command{Kind: drain.CommandRetry, Pod: p.UID, By: "ada"})
	state := r.until("the server has refused "+p.Name, func(state *drain.State) bool { return state.Pod(p.UID).Refusals > before })
	return state.Pod(p.UID)
}

// ends waits for the end of the run.
func (r *labRun) ends(want drain.Outcome) *drain.State {
	r.s.Helper()
	state := r.until("it has ended", func(state *drain.State) bool { return state.Outcome != "" })
	if state.Outcome != want {
		r.s.Fatalf("outcome %s (%s), want %s:\n%s", state.Outcome, state.Message, want, r.story())
	}
	return state
}

// answered fails the test unless the last answer has this code and these words.
func (r *labRun) answered(p *eviction.Record, code int, words string) {
	r.s.Helper()
	if p.Last == nil || p.Last.Code != code || !strings.Contains(p.Last.Words(), words) {
		r.s.Errorf("the server answered %+v, want %d and %q", p.Last, code, words)
	}
}

// seldom fails the test unless the server was asked for the pod's eviction that many
// times, and at most once more for every wait that was over between the first and
// the last: on a slow machine there are some.
func (r *labRun) seldom(p *corev1.Pod, tries int, every time.Duration) {
	r.s.Helper()
	at := r.asked(p)
	if len(at) < tries || len(at) > tries+int(at[len(at)-1].Sub(at[0])/every) {
		r.s.Errorf("the eviction of %s was asked for at %v, want %d times and once in %s more", p.Name, at, tries, every)
	}
}

// asked is when the server was asked for the pod's eviction.
func (r *labRun) asked(p *corev1.Pod) (at []time.Time) {
	for _, e := range r.Events(0) {
		if e.Kind == drain.EventIntent && e.UID == p.UID && e.Action.Verb == attempt.VerbEvict {
			at = append(at, e.Time)
		}
	}
	return at
}

// story is what happened, for a test that failed.
func (r *labRun) story() string {
	var b strings.Builder
	for _, e := range r.Events(0) {
		fmt.Fprintf(&b, "%s %s %s/%s %s%s%s %s\n", e.Time.Format("05.000"), e.Kind, e.Node, e.Pod, e.PodState, e.NodeState, e.Phase, e.Message)
		if e.Wait != nil {
			fmt.Fprintf(&b, "       waits: %s %q\n", e.Wait.Sentence(e.Time), e.Wait.Words)
		}
		if e.Answer != nil {
			fmt.Fprintf(&b, "       answer: %+v\n", *e.Answer)
		}
	}
	snap := r.config.Source.Snapshot()
	for _, k := range kube.Kinds {
		fmt.Fprintf(&b, "%s: %+v\n", k, snap.Sync(k))
	}
	fmt.Fprintf(&b, "%+v\n", snap.Health())
	return b.String()
}

// curtain is a source that can be held as it is, as a watch that lags.
type curtain struct {
	Source
	mu   sync.Mutex
	held *kube.Snapshot
}

func (c *curtain) Snapshot() *kube.Snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held != nil {
		return c.held
	}
	return c.Source.Snapshot()
}

func (c *curtain) hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = c.Source.Snapshot()
}

func (c *curtain) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = nil
}

var _ testing.TB = (*stage)(nil)
