package drain

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
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// simulation is a small cluster for the engine to drain: it evicts by the
// server's rules, lets pods end and come back after a while, and keeps budgets.
// It says nothing about a real server (the lab does); it exists to run the rules
// of Step through many histories under synctest's clock.
type simulation struct {
	mu       sync.Mutex
	store    *kube.Store
	pods     map[types.UID]*corev1.Pod
	nodes    map[string]*corev1.Node
	budgets  map[string]*policyv1.PodDisruptionBudget
	replicas map[string]int32 // of the apps that have a ReplicaSet
	serial   int
	version  int

	endAfter, readyAfter, controllerLag time.Duration
	atOnce                              bool // another pod is made as soon as one is told to end, as ReplicaSets do
	// nodeLag is how much later than the answer the watch shows a changed node.
	nodeLag time.Duration
	// answerLag is how much later than its effect an eviction is answered.
	answerLag time.Duration
	// answer, if set, may answer an eviction instead of the simulation.
	answer func(kube.EvictRequest) (kube.Answer, bool)

	onChange      func() // called after everything that happened
	onGone        func(*corev1.Pod)
	refuseBudgets bool
	controllerOff bool         // nobody observes budgets
	made, unmade  []string     // temporary budgets
	server        atomic.Int32 // how it is, for a mortalWriter
	halted        bool
	stuck         string              // where a run stood that did not end
	evictions     []kube.EvictRequest // in the order they were asked for
	accepted      []string            // names of pods whose eviction was accepted
	cordons       int
	ladderLog     // what the rungs asked for
}

func newSimulation() *simulation {
	s := &simulation{
		pods: map[types.UID]*corev1.Pod{}, nodes: map[string]*corev1.Node{}, budgets: map[string]*policyv1.PodDisruptionBudget{},
		replicas: map[string]int32{},
		endAfter: time.Second, readyAfter: time.Second, controllerLag: 20 * time.Millisecond,
	}
	s.store = kube.NewStore(time.Now)
	s.store.SetHealth(kube.Health{Live: true, LastContact: time.Now()})
	for _, k := range kube.Kinds {
		s.store.SetSync(k, kube.SyncState{Phase: kube.Synced})
	}
	return s
}

func (s *simulation) nextVersion() string {
	s.version++
	return fmt.Sprint(s.version)
}

func (s *simulation) addNode(name string) {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("node-" + name), ResourceVersion: s.nextVersion()}}
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	roomy(n)
	s.nodes[name] = n
	s.store.Put(kube.NodeRecord(n))
}

// addPod puts a running, Ready pod of an app on a node.
func (s *simulation) addPod(app, node string, edit ...func(*corev1.Pod)) *corev1.Pod {
	s.serial++
	controller := true
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "default", Name: fmt.Sprintf("%s-%d", app, s.serial), UID: types.UID(fmt.Sprintf("pod-%d", s.serial)),
		Labels: map[string]string{"app": app}, CreationTimestamp: metav1.NewTime(time.Now()),
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: app, UID: types.UID("rs-" + app), Controller: &controller}},
	}}
	p.Spec.NodeName = node
	p.Status.Phase = corev1.PodRunning
	setReady(p, true)
	for _, e := range edit {
		e(p)
	}
	s.pods[p.UID] = p
	s.store.Put(kube.PodRecord(p))
	return p
}

func setReady(p *corev1.Pod, ready bool) {
	status := corev1.ConditionFalse
	if ready {
		status = corev1.ConditionTrue
	}
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: status, LastTransitionTime: metav1.Now()}}
}

func (s *simulation) addBudget(app string, minAvailable int) {
	min := intstr.FromInt32(int32(minAvailable))
	b := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: app, UID: types.UID("budget-" + app), Generation: 1},
		Spec: policyv1.PodDisruptionBudgetSpec{MinAvailable: &min,
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}},
	}
	s.budgets[app] = b
	s.control(app)
}

// control is the disruption controller's look at one budget.
func (s *simulation) control(app string) {
	b := s.budgets[app]
	if b == nil || s.controllerOff {
		return
	}
	healthy, expected := int32(0), int32(0)
	for _, p := range s.pods {
		if p.Labels["app"] != app {
			continue
		}
		expected++
		if _, disrupted := b.Status.DisruptedPods[p.Name]; p.DeletionTimestamp == nil && isReady(p) && !disrupted {
			healthy++
		}
	}
	for name := range b.Status.DisruptedPods {
		if p := s.named(name); p == nil || p.DeletionTimestamp != nil {
			delete(b.Status.DisruptedPods, name)
		}
	}
	b.Status.ObservedGeneration = b.Generation
	b.Status.CurrentHealthy, b.Status.ExpectedPods = healthy, expected
	if most := b.Spec.MaxUnavailable; most != nil {
		away, _ := intstr.GetScaledValueFromIntOrPercent(most, int(s.replicas[app]), true)
		b.Status.ExpectedPods = s.replicas[app]
		b.Status.DesiredHealthy = s.replicas[app] - int32(away)
	} else {
		b.Status.DesiredHealthy = b.Spec.MinAvailable.IntVal
	}
	b.Status.DisruptionsAllowed = max(0, healthy-b.Status.DesiredHealthy)
	b.ResourceVersion = s.nextVersion()
	s.store.Put(kube.BudgetRecord(b))
}

func isReady(p *corev1.Pod) bool {
	return len(p.Status.Conditions) > 0 && p.Status.Conditions[0].Status == corev1.ConditionTrue
}

func (s *simulation) named(name string) *corev1.Pod {
	for _, p := range s.pods {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// later runs a change of the cluster after a while.
func (s *simulation) later(after time.Duration, change func()) {
	time.AfterFunc(after, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.halted {
			change()
			s.changed()
		}
	})
}

func (s *simulation) changed() {
	if s.onChange != nil {
		s.onChange()
	}
}

// halt lets nothing happen any more, so that a test can look at what did.
func (s *simulation) halt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.halted = true
}

func (s *simulation) Snapshot() *kube.Snapshot { return s.store.Snapshot() }

func (s *simulation) Changed(ctx context.Context) <-chan struct{} { return s.store.Changed(ctx) }

func (s *simulation) Evict(_ context.Context, r kube.EvictRequest) kube.Answer {
	answer := s.evict(r)
	time.Sleep(s.answerLag) // of the bubble's clock: the watch may be quicker
	return answer
}

func (s *simulation) evict(r kube.EvictRequest) kube.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.evictions = append(s.evictions, r)
	if s.answer != nil {
		if a, done := s.answer(r); done {
			return a
		}
	}
	p := s.named(r.Name)
	if p == nil {
		return kube.Answer{Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound}
	}
	if b := s.budgets[p.Labels["app"]]; b != nil && p.DeletionTimestamp == nil {
		if b.Status.DisruptionsAllowed <= 0 {
			return budgetRefusal(b)
		}
		b.Status.DisruptionsAllowed--
		if b.Status.DisruptedPods == nil {
			b.Status.DisruptedPods = map[string]metav1.Time{}
		}
		b.Status.DisruptedPods[p.Name] = metav1.Now()
		b.ResourceVersion = s.nextVersion()
		s.store.Put(kube.BudgetRecord(b))
	}
	if p.UID != r.UID {
		return kube.Answer{Code: http.StatusConflict, Reason: metav1.StatusReasonConflict, Message: "the UID in the precondition does not match"}
	}
	s.accepted = append(s.accepted, p.Name)
	s.terminate(p)
	s.changed()
	return kube.Answer{Code: http.StatusCreated}
}

func budgetRefusal(b *policyv1.PodDisruptionBudget) kube.Answer {
	return kube.Answer{Code: http.StatusTooManyRequests, Reason: metav1.StatusReasonTooManyRequests,
		Message: "Cannot evict pod as it would violate the pod's disruption budget.",
		Causes:  []kube.Cause{{Type: string(policyv1.DisruptionBudgetCause), Message: "The disruption budget " + b.Name + " needs more"}}}
}

func (s *simulation) terminate(p *corev1.Pod) {
	ends := metav1.NewTime(time.Now().Add(s.endAfter))
	changed := p.DeepCopy()
	changed.DeletionTimestamp = &ends
	s.pods[p.UID] = changed
	s.store.Put(kube.PodRecord(changed))
	app := p.Labels["app"]
	s.later(s.controllerLag, func() { s.control(app) })
	if len(p.Finalizers) > 0 {
		return
	}
	if s.atOnce {
		s.replace(app)
	}
	s.later(s.endAfter, func() {
		delete(s.pods, p.UID)
		s.store.Remove(&kube.Pod{UID: p.UID})
		if s.onGone != nil {
			s.onGone(changed)
		}
		if !s.atOnce {
			s.replace(app)
		}
		s.control(app)
	})
}

// replace starts a new pod of the app on a node that takes pods.
func (s *simulation) replace(app string) {
	for _, n := range s.nodes {
		if n.Spec.Unschedulable {
			continue
		}
		p := s.addPod(app, n.Name, func(p *corev1.Pod) { setReady(p, false) })
		s.later(s.readyAfter, func() {
			up := p.DeepCopy()
			setReady(up, true)
			s.pods[p.UID] = up
			s.store.Put(kube.PodRecord(up))
			s.control(app)
		})
		return
	}
}

func (s *simulation) Delete(_ context.Context, r kube.DeleteRequest) kube.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.named(r.Name)
	if p == nil {
		return kube.Answer{Code: http.StatusNotFound}
	}
	s.accepted = append(s.accepted, p.Name)
	s.terminate(p)
	return kube.Answer{Code: http.StatusOK}
}

func (s *simulation) Cordon(_ context.Context, r kube.CordonRequest) kube.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.nodes[r.Node]
	if n.ResourceVersion != r.ResourceVersion {
		return kube.Answer{Code: http.StatusConflict}
	}
	s.cordons++
	s.setNode(r.Node, func(n *corev1.Node) {
		n.Spec.Unschedulable = r.Unschedulable
		n.Annotations = map[string]string{kube.CordonAnnotation: r.Mark}
		if r.ExcludeFromLB != nil && *r.ExcludeFromLB {
			n.Labels = map[string]string{corev1.LabelNodeExcludeBalancers: ""}
		}
	})
	return kube.Answer{Code: http.StatusOK}
}

func (s *simulation) setNode(name string, edit func(n *corev1.Node)) {
	n := s.nodes[name].DeepCopy()
	edit(n)
	n.ResourceVersion = s.nextVersion()
	s.nodes[name] = n
	if s.nodeLag == 0 {
		s.store.Put(kube.NodeRecord(n))
		return
	}
	s.later(s.nodeLag, func() { s.store.Put(kube.NodeRecord(n)) })
}

func (s *simulation) LivePod(_ context.Context, _, name string) (*kube.Pod, kube.Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.named(name)
	if p == nil {
		return nil, kube.Answer{Code: http.StatusNotFound}
	}
	return kube.PodRecord(p), kube.Answer{Code: http.StatusOK, UID: p.UID}
}

func (s *simulation) CreateBudget(_ context.Context, r kube.BudgetRequest) kube.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuseBudgets {
		return kube.Answer{Code: http.StatusForbidden, Message: "cannot create resource"}
	}
	app := r.Owner.Name
	if b := s.budgets[app]; b != nil && b.Name == r.Name {
		return kube.Answer{Code: http.StatusConflict, Reason: metav1.StatusReasonAlreadyExists, Message: r.Name + " already exists"}
	}
	away := intstr.Parse(r.MaxUnavailable)
	b := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: r.Namespace, Name: r.Name, UID: types.UID("made-" + app), Generation: 1,
			Labels: map[string]string{kube.ManagedByLabel: kube.ManagedByValue, kube.RunLabel: r.Run}},
		Spec: policyv1.PodDisruptionBudgetSpec{MaxUnavailable: &away, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}},
	}
	s.budgets[app] = b
	s.made = append(s.made, r.Name)
	s.store.Put(kube.BudgetRecord(b)) // not observed yet
	s.later(200*time.Millisecond, func() { s.control(app) })
	return kube.Answer{Code: http.StatusCreated, UID: b.UID}
}

func (s *simulation) LiveBudget(_ context.Context, r kube.BudgetLook) kube.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.budgets {
		if b.Name == r.Name && b.Labels[kube.RunLabel] == r.Run {
			return kube.Answer{Code: http.StatusOK, UID: b.UID}
		}
	}
	return kube.Answer{Code: http.StatusNotFound, Message: fmt.Sprintf("poddisruptionbudgets.policy %q not found", r.Name)}
}

func (s *simulation) DeleteBudget(_ context.Context, r kube.BudgetRef) kube.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	for app, b := range s.budgets {
		if b.Name == r.Name && b.UID == r.UID {
			delete(s.budgets, app)
			s.unmade = append(s.unmade, r.Name)
			s.store.Remove(kube.BudgetRecord(b))
			return kube.Answer{Code: http.StatusOK}
		}
	}
	return kube.Answer{Code: http.StatusNotFound}
}

// countEvictions says how often each pod's eviction was accepted so far, and how
// many were asked for.
func (s *simulation) countEvictions() (accepted map[string]int, sent int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	accepted = map[string]int{}
	for _, name := range s.accepted {
		accepted[name]++
	}
	return accepted, len(s.evictions)
}
