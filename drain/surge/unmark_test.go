package surge

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// What a run gives up to remove or to return at its end is named with the end of the surge.
func TestWhatIsGivenUpIsNamed(t *testing.T) {
	web, rs := kubetest.Deployment("shop/web", 2)
	s := kubetest.SnapshotOf(kubetest.Now, web, rs)
	for version, want := range map[string]string{
		owners: "its replicas still belong to the field manager kdrain-tui, a rollback tries that again: no",
		"rs":   "the annotation " + kube.SurgeAnnotation + " is still there, a rollback tries that again: no",
	} {
		r := &Record{Facts: Facts{Kind: "Deployment", Namespace: "shop", Name: "web", UID: web.UID},
			State: Verifying, Batch: Batch{Was: 2, To: 4, Mark: raisedMark}}
		r.Asked(nil, &attempt.ActionFacts{ID: 1, Verb: attempt.VerbEndSurge, Version: version})
		r.Heard("", attempt.VerbEndSurge, attempt.AnswerFactsOf(kube.Answer{Code: 403, Message: "no"}), kubetest.Now)
		d := r.Decide(View{Run: "r1", Snap: s, Trusted: true, Now: kubetest.Now.Add(time.Hour), Slots: 4})
		if d.Change == nil || d.Change.State != Done || d.Change.Message != want {
			t.Errorf("%+v, want %s", d, want)
			continue
		}
		if r.Become(*d.Change, kubetest.Now); !r.MayStand() || r.LeftOver() == "" {
			t.Errorf("%s: a rollback is not offered", version)
		}
	}
}

// The number is returned to its owners while an annotation still tells another run who they are; where that is refused,
// the annotation is removed all the same, and what is left is named.
func TestTheNumberIsReturnedBeforeTheLastAnnotation(t *testing.T) {
	web, rs := kubetest.Deployment("shop/web", 2)
	_, owned := kubetest.Deployment("shop/web", 2)
	before := mark{Run: "r1", At: kubetest.Now, Was: 2, To: 4, Owners: json.RawMessage(`[{"manager":"argocd-controller"}]`)}
	owned.Annotations = map[string]string{kube.SurgeAnnotation: before.String()}
	snapshot := func(rs runtime.Object) *kube.Snapshot {
		s := kubetest.SnapshotOf(kubetest.Now, web, rs)
		s.WorkloadNamed("Deployment", "shop", "web").ReplicasOurs = true
		return s
	}
	r := &Record{Facts: Facts{Kind: "Deployment", Namespace: "shop", Name: "web", UID: web.UID},
		State: Verifying, Since: kubetest.Now, Batch: Batch{Was: 2, To: 4, Mark: before.String()}}
	now := kubetest.Now.Add(time.Minute) // the controller has had its time
	view := func(rs runtime.Object) View {
		return View{Run: "r1", Snap: snapshot(rs), Trusted: true, Now: now, Slots: 4}
	}
	answer := func(version string, code int, rs runtime.Object) {
		t.Helper()
		d := r.Decide(view(rs))
		if len(d.Sends) != 1 || d.Sends[0].Version != version {
			t.Fatalf("%+v, want a request for %s", d, version)
		}
		r.Asked(nil, &attempt.ActionFacts{ID: 1, Verb: attempt.VerbEndSurge, Version: version})
		r.Heard("", attempt.VerbEndSurge, attempt.AnswerFactsOf(kube.Answer{Code: code, Message: "no"}), now)
		now = now.Add(time.Hour)
	}
	for range attempt.RemoveTries {
		answer(owners, 500, owned)
	}
	refused := *r
	answer(string(owned.UID), 200, owned)
	ends := func(with string, rs runtime.Object) {
		t.Helper()
		d := r.Decide(view(rs))
		if d.Change == nil || d.Change.State != Done || !strings.Contains(d.Change.Message, with) {
			t.Errorf("%+v, want the end with %q", d, with)
		}
	}
	ends("its replicas still belong to the field manager", rs)
	r = &refused
	answer(string(owned.UID), 500, owned)
	ends("the annotation "+kube.SurgeAnnotation+" is still there", owned)
}

// A raise that met a conflict is decided again where somebody else owns the number since: its annotation would name
// the owners of before. Where its answer was lost, it would show by then if it had been done.
func TestARaiseAfterItsOwnersChanged(t *testing.T) {
	web, rs := kubetest.Deployment("shop/web", 2)
	pod := kubetest.Pod("shop/web-1", kubetest.ByDeployment("web"), kubetest.On("w1"))
	of := func(owners string) View {
		s := kubetest.SnapshotOf(kubetest.Now, web, rs, pod)
		s.WorkloadNamed("Deployment", "shop", "web").ReplicasOwners = owners
		return View{Run: "r1", Snap: s, Trusted: true, Now: kubetest.Now.Add(time.Minute), Slots: 4}
	}
	kubectl := `[{"manager":"kubectl"}]`
	m := mark{Run: "r1", At: kubetest.Now, Was: 2, To: 3, Owners: json.RawMessage(kubectl)}
	r := &Record{Facts: Facts{Kind: "Deployment", Namespace: "shop", Name: "web", UID: web.UID},
		State: Raising, Since: kubetest.Now, Batch: Batch{Was: 2, To: 3, Mark: m.String(), Pods: []Mover{{"web-1", pod.UID}}}}
	for owners, want := range map[string]bool{kubectl: true, `[{"manager":"argocd-controller"}]`: false, "": false} {
		v := of(owners)
		v.Wanted = func(kube.UID) bool { return true }
		again := func(d Decision) bool { return d.Change != nil && d.Change.State == Planned }
		if d := r.Decide(v); (len(d.Sends) == 1) != want || again(d) == want {
			t.Errorf("%q: %+v", owners, d)
		}
		lost := *r
		lost.Heard("", attempt.VerbSurge, attempt.AnswerFactsOf(kube.Answer{Failure: "EOF"}), kubetest.Now)
		v.Now = kubetest.Now.Add(time.Second)
		if d := lost.Decide(v); (len(d.Sends) == 1) != want || again(d) || d.Wake.IsZero() == !want {
			t.Errorf("%q, the answer lost: %+v", owners, d)
		}
		v.Now = kubetest.Now.Add(shownWithin)
		if d := lost.Decide(v); (len(d.Sends) == 1) != want || again(d) == want {
			t.Errorf("%q, the answer lost for long: %+v", owners, d)
		}
	}
}

// Without the lowest cost on the pod that is to leave, its controller would remove the replacement: the batch ends as
// one whose replacements are late does, with the reason.
func TestACostThatIsRefusedEndsTheBatch(t *testing.T) {
	pod := kubetest.Pod("shop/web-1", kubetest.ByDeployment("web"), kubetest.On("w1"))
	text := mark{Run: "r1", At: kubetest.Now, Was: 1, To: 2}.String()
	web, rs := kubetest.Deployment("shop/web", 2)
	web.Annotations = map[string]string{kube.SurgeAnnotation: text}
	s := kubetest.SnapshotOf(kubetest.Now, web, rs, pod, kubetest.Pod("shop/web-2", kubetest.ByDeployment("web"), kubetest.On("w2"), made))
	for _, c := range []struct {
		code, tries int
		late        bool
	}{{422, attempt.RemoveTries, true}, {422, 1, false}, {403, attempt.RemoveTries, true}, {404, attempt.RemoveTries, false}, {500, 9, false}} {
		cost := Cost{CostFacts: CostFacts{Mover: Mover{"web-1", pod.UID}, To: request.LowestDeletionCost}}
		cost.Answered(attempt.AnswerFactsOf(kube.Answer{Code: c.code, Reason: "Invalid", Message: "policy says no"}))
		cost.Tries = c.tries
		r := &Record{Facts: Facts{Kind: "Deployment", Namespace: "shop", Name: "web", UID: web.UID}, State: Starting, Since: kubetest.Now,
			Costs: []Cost{cost}, Batch: Batch{Was: 1, To: 2, Mark: text, At: kubetest.Now, Pods: []Mover{{"web-1", pod.UID}}}}
		d := r.Decide(View{Run: "r1", Snap: s, Trusted: true, Now: kubetest.Now.Add(time.Minute), Slots: 4, Wanted: func(kube.UID) bool { return true }})
		late := d.Change != nil && d.Change.State == Lowering && d.Change.Late
		if late != c.late || late && !strings.Contains(d.Change.Message, "web-1 cannot be set: policy says no") {
			t.Errorf("%d after %d tries: %+v", c.code, c.tries, d)
		}
	}
}
