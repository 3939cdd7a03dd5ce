//go:build lab

package engine

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
	"github.com/kdrain-tui/kdrain-tui/kube/watch"
)

// surgeScene is a Deployment under a budget that lets one pod go at a time, all of it on a node
// that is drained, and what it was before.
type surgeScene struct {
	*stage
	c      *connection
	w      *watch.Watcher
	node   string
	room   string // the only other node for its pods
	before *appsv1.Deployment
	wanted int32
	last   *surgeProcess
	mu     sync.Mutex
	least  int // Ready pods that an outside watcher saw
}

// surgeOptions drain with all replacements first.
func surgeOptions(change ...func(*plan.Options)) plan.Options {
	o := bareOptions()
	o.Surge = "100%"
	for _, c := range change {
		c(&o)
	}
	return o
}

func newSurgeScene(t *testing.T, replicas int32) *surgeScene {
	t.Helper()
	s := &surgeScene{stage: newStage(t), wanted: replicas}
	s.c = s.connect("")
	s.node = s.addNode("a")
	s.w = s.watchRemedies(s.c)
	d := s.deploy("web", replicas, s.node, s.namespace+"-b")
	s.until(s.w, "all pods are Ready", func(snap *kube.Snapshot) bool { return readyPods(snap.PodsIn(s.namespace)) == int(replicas) })
	s.addBudget("web", "web", replicas-1)
	s.until(s.w, "the rollout is complete", func(snap *kube.Snapshot) bool {
		w := snap.Workload(d.UID)
		return w != nil && !w.RollingOut && w.Available == replicas
	})
	s.room = s.addNode("b")
	// A node that is Ready may have its first taint a moment longer.
	s.until(s.w, "the plan surges", func(snap *kube.Snapshot) bool {
		p, err := plan.New(snap, []string{s.node}, surgeOptions(), time.Now())
		s.must(err)
		return len(p.Surging()) == 1
	})
	s.before = s.deployment()
	s.observe()
	return s
}

func readyPods(pods []*kube.Pod) (n int) {
	for _, p := range pods {
		if p.Ready && !p.Terminating() {
			n++
		}
	}
	return n
}

func (s *surgeScene) deployment() *appsv1.Deployment {
	s.Helper()
	d, err := s.client.AppsV1().Deployments(s.namespace).Get(s.Context(), "web", metav1.GetOptions{})
	s.must(err)
	return d
}

// observe counts the Ready pods of the namespace from outside of the program, at every change.
func (s *surgeScene) observe() {
	s.Helper()
	pods := s.client.CoreV1().Pods(s.namespace)
	list, err := pods.List(s.Context(), metav1.ListOptions{})
	s.must(err)
	watched, err := pods.Watch(s.Context(), metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	s.must(err)
	s.Cleanup(watched.Stop)
	ready := map[string]bool{}
	for i := range list.Items {
		ready[list.Items[i].Name] = servesNow(&list.Items[i])
	}
	s.least = len(ready)
	go func() {
		for e := range watched.ResultChan() {
			p, is := e.Object.(*corev1.Pod)
			if !is {
				continue
			}
			ready[p.Name] = e.Type != "DELETED" && servesNow(p)
			n := 0
			for _, is := range ready {
				if is {
					n++
				}
			}
			s.mu.Lock()
			s.least = min(s.least, n)
			s.mu.Unlock()
		}
	}()
}

func servesNow(p *corev1.Pod) bool {
	return p.DeletionTimestamp == nil && slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// neverFewer fails the test if fewer pods were Ready than the Deployment wants.
func (s *surgeScene) neverFewer() {
	s.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.least < int(s.wanted) {
		s.Errorf("only %d pods were Ready at some time, %d are wanted", s.least, s.wanted)
	}
}

// asBefore fails the test unless the Deployment and the pods are as they were.
func (s *surgeScene) asBefore() {
	s.Helper()
	after := s.deployment()
	if !reflect.DeepEqual(after.Spec, s.before.Spec) || !reflect.DeepEqual(after.Annotations, s.before.Annotations) {
		s.Errorf("the Deployment is\n%+v %v, was\n%+v %v", after.Spec, after.Annotations, s.before.Spec, s.before.Annotations)
	}
	s.noCosts()
	sets, err := s.client.AppsV1().ReplicaSets(s.namespace).List(s.Context(), metav1.ListOptions{})
	s.must(err)
	for _, rs := range sets.Items {
		if mark, has := rs.Annotations[kube.SurgeAnnotation]; has {
			s.Errorf("ReplicaSet %s has a copy of the annotation: %s", rs.Name, mark)
		}
	}
}

func (s *surgeScene) noCosts() {
	s.Helper()
	pods, err := s.client.CoreV1().Pods(s.namespace).List(s.Context(), metav1.ListOptions{})
	s.must(err)
	for _, p := range pods.Items {
		if cost, has := p.Annotations[kube.DeletionCostAnnotation]; has && p.DeletionTimestamp == nil {
			s.Errorf("pod %s has deletion cost %s", p.Name, cost)
		}
	}
}

// surge begins a run and confirms everything that it asks.
func (s *surgeScene) surge(o plan.Options) *labRun {
	s.Helper()
	return s.confirmed(s.start(s.w, s.process(), o, s.node))
}

// surgeWithoutRoom is surge where the room that the plan found is gone; makeRoom brings it back.
func (s *surgeScene) surgeWithoutRoom(o plan.Options) *labRun {
	s.Helper()
	r := s.start(s.w, s.process(), o, s.node)
	s.must(s.client.CoreV1().Nodes().Delete(s.Context(), s.room, metav1.DeleteOptions{}))
	return s.confirmed(r)
}

func (s *surgeScene) makeRoom() { s.createNode(s.room) }

func (s *surgeScene) confirmed(r *labRun) *labRun {
	s.Helper()
	r.confirm(drain.PhaseCordon)
	r.confirm(drain.PhaseSurge)
	r.confirm(drain.PhaseEvict)
	return r
}

// comes waits until the surge is in a state.
func (r *labRun) comes(want surge.State) *surge.Record {
	r.s.Helper()
	return r.until("the surge is "+string(want), func(state *drain.State) bool {
		return len(state.Surges) == 1 && state.Surges[0].State == want
	}).Surges[0]
}

func TestLabSurge(t *testing.T) {
	t.Parallel()
	for _, replicas := range []int32{1, 20} {
		s := newSurgeScene(t, replicas)
		began := time.Now()
		r := s.surge(surgeOptions())
		state := r.ends(drain.OutcomeDone)
		t.Logf("%d replicas in %s, sent %v", replicas, time.Since(began).Round(10*time.Millisecond), state.Sent)
		if state.Sent[attempt.VerbEvict] != 0 || state.Sent[attempt.VerbDeletionCost] != int(replicas) || state.Sent[attempt.VerbSurge] != 1 {
			t.Errorf("sent %v:\n%s", state.Sent, r.story())
		}
		s.neverFewer()
		s.asBefore()
	}
}

// The replacement finds no room: what was raised is taken back, and the pods are evicted as usual
// or left.
func TestLabSurgeWithoutRoom(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		then    surge.Fallback
		outcome drain.Outcome
		evicted int
	}{{surge.FallbackEvict, drain.OutcomeDone, 3}, {surge.FallbackLeave, drain.OutcomePartly, 0}} {
		s := newSurgeScene(t, 3)
		r := s.surgeWithoutRoom(surgeOptions(func(o *plan.Options) { o.SurgeTimeout, o.SurgeFallback = 3*time.Second, c.then }))
		if late := r.comes(surge.Undone); !late.Late || !strings.Contains(late.Message, "Unschedulable") {
			t.Errorf("late %v: %s", late.Late, late.Message)
		}
		s.asBefore()
		if c.then == surge.FallbackEvict {
			s.makeRoom()
		}
		if state := r.ends(c.outcome); state.Sent[attempt.VerbEvict] < c.evicted || c.evicted == 0 && state.Sent[attempt.VerbEvict] != 0 {
			t.Errorf("sent %v", state.Sent)
		}
		s.asBefore()
	}
}

// Somebody else scales while the replacements start: their number stands in the end, and no pod goes before its
// replacement is Ready. Where an autoscaler takes the replicas over, the pods go one after the other.
func TestLabSurgeWhileSomebodyScales(t *testing.T) {
	t.Parallel()
	for _, autoscaled := range []bool{false, true} {
		s := newSurgeScene(t, 6)
		r := s.surgeWithoutRoom(surgeOptions())
		r.comes(surge.Starting)
		if autoscaled {
			s.autoscale(8)
		}
		s.somebodyScales(s.before, 8)
		if autoscaled {
			r.comes(surge.Done)
		} else {
			r.until("it is raised again", func(state *drain.State) bool { return state.Surges[0].Batch.To == 14 })
		}
		s.makeRoom()
		state := r.ends(drain.OutcomeDone)
		if evicted := state.Sent[attempt.VerbEvict]; (evicted > 0) != autoscaled {
			t.Errorf("%d evictions:\n%s", evicted, r.story())
		}
		after := s.deployment()
		if _, marked := after.Annotations[kube.SurgeAnnotation]; marked || *after.Spec.Replicas != 8 {
			t.Errorf("%d replicas, annotations %v", *after.Spec.Replicas, after.Annotations)
		}
		s.neverFewer()
		s.noCosts()
	}
}

// autoscale gives the Deployment an autoscaler that wants so many pods.
func (s *surgeScene) autoscale(pods int32) {
	s.Helper()
	a := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
	a.Spec.ScaleTargetRef = autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}
	a.Spec.MinReplicas, a.Spec.MaxReplicas = &pods, pods
	_, err := s.client.AutoscalingV2().HorizontalPodAutoscalers(s.namespace).Create(s.Context(), a, metav1.CreateOptions{})
	s.must(err)
	s.until(s.w, "the autoscaler is seen", func(snap *kube.Snapshot) bool {
		return budget.AutoscalerOf(snap, snap.Workload(s.before.UID)) != nil
	})
}

// Another run has the node while the first one surges there: it surges itself once that has taken its raise back.
func TestLabSurgeTakesANodeOver(t *testing.T) {
	t.Parallel()
	s := newSurgeScene(t, 3)
	r := s.surgeWithoutRoom(surgeOptions())
	r.until("the costs are set", func(state *drain.State) bool { return state.Sent[attempt.VerbDeletionCost] == 3 && !state.InFlight() })
	s.until(s.w, "the annotation is there", func(snap *kube.Snapshot) bool { return snap.Workload(s.before.UID).SurgeMark != "" })
	state := drain.Fold(nil, s.killed(r)...)
	planned, err := plan.New(s.w.Snapshot(), []string{s.node}, surgeOptions(), time.Now())
	s.must(err)
	journal, err := journal.CreateJournal(t.TempDir(), "r2")
	s.must(err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	e, err := Start(ctx, EngineConfig{Source: s.w, Writer: s.c, Journal: journal, Now: time.Now}, planned,
		drain.RunFacts{ID: "r2", Context: "lab", User: "bob"})
	s.must(err)
	t.Cleanup(func() { cancel(); <-e.Done() })
	next := s.confirmed(&labRun{Engine: e, s: s.stage, kill: cancel})
	next.until("it waits", func(state *drain.State) bool { return !state.Surges[0].HeldSince.IsZero() })
	undo := rollback.Plan(state, s.w.Snapshot(), time.Now())[0]
	for _, one := range undo.Requests() {
		if a := one.Send(t.Context(), s.c); !a.OK() {
			t.Errorf("%+v: %+v", one, a)
		}
	}
	s.makeRoom()
	if state := next.ends(drain.OutcomeDone); state.Sent[attempt.VerbEvict] != 0 || state.Sent[attempt.VerbSurge] == 0 {
		t.Errorf("sent %v:\n%s", state.Sent, next.story())
	}
	s.neverFewer()
	s.asBefore()
}

// Another process takes a surge up before it has read all ReplicaSets: a pod whose workload is not known yet is
// not evicted.
func TestLabSurgeResumedBeforeAllIsRead(t *testing.T) {
	t.Parallel()
	s := newSurgeScene(t, 3)
	replicas, sets := int32(0), s.client.AppsV1().ReplicaSets(s.namespace)
	labels := map[string]string{"app": "other"}
	for i := range 500 {
		rs := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("other-%d", i)}, Spec: appsv1.ReplicaSetSpec{
			Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "c"}}}}}}
		_, err := sets.Create(s.Context(), rs, metav1.CreateOptions{})
		s.must(err)
	}
	r := s.surgeWithoutRoom(surgeOptions())
	r.comes(surge.Starting)
	before := s.killed(r)
	journal, err := journal.CreateJournal(t.TempDir(), "r2")
	s.must(err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	c := s.connect("")
	w := watch.Start(ctx, c.Cluster, watch.Options{Needs: watch.Whole(withChecklist(remedyKinds)...)})
	t.Cleanup(w.Close)
	e, err := Resume(ctx, EngineConfig{Source: w, Writer: c, Journal: journal, Now: time.Now}, before)
	s.must(err)
	next := &labRun{Engine: e, s: s.stage, kill: cancel}
	t.Cleanup(func() { cancel(); <-e.Done() })
	next.until("the costs are set", func(state *drain.State) bool { return state.Sent[attempt.VerbDeletionCost] >= 3 && !state.InFlight() })
	s.makeRoom()
	if state := next.ends(drain.OutcomeDone); state.Sent[attempt.VerbEvict] != 0 {
		t.Errorf("sent %v:\n%s", state.Sent, next.story())
	}
	s.neverFewer()
}

// surgeProcess is the connection of a process: once it is killed, nothing more is sent.
type surgeProcess struct {
	*connection
	killed atomic.Bool
}

func (s *surgeScene) process() *surgeProcess {
	s.last = &surgeProcess{connection: s.c}
	return s.last
}

func (p *surgeProcess) send(send func() kube.Answer) kube.Answer {
	if p.killed.Load() {
		return kube.Answer{Failure: "killed", Unsent: true}
	}
	return send()
}

func (p *surgeProcess) Raise(ctx context.Context, r request.Raise) kube.Answer {
	return p.send(func() kube.Answer { return p.connection.Raise(ctx, r) })
}

func (p *surgeProcess) Lower(ctx context.Context, r request.Lower) kube.Answer {
	return p.send(func() kube.Answer { return p.connection.Lower(ctx, r) })
}

func (p *surgeProcess) SetCost(ctx context.Context, r request.SetCost) kube.Answer {
	return p.send(func() kube.Answer { return p.connection.SetCost(ctx, r) })
}

// killed ends the process of a run and gives back what its journal had come to.
func (s *surgeScene) killed(r *labRun) []drain.Event {
	s.Helper()
	s.last.killed.Store(true)
	before := r.Events(0)
	r.kill()
	<-r.Done()
	return before
}

func TestLabSurgeKilledAndResumed(t *testing.T) {
	t.Parallel()
	for _, at := range []surge.State{surge.Raising, surge.Starting, surge.Lowering, surge.Verifying} {
		s := newSurgeScene(t, 3)
		begin := s.surge
		if at == surge.Starting {
			begin = s.surgeWithoutRoom
		}
		r := begin(surgeOptions())
		r.until("the surge has come to "+string(at), func(*drain.State) bool { return r.cameTo(at) })
		before := s.killed(r)
		if at == surge.Starting {
			s.makeRoom()
		}
		journal, err := journal.CreateJournal(t.TempDir(), "r2")
		s.must(err)
		ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
		e, err := Resume(ctx, EngineConfig{Source: s.w, Writer: s.c, Journal: journal, Now: time.Now}, before)
		s.must(err)
		next := &labRun{Engine: e, s: s.stage, kill: cancel}
		t.Cleanup(func() { cancel(); <-e.Done() })
		next.ends(drain.OutcomeDone)
		s.neverFewer()
		s.asBefore()
	}
}

// cameTo reports whether the surge has been in a state.
func (r *labRun) cameTo(state surge.State) bool {
	return slices.ContainsFunc(r.Events(0), func(e drain.Event) bool { return e.Kind == drain.EventSurge && e.SurgeChange.State == state })
}

func TestLabSurgeKilledAndRolledBack(t *testing.T) {
	t.Parallel()
	for _, room := range []bool{false, true} {
		s := newSurgeScene(t, 3)
		r := s.surgeWithoutRoom(surgeOptions())
		r.until("the costs are set", func(state *drain.State) bool { return state.Sent[attempt.VerbDeletionCost] == 3 && !state.InFlight() })
		state := drain.Fold(nil, s.killed(r)...)
		if room {
			s.makeRoom()
			s.until(s.w, "the replacements are Ready", func(snap *kube.Snapshot) bool { return readyPods(snap.PodsIn(s.namespace)) == 6 })
		}
		s.until(s.w, "the annotation is there", func(snap *kube.Snapshot) bool { return snap.Workload(s.before.UID).SurgeMark != "" })
		for range 2 { // what ReplicaSets bear of it is removed once their controller has set the replicas back
			for _, undo := range rollback.Plan(state, s.w.Snapshot(), time.Now()) {
				for _, one := range undo.Requests() {
					a := one.Send(t.Context(), s.c)
					for try := 0; a.Class() == kube.AnswerConflict && try < 10; try++ { // its status changed meanwhile
						a = one.Send(t.Context(), s.c)
					}
					if !a.OK() {
						t.Errorf("%+v: %+v", one, a)
					}
				}
			}
			s.until(s.w, "three pods are left", func(snap *kube.Snapshot) bool {
				return len(snap.PodsIn(s.namespace)) == 3 && surge.SetBack(snap, state.Surges.Of(kube.UID(s.before.UID)), state.Run.ID)
			})
		}
		for _, p := range s.w.Snapshot().PodsIn(s.namespace) {
			if p.Node != s.node {
				t.Errorf("pod %s is on %q: a pod of the node was removed in its place", p.Name, p.Node)
			}
		}
		s.neverFewer()
		s.asBefore()
	}
}
