package app

import (
	"context"
	"maps"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// copying is a cluster whose Deployment controller is late: it copies the annotation of a Deployment once more after
// that is gone there, as it works with what it knew, and sees the new replicas a second later.
type copying struct {
	somewhere
	*kubetest.Simulation
	deployment *appsv1.Deployment
	set        *appsv1.ReplicaSet
	conflicts  int               // how often somebody else writes the Deployment before its number is given to its owners
	behind     time.Duration     // how late its controller is
	before     bool              // somebody else set it back a moment before
	removes    []string          // the pods that its ReplicaSet controller removes then
	costs      map[string]string // of the others at that time
}

func (c *copying) deletionCosts() map[string]string {
	costs := map[string]string{}
	for _, p := range c.Pods {
		costs[p.Name] = p.Annotations[kube.DeletionCostAnnotation]
	}
	return costs
}

const surgeMark = `{"run":"r1","by":"ada","at":"2026-11-24T10:00:00Z","was":2,"to":4}`

// newCopying is Deployment web, raised by run r1 from 2 to 4.
func newCopying(t *testing.T) *copying {
	c := &copying{Simulation: kubetest.NewSimulation(), behind: time.Second}
	t.Cleanup(c.Halt)
	c.deployment, c.set = kubetest.Deployment("shop/web", 4)
	c.deployment.Annotations = map[string]string{kube.SurgeAnnotation: surgeMark}
	c.set.Annotations = map[string]string{kube.SurgeAnnotation: surgeMark}
	c.show()
	return c
}

func (c *copying) Writer() request.Writer { return c }

func (c *copying) show() {
	for _, object := range []any{c.deployment.DeepCopy(), c.set.DeepCopy()} {
		record, err := convert.Record(object)
		if err != nil {
			panic(err) // of a kind that everybody knows
		}
		c.Store.Put(record)
	}
}

func (c *copying) Lower(_ context.Context, r request.Lower) kube.Answer {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if r.Owners != "" {
		if c.conflicts--; c.conflicts >= 0 {
			return kube.Answer{Code: http.StatusConflict}
		}
		c.deployment.ManagedFields = nil
		c.show()
		return kube.Answer{Code: http.StatusOK}
	}
	if r.Kind == "ReplicaSet" {
		if c.set.Annotations[kube.SurgeAnnotation] != r.Mark || *c.set.Spec.Replicas != r.From {
			return kube.Answer{Code: http.StatusUnprocessableEntity}
		}
		c.set.Annotations = nil
		c.show()
		return kube.Answer{Code: http.StatusOK}
	}
	*c.deployment.Spec.Replicas, c.deployment.Annotations = r.To, nil
	c.deployment.Generation++
	c.show()
	c.Later(c.behind-900*time.Millisecond, func() {
		c.set.Annotations = map[string]string{kube.SurgeAnnotation: surgeMark}
		c.show()
	})
	c.Later(c.behind, func() {
		*c.set.Spec.Replicas, c.deployment.Status.ObservedGeneration = 2, c.deployment.Generation
		c.show()
	})
	c.Later(c.behind+time.Second, func() {
		for _, name := range c.removes {
			p := c.Store.Snapshot().PodNamed("shop", name)
			c.Store.Remove(p)
			delete(c.Pods, types.UID(p.UID))
		}
		c.costs = c.deletionCosts()
	})
	if c.before {
		return kube.Answer{Code: http.StatusUnprocessableEntity}
	}
	return kube.Answer{Code: http.StatusOK}
}

// raised is run r1 as its journal has it.
func (c *copying) raised() *drain.State {
	facts := surge.Facts{Kind: "Deployment", Namespace: "shop", Name: "web", UID: kube.UID(c.deployment.UID)}
	return drain.Fold(nil,
		drain.Event{Seq: 1, Kind: drain.EventRunStarted, Run: &drain.RunFacts{ID: "r1", Options: plan.DefaultOptions(),
			Surges: []surge.Facts{facts}}},
		drain.Event{Seq: 2, Kind: drain.EventSurge, Surge: &facts, SurgeChange: &surge.Change{State: surge.Raising,
			Batch: &surge.Batch{Was: 2, To: 4, Mark: surgeMark}}})
}

func (c *copying) expectNothingLeft(t *testing.T) {
	t.Helper()
	time.Sleep(time.Minute) // all that is due has come by then
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if left := c.set.Annotations[kube.SurgeAnnotation]; left != "" || *c.deployment.Spec.Replicas != 2 {
		t.Errorf("%d replicas, and the annotation %s on its ReplicaSet", *c.deployment.Spec.Replicas, left)
	}
}

// What the controller of a Deployment copies while a rollback sets the replicas back is removed, too; also where
// another rollback, which died, had set them back a moment before.
func TestARollbackOfASurgeLeavesNoCopyOfItsAnnotation(t *testing.T) {
	for name, died := range map[string]bool{"one rollback": false, "another one died": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCopying(t)
				r := &Rollback{session: &Session{Cluster: c, View: View{Source: c.Simulation, Now: time.Now}}, State: c.raised()}
				if died {
					c.Lower(t.Context(), request.Lower{Kind: "Deployment", From: 4, To: 2, Mark: surgeMark})
					c.Mu.Lock()
					c.set.Annotations = nil
					c.show()
					c.Mu.Unlock()
				}
				r.settle(t.Context())
				r.Plan()
				if len(r.Items) != 1 || len(r.Items[0].Surge) == 0 {
					t.Fatalf("%+v", r.Items)
				}
				if err := r.Undo(t.Context(), r.Items[0]); err != nil || len(r.undone) != 1 {
					t.Error(err)
				}
				c.expectNothingLeft(t)
			})
		})
	}
}

// The status of a Deployment changes between the reading and the writing of its managedFields.
func TestARollbackRepeatsARequestWithAConflict(t *testing.T) {
	for conflicts, works := range map[int]bool{2: true, 100: false} {
		synctest.Test(t, func(t *testing.T) {
			c := newCopying(t)
			c.conflicts = conflicts
			ours := metav1.ManagedFieldsEntry{Manager: kube.FieldManager, Operation: metav1.ManagedFieldsOperationUpdate,
				FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:replicas":{}}}`)}
			c.deployment.ManagedFields = []metav1.ManagedFieldsEntry{ours}
			c.show()
			state := c.raised()
			state.Surges[0].Batch.Mark = strings.Replace(surgeMark, "}", `,"owners":[{"manager":"kubectl"}]}`, 1)
			r := &Rollback{session: &Session{Cluster: c, View: View{Source: c.Simulation, Now: time.Now}}, State: state}
			r.Plan()
			err := r.Undo(t.Context(), r.Items[0])
			if (err == nil) != works || (c.deployment.ManagedFields == nil) != works {
				t.Errorf("%d conflicts: %v, owners %+v", conflicts, err, c.deployment.ManagedFields)
			}
		})
	}
}

// A rollback does not remove the annotation of a ReplicaSet to which a controller that is far behind copies it again.
func TestARollbackEndsWhenTheControllerHasSeenIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCopying(t)
		c.behind = 40 * time.Second
		r := &Rollback{session: &Session{Cluster: c, View: View{Source: c.Simulation, Now: time.Now}}, State: c.raised()}
		for range 2 { // 15 s of each, and 15 s of settle
			r.Plan()
			err := r.Undo(t.Context(), r.Items[0])
			if err == nil || !strings.Contains(err.Error(), "its controller has not seen") || len(r.undone) > 0 {
				t.Fatal(err)
			}
		}
		r.settle(t.Context())
		r.Plan()
		if err := r.Undo(t.Context(), r.Items[0]); err != nil || len(r.undone) != 1 {
			t.Error(err)
		}
		c.expectNothingLeft(t)
	})
}

// The controller removes other pods than the replacements, as it does not know their deletion costs yet, and a rollback
// dies before it sees that: the next one gives the replacements their costs back.
func TestARollbackGivesPodsTheirCostBackThatAreNotRemoved(t *testing.T) {
	for name, dies := range map[string]bool{"one rollback": false, "another one died": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCopying(t)
				c.removes = []string{"web-1", "web-2"}
				for name, cost := range map[string]string{"web-1": "", "web-2": "", "web-3": "", "web-4": "7"} {
					made := kubetest.Now.Add(-time.Hour)
					if name > "web-2" {
						made = kubetest.Now
					}
					p := kubetest.Pod("shop/"+name, kubetest.ByDeployment("web"), kubetest.On("w1"), func(p *corev1.Pod) {
						p.CreationTimestamp.Time, p.Annotations = made, map[string]string{kube.DeletionCostAnnotation: cost}
					})
					c.Pods[p.UID] = p
					c.Store.Put(convert.Pod(p))
				}
				r := &Rollback{session: &Session{Cluster: c, View: View{Source: c.Simulation, Now: time.Now}}, State: c.raised()}
				r.Plan()
				if dies {
					sent := r.Items[0]
					if err := r.record(sent.Intents(r.State, "ada", time.Now())...); err != nil || !r.session.undo(t.Context(), sent.Requests()).OK() {
						t.Fatal(err)
					}
					r.settle(t.Context())
					r.Plan()
				}
				if err := r.Undo(t.Context(), r.Items[0]); err != nil {
					t.Error(err)
				}
				c.expectNothingLeft(t)
				lowest := map[string]string{"web-3": request.LowestDeletionCost, "web-4": request.LowestDeletionCost}
				if got, want := c.deletionCosts(), map[string]string{"web-3": "", "web-4": "7"}; !maps.Equal(got, want) || !maps.Equal(c.costs, lowest) {
					t.Errorf("the pods had the costs %v until the others were removed, and have %v; want %v", c.costs, got, want)
				}
			})
		})
	}
}

// A run that takes another one up by its annotations ends the surges of that one first, and all of them; also where that
// one lives on for a moment and ends them itself.
func TestAHandoverOfASurgeLeavesNoCopyOfItsAnnotation(t *testing.T) {
	for name, before := range map[string]bool{"dead": false, "still ending": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCopying(t)
				c.before = before
				h := &Handover{session: &Session{Cluster: c, View: View{Source: c.Simulation, Now: time.Now}},
					Marked: rollback.Marked{Mark: annotation.Mark{Run: "r1"}, State: c.raised()}}
				ended := 0
				if err := h.Undo(t.Context(), func(rollback.Undo) { ended++ }); err != nil || ended != 1 {
					t.Error(ended, err)
				}
				c.expectNothingLeft(t)
			})
		})
	}
}

// conflicting is a cluster in which somebody changes the node just before the first uncordon arrives.
type conflicting struct {
	cutOff
	change func(n *corev1.Node)
}

func (c *conflicting) Writer() request.Writer { return c }

func (c *conflicting) Cordon(ctx context.Context, r request.Cordon) kube.Answer {
	if c.tries++; c.tries == 1 {
		c.SetNode(r.Node, c.change)
	}
	return c.Simulation.Cordon(ctx, r)
}

// A rollback uncordons a node that changed meanwhile, unless the cordon is no longer that of the run.
func TestARollbackOfANodeThatChanges(t *testing.T) {
	mark := annotation.Mark{Run: "r1", Was: "schedulable"}
	for name, c := range map[string]struct {
		change func(n *corev1.Node)
		undone bool
	}{
		"by its taint": {func(*corev1.Node) {}, true},
		"by another run": {func(n *corev1.Node) {
			n.Annotations = map[string]string{kube.CordonAnnotation: annotation.Mark{Run: "r2", Was: "schedulable"}.String()}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sim := kubetest.NewSimulation()
				defer sim.Halt()
				sim.AddNode("worker-1")
				sim.SetNode("worker-1", func(n *corev1.Node) {
					kubetest.CordonedBy(kube.FieldManager)(n)
					n.Annotations = map[string]string{kube.CordonAnnotation: mark.String()}
				})
				sim.NodeLag = time.Second
				server := &conflicting{cutOff: cutOff{Simulation: sim}, change: c.change}
				r := &Rollback{session: &Session{Cluster: server, View: View{Source: sim, Now: time.Now}},
					State: drain.Fold(nil,
						drain.Event{Seq: 1, Kind: drain.EventRunStarted, Run: &drain.RunFacts{ID: "r1", Options: plan.DefaultOptions(),
							Nodes: []drain.NodeFacts{{Name: "worker-1", UID: "node-worker-1"}}}},
						drain.Event{Seq: 2, Kind: drain.EventNode, Node: "worker-1", NodeState: drain.NodeCordoned})}
				r.Plan()
				err := r.Undo(t.Context(), r.Items[0])
				if cordoned := sim.Nodes["worker-1"].Spec.Unschedulable; (err == nil) != c.undone || cordoned == c.undone {
					t.Errorf("%v; cordoned: %v", err, cordoned)
				}
			})
		})
	}
}
