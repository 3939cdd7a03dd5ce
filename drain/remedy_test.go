package drain

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// steps is a pod web-1 on node a, which a run drains, web-2 of the same owner on node b and
// the budget web over both, before a test makes trouble.
type steps struct {
	*kubetest.Simulation
	state        *State
	pod          *corev1.Pod
	unhealthyPod *corev1.Pod
}

// scaleTo is that of the simulation, whose pods come and end by timers meanwhile.
func (f *steps) scaleTo(app string, replicas int32, ours bool) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	f.Simulation.ScaleTo(app, replicas, ours)
}

func newSteps() *steps {
	s := kubetest.NewSimulation()
	s.AddNode("a")
	s.AddNode("b")
	s.SetNode("a", func(n *corev1.Node) { n.Spec.Unschedulable = true })
	f := &steps{Simulation: s}
	f.pod = s.AddPod("web", "a")
	f.unhealthyPod = s.AddPod("web", "b")
	s.Replicas["web"] = 2
	s.PutReplicaSet("web", false)
	s.AddBudget("web", 2)
	facts := eviction.Facts{Node: "a", Namespace: "default", Name: f.pod.Name, UID: f.pod.UID, Action: plan.ActionEvict}
	f.state = Fold(nil, Event{Seq: 1, Time: time.Now(), Kind: EventRunStarted, Run: &RunFacts{ID: "r1", User: "ada", Options: plan.DefaultOptions(),
		Nodes: []NodeFacts{{Name: "a", UID: "node-a"}}, Pods: []eviction.Facts{facts}}},
		Event{Seq: 2, Time: time.Now(), Kind: EventPhase, Phase: PhaseEvict, PhaseStatus: PhaseRuns},
		Event{Seq: 3, Time: time.Now(), Kind: EventNode, Node: "a", NodeState: NodeDraining})
	f.is(eviction.BudgetBlocked)
	return f
}

// is puts the pod of the run into a state.
func (f *steps) is(state eviction.State) {
	f.state = Fold(f.state, Event{Seq: f.state.Seq + 1, Time: time.Now(), Kind: EventPod, UID: f.pod.UID, Pod: f.pod.Name, PodState: state})
}

func (f *steps) edit(p *corev1.Pod, change func(*corev1.Pod)) {
	changed := p.DeepCopy()
	change(changed)
	f.Pods[p.UID] = changed
	f.Store.Put(convert.Pod(changed))
	f.Control("web")
}

func (f *steps) sick(p *corev1.Pod) { f.edit(p, func(p *corev1.Pod) { kubetest.SetReady(p, false) }) }

func (f *steps) budget(change func(*policyv1.PodDisruptionBudget)) {
	change(f.Budgets["web"])
	f.Control("web")
}

func (f *steps) ends(p *corev1.Pod, at time.Time, finalizers ...string) {
	f.edit(p, func(p *corev1.Pod) {
		when := metav1.NewTime(at)
		p.DeletionTimestamp, p.Finalizers = &when, finalizers
	})
}

func (f *steps) off(node string) {
	f.SetNode(node, func(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionUnknown })
}

// deployed makes a Deployment the owner of the pods' ReplicaSet.
func (f *steps) deployed(change func(*appsv1.Deployment)) {
	controller, replicas := true, int32(1)
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web", UID: "deploy-web", ResourceVersion: "77"}}
	d.Spec.Replicas, d.Spec.Selector = &replicas, &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	d.Spec.Strategy.Type = appsv1.RollingUpdateDeploymentStrategyType
	change(d)
	rs := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web", UID: "rs-web",
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: "web", UID: d.UID, Controller: &controller}}}}
	f.Store.Put(kubetest.Convert(d))
	f.Store.Put(convert.ReplicaSet(rs))
}

func (f *steps) remedy(kind remedy.Kind) remedy.Remedy {
	for _, r := range Remedies(f.state, f.Snapshot(), f.pod.UID, time.Now()) {
		if r.Kind == kind {
			return r
		}
	}
	return remedy.Remedy{DisabledReason: "there is no such remedy"}
}

func rollout(surge, away int) func(*appsv1.Deployment) {
	return func(d *appsv1.Deployment) {
		more, less := intstr.FromInt(surge), intstr.FromInt(away)
		d.Spec.Strategy.RollingUpdate = &appsv1.RollingUpdateDeployment{MaxSurge: &more, MaxUnavailable: &less}
	}
}

// Each row makes one situation and says of one remedy why it is off, or (empty) that it
// can be taken and with which request.
func TestRemedies(t *testing.T) {
	long := time.Now().Add(-time.Minute)
	for name, c := range map[string]struct {
		make func(f *steps)
		kind remedy.Kind
		off  string // words of it; "" where the remedy can be taken
		call string
		word string
	}{
		"free: all are well":        {func(*steps) {}, remedy.EvictUnhealthy, "no other pod of budget web is unhealthy", "", ""},
		"free: AlwaysAllow":         {func(f *steps) { f.sick(f.unhealthyPod); f.always() }, remedy.EvictUnhealthy, "", "POST /api/v1/namespaces/default/pods/web-2/eviction, UID pod-2", "evict 2"},
		"free: IfHealthyBudget":     {func(f *steps) { f.sick(f.unhealthyPod) }, remedy.EvictUnhealthy, "allows the eviction of a pod that is not Ready only while it has the 2 it needs (IfHealthyBudget); it has 1", "", ""},
		"free: it ends already":     {func(f *steps) { f.ends(f.unhealthyPod, long) }, remedy.EvictUnhealthy, "web-2 is already terminating", "", ""},
		"free: no owner":            {func(f *steps) { f.always(); f.bare(f.unhealthyPod) }, remedy.EvictUnhealthy, "web-2 would not be recreated", "", ""},
		"free: no budget blocks it": {func(f *steps) { f.is(eviction.WebhookWait) }, remedy.EvictUnhealthy, "no budget blocks it", "", ""},
		"free: in the plan":         {func(f *steps) { f.sick(f.unhealthyPod); f.always(); f.plan(f.unhealthyPod) }, remedy.EvictUnhealthy, "is in the plan itself", "", ""},
		"restart: of a ReplicaSet":  {func(*steps) {}, remedy.RolloutRestart, "deletes the old pod before", "", ""},
		"restart: surge":            {func(f *steps) { f.deployed(rollout(1, 0)) }, remedy.RolloutRestart, "", "PATCH /apis/apps/v1/namespaces/default/deployments/web, pod template annotation kubectl.kubernetes.io/restartedAt", "rollout-restart web"},
		"restart: the usual 25%":    {func(f *steps) { f.deployed(func(*appsv1.Deployment) {}) }, remedy.RolloutRestart, "", "PATCH /apis/apps/v1/namespaces/default/deployments/web, pod template annotation kubectl.kubernetes.io/restartedAt", "rollout-restart web"},
		"restart: no surge":         {func(f *steps) { f.deployed(rollout(0, 1)) }, remedy.RolloutRestart, "may not have an extra pod", "", ""},
		"restart: may be away":      {func(f *steps) { f.deployed(rollout(1, 1)) }, remedy.RolloutRestart, "may lose its only pod", "", ""},
		"restart: Recreate": {func(f *steps) {
			f.deployed(func(d *appsv1.Deployment) { d.Spec.Strategy.Type = appsv1.RecreateDeploymentStrategyType })
		}, remedy.RolloutRestart, "may not have an extra pod", "", ""},
		"restart: paused":             {func(f *steps) { f.deployed(func(d *appsv1.Deployment) { d.Spec.Paused = true }) }, remedy.RolloutRestart, "is paused", "", ""},
		"restart: two replicas":       {func(f *steps) { f.deployed(func(d *appsv1.Deployment) { *d.Spec.Replicas = 2 }) }, remedy.RolloutRestart, "has 2 replicas: a restart would move pods outside the plan", "", ""},
		"scale":                       {func(*steps) {}, remedy.Scale, "", "PATCH /apis/apps/v1/namespaces/default/replicasets/web/scale, replicas 2 to 3", "scale web"},
		"scale: does not help":        {func(f *steps) { f.most(0) }, remedy.Scale, "would allow no more with 3 replicas", "", ""},
		"scale: an autoscaler":        {func(f *steps) { f.autoscale() }, remedy.Scale, "autoscaler web owns the number of replicas", "", ""},
		"scale: autoscalers unseen":   {func(f *steps) { f.Store.SetSync(kube.KindAutoscalers, kube.SyncState{Phase: kube.Denied}) }, remedy.Scale, "cannot be seen", "", ""},
		"scale: not held by a budget": {func(f *steps) { f.is(eviction.WebhookWait) }, remedy.Scale, "no budget blocks it", "", ""},
		"scale: ends already":         {func(f *steps) { f.ends(f.pod, long); f.is(eviction.StuckTerminating) }, remedy.Scale, "it is already terminating", "", ""},
		"delete":                      {func(*steps) {}, remedy.Delete, "", "DELETE /api/v1/namespaces/default/pods/web-1, UID pod-1", "delete web-1"},
		"delete: ends already":        {func(f *steps) { f.ends(f.pod, long); f.is(eviction.StuckTerminating) }, remedy.Delete, "its deletion was accepted", "", ""},
		"kill: its node is Ready":     {func(*steps) {}, remedy.ForceDelete, "its kubelet can still terminate it", "", ""},
		"kill: stuck":                 {func(f *steps) { f.ends(f.pod, long); f.is(eviction.StuckTerminating) }, remedy.ForceDelete, "", "DELETE /api/v1/namespaces/default/pods/web-1, UID pod-1, gracePeriodSeconds 0", "force-delete web-1"},
		"kill: a finalizer":           {func(f *steps) { f.ends(f.pod, long, "x/y"); f.is(eviction.StuckTerminating) }, remedy.ForceDelete, "finalizer x/y blocks it", "", ""},
		"kill: a silent node":         {func(f *steps) { f.off("a") }, remedy.ForceDelete, "", "DELETE /api/v1/namespaces/default/pods/web-1, UID pod-1, gracePeriodSeconds 0", "force-delete web-1"},
		"taint: the node is Ready":    {func(*steps) {}, remedy.OutOfService, "a is Ready", "", ""},
		"taint":                       {func(f *steps) { f.off("a") }, remedy.OutOfService, "", "PATCH /api/v1/nodes/a, taint node.kubernetes.io/out-of-service=nodeshutdown:NoExecute", "a is off"},
		"taint: is there": {func(f *steps) {
			f.off("a")
			f.SetNode("a", func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{kube.OutOfService} })
		}, remedy.OutOfService, "already has the taint", "", ""},
		"shut: paused":   {func(f *steps) { f.control1(CommandPause) }, remedy.Delete, "the run is paused", "", ""},
		"shut: aborting": {func(f *steps) { f.control1(CommandAbort) }, remedy.Delete, "is being aborted", "", ""},
		"shut: over":     {func(f *steps) { f.is(eviction.Gone) }, remedy.Delete, "nothing more happens to it", "", ""},
		"shut: neither":  {func(f *steps) { f.is(eviction.Terminating) }, remedy.Delete, "neither blocked nor stuck", "", ""},
		"shut: away":     {func(f *steps) { f.Store.SetHealth(kube.Health{}) }, remedy.Delete, "not live", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := newSteps()
			c.make(f)
			r := f.remedy(c.kind)
			if c.off == "" && r.DisabledReason != "" || !strings.Contains(r.DisabledReason, c.off) {
				t.Fatalf("off: %q, want %q", r.DisabledReason, c.off)
			}
			if c.off == "" && (r.Call != c.call || r.Word != c.word || r.Risk == "" || len(r.Needs) == 0) {
				t.Errorf("%+v", r)
			}
		})
	}
}

func (f *steps) always() {
	f.budget(func(b *policyv1.PodDisruptionBudget) {
		allow := policyv1.AlwaysAllow
		b.Spec.UnhealthyPodEvictionPolicy = &allow
	})
}

func (f *steps) most(away int) {
	f.budget(func(b *policyv1.PodDisruptionBudget) {
		most := intstr.FromInt(away)
		b.Spec.MinAvailable, b.Spec.MaxUnavailable = nil, &most
	})
}

func (f *steps) bare(p *corev1.Pod) {
	f.edit(p, func(p *corev1.Pod) { kubetest.SetReady(p, false); p.OwnerReferences = nil })
}

func (f *steps) plan(p *corev1.Pod) {
	facts := eviction.Facts{Node: "b", Namespace: "default", Name: p.Name, UID: p.UID, Action: plan.ActionEvict}
	f.state = Fold(f.state, Event{Seq: f.state.Seq + 1, Time: time.Now(), Kind: EventPodAdded, Added: &facts})
}

func (f *steps) autoscale() {
	f.Store.Put(kubetest.Convert(&autoscalingv2.HorizontalPodAutoscaler{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web", UID: types.UID("hpa")},
		Spec:       autoscalingv2.HorizontalPodAutoscalerSpec{ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web"}, MaxReplicas: 5},
	}))
}

func (f *steps) control1(kind CommandKind) {
	f.state = Fold(f.state, Event{Seq: f.state.Seq + 1, Time: time.Now(), Kind: EventControl, Command: kind})
}

func TestRemediesWarnsOfDeployers(t *testing.T) {
	for want, change := range map[string]func(*appsv1.Deployment){
		"Argo CD": func(d *appsv1.Deployment) { d.Annotations = map[string]string{"argocd.argoproj.io/tracking-id": "x"} },
		"Flux":    func(d *appsv1.Deployment) { d.Labels = map[string]string{"kustomize.toolkit.fluxcd.io/name": "x"} },
		"Helm":    func(d *appsv1.Deployment) { d.Labels = map[string]string{"app.kubernetes.io/managed-by": "Helm"} },
	} {
		f := newSteps()
		f.deployed(change)
		if r := f.remedy(remedy.Scale); len(r.Warnings) != 1 || !strings.HasPrefix(r.Warnings[0], want+" manages it") {
			t.Errorf("%s: %q", want, r.Warnings)
		}
	}
}

// The controller of a Deployment would set its replicas back.
func TestNoScaleOfWhatAControllerOwns(t *testing.T) {
	f, yes := newSteps(), true
	f.deployed(func(d *appsv1.Deployment) {
		d.OwnerReferences = []metav1.OwnerReference{{APIVersion: "ceph.rook.io/v1", Kind: "CephCluster", Name: "rook", UID: "rook", Controller: &yes}}
	})
	if r := f.remedy(remedy.Scale); !strings.HasPrefix(r.DisabledReason, "CephCluster rook owns ") {
		t.Errorf("%+v", r)
	}
}

func TestWithhold(t *testing.T) {
	f := newSteps()
	remedies := Remedies(f.state, f.Snapshot(), f.pod.UID, time.Now())
	var results []request.AccessResult
	for _, r := range remedies {
		for _, need := range r.Needs {
			results = append(results, request.AccessResult{Permission: need, Allowed: need.Verb != "delete"})
		}
	}
	remedy.DisableForbidden(remedies, results)
	for _, r := range remedies {
		if off := r.DisabledReason == "you may not delete pods in namespace default"; off != (r.Kind == remedy.Delete) {
			t.Errorf("%s: %q", r.Kind, r.DisabledReason)
		}
	}
}
