package app

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// cutOff is a server whose answers to cordons do not arrive; before may spoil a write.
type cutOff struct {
	somewhere
	*kubetest.Simulation
	before  func(try int) (arrives bool)
	answer  kube.Answer
	tries   int
	cordons []request.Cordon
}

func (c *cutOff) Writer() request.Writer { return c }

func (c *cutOff) Cordon(ctx context.Context, r request.Cordon) kube.Answer {
	c.tries++
	c.cordons = append(c.cordons, r)
	if c.before == nil || c.before(c.tries) {
		c.Simulation.Cordon(ctx, r)
	}
	return c.answer
}

// A cordon or uncordon that is not answered is done where the watch shows it, and is sent again
// where the node changed without it.
func TestACordonWithoutAnAnswer(t *testing.T) {
	cut := kube.Answer{Failure: "stream error"}
	for name, c := range map[string]struct {
		cordon  bool
		answer  kube.Answer
		before  func(s *kubetest.Simulation) func(int) bool
		changed bool
		says    string
		tries   int
		waits   time.Duration
	}{
		"cordon":            {cordon: true, answer: cut, changed: true, tries: 1, waits: time.Second},
		"uncordon":          {answer: cut, changed: true, tries: 1, waits: time.Second},
		"gateway times out": {answer: kube.Answer{Code: http.StatusGatewayTimeout, Message: "timeout"}, changed: true, tries: 1, waits: time.Second},
		"a heartbeat came before it": {answer: cut, changed: true, tries: 2, waits: 2 * time.Second,
			before: func(s *kubetest.Simulation) func(int) bool {
				return func(try int) bool {
					if try == 1 {
						s.SetNode("worker-1", func(*corev1.Node) {})
					}
					return try > 1
				}
			}},
		"it never arrived": {answer: cut, says: "stream error", tries: 1, waits: nodeShown,
			before: func(*kubetest.Simulation) func(int) bool { return func(int) bool { return false } }},
		"never sent": {answer: kube.Answer{Failure: "connection refused", Unsent: true}, says: "refused", tries: 1,
			before: func(*kubetest.Simulation) func(int) bool { return func(int) bool { return false } }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sim := kubetest.NewSimulation()
				defer sim.Halt()
				sim.AddNode("worker-1")
				sim.SetNode("worker-1", func(n *corev1.Node) { n.Spec.Unschedulable = !c.cordon })
				sim.NodeLag = time.Second
				synctest.Wait()
				server := &cutOff{Simulation: sim, answer: c.answer}
				if c.before != nil {
					server.before = c.before(sim)
				}
				s := &Session{Cluster: server, Runs: NewRuns(t.TempDir(), "kdrain-tui"), View: View{Source: sim, Now: time.Now}}
				set := func() (bool, error) { return s.Uncordon(t.Context(), "worker-1", plan.DryRunNone) }
				if c.cordon {
					set = func() (bool, error) { return s.Cordon(t.Context(), "worker-1", "disk", plan.DryRunNone) }
				}
				began := time.Now()
				changed, err := set()
				if took := time.Since(began); took > c.waits {
					t.Errorf("it took %s, want %s", took, c.waits)
				}
				if changed != c.changed || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
					t.Errorf("%v, %v; want %v, %q", changed, err, c.changed, c.says)
				}
				if server.tries != c.tries {
					t.Errorf("sent %d times, want %d", server.tries, c.tries)
				}
			})
		})
	}
}

// What a rollback sent and was not answered is undone where the watch shows it.
func TestARollbackWithoutAnAnswer(t *testing.T) {
	for name, arrives := range map[string]bool{"done": true, "not done": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sim := kubetest.NewSimulation()
				defer sim.Halt()
				sim.AddNode("worker-1")
				mark := annotation.Mark{Run: "r1", Was: "schedulable", At: time.Now()}
				sim.SetNode("worker-1", func(n *corev1.Node) {
					kubetest.CordonedBy(kube.FieldManager)(n)
					n.Annotations = map[string]string{kube.CordonAnnotation: mark.String()}
				})
				sim.NodeLag = time.Second
				server := &cutOff{Simulation: sim, answer: kube.Answer{Failure: "stream error"},
					before: func(int) bool { return arrives }}
				r := &Rollback{session: &Session{Cluster: server, View: View{Source: sim, Now: time.Now}},
					State: drain.Fold(nil,
						drain.Event{Seq: 1, Kind: drain.EventRunStarted, Run: &drain.RunFacts{ID: "r1", Options: plan.DefaultOptions(),
							Nodes: []drain.NodeFacts{{Name: "worker-1", UID: "node-worker-1"}}}},
						drain.Event{Seq: 2, Kind: drain.EventNode, Node: "worker-1", NodeState: drain.NodeCordoned})}
				r.Plan()
				if len(r.Items) == 0 || r.Items[0].Cordon == nil {
					t.Fatalf("%+v", r.Items)
				}
				if err := r.Undo(t.Context(), r.Items[0]); (err == nil) != arrives {
					t.Error(err)
				}
				if done := len(r.undone) == 1; done != arrives || server.tries != 1 {
					t.Errorf("undone %q after %d requests", r.undone, server.tries)
				}
			})
		})
	}
}
