package drain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// shownCluster is a cluster as the watches show it, on a clock that stands until it is told
// to go on. Nothing in it happens by itself.
type shownCluster struct {
	now           time.Time
	store         *kube.Store
	version       int
	budgetVersion int
	nodes         map[string]*corev1.Node
	pods          map[string]*corev1.Pod // by name: who has the name now
	budgets       map[string]*policyv1.PodDisruptionBudget
	marks         map[string]string   // of surges, by workload
	onSet         map[string]bool     // whose ReplicaSet alone has it: a Deployment adopted it, or was created again
	lastOf        map[string]string   // the same, also after it was lowered
	offset        time.Duration       // of the server's clock
	apps          map[string]shownApp // of a history
	hidden        bool                // these are not known yet
}

func newShownCluster() *shownCluster {
	c := &shownCluster{now: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), nodes: map[string]*corev1.Node{},
		pods: map[string]*corev1.Pod{}, budgets: map[string]*policyv1.PodDisruptionBudget{}, marks: map[string]string{}, onSet: map[string]bool{}, lastOf: map[string]string{}}
	c.store = kube.NewStore(func() time.Time { return c.now })
	c.server("up")
	for _, k := range kube.Kinds {
		c.store.SetSync(k, kube.SyncState{Phase: kube.Synced})
	}
	return c
}

// nextVersion is a resourceVersion that no object had before.
func (c *shownCluster) nextVersion() string {
	c.version++
	return strconv.Itoa(c.version)
}

// nextBudgetVersion is nextVersion of the budgets, whose watch may be ahead of the others.
func (c *shownCluster) nextBudgetVersion() string {
	c.budgetVersion++
	return strconv.Itoa(c.budgetVersion)
}

// put shows an object of the API as it is now.
func (c *shownCluster) put(object any) {
	record, err := convert.Record(object)
	if err != nil {
		panic(err)
	}
	c.store.Put(record)
	switch o := record.(type) {
	case *kube.Pod:
		c.countReady(o.Labels["app"])
	case *kube.Workload:
		c.countReady(o.Name)
	}
}

// countReady is the controller of an app that has seen its pods, and says in its status how many are Ready.
func (c *shownCluster) countReady(app string) {
	ready := int32(0)
	for _, p := range c.pods {
		if p.Labels["app"] == app && p.DeletionTimestamp == nil && kubetest.IsReady(p) {
			ready++
		}
	}
	c.showReady(app, ready)
}

func (c *shownCluster) showReady(app string, ready int32) {
	for _, kind := range []kube.Kind{kube.KindDeployments, kube.KindReplicaSets} {
		for _, w := range kube.Workloads(c.store.Snapshot(), kind) {
			if w.Name == app && w.ReadyReplicas != ready {
				shown := *w
				shown.ReadyReplicas = ready
				c.store.Put(&shown)
			}
		}
	}
}

// server is whether the API server answers, which the watches learn first.
func (c *shownCluster) server(state string) {
	h := kube.Health{Live: state == "up", LastContact: c.now, Offset: c.offset}
	if !h.Live {
		h.Reason, h.DownSince = "connection refused", c.now
	}
	c.store.SetHealth(h)
}

// edit is one line of a change: an object, and words that say what becomes of it.
type edit struct {
	names  []string
	words  []string
	values map[string]string
}

// words that have no value, of all kinds of objects.
var editWords = []string{
	"cordoned", "uncordoned", "silent", "heard", "not-ready", "crashing", "ready", "deleted", "gone", "replaced", "pending", "terminating", "finished",
	"bare", "owned", "mirror", "tolerates", "critical", "csi-driver", "prestop", "unobserved", "always-allow", "up", "down", "denied", "synced", "stale",
	"rolls-out", "unmarked", "copied", "recreated", "restored", "attached", "detached", "ours", "renewed", "out-of-service",
}

func parseEdit(line string) (kind string, e edit) {
	e.values = map[string]string{}
	fields := strings.Fields(line)
	for _, f := range fields[1:] {
		key, value, valued := strings.Cut(f, "=")
		switch {
		case valued:
			e.values[key] = value
		case slices.Contains(editWords, f):
			e.words = append(e.words, f)
		default:
			e.names = append(e.names, f)
		}
	}
	return fields[0], e
}

func (e *edit) has(word string) bool { return slices.Contains(e.words, word) }

func (e *edit) number(key string) int32 {
	n, err := strconv.ParseInt(e.values[key], 10, 32)
	if err != nil {
		panic(fmt.Sprintf("%s=%s is no number", key, e.values[key]))
	}
	return int32(n)
}

func (e *edit) duration(key string) time.Duration {
	d, err := time.ParseDuration(e.values[key])
	if err != nil {
		panic(err)
	}
	return d
}

// change reads lines such as "pod web-1 on=w1": what the watches show from now on.
func (c *shownCluster) change(lines string) {
	for line := range strings.Lines(lines) {
		kind, e := parseEdit(line)
		if kind == "server" {
			c.editServer(e)
		}
		for _, name := range e.names {
			switch kind {
			case "node":
				c.editNode(name, e)
			case "pod":
				c.editPod(name, e)
			case "budget":
				c.editBudget(name, e)
			case "workload":
				c.editWorkload(name, e)
			case "autoscaler":
				c.editAutoscaler(name)
			case "webhook":
				c.editWebhook(name)
			case "lease":
				c.editLease(name, e)
			case "rule":
				c.editRule(name, e)
			case "volume":
				c.editVolume(name, e)
			case "kind":
				phase := map[string]kube.SyncPhase{"denied": kube.Denied, "synced": kube.Synced, "stale": kube.Stale, "pending": kube.NotSynced}[e.words[0]]
				c.store.SetSync(kube.Kind(name), kube.SyncState{Phase: phase, Since: c.now})
			default:
				panic("no kind of object: " + kind)
			}
		}
	}
}

func (c *shownCluster) editServer(e edit) {
	if e.values["ahead"] != "" {
		c.offset = e.duration("ahead")
		c.server("up")
	}
	for _, state := range e.words {
		c.server(state)
	}
}

func (c *shownCluster) editNode(name string, e edit) {
	n := c.nodes[name]
	if e.has("deleted") {
		c.store.Remove(convert.Node(n))
		delete(c.nodes, name)
		return
	}
	if n == nil || e.has("replaced") {
		uid := types.UID(name)
		if n != nil {
			uid = n.UID + "'"
		}
		n = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: uid, CreationTimestamp: metav1.NewTime(c.now)}}
		kubetest.Roomy(n)
		setNodeReady(n, corev1.ConditionTrue, c.now)
	}
	n = n.DeepCopy()
	for _, word := range e.words {
		switch word {
		case "cordoned":
			n.Spec.Unschedulable = true
		case "uncordoned":
			n.Spec.Unschedulable, n.ManagedFields = false, nil
			delete(n.Annotations, kube.CordonAnnotation) // the one of the out-of-service taint stays
		case "ready":
			setNodeReady(n, corev1.ConditionTrue, c.now)
		case "not-ready":
			setNodeReady(n, corev1.ConditionFalse, c.now)
		case "silent":
			setNodeReady(n, corev1.ConditionUnknown, c.now)
		case "heard": // a silent kubelet is back: its first status brings the heartbeat only
			n.Status.Conditions[0].LastHeartbeatTime = metav1.NewTime(c.now)
		}
	}
	if by := e.values["by"]; by != "" { // the run that cordoned it, or another manager
		n.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: by, FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:unschedulable":{}}}`)}}
	}
	if run := e.values["mark"]; run != "" {
		was := "schedulable"
		if e.values["was"] != "" {
			was = e.values["was"]
		}
		n.Annotations = map[string]string{kube.CordonAnnotation: annotation.Mark{Run: run, By: "bob", Was: was, At: c.now}.String()}
	}
	n.ResourceVersion = c.nextVersion()
	c.nodes[name] = n
	c.put(n)
}

func setNodeReady(n *corev1.Node, status corev1.ConditionStatus, now time.Time) {
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: status,
		LastTransitionTime: metav1.NewTime(now), LastHeartbeatTime: metav1.NewTime(now)}}
}

// appOf is the workload of a pod named like those of controllers: web-1 is of web.
func appOf(pod string) string {
	if i := strings.LastIndexByte(pod, '-'); i > 0 {
		return pod[:i]
	}
	return pod
}

// editBudget shows a budget. Its figures are those that the disruption controller
// works out now, but for those that the line says.
func (c *shownCluster) editBudget(name string, e edit) {
	b := c.budgets[name]
	if e.has("gone") {
		c.store.Remove(convert.Budget(b))
		delete(c.budgets, name)
		return
	}
	if b == nil {
		b = &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID("pdb-" + name), Generation: 1}}
		b.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}}
	}
	b = b.DeepCopy()
	if of := e.values["of"]; of != "" {
		b.Spec.Selector.MatchLabels["app"] = of
		if of == "all" {
			b.Spec.Selector.MatchLabels = nil
		}
	}
	if e.values["needs"] != "" {
		least := intstr.FromInt32(e.number("needs"))
		b.Spec.MinAvailable = &least
	}
	if e.has("always-allow") {
		policy := policyv1.AlwaysAllow
		b.Spec.UnhealthyPodEvictionPolicy = &policy
	}
	if run := e.values["run"]; run != "" {
		b.Labels = map[string]string{kube.ManagedByLabel: kube.ManagedByValue, kube.RunLabel: run}
	}
	if uid := e.values["uid"]; uid != "" {
		b.UID = types.UID(uid)
	}
	if group := e.values["owner"]; group != "" {
		kubetest.ControlledBy(group+"/v1", "Cluster", "db")(b)
	}
	b.ResourceVersion = c.nextBudgetVersion()
	c.count(b, e)
	c.budgets[name] = b
	c.put(b)
}

// count is the disruption controller's look at a budget.
func (c *shownCluster) count(b *policyv1.PodDisruptionBudget, e edit) {
	b.Status.ObservedGeneration = b.Generation
	if e.has("unobserved") {
		b.Status.ObservedGeneration = 0
	}
	b.Status.DisruptedPods = nil
	if listed := e.values["disrupted"]; listed != "" {
		b.Status.DisruptedPods = map[string]metav1.Time{}
		for name := range strings.SplitSeq(listed, ",") {
			b.Status.DisruptedPods[name] = metav1.NewTime(c.now)
		}
	}
	b.Status.CurrentHealthy, b.Status.ExpectedPods = 0, 0
	for name, p := range c.pods {
		if app, one := b.Spec.Selector.MatchLabels["app"]; one && p.Labels["app"] != app {
			continue
		}
		b.Status.ExpectedPods++
		if _, disrupted := b.Status.DisruptedPods[name]; kubetest.IsReady(p) && p.DeletionTimestamp == nil && !disrupted {
			b.Status.CurrentHealthy++
		}
	}
	if b.Spec.MinAvailable != nil {
		b.Status.DesiredHealthy = b.Spec.MinAvailable.IntVal
	}
	if e.values["has"] != "" {
		b.Status.CurrentHealthy = e.number("has")
	}
	b.Status.DisruptionsAllowed = max(0, b.Status.CurrentHealthy-b.Status.DesiredHealthy)
	if e.values["allowed"] != "" {
		b.Status.DisruptionsAllowed = e.number("allowed")
	}
}
