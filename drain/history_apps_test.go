package drain

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"pgregory.net/rapid"

	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// app is a workload of a history: what the API server has of it, and what the controller
// of its Deployment has in its cache.
type app struct {
	name, kind string
	words      string // of each of its pods
	wants      int32  // replicas that its owner set last
	owned      scaled // the Deployment, or the ReplicaSet that has none
	set        scaled // the ReplicaSet of the Deployment
	seen       scaled // the Deployment, in the cache of its controller
	observed   int64  // generation of the Deployment that its controller has seen
	ours       bool   // the program wrote its replicas last
	owners     string // who else owns the number of its replicas, as in kube.Workload.ReplicasOwners
	due        string // who has to own it at the end, "" for anyone
	returns    string // whom the other run makes its owners again at the end of its surge
	rollsOut   bool
	lowered    bool      // the run set its replicas back, and its pods are not removed yet
	disturbed  time.Time // when somebody last took a pod of it away, or changed its replicas
	noneShown  bool      // the watches showed no replacement when the run decided that
	raised     time.Time // when the run last raised it, and how many Ready pods it had then
	served     int
	begun      *begun // its last batch
}

// begun is what the watches showed of an app when a batch began.
type begun struct {
	others []kube.UID // its pods beside the batch
	spare  int        // how many of them were more than it wants
}

// scaled is a Deployment or ReplicaSet: what surges and scaling change of it.
type scaled struct {
	replicas   int32
	mark       string
	generation int64
}

func (s *scaled) scale(to int32) { s.replicas, s.generation = to, s.generation+1 }

// ownedBy is the entry of managedFields of a manager that owns a number of replicas.
func ownedBy(manager string) string {
	return fmt.Sprintf(`[{"manager":%q,"operation":"Update","apiVersion":"apps/v1"}]`, manager)
}

// ownersIn are the owners of the number that an annotation of a surge names.
func ownersIn(mark string) string {
	var m struct{ Owners json.RawMessage }
	_ = json.Unmarshal([]byte(mark), &m) // none has none
	return strings.TrimSuffix(string(m.Owners), "null")
}

// takeNumber makes the program the only owner of the number, as an update of it does.
func (a *app) takeNumber() { a.owners, a.ours = "", true }

// controlled is the object that has the pods.
func (a *app) controlled() *scaled {
	if a.kind == "Deployment" {
		return &a.set
	}
	return &a.owned
}

// uid is that of the workload that surges.
func (a *app) uid() kube.UID {
	if a.kind == "Deployment" {
		return kube.UID(a.name + "-deployment")
	}
	return kube.UID(a.name)
}

// app is the app of that name, nil for what is none.
func (h *history) app(name string) *app {
	if i := slices.IndexFunc(h.apps, func(a *app) bool { return a.name == name }); i >= 0 {
		return h.apps[i]
	}
	return nil
}

// appKinds are the kinds of apps and what all pods of one have: most are plain.
var appKinds = []struct{ kind, words string }{
	{"Deployment", ""}, {"Deployment", ""}, {"ReplicaSet", ""}, {"ReplicaSet", ""},
	{"Deployment", "critical"}, {"Deployment", "label=cluster.x-k8s.io/drain:wait-completed"},
	{"ReplicaSet", "claim=shared"}, {"StatefulSet", ""}, {"StatefulSet", "critical"}, {"Deployment", "grace=2m"},
}

func (h *history) addApp(t *rapid.T, name string, nodes []string) {
	kind := appKinds[rapid.IntRange(0, len(appKinds)-1).Draw(t, "kind")]
	pods := int32(len(nodes))
	a := &app{name: name, kind: kind.kind, words: kind.words, wants: pods, owned: scaled{replicas: pods, generation: 1}, observed: 1}
	a.set, a.seen = a.owned, a.owned
	a.owners = rapid.SampledFrom([]string{"", "", ownedBy("kubectl"), ownedBy("kubectl"), ownedBy("argocd-controller")}).Draw(t, "owners")
	a.due = a.owners
	h.apps = append(h.apps, a)
	h.putApp(a)
	for i, node := range nodes {
		h.addPodOf(a, i, node, "")
	}
}

// addPodOf makes the pod of that number of an app; only a StatefulSet numbers its pods.
func (h *history) addPodOf(a *app, number int, node, words string) {
	if a.kind != "StatefulSet" {
		h.addPod(a.name, node, a.words, words)
		return
	}
	h.serial++
	name := fmt.Sprintf("%s-%d", a.name, number)
	h.lines(fmt.Sprintf("pod %s on=%s owner=StatefulSet claim=%s uid=%s.%d %s %s", name, node, name, name, h.serial, a.words, words))
}

// attach lets each volume be attached where a pod needs it, once it is detached where none does.
func (h *history) attach() {
	for _, claim := range alike(h.claims, func(string) bool { return true }) {
		used := map[string]bool{}
		for _, p := range h.truth.pods {
			for _, v := range p.Spec.Volumes {
				used[p.Spec.NodeName] = used[p.Spec.NodeName] || v.PersistentVolumeClaim != nil && v.Name == claim
			}
		}
		at := h.claims[claim]
		switch nodes := alike(used, func(uses bool) bool { return uses }); {
		case at != "" && !used[at]:
			h.claims[claim] = ""
		case at == "" && len(nodes) > 0:
			h.claims[claim] = nodes[0]
		default:
			continue
		}
		h.lines("volume " + claim + " on=" + h.claims[claim])
	}
}

// putApp lets the API server have the app as it is now.
func (h *history) putApp(a *app) {
	now := *a
	h.happen(func(c *shownCluster) { c.putApp(&now) })
}

func (c *shownCluster) putApp(a *app) {
	if c.apps == nil {
		c.apps = map[string]shownApp{}
	}
	c.apps[a.name] = shownApp{*a, c.nextVersion()}
	c.showApp(a.name)
}

// shownApp is an app as the watches show it, in the version of its objects.
type shownApp struct {
	app
	version string
}

func (c *shownCluster) showApp(name string) {
	a := c.apps[name]
	meta := metav1.ObjectMeta{Namespace: "default", Name: a.name, UID: types.UID(a.name), ResourceVersion: a.version}
	if a.owners != "" {
		if err := json.Unmarshal([]byte(a.owners), &meta.ManagedFields); err != nil {
			panic(err)
		}
	}
	if a.ours {
		meta.ManagedFields = append(meta.ManagedFields, metav1.ManagedFieldsEntry{Manager: kube.FieldManager})
	}
	for i := range meta.ManagedFields {
		meta.ManagedFields[i].FieldsV1 = metav1.NewFieldsV1(`{"f:spec":{"f:replicas":{}}}`)
	}
	if c.hidden {
		return
	}
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app": a.name}}
	if a.kind == "StatefulSet" {
		c.put(&appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{Replicas: &a.owned.replicas, Selector: selector}})
		return
	}
	owned, set := a.owned, *a.controlled()
	rs := meta
	if a.kind == "Deployment" {
		controller, one, none := true, intstr.FromInt32(1), intstr.FromInt32(0)
		meta.UID, meta.Generation = types.UID(a.uid()), owned.generation
		meta.Annotations = surgeMark(owned.mark)
		rs.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: a.name, UID: meta.UID, Controller: &controller}}
		d := &appsv1.Deployment{ObjectMeta: meta, Spec: appsv1.DeploymentSpec{Replicas: &owned.replicas, Selector: selector,
			Strategy: appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &one, MaxUnavailable: &none}}}}
		d.Status = appsv1.DeploymentStatus{Replicas: set.replicas, UpdatedReplicas: set.replicas, ObservedGeneration: a.observed}
		if a.rollsOut {
			d.Status.UpdatedReplicas--
		}
		c.put(d)
	}
	rs.Annotations = surgeMark(set.mark)
	c.put(&appsv1.ReplicaSet{ObjectMeta: rs, Spec: appsv1.ReplicaSetSpec{Replicas: &set.replicas, Selector: selector}})
}

func surgeMark(mark string) map[string]string {
	if mark == "" {
		return nil
	}
	return map[string]string{kube.SurgeAnnotation: mark}
}

// scale is the server at a request that changes the replicas of an app, or its annotation.
func (h *history) scale(w Write) kube.Answer {
	var a *app
	switch r := w.Request.(type) {
	case request.Raise:
		a = h.app(r.Name)
		if live := h.truth.store.Snapshot().Workload(r.UID); live == nil || live.ResourceVersion != r.ResourceVersion {
			return h.answerOf("409", w)
		}
		if a.returns != "" && a.ours && ownersIn(a.owned.mark)+ownersIn(a.set.mark) == "" {
			a.due = "" // the other run has not returned it, and no annotation names the owners
		}
		a.owned.mark, a.lowered = r.Mark, false
		a.takeNumber()
		a.owned.scale(r.To)
		a.raised, a.served = h.now, h.serving(a)
	case request.Lower:
		a = h.app(r.Name)
		of := &a.owned
		if r.Kind == "ReplicaSet" {
			of = a.controlled()
		}
		if r.Mark != "" && of.mark != r.Mark || r.From != r.To && of.replicas != r.From {
			return h.answerOf("422", w)
		}
		if r.Mark != "" {
			of.mark = r.Then
		}
		if r.From != r.To {
			of.scale(r.To)
			a.lowered = true
			a.takeNumber()
		}
		if r.Owners != "" && a.ours && a.owned.mark == "" && a.owned.replicas == r.From { // as giveBack in kube/write
			a.owners, a.ours = r.Owners, false
		}
	case request.Scale:
		if a = h.app(r.Name); a.owned.replicas != r.From {
			return h.answerOf("422", w)
		}
		a.owned.scale(r.To)
		a.takeNumber()
		a.due = "" // the operator has confirmed the number of the run
	case request.Restart:
		a = h.app(r.Name)
		a.rollsOut = true
		a.owned.generation++
	}
	h.putApp(a)
	return h.answerOf("200", w)
}

// setCost is the server at a change of a deletion cost.
func (h *history) setCost(w Write) kube.Answer {
	r := sent[request.SetCost](w)
	p := h.truth.pods[r.Name]
	switch {
	case p == nil:
		return h.answerOf("404", w)
	case p.UID != r.UID && r.From == "":
		return h.answerOf("409", w)
	case p.UID != r.UID || r.From != "" && p.Annotations[kube.DeletionCostAnnotation] != r.From:
		return h.answerOf("422", w)
	}
	h.happen(func(c *shownCluster) {
		if p := c.pods[r.Name]; p != nil {
			p = p.DeepCopy()
			p.Annotations = nil
			if r.To != "" {
				p.Annotations = map[string]string{kube.DeletionCostAnnotation: r.To}
			}
			c.pods[r.Name] = p
			c.change("pod " + r.Name)
		}
	})
	return h.answerOf("200", w)
}

// podsOf are the names of the pods of an app that its controller counts.
func (h *history) podsOf(a *app) []string { return h.truth.podsOf(a.name) }

func (c *shownCluster) podsOf(app string) []string {
	return alike(c.pods, func(p *corev1.Pod) bool { return active(p) && p.Labels["app"] == app })
}

// deploy is the controller of a Deployment at what it has in its cache.
func (h *history) deploy(a *app) {
	if a.kind != "Deployment" {
		return
	}
	before := *a
	if a.set.replicas = a.seen.replicas; a.seen.mark != "" {
		a.set.mark = a.seen.mark // SetNewReplicaSetAnnotations copies annotations, and removes none
	}
	if a.observed = max(a.observed, a.seen.generation); *a != before {
		h.putApp(a)
	}
}

// control is the ReplicaSet controller: it makes the pods that an app lacks, and removes those that it
// has too many.
func (h *history) control(a *app) {
	pods, replicas := h.podsOf(a), int(a.controlled().replicas)
	if a.kind == "StatefulSet" {
		h.controlNumbered(a, replicas)
		return
	}
	for range replicas - len(pods) {
		h.addPodOf(a, 0, "w3", "not-ready")
	}
	if more := len(pods) - replicas; more > 0 {
		slices.SortFunc(pods, h.removedFirst)
		for _, name := range pods[:more] {
			h.judgeRemoval(a, h.truth.pods[name])
			h.terminate(name)
		}
	}
	if a.controlled().replicas == a.owned.replicas {
		a.lowered = false
	}
}

// controlNumbered is the StatefulSet controller: it deletes pods that have ended (updateStatefulSet in
// pkg/controller/statefulset), and a pod comes back under its name once the one before is gone.
func (h *history) controlNumbered(a *app, replicas int) {
	for i := range replicas {
		name := fmt.Sprintf("%s-%d", a.name, i)
		switch p := h.truth.pods[name]; {
		case p == nil:
			h.addPodOf(a, i, "w3", "not-ready")
		case !active(p) && staying(p):
			h.terminate(name)
		}
	}
	for _, name := range h.podsOf(a) {
		if number, _ := strconv.Atoi(name[len(a.name)+1:]); number >= replicas {
			h.terminate(name)
		}
	}
}

// removedFirst compares pods by which the ReplicaSet controller removes first (ActivePodsWithRanks in
// kubernetes pkg/controller): those that are not Ready, of the lowest deletion cost, on the node with most pods of the
// app, the newest.
func (h *history) removedFirst(a, b string) int {
	rank := func(name string) (ready, cost, alone int, made int64) {
		p := h.truth.pods[name]
		for _, other := range h.truth.pods {
			if active(other) && other.Labels["app"] == p.Labels["app"] && other.Spec.NodeName == p.Spec.NodeName {
				alone--
			}
		}
		if kubetest.IsReady(p) {
			ready = 1
		}
		if !h.costsUnseen {
			_, _ = fmt.Sscan(p.Annotations[kube.DeletionCostAnnotation], &cost)
		}
		return ready, cost, alone, -p.CreationTimestamp.UnixNano()
	}
	aReady, aCost, aAlone, aMade := rank(a)
	bReady, bCost, bAlone, bMade := rank(b)
	return cmp.Or(cmp.Compare(aReady, bReady), cmp.Compare(aCost, bCost), cmp.Compare(aAlone, bAlone),
		cmp.Compare(aMade, bMade), cmp.Compare(a, b))
}

// controlNow lets all controllers of an app do what they should.
func (h *history) controlNow(a *app) {
	a.seen = a.owned
	h.deploy(a)
	h.control(a)
}

func (h *history) someApp(t *rapid.T) *app {
	return h.apps[rapid.IntRange(0, len(h.apps)-1).Draw(t, "app")]
}

// controlSome is a controller at work: with what is in its cache, or with what the server has.
func (h *history) controlSome(t *rapid.T) {
	a := h.someApp(t)
	switch rapid.SampledFrom([]string{"all", "cache", "deployment", "pods"}).Draw(t, "controller") {
	case "all":
		h.controlNow(a)
	case "cache":
		a.seen = a.owned
	case "deployment":
		h.deploy(a)
	case "pods":
		h.control(a)
	}
}

// catchUp lets the caches of controllers be late, but not for longer than a wait.
func (h *history) catchUp() {
	for _, a := range h.apps {
		a.seen = a.owned
		h.deploy(a)
	}
}

// hideApps lets a process that begins not know the workloads yet.
func (h *history) hideApps() {
	h.shownCluster.hidden = true
	for _, kind := range []kube.Kind{kube.KindDeployments, kube.KindReplicaSets, kube.KindStatefulSets} {
		for _, w := range kube.Workloads(h.store.Snapshot(), kind) {
			h.store.Remove(w)
		}
		h.store.SetSync(kind, kube.SyncState{Phase: kube.NotSynced})
	}
}

// listApps lets the list of the workloads arrive.
func (h *history) listApps() {
	if !h.shownCluster.hidden {
		return
	}
	h.shownCluster.hidden = false
	for _, a := range h.apps {
		h.showApp(a.name)
	}
	for _, kind := range []kube.Kind{kube.KindDeployments, kube.KindReplicaSets, kube.KindStatefulSets} {
		h.store.SetSync(kind, kube.SyncState{Phase: kube.Synced})
	}
}

// rescale is an autoscaler or a person who sets the replicas of an app.
func (h *history) rescale(t *rapid.T) {
	a := h.someApp(t)
	to := rapid.Int32Range(1, 5).Draw(t, "replicas")
	r := h.state.Surges.Of(a.uid())
	byRemedy := slices.ContainsFunc(h.state.Remedies, func(r *remedy.Record) bool {
		return r.Kind == remedy.Scale && r.UID == a.uid() && r.To == to && r.MayStand()
	})
	if to == a.owned.replicas || r != nil && to == r.Batch.To || byRemedy { // the run cannot tell this change from its own
		t.Skip("it has them")
	}
	a.wants, a.ours, a.lowered, a.disturbed = to, false, false, h.now
	a.owners = ownedBy("kubectl")
	a.due = a.owners
	a.owned.scale(to)
	h.putApp(a)
}

// othersSurge is another run that begins the surge of an app, sets its replicas back, and is done with it, or some of
// that.
func (h *history) othersSurge(t *rapid.T) {
	a := h.someApp(t)
	if a.kind == "StatefulSet" || a.owned.mark != "" && a.owned.othersMark() == nil {
		t.Skip("no other run surges it")
	}
	for range rapid.IntRange(1, 3).Draw(t, "steps") {
		switch {
		case a.owned.othersMark().raised():
			h.lowerOthers(a)
		case a.owned.othersMark() != nil || a.set.othersMark() != nil || a.returns != "":
			h.endOthersSurge(a)
		default:
			h.raiseForOthers(a)
		}
		if rapid.Bool().Draw(t, "its controller sees it") {
			a.seen = a.owned
			h.deploy(a)
		}
	}
}

// raiseForOthers raises the replicas of an app for the other run.
func (h *history) raiseForOthers(a *app) {
	a.returns = cmp.Or(a.owners, ownersIn(a.owned.mark), ownersIn(a.set.mark))
	if a.returns == "" { // no annotation names them while this run has not returned the number yet
		a.due = ""
	}
	a.owned.mark = h.markOfOthers(a.owned.replicas, a.owned.replicas+1, a.returns)
	a.owned.scale(a.owned.replicas + 1)
	a.takeNumber()
	h.putApp(a)
}

// othersMark is what is asked of the annotation of the other run.
type othersMark struct {
	Run     string
	Was, To int32
}

func (m *othersMark) raised() bool { return m != nil && m.Was != m.To }

// othersMark is the annotation of the other run, nil where there is none.
func (s *scaled) othersMark() *othersMark { return readOthersMark(s.mark) }

func readOthersMark(text string) *othersMark {
	var m othersMark
	if json.Unmarshal([]byte(text), &m) != nil || m.Run != othersRun {
		return nil
	}
	return &m
}

const othersRun = "r9"

func (h *history) markOfOthers(was, to int32, owners string) string {
	return fmt.Sprintf(`{"run":%q,"at":%q,"was":%d,"to":%d,"owners":%s}`, othersRun, h.now.Format(time.RFC3339), was, to, cmp.Or(owners, "null"))
}

// lowerOthers sets back what the other run has raised. The annotation of a ReplicaSet stays, as does the copy of one.
func (h *history) lowerOthers(a *app) {
	if a.owned.mark = ""; a.kind == "ReplicaSet" {
		a.owned.mark = h.markOfOthers(a.wants, a.wants, a.returns)
	}
	if a.owned.replicas != a.wants {
		a.owned.scale(a.wants)
		a.takeNumber()
	}
	h.putApp(a)
}

// endOthersSurge removes what is left of the surge of the other run, and returns the number to its owners.
func (h *history) endOthersSurge(a *app) {
	if a.owned.othersMark() == nil && a.set.othersMark() == nil && a.returns == "" {
		return
	}
	if a.owned.othersMark().raised() {
		h.lowerOthers(a)
	}
	if a.ours && a.returns != "" && (a.owned.mark == "" || a.owned.othersMark() != nil) && a.owned.replicas == a.wants {
		a.owners, a.ours = a.returns, false
	}
	a.returns = ""
	for _, of := range []*scaled{&a.owned, &a.set} {
		if of.othersMark() != nil {
			of.mark = ""
		}
	}
	a.seen = a.owned
	h.putApp(a)
}

func (h *history) rollout(t *rapid.T) {
	a := h.someApp(t)
	if a.kind != "Deployment" {
		t.Skip("it has no rollouts")
	}
	a.rollsOut = !a.rollsOut
	h.putApp(a)
}

// rolloutUndo is `kubectl rollout undo`: the Deployment has the annotations of an earlier ReplicaSet.
func (h *history) rolloutUndo(t *rapid.T) {
	a := h.someApp(t)
	r := h.state.Surges.Of(a.uid())
	if a.kind != "Deployment" || a.owned.mark == "" || r == nil || r.Batch.Mark != a.owned.mark || r.State != surge.Starting && r.State != surge.Lowering {
		t.Skip("it has no annotation, or the run has not seen it")
	}
	a.owned.mark = ""
	h.putApp(a)
}
