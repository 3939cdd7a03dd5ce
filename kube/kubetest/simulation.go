package kubetest

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// Simulation is a small cluster for the engine to drain: it evicts by the
// server's rules, lets pods end and come back after a while, and keeps budgets.
// It says nothing about a real server (the lab does); it exists to run the rules
// of Step through many histories under synctest's clock.
type Simulation struct {
	Mu       sync.Mutex
	Store    *kube.Store
	Pods     map[types.UID]*corev1.Pod
	Nodes    map[string]*corev1.Node
	Budgets  map[string]*policyv1.PodDisruptionBudget
	Replicas map[string]int32  // of the apps that have a ReplicaSet
	Marks    map[string]string // of surges, by app
	Serial   int
	version  int

	EndAfter, ReadyAfter, ControllerLag time.Duration
	AtOnce                              bool // another pod is made as soon as one is told to end, as ReplicaSets do
	// nodeLag is how much later than the answer the watch shows a changed node.
	NodeLag time.Duration
	// answerLag is how much later than its effect an eviction is answered.
	AnswerLag time.Duration
	// answer, if set, may answer an eviction instead of the simulation.
	Answer func(request.Evict) (kube.Answer, bool)

	OnChange      func() // called after everything that happened
	onGone        func(*corev1.Pod)
	RefuseBudgets bool
	ControllerOff bool         // budgets are not observed
	Made, Unmade  []string     // temporary budgets
	server        atomic.Int32 // how it is, for a mortalWriter
	halted        bool
	Stuck         string          // where a run stood that did not end
	Evictions     []request.Evict // in the order they were asked for
	Accepted      []string        // names of pods whose eviction was accepted
	Cordons       int
	remedyLog     // what the remedies asked for
}

func NewSimulation() *Simulation {
	s := &Simulation{
		Pods: map[types.UID]*corev1.Pod{}, Nodes: map[string]*corev1.Node{},
		Budgets:  map[string]*policyv1.PodDisruptionBudget{},
		Replicas: map[string]int32{}, Marks: map[string]string{},
		EndAfter: time.Second, ReadyAfter: time.Second, ControllerLag: 20 * time.Millisecond,
	}
	s.Store = kube.NewStore(time.Now)
	s.Store.SetHealth(kube.Health{Live: true, LastContact: time.Now()})
	for _, k := range kube.Kinds {
		s.Store.SetSync(k, kube.SyncState{Phase: kube.Synced})
	}
	return s
}

func (s *Simulation) NextVersion() string {
	s.version++
	return fmt.Sprint(s.version)
}

func (s *Simulation) AddNode(name string) {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("node-" + name),
		ResourceVersion: s.NextVersion()}}
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	Roomy(n)
	s.Nodes[name] = n
	s.Store.Put(convert.Node(n))
}

// AddPod puts a running, Ready pod of an app on a node.
func (s *Simulation) AddPod(app, node string, edit ...func(*corev1.Pod)) *corev1.Pod {
	s.Serial++
	controller := true
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "default", Name: fmt.Sprintf("%s-%d", app, s.Serial),
		UID:    types.UID(fmt.Sprintf("pod-%d", s.Serial)),
		Labels: map[string]string{"app": app}, CreationTimestamp: metav1.NewTime(time.Now()),
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: app,
			UID: types.UID("rs-" + app), Controller: &controller}},
	}}
	p.Spec.NodeName = node
	p.Status.Phase = corev1.PodRunning
	SetReady(p, true)
	for _, e := range edit {
		e(p)
	}
	s.Pods[p.UID] = p
	s.Store.Put(convert.Pod(p))
	return p
}

func SetReady(p *corev1.Pod, ready bool) {
	status := corev1.ConditionFalse
	if ready {
		status = corev1.ConditionTrue
	}
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: status,
		LastTransitionTime: metav1.Now()}}
}

func IsReady(p *corev1.Pod) bool {
	return len(p.Status.Conditions) > 0 && p.Status.Conditions[0].Status == corev1.ConditionTrue
}

func (s *Simulation) named(name string) *corev1.Pod {
	for _, p := range s.Pods {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// Later runs a change of the cluster after a while.
func (s *Simulation) Later(after time.Duration, change func()) {
	time.AfterFunc(after, func() {
		s.Mu.Lock()
		defer s.Mu.Unlock()
		if !s.halted {
			change()
			s.changed()
		}
	})
}

func (s *Simulation) changed() {
	s.countReady()
	if s.OnChange != nil {
		s.OnChange()
	}
}

// Halt lets nothing happen from here on, so that a test can look at what did.
func (s *Simulation) Halt() {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.halted = true
}

func (s *Simulation) Snapshot() *kube.Snapshot { return s.Store.Snapshot() }

func (s *Simulation) Changed(ctx context.Context) <-chan struct{} { return s.Store.Changed(ctx) }

func (s *Simulation) Evict(_ context.Context, r request.Evict) kube.Answer {
	answer := s.evict(r)
	time.Sleep(s.AnswerLag) // of the bubble's clock: the watch may be quicker
	return answer
}

func (s *Simulation) evict(r request.Evict) kube.Answer {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.Evictions = append(s.Evictions, r)
	if s.Answer != nil {
		if a, done := s.Answer(r); done {
			return a
		}
	}
	p := s.named(r.Name)
	if p == nil {
		return kube.Answer{Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound}
	}
	if b := s.Budgets[p.Labels["app"]]; b != nil && p.DeletionTimestamp == nil && !spares(b, p) {
		if b.Status.DisruptionsAllowed <= 0 {
			return BudgetRefusal(b)
		}
		b.Status.DisruptionsAllowed--
		if b.Status.DisruptedPods == nil {
			b.Status.DisruptedPods = map[string]metav1.Time{}
		}
		b.Status.DisruptedPods[p.Name] = metav1.Now()
		b.ResourceVersion = s.NextVersion()
		s.Store.Put(convert.Budget(b))
	}
	if p.UID != r.UID {
		return kube.Answer{Code: http.StatusConflict, Reason: metav1.StatusReasonConflict,
			Message: "the UID in the precondition does not match"}
	}
	s.Accepted = append(s.Accepted, p.Name)
	s.terminate(p)
	s.changed()
	return kube.Answer{Code: http.StatusCreated}
}

// spares reports whether the eviction costs nothing: the pod is not Ready, and enough others are (IfHealthyBudget).
func spares(b *policyv1.PodDisruptionBudget, p *corev1.Pod) bool {
	return !IsReady(p) && b.Status.DesiredHealthy > 0 && b.Status.CurrentHealthy >= b.Status.DesiredHealthy
}

func (s *Simulation) terminate(p *corev1.Pod) { s.end(p, true) }

// remove ends a pod that is one too many: none comes in its place.
func (s *Simulation) remove(p *corev1.Pod) { s.end(p, false) }

func (s *Simulation) end(p *corev1.Pod, again bool) {
	ends := metav1.NewTime(time.Now().Add(s.EndAfter))
	changed := p.DeepCopy()
	changed.DeletionTimestamp = &ends
	s.Pods[p.UID] = changed
	s.Store.Put(convert.Pod(changed))
	app, wasReady := p.Labels["app"], IsReady(p)
	s.Later(s.ControllerLag, func() { s.Control(app) })
	if len(p.Finalizers) > 0 {
		return
	}
	if s.AtOnce && again {
		s.replace(app, wasReady)
	}
	s.Later(s.EndAfter, func() {
		delete(s.Pods, p.UID)
		s.Store.Remove(&kube.Pod{UID: p.UID})
		if s.onGone != nil {
			s.onGone(changed)
		}
		if !s.AtOnce && again {
			s.replace(app, wasReady)
		}
		s.Control(app)
	})
}

// replace starts a new pod of the app on a node that takes pods. What kept a pod from being Ready keeps its
// replacement from it too.
func (s *Simulation) replace(app string, well bool) {
	for _, n := range s.Nodes {
		if n.Spec.Unschedulable {
			continue
		}
		p := s.AddPod(app, n.Name, func(p *corev1.Pod) { SetReady(p, false) })
		if !well {
			return
		}
		s.Later(s.ReadyAfter, func() {
			now := s.Pods[p.UID]
			if now == nil || now.DeletionTimestamp != nil {
				return
			}
			up := now.DeepCopy()
			SetReady(up, true)
			s.Pods[p.UID] = up
			s.Store.Put(convert.Pod(up))
			s.Control(app)
		})
		return
	}
}

func (s *Simulation) Delete(_ context.Context, r request.Delete) kube.Answer {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	p := s.named(r.Name)
	if p == nil {
		return kube.Answer{Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound}
	}
	s.Accepted = append(s.Accepted, p.Name)
	s.terminate(p)
	return kube.Answer{Code: http.StatusOK}
}

func (s *Simulation) Cordon(_ context.Context, r request.Cordon) kube.Answer {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	n := s.Nodes[r.Node]
	if n.ResourceVersion != r.ResourceVersion {
		return kube.Answer{Code: http.StatusConflict}
	}
	s.Cordons++
	s.SetNode(r.Node, func(n *corev1.Node) {
		n.Spec.Unschedulable = r.Unschedulable
		n.Annotations = map[string]string{kube.CordonAnnotation: r.Mark}
		if r.ExcludeFromLB != nil && *r.ExcludeFromLB {
			ExcludeFromLB(n, kube.FieldManager, "")
		}
	})
	return kube.Answer{Code: http.StatusOK}
}

func (s *Simulation) SetNode(name string, edit func(n *corev1.Node)) {
	n := s.Nodes[name].DeepCopy()
	edit(n)
	n.ResourceVersion = s.NextVersion()
	s.Nodes[name] = n
	if s.NodeLag == 0 {
		s.Store.Put(convert.Node(n))
		return
	}
	s.Later(s.NodeLag, func() { s.Store.Put(convert.Node(n)) })
}

func (s *Simulation) LivePod(_ context.Context, _, name string) (*kube.Pod, kube.Answer) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	p := s.named(name)
	if p == nil {
		return nil, kube.Answer{Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound}
	}
	return convert.Pod(p), kube.Answer{Code: http.StatusOK, UID: p.UID}
}

// CountEvictions says how often each pod's eviction was accepted so far, and how
// many were asked for.
func (s *Simulation) CountEvictions() (accepted map[string]int, sent int) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	accepted = map[string]int{}
	for _, name := range s.Accepted {
		accepted[name]++
	}
	return accepted, len(s.Evictions)
}
