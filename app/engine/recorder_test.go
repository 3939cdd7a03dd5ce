package engine

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// crier is an operator whose connection can write Events.
type crier struct {
	*operator
	slow   time.Duration
	answer kube.Answer
	said   []request.NodeEvent
}

func (c *crier) WriteEvent(ctx context.Context, e request.NodeEvent) kube.Answer {
	select {
	case <-time.After(c.slow):
	case <-ctx.Done():
		return noAnswer
	}
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.said = append(c.said, e)
	return c.answer
}

func (c *crier) reasons() (reasons []string) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	for _, e := range c.said {
		reasons = append(reasons, e.Node+" "+e.Reason)
	}
	return reasons
}

func (c *crier) drainBoth(t *testing.T, o plan.Options, nodes ...string) *Engine {
	t.Helper()
	plan, err := plan.New(c.Snapshot(), nodes, o, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	e, err := Start(t.Context(), EngineConfig{Source: c, Writer: c, Now: time.Now}, plan, drain.RunFacts{ID: "r1", Context: "lab", User: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	c.confirm(t, e)
	return e
}

func newCrier(s *kubetest.Simulation) *crier {
	return &crier{operator: &operator{Simulation: s}, answer: kube.Answer{Code: http.StatusCreated}}
}

func TestARunTellsOfItselfOnItsNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := contested()
		delete(s.Pods, "pod-1") // the one that never ends
		s.Store.Remove(&kube.Pod{UID: "pod-1"})
		s.AddPod("slow", "a")
		s.AddBudget("slow", 2)
		s.AddNode("c")
		s.AddPod("other", "c")
		c := newCrier(s)
		o := plan.DefaultOptions()
		o.MaxParallelNodes, o.Timeout, o.Reason = 2, 5*time.Minute, "new disk"
		e := c.drainBoth(t, o, "a", "c")
		<-e.Done()
		// Two pods are blocked for five minutes, by one budget: each is told of once, a
		// minute apart, and the end all the same.
		want := []string{"a DrainStarted", "c DrainStarted", "c DrainDone", "a DrainBlocked", "a DrainBlocked", "a DrainAborted"}
		if got := c.reasons(); !slices.Equal(got, want) {
			t.Fatalf("got  %v\nwant %v", got, want)
		}
		blocked := c.said[3:5]
		if gap := blocked[1].At.Sub(blocked[0].At); gap < time.Minute || gap > time.Minute+2*eviction.BudgetPoll {
			t.Errorf("told of blocked pods %s apart", gap)
		}
		if blocked[0].Message == blocked[1].Message {
			t.Errorf("the same pod is told of twice: %s", blocked[0].Message)
		}
		for i, words := range []string{`run r1 of ada ("new disk") drains the node: 2 pods to move`, "", "has drained the node of 1 pod", "waits: budget slow needs 2",
			"waits: budget slow needs 2", "not drained within 5m"} {
			if !strings.Contains(c.said[i].Message, words) || c.said[i].UID != "node-"+kube.UID(c.said[i].Node) {
				t.Errorf("%d: %+v does not say %q", i, c.said[i], words)
			}
		}
	})
}

func TestEventsNeverHoldARunUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddNode("b")
		s.AddPod("web", "a")
		c := newCrier(s)
		c.slow = time.Hour
		began := time.Now()
		e := c.drainBoth(t, plan.DefaultOptions(), "a")
		<-e.Done()
		if took := time.Since(began); took > s.EndAfter+lastWord+100*time.Millisecond || e.State().Outcome != drain.OutcomeDone {
			t.Errorf("%s after %s", e.State().Outcome, took)
		}
	})
}

func TestWithoutTheRightNoFurtherEventIsTried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		for _, n := range []string{"a", "b", "c"} {
			s.AddNode(n)
			s.AddPod("web", n)
		}
		c := newCrier(s)
		c.answer = kube.Answer{Code: http.StatusForbidden, Message: "events is forbidden"}
		e := c.drainBoth(t, plan.DefaultOptions(), "a", "b")
		<-e.Done()
		if got := c.reasons(); len(got) != 1 || e.State().Outcome != drain.OutcomeDone {
			t.Errorf("%s, tried %v", e.State().Outcome, got)
		}
		if e.Silent() != "events is forbidden" {
			t.Errorf("silent: %q", e.Silent())
		}
	})
}

// A node that the run never touched has nothing to tell.
func TestARefusedNodeHasNoEvents(t *testing.T) {
	s := &drain.State{Run: drain.RunFacts{ID: "r1"}, Nodes: []*drain.NodeRun{{NodeFacts: drain.NodeFacts{Name: "a"}, State: drain.NodeStopped}}}
	if got := newNodeEvents().of(s, []drain.Event{{Kind: drain.EventNode, Node: "a", NodeState: drain.NodeStopped}}, time.Unix(0, 0)); len(got) > 0 {
		t.Errorf("told %+v", got)
	}
}
