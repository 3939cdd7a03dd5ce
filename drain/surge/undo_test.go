package surge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

var (
	raisedMark  = mark{Run: "r1", By: "ada", At: kubetest.Now, Was: 2, To: 4}.String()
	earlierMark = mark{Run: "r1", By: "ada", At: kubetest.Now.Add(-time.Minute), Was: 2, To: 3}.String()
)

// raised is a record of Deployment shop/web raised from 2 to 4 for web-1 and web-2 of node w1;
// web-1 had cost 7.
func raised(s *kube.Snapshot) *Record {
	uid := func(name string) kube.UID { return s.PodNamed("shop", name).UID }
	w := s.WorkloadNamed("Deployment", "shop", "web")
	r := &Record{Facts: Facts{Kind: "Deployment", Namespace: "shop", Name: "web", UID: w.UID, AtOnce: 2}, State: Starting,
		Batch: Batch{Was: 2, To: 4, Mark: raisedMark, At: kubetest.Now, Pods: []Mover{{"web-1", uid("web-1")}, {"web-2", uid("web-2")}}}}
	for _, c := range []CostFacts{{Mover{"web-1", uid("web-1")}, "7", request.LowestDeletionCost}, {Mover{"web-2", uid("web-2")}, "", request.LowestDeletionCost}} {
		r.Asked(&c, &attempt.ActionFacts{ID: 1, Verb: attempt.VerbDeletionCost})
		r.Heard(c.UID, attempt.VerbDeletionCost, &attempt.AnswerFacts{Code: 200}, kubetest.Now)
	}
	return r
}

func costing(cost string) kubetest.PodOption {
	return func(p *corev1.Pod) { p.Annotations = map[string]string{kube.DeletionCostAnnotation: cost} }
}

// copied is a Deployment and its ReplicaSet, which has its controller's copy of the annotation.
func copied(web []runtime.Object) []runtime.Object {
	web[1].(*appsv1.ReplicaSet).Annotations = map[string]string{kube.SurgeAnnotation: raisedMark}
	return web
}

func made(p *corev1.Pod) { p.CreationTimestamp.Time = kubetest.Now.Add(time.Second) }

func TestUndo(t *testing.T) {
	web := func(replicas int32, mark string) []runtime.Object {
		d, rs := kubetest.Deployment("shop/web", replicas)
		if mark != "" {
			d.Annotations = map[string]string{kube.SurgeAnnotation: mark}
		}
		return []runtime.Object{d, rs}
	}
	pod := func(name, node string, options ...kubetest.PodOption) runtime.Object {
		return kubetest.Pod("shop/"+name, append([]kubetest.PodOption{kubetest.ByDeployment("web"), kubetest.On(node)}, options...)...)
	}
	lowest := costing(request.LowestDeletionCost)
	moving := []runtime.Object{pod("web-1", "w1", lowest), pod("web-2", "w1", lowest)}
	for name, c := range map[string]struct {
		objects []runtime.Object
		want    []string
		left    string
	}{
		"replacements Ready": {slices.Concat(web(4, raisedMark), moving, []runtime.Object{pod("web-3", "w2", made), pod("web-4", "w2", made)}),
			[]string{"web-1 7", "web-2 none", "web-3 lowest", "web-4 lowest", "4 to 2"}, ""},
		"one of them Ready": {slices.Concat(web(4, raisedMark), moving, []runtime.Object{pod("web-3", "w2", made, kubetest.NotReady(0)), pod("web-4", "w2", made)}),
			[]string{"web-1 7", "web-2 none", "web-4 lowest", "4 to 2"}, ""},
		"a pod of before is not touched": {slices.Concat(web(4, raisedMark), moving, []runtime.Object{pod("web-0", "w2")}),
			[]string{"web-1 7", "web-2 none", "4 to 2"}, ""},
		"somebody else's cost stays": {slices.Concat(web(4, raisedMark), []runtime.Object{pod("web-1", "w1", costing("9")), pod("web-2", "w1", lowest)}),
			[]string{"web-2 none", "4 to 2"}, ""},
		"somebody else's number stays":                   {slices.Concat(web(9, raisedMark), moving), []string{"web-1 7", "web-2 none", "annotation"}, ""},
		"it is the number of a raise that never arrived": {slices.Concat(web(4, earlierMark), moving), []string{"web-1 7", "web-2 none", "annotation"}, ""},
		"lowered, and the ReplicaSet has a copy of the annotation": {slices.Concat(copied(web(2, "")), []runtime.Object{pod("web-1", "w1"), pod("web-2", "w1")}),
			[]string{"annotation"}, ""},
		"lowered already": {slices.Concat(web(2, ""), moving), []string{"web-1 7", "web-2 none"}, ""},
		"nothing left":    {slices.Concat(web(2, ""), []runtime.Object{pod("web-1", "w1"), pod("web-2", "w1")}), nil, "already taken back"},
		"raised by another run since": {slices.Concat(web(4, mark{Run: "r2", Was: 2, To: 4}.String()), []runtime.Object{pod("web-1", "w1"), pod("web-2", "w1")}),
			nil, "already taken back"},
		"raised, and not ours": {slices.Concat(web(4, ""), []runtime.Object{pod("web-1", "w1"), pod("web-2", "w1")}), nil, "somebody else keeps it"},
	} {
		s := kubetest.SnapshotOf(kubetest.Now, c.objects...)
		requests, left := raised(s).Undo("r1", s)
		var got []string
		for _, r := range requests {
			switch r := r.(type) {
			case request.SetCost:
				got = append(got, r.Name+" "+map[string]string{"": "none", request.LowestDeletionCost: "lowest"}[r.To])
				if r.To == "7" {
					got[len(got)-1] = r.Name + " 7"
				}
			case request.Lower:
				got = append(got, fmt.Sprintf("%d to %d", r.From, r.To))
				if r.From == r.To {
					got[len(got)-1] = "annotation"
				}
			}
		}
		if !slices.Equal(got, c.want) || !strings.Contains(left, c.left) {
			t.Errorf("%s: %q, left %q; want %q, %q", name, got, left, c.want, c.left)
		}
	}
	gone := kubetest.SnapshotOf(kubetest.Now, slices.Concat(web(4, raisedMark), moving)...)
	r := raised(gone)
	if requests, left := r.Undo("r1", kubetest.SnapshotOf(kubetest.Now, []runtime.Object{&appsv1.Deployment{ObjectMeta: kubetest.Meta("Deployment", "shop/other")}}...)); requests != nil || left != "it is gone" {
		t.Errorf("%v, %q", requests, left)
	}
}

// wordsOf are the requests of an Undo.
func wordsOf(requests []request.Request) (words []string) {
	for _, r := range requests {
		switch r := r.(type) {
		case request.SetCost:
			words = append(words, fmt.Sprintf("%s %q to %q", r.Name, r.From, r.To))
		case request.Lower:
			words = append(words, fmt.Sprintf("%s %d to %d, then %q", r.Name, r.From, r.To, r.Then))
		}
	}
	return words
}

// A run was killed after it had set back a ReplicaSet without a Deployment, and before the costs:
// its annotation still tells which pods have one of ours.
func TestUndoByTheAnnotationOfALoweredReplicaSet(t *testing.T) {
	rs := &appsv1.ReplicaSet{ObjectMeta: kubetest.Meta("ReplicaSet", "shop/web"), Spec: appsv1.ReplicaSetSpec{Replicas: new(int32(2))}}
	pod := func(name, node string, options ...kubetest.PodOption) *corev1.Pod {
		return kubetest.Pod("shop/"+name, append([]kubetest.PodOption{kubetest.OwnedBy("apps/v1", "ReplicaSet", "web"), kubetest.On(node)}, options...)...)
	}
	lowest := costing(request.LowestDeletionCost)
	moving, other, replacement := pod("web-1", "w1", lowest), pod("web-2", "w1", lowest), pod("web-3", "w2", made, lowest)
	r := &Record{Facts: Facts{Kind: "ReplicaSet"}}
	r.Batch = Batch{Was: 2, To: 3, Mark: mark{Run: "r1", At: kubetest.Now, Was: 2, To: 3, Costs: map[kube.UID]string{kube.UID(moving.UID): "7"}}.String()}
	rs.Annotations = map[string]string{kube.SurgeAnnotation: r.lower(&kube.Workload{SurgeMark: r.Batch.Mark}).Then}
	s := kubetest.SnapshotOf(kubetest.Now, rs, moving, other, replacement)
	records := FromMarks(s, "r1")
	if len(records) != 1 {
		t.Fatalf("%d surges", len(records))
	}
	requests, left := records[0].Undo("r1", s)
	got := wordsOf(requests)
	want := []string{`web-1 "-2147483648" to "7"`, `web-3 "-2147483648" to ""`, `web 2 to 2, then ""`}
	if !slices.Equal(got, want) || left != "" {
		t.Errorf("%q, left %q; want %q", got, left, want)
	}
}

// A rollout in mid-surge leaves the annotation on two ReplicaSets, and `kubectl rollout undo` brings it back to the
// Deployment. All three are removed, one right after the other, and no number changes.
func TestAnnotationsThatARolloutLeaves(t *testing.T) {
	d, first := kubetest.Deployment("shop/web", 2)
	second := first.DeepCopy()
	second.Name, second.UID = "web-2", "uid-web-2"
	d.Status.ObservedGeneration = d.Generation
	for _, of := range []metav1.Object{d, first, second} {
		of.SetAnnotations(map[string]string{kube.SurgeAnnotation: raisedMark})
	}
	r := &Record{Facts: Facts{Kind: "Deployment", Namespace: "shop", Name: "web", UID: d.UID}, State: Verifying,
		Since: kubetest.Now, Batch: Batch{Was: 2, To: 4, Mark: raisedMark}}
	var got []string
	for _, of := range []metav1.Object{d, first, second, nil} {
		v := View{Run: "r1", Snap: kubetest.SnapshotOf(kubetest.Now, d, first, second), Trusted: true, Now: kubetest.Now, Slots: 1}
		decided := r.Decide(v)
		if of == nil {
			if decided.Change == nil || decided.Change.State != Done {
				t.Errorf("%+v", decided)
			}
			break
		}
		if len(decided.Sends) != 1 {
			t.Fatalf("before %s: %+v", of.GetName(), decided)
		}
		l := decided.Sends[0].Request.(request.Lower)
		got = append(got, fmt.Sprintf("%s %s %d to %d", l.Kind, l.Name, l.From, l.To))
		r.Sent(&attempt.ActionFacts{ID: 1, Verb: attempt.VerbEndSurge, Version: decided.Sends[0].Version})
		r.Heard("", attempt.VerbEndSurge, &attempt.AnswerFacts{Code: 200}, kubetest.Now)
		if again := r.Decide(v); len(again.Sends) > 0 {
			t.Errorf("asked for again before it is shown: %+v", again)
		}
		of.SetAnnotations(nil)
	}
	if want := []string{"Deployment web 2 to 2", "ReplicaSet web-1 2 to 2", "ReplicaSet web-2 2 to 2"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// `kubectl rollout undo` removed the annotation. The replicas are set back where the run wrote them last, and not
// changed where somebody else did.
func TestUndoWithoutTheAnnotation(t *testing.T) {
	for manager, want := range map[string]string{
		kube.FieldManager: `Deployment web 4 to 2 of ""`, "kubectl": "ReplicaSet web-1 4 to 4 of " + strconv.Quote(raisedMark),
	} {
		d, rs := kubetest.Deployment("shop/web", 4)
		d.Status.ObservedGeneration = d.Generation
		d.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: manager, FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:replicas":{}}}`)}}
		rs.Annotations = map[string]string{kube.SurgeAnnotation: raisedMark}
		s := kubetest.SnapshotOf(kubetest.Now, d, rs)
		records := FromMarks(s, "r1")
		if len(records) != 1 {
			t.Fatalf("%s: %d records", manager, len(records))
		}
		requests, left := records[0].Undo("r1", s)
		if len(requests) != 1 || left != "" {
			t.Fatalf("%s: %+v, left %q", manager, requests, left)
		}
		l := requests[0].(request.Lower)
		if got := fmt.Sprintf("%s %s %d to %d of %q", l.Kind, l.Name, l.From, l.To, l.Mark); got != want {
			t.Errorf("%s: %s, want %s", manager, got, want)
		}
		if got, want := Scales(requests), manager == kube.FieldManager; got != want {
			t.Errorf("%s: it changes the replicas: %t", manager, got)
		}
	}
}

// A Deployment is deleted in mid-surge, and its ReplicaSet and pods stay (--cascade=orphan): the run, or a rollback, gives
// the costs back and sets the ReplicaSet back.
func TestWhatOutlivesItsDeployment(t *testing.T) {
	lowest := costing(request.LowestDeletionCost)
	pod := func(name, node string, options ...kubetest.PodOption) *corev1.Pod {
		return kubetest.Pod("shop/"+name, append([]kubetest.PodOption{kubetest.ByDeployment("web"), kubetest.On(node)}, options...)...)
	}
	d, rs := kubetest.Deployment("shop/web", 4)
	d.Annotations = map[string]string{kube.SurgeAnnotation: raisedMark}
	first, second := pod("web-1", "w1", lowest), pod("web-2", "w1", lowest)
	r := raised(kubetest.SnapshotOf(kubetest.Now, d, rs, first, second))
	rs.OwnerReferences, rs.Annotations = nil, map[string]string{kube.SurgeAnnotation: raisedMark}
	s := kubetest.SnapshotOf(kubetest.Now, rs, first, second)
	words := func(request request.Request) string {
		return strings.Join(strings.Fields(fmt.Sprintf("%+v", request)), " ")
	}
	var want []string
	requests, left := r.Undo("r1", s)
	for _, one := range requests {
		want = append(want, words(one))
	}
	if len(want) != 3 || left != "" || !strings.Contains(want[2], "Kind:ReplicaSet") || !strings.Contains(want[2], "From:4 To:2") {
		t.Fatalf("%q, left %q", want, left)
	}
	v := View{Run: "r1", Snap: s, Trusted: true, Now: kubetest.Now.Add(time.Minute), Slots: 5}
	var got []string
	for _, send := range r.Decide(v).Sends {
		got = append(got, words(send.Request))
	}
	first.Annotations, second.Annotations = map[string]string{kube.DeletionCostAnnotation: "7"}, nil
	v.Snap = kubetest.SnapshotOf(kubetest.Now, rs, first, second)
	for _, send := range r.Decide(v).Sends {
		got = append(got, words(send.Request))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the run sends %q, a rollback %q", got, want)
	}
	rs.Annotations = nil
	v.Snap = kubetest.SnapshotOf(kubetest.Now, rs, first, second)
	if decided := r.Decide(v); decided.Change == nil || decided.Change.State != Kept {
		t.Errorf("%+v", decided)
	}
}

func TestAfter(t *testing.T) {
	for name, c := range map[string]struct {
		verb    attempt.Verb
		tries   int
		answer  kube.Answer
		state   State
		message string
	}{
		"raised":                   {attempt.VerbSurge, 0, kube.Answer{Code: 200}, "", ""},
		"somebody was quicker":     {attempt.VerbSurge, 0, kube.Answer{Code: 409}, "", ""},
		"no answer":                {attempt.VerbSurge, 0, kube.Answer{Failure: "EOF"}, "", ""},
		"may not be raised":        {attempt.VerbSurge, 0, kube.Answer{Code: 403, Message: "no"}, Refused, "no"},
		"a policy":                 {attempt.VerbSurge, 0, kube.Answer{Code: 422, Message: "frozen"}, Refused, "frozen"},
		"gone":                     {attempt.VerbSurge, 0, kube.Answer{Code: 404, Reason: "NotFound"}, Kept, "gone"},
		"gone since the raise":     {attempt.VerbEndSurge, 0, kube.Answer{Code: 404, Reason: "NotFound"}, "", ""},
		"lowered":                  {attempt.VerbEndSurge, 0, kube.Answer{Code: 200}, "", ""},
		"another number by now":    {attempt.VerbEndSurge, 0, kube.Answer{Code: 422}, "", ""},
		"may not be lowered now":   {attempt.VerbEndSurge, attempt.RemoveTries - 1, kube.Answer{Code: 403, Message: "no"}, "", ""},
		"may not be lowered":       {attempt.VerbEndSurge, attempt.RemoveTries, kube.Answer{Code: 403, Message: "no"}, Orphaned, "not set back: no; to do it: kubectl"},
		"never the number of ours": {attempt.VerbEndSurge, attempt.RemoveTries, kube.Answer{Code: 422, Message: "no"}, Orphaned, "kubectl"},
	} {
		r := &Record{State: Raising, Attempt: attempt.Attempt{Tries: c.tries}}
		change := r.After(c.verb, c.answer, c.answer.Class(), "kubectl")
		if change == nil {
			change = &Change{}
		}
		if change.State != c.state || !strings.Contains(change.Message, c.message) {
			t.Errorf("%s: %+v, want %s %q", name, change, c.state, c.message)
		}
	}
}

// A run is rolled back before its replacements exist: a pod of just before the raise is none, and keeps its cost.
func TestUndoBeforeThereAreReplacements(t *testing.T) {
	text := mark{Run: "r1", At: kubetest.Now, Was: 3, To: 4}.String()
	d, rs := kubetest.Deployment("shop/web", 4)
	d.Annotations = map[string]string{kube.SurgeAnnotation: text}
	objects := []runtime.Object{d, rs}
	for name, node := range map[string]string{"web-1": "w1", "web-2": "w2", "web-3": "w2"} {
		objects = append(objects, kubetest.Pod("shop/"+name, kubetest.ByDeployment("web"), kubetest.On(node), made))
	}
	s := kubetest.SnapshotOf(kubetest.Now, objects...)
	w := s.WorkloadNamed("Deployment", "shop", "web")
	r := &Record{Facts: Facts{Kind: "Deployment", Namespace: "shop", Name: "web", UID: w.UID}, State: Starting,
		Batch: Batch{Was: 3, To: 4, Mark: text, At: kubetest.Now, Pods: []Mover{{"web-1", s.PodNamed("shop", "web-1").UID}}}}
	requests, _ := r.Undo("r1", s)
	if _, lowers := requests[0].(request.Lower); len(requests) != 1 || !lowers {
		t.Errorf("%+v", requests)
	}
}

// A conflict says nothing for good: the cost that the cluster still shows as ours is given back once more, and what is
// left of it is told with the commands for it.
func TestCostAfterAConflict(t *testing.T) {
	d, rs := kubetest.Deployment("shop/web", 2)
	pods := []runtime.Object{d, rs}
	for _, name := range []string{"web-1", "web-2"} {
		pods = append(pods, kubetest.Pod("shop/"+name, kubetest.ByDeployment("web"), kubetest.On("w1"), costing(request.LowestDeletionCost)))
	}
	s := kubetest.SnapshotOf(kubetest.Now, pods...)
	r := raised(s)
	r.State = Verifying
	for _, c := range []CostFacts{{r.Batch.Pods[0], "7", "7"}, {r.Batch.Pods[1], "", ""}} {
		r.Asked(&c, &attempt.ActionFacts{ID: 2, Verb: attempt.VerbDeletionCost})
		r.Heard(c.UID, attempt.VerbDeletionCost, attempt.AnswerFactsOf(kube.Answer{Code: 409}), kubetest.Now)
	}
	v := View{Snap: s, Slots: 2, Now: kubetest.Now.Add(time.Minute)}
	if d := r.costs(v, nil); len(d.Sends) != 2 || r.settled(v, nil) {
		t.Errorf("%+v", d.Sends)
	}
	r.Become(Change{State: Undone}, kubetest.Now)
	want := []string{"kubectl annotate pods -n shop web-1 controller.kubernetes.io/pod-deletion-cost=7 --overwrite",
		"kubectl annotate pods -n shop web-2 controller.kubernetes.io/pod-deletion-cost-"}
	if got := r.ByHand(); !slices.Equal(got, want) || r.LeftOver() == "" || !r.MayStand() {
		t.Errorf("%q, %q", got, r.LeftOver())
	}
}

// An annotation that could not be removed in the run is left to a rollback, until another batch begins.
func TestMarkThatStays(t *testing.T) {
	r := &Record{Facts: Facts{Kind: "Deployment", Namespace: "shop", Name: "web", UID: "w"}}
	steps := func(states ...State) {
		for _, state := range states {
			r.Become(Change{State: state}, time.Time{})
		}
	}
	r.Become(Change{State: Raising, Batch: &Batch{Was: 1, To: 2}}, time.Time{})
	steps(Starting, Lowering, Verifying, Done)
	if r.MayStand() || r.LeftOver() != "" {
		t.Errorf("all was removed, and left is: %s", r.LeftOver())
	}
	steps(Verifying)
	r.Tries, r.Last = attempt.RemoveTries, &attempt.AnswerFacts{Code: 500}
	steps(Undone)
	owned := *r
	if want := "Deployment shop/web may still have something of this run: its annotation " + kube.SurgeAnnotation + ", or its field manager as the owner of the replicas"; !r.MayStand() || r.LeftOver() != want {
		t.Errorf("%v: %q, want %q", r.MayStand(), r.LeftOver(), want)
	}
	r.Become(Change{State: Raising, Batch: &Batch{Was: 1, To: 2}}, time.Time{})
	if steps(Starting); r.LeftOver() != "Deployment shop/web may still have 2 replicas: set it back to 1" {
		t.Errorf("raised: %q", r.LeftOver())
	}
	if steps(Lowering, Verifying, Done); r.MayStand() {
		t.Errorf("after another batch: %s", r.LeftOver())
	}
	if r = &owned; !r.MayStand() {
		t.Error("nothing is left of it")
	}
	if steps(Undone); r.MayStand() {
		t.Errorf("after a rollback: %s", r.LeftOver())
	}
}

// The answer to a raise that the cluster has shown before holds nothing up: the replicas may be set back at once.
func TestRaiseAnsweredLate(t *testing.T) {
	for state, waits := range map[State]bool{Raising: true, Starting: false, Lowering: false} {
		r := &Record{}
		r.Become(Change{State: Raising, Batch: &Batch{Was: 1, To: 2}}, kubetest.Now)
		r.Asked(nil, &attempt.ActionFacts{ID: 1, Verb: attempt.VerbSurge})
		r.Become(Change{State: state}, kubetest.Now)
		r.Heard("", attempt.VerbSurge, &attempt.AnswerFacts{Code: 200}, kubetest.Now)
		if r.Waiting() || r.Waits(kubetest.Now) != waits {
			t.Errorf("%s: in flight %v, waits until %s", state, r.Waiting(), r.Next)
		}
	}
}

// The annotation tells whose the number was before the raise, so that whoever sets it back can give it to them again.
func TestOwnersOfTheNumber(t *testing.T) {
	objects := deployed(owning("argocd-controller", metav1.ManagedFieldsOperationApply), costing("7"))
	s := kubetest.SnapshotOf(kubetest.Now, objects...)
	w, p := s.WorkloadNamed("Deployment", "shop", "web"), s.PodNamed("shop", "web-1")
	if w == nil || p == nil || !strings.Contains(w.ReplicasOwners, "argocd-controller") {
		t.Fatalf("%+v, %+v", w, p)
	}
	r := &Record{Facts: Facts{Kind: "Deployment", Namespace: "shop", Name: "web", UID: w.UID, AtOnce: 1}, State: Starting}
	r.Batch = *r.batch(View{Run: "r1", Snap: s, Now: kubetest.Now}, w, []*kube.Pod{p})
	up := *w
	up.Replicas, up.SurgeMark, up.ReplicasOurs, up.ReplicasOwners = r.Batch.To, r.Batch.Mark, true, ""
	if l := r.lower(&up); !l.Scales() || l.Owners != "" || len(r.Batch.givesBack(&up)) > 0 {
		t.Errorf("raised: %+v", l)
	}
	down := up
	down.Replicas, down.SurgeMark = r.Batch.Was, ""
	if back := r.Batch.givesBack(&down); len(back) != 1 || back[0].Owners != w.ReplicasOwners || back[0].Scales() {
		t.Errorf("set back: %+v, want the owners %q", back, w.ReplicasOwners)
	}
	// Until they are, a batch of this run or of another takes them over.
	_, rs := kubetest.Deployment("shop/web", 4)
	rs.Annotations = map[string]string{kube.SurgeAnnotation: r.Batch.Mark}
	marked, none := kubetest.SnapshotOf(kubetest.Now, append(objects, rs)...), kubetest.SnapshotOf(kubetest.Now)
	for name, of := range map[string]json.RawMessage{
		"by a ReplicaSet": (&Batch{}).ownersOf(marked, &down), "by the batch before": r.Batch.ownersOf(none, &down),
	} {
		if string(of) != w.ReplicasOwners {
			t.Errorf("%s: %q, want %q", name, of, w.ReplicasOwners)
		}
	}
	if of := (&Batch{}).ownersOf(none, &down); len(of) > 0 {
		t.Errorf("of a number that is the run's alone: %q", of)
	}
	ofSet := &Record{Facts: Facts{Kind: "ReplicaSet"}, Batch: r.Batch}
	down.Kind, down.SurgeMark = ofSet.Kind, ofSet.lower(&up).Then
	if back := r.Batch.givesBack(&down); len(back) != 1 {
		t.Errorf("with the annotation that is removed right before: %+v", back)
	}
	down.SurgeMark = strings.Replace(down.SurgeMark, "r1", "r2", 1)
	if back := r.Batch.givesBack(&down); len(back) > 0 {
		t.Errorf("with the annotation of another run: %+v", back)
	}
	down.Kind, down.SurgeMark = "Deployment", ""
	down.ReplicasOurs = false
	if back := r.Batch.givesBack(&down); len(back) > 0 {
		t.Errorf("it is somebody else's: %+v", back)
	}
	up.ReplicasOurs, up.ReplicasOwners = false, w.ReplicasOwners
	if l := r.lower(&up); l.Scales() {
		t.Errorf("somebody has applied the number of the raise: %+v", l)
	}
	up.Replicas, up.ReplicasOwners = up.Replicas+1, ""
	if l := r.lower(&up); l.Scales() {
		t.Errorf("the number of somebody else: %+v", l)
	}
}

// A process went on without the journal, which ends with the batch before: the annotation tells of the one that stands.
func TestUndoOfABatchThatTheJournalDoesNotTellOf(t *testing.T) {
	later := mark{Run: "r1", At: kubetest.Now.Add(time.Minute), Was: 2, To: 3}
	d, rs := kubetest.Deployment("shop/web", 3)
	pod := func(name, node string, options ...kubetest.PodOption) *corev1.Pod {
		return kubetest.Pod("shop/"+name, append([]kubetest.PodOption{kubetest.ByDeployment("web"), kubetest.On(node)}, options...)...)
	}
	second := pod("web-2", "w1", costing(request.LowestDeletionCost))
	later.Costs = map[kube.UID]string{kube.UID(second.UID): "7"}
	d.Annotations = map[string]string{kube.SurgeAnnotation: later.String()}
	s := kubetest.SnapshotOf(kubetest.Now, d, rs, second, pod("web-3", "w2"), pod("web-4", "w2", func(p *corev1.Pod) { p.CreationTimestamp.Time = kubetest.Now.Add(time.Hour) }))
	w := s.WorkloadNamed("Deployment", "shop", "web")
	r := &Record{Facts: Facts{Kind: "Deployment", Namespace: "shop", Name: "web", UID: w.UID, AtOnce: 1}, State: Done,
		Batch: Batch{Was: 2, To: 3, Mark: raisedMark, At: kubetest.Now, Pods: []Mover{{"web-1", "web-1"}}}}
	requests, left := r.Undo("r1", s)
	got := wordsOf(requests)
	want := []string{`web-2 "-2147483648" to "7"`, `web-4 "" to "-2147483648"`, `web 3 to 2, then ""`}
	if !slices.Equal(got, want) || left != "" {
		t.Errorf("%q, left %q; want %q", got, left, want)
	}
	d.Annotations[kube.SurgeAnnotation] = earlierMark // as `kubectl rollout undo` brings it back
	s = kubetest.SnapshotOf(kubetest.Now, d, rs, second)
	if requests, _ := r.Undo("r1", s); Scales(requests) {
		t.Errorf("the annotation of an earlier batch: %+v", requests)
	}
}

// A pod that somebody took out of its Deployment by its labels is found by the annotation, which names it.
func TestTheCostOfAPodThatWasRelabelled(t *testing.T) {
	first := kubetest.Pod("shop/web-1", kubetest.On("w1"), costing(request.LowestDeletionCost)) // the controller releases it
	d, rs := kubetest.Deployment("shop/web", 4)
	d.Annotations = map[string]string{kube.SurgeAnnotation: mark{Run: "r1", At: kubetest.Now, Was: 2, To: 4,
		Costs: map[kube.UID]string{first.UID: "7", "uid-of-one-that-is-gone": ""}}.String()}
	s := kubetest.SnapshotOf(kubetest.Now, d, rs, first)
	requests, _ := FromMarks(s, "r1")[0].Undo("r1", s)
	if got, want := wordsOf(requests), []string{`web-1 "-2147483648" to "7"`, `web 4 to 2, then ""`}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Where no replacement was made, as under a quota, the replicas are set back before the costs: the disruption
// controller counts the pods of a budget again when one of them changes. Where one was made, the costs decide who is
// removed.
func TestTheCostsOfPodsWhoseReplacementsWereNotMade(t *testing.T) {
	web, rs := kubetest.Deployment("shop/web", 4)
	web.Annotations = map[string]string{kube.SurgeAnnotation: raisedMark}
	pod := func(name, node string, options ...kubetest.PodOption) runtime.Object {
		options = append([]kubetest.PodOption{kubetest.ByDeployment("web"), kubetest.On(node)}, options...)
		return kubetest.Pod("shop/"+name, options...)
	}
	lowest := costing(request.LowestDeletionCost)
	objects := []runtime.Object{web, rs, pod("web-1", "w1", lowest), pod("web-2", "w1", lowest)}
	for want, more := range map[attempt.Verb][]runtime.Object{
		attempt.VerbEndSurge:     nil,
		attempt.VerbDeletionCost: {pod("web-3", "w2", made, kubetest.NotReady(0))},
	} {
		s := kubetest.SnapshotOf(kubetest.Now, slices.Concat(objects, more)...)
		r, view := raised(s), View{Run: "r1", Snap: s, Trusted: true, Now: kubetest.Now, Slots: 4, End: true,
			Wanted: func(kube.UID) bool { return true }}
		verb := func(change Change) attempt.Verb { // of its first request
			r.Become(Change{State: Starting}, kubetest.Now)
			r.Become(change, kubetest.Now)
			d := r.Decide(view)
			if len(d.Sends) == 0 {
				return ""
			}
			return d.Sends[0].Verb
		}
		soon, _ := r.Undo("r1", s)
		if got := verb(Change{State: Lowering}); got != attempt.VerbDeletionCost {
			t.Errorf("abort: %s, want %s", got, attempt.VerbDeletionCost)
		}
		r.Batch.At = kubetest.Now.Add(-shownWithin - time.Second)
		if got := verb(Change{State: Lowering}); got != want {
			t.Errorf("abort after a while: %s, want %s", got, want)
		}
		later, _ := r.Undo("r1", s)
		for _, of := range []struct {
			requests []request.Request
			lowers   bool // first
		}{{soon, false}, {later, want == attempt.VerbEndSurge}} {
			if _, lowers := of.requests[0].(request.Lower); lowers != of.lowers {
				t.Errorf("%q, want %s first", wordsOf(of.requests), want)
			}
		}
		r.Batch.At = kubetest.Now
		if got := verb(Change{State: Lowering, Message: "late", Late: true}); got != want {
			t.Errorf("late: %s, want %s", got, want)
		}
	}
}

// A cost that an admission policy does not let the run restore is left over; one that somebody else has changed is not.
func TestACostThatCannotBeGivenBackIsLeftOver(t *testing.T) {
	for message, want := range map[string]bool{
		"the server rejected our request due to an error in our request":              false,
		`pods "web-1" is forbidden: ValidatingAdmissionPolicy 'costs' denied request`: true,
	} {
		r := &Record{Facts: Facts{Kind: "Deployment", Namespace: "shop", Name: "web"}, State: Verifying}
		r.Asked(&CostFacts{Mover{"web-1", "1"}, "7", "7"}, &attempt.ActionFacts{ID: 1, Verb: attempt.VerbDeletionCost})
		r.Heard("1", attempt.VerbDeletionCost, &attempt.AnswerFacts{Code: 422, Message: message}, kubetest.Now)
		r.Become(Change{State: Undone}, kubetest.Now)
		if r.MayStand() != want || (r.LeftOver() != "") != want {
			t.Errorf("%s: may stand %v, left over: %s", message, r.MayStand(), r.LeftOver())
		}
	}
}
