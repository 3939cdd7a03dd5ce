package drain

import (
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// The answer to a remedy that deletes the pod is the remedy's: only an accepted deletion
// changes the pod, which else stays as it was, to be evicted as planned.
func TestTheAnswerToADeletionBelongsToTheRemedy(t *testing.T) {
	for _, c := range []struct {
		answer kube.Answer
		remedy remedy.State
		pod    eviction.State
	}{
		{kube.Answer{Code: http.StatusOK}, remedy.Done, eviction.Terminating},
		{kube.Answer{Code: http.StatusForbidden, Message: `pods "web-1" is forbidden: User "u" cannot delete resource "pods"`}, remedy.Refused, eviction.BudgetBlocked},
		{kube.Answer{Code: http.StatusForbidden, Message: `admission webhook "w" denied the request: no`}, remedy.Refused, eviction.BudgetBlocked},
		{kube.Answer{Code: http.StatusUnprocessableEntity, Message: "no"}, remedy.Refused, eviction.BudgetBlocked},
		{kube.Answer{Code: http.StatusBadRequest, Message: "no"}, remedy.Refused, eviction.BudgetBlocked},
		{kube.Answer{Code: http.StatusConflict, Message: "no"}, remedy.Refused, eviction.BudgetBlocked},
		{kube.Answer{Code: http.StatusServiceUnavailable, Message: "no"}, remedy.InDoubt, eviction.BudgetBlocked},
		{kube.Answer{Failure: "EOF"}, remedy.InDoubt, eviction.BudgetBlocked},
	} {
		for _, kind := range []remedy.Kind{remedy.Delete, remedy.ForceDelete} {
			f := newSteps()
			if kind == remedy.ForceDelete {
				f.off("a")
			}
			w := f.remediate(kind, nil)[0]
			if p := f.state.Pods[0]; p.State != eviction.BudgetBlocked || p.InFlight != w.ID {
				t.Errorf("%s is out: the pod is %s, write %d", kind, p.State, p.InFlight)
			}
			f.step(Answered{Write: w, Answer: c.answer})
			p, r := f.state.Pods[0], f.state.Remedies[0]
			if r.State != c.remedy || r.InFlight != 0 || p.State != c.pod || p.InFlight != 0 || p.Action != plan.ActionEvict || p.Refusals != 0 {
				t.Errorf("%s, %+v: the remedy is %s, the pod %+v", kind, c.answer, r.State, p)
			}
			if n := f.state.Nodes[0]; n.State != NodeDraining {
				t.Errorf("%s, %+v: the node is %s: %s", kind, c.answer, n.State, n.Message)
			}
			if accepted := !p.Accepted.IsZero(); accepted != c.answer.OK() {
				t.Errorf("%s, %+v: accepted: %v", kind, c.answer, accepted)
			}
		}
	}
}

// After a remedy that was refused the pod goes as planned, by an eviction.
func TestAfterARefusedDeletionThePodIsEvicted(t *testing.T) {
	f := newSteps()
	w := f.remediate(remedy.Delete, nil)[0]
	f.step(Answered{Write: w, Answer: kube.Answer{Code: http.StatusForbidden, Message: `User "u" cannot delete resource "pods"`}})
	f.AddPod("web", "b")
	f.Control("web")
	writes := f.step()
	if len(writes) != 1 || writes[0].Verb != attempt.VerbEvict || sent[request.Evict](writes[0]).UID != f.pod.UID {
		t.Errorf("%+v, the pod is %s", writes, f.state.Pods[0].State)
	}
}

// Whoever takes the run up while the deletion had no answer asks who has the name
// first, and goes on as planned.
func TestADeletionInDoubtIsLookedUpOnResume(t *testing.T) {
	f := newSteps()
	f.remediate(remedy.Delete, nil)
	f.state = Fold(f.state, Event{Seq: f.state.Seq + 1, Time: time.Now(), Kind: EventResumed})
	if p := f.state.Pods[0]; p.InFlight != 0 || !p.Look || p.Action != plan.ActionEvict || f.state.Remedies[0].State != remedy.InDoubt {
		t.Errorf("%+v, %+v", p, f.state.Remedies[0])
	}
}

// A paused run takes nothing back either: neither the taint of a node that has
// returned nor, once its pods have all left, the replicas.
func TestPauseTakesNothingBack(t *testing.T) {
	for _, kind := range []remedy.Kind{remedy.OutOfService, remedy.Scale} {
		f := newSteps()
		if kind == remedy.OutOfService {
			f.off("a")
		}
		w := f.remediate(kind, nil)[0]
		f.step(Answered{Write: w, Answer: kube.Answer{Code: http.StatusOK}})
		f.step(Command{Kind: CommandPause, By: "ada"})
		if kind == remedy.OutOfService {
			f.SetNode("a", func(n *corev1.Node) { // it has returned
				n.Status.Conditions[0].Status = corev1.ConditionTrue
				n.Spec.Taints, n.Annotations = sent[request.SetTaints](w).Taints, map[string]string{kube.OutOfServiceAnnotation: sent[request.SetTaints](w).Mark}
			})
		} else {
			f.scaleTo("web", 3, true)
			f.Store.Remove(convert.Pod(f.pod))
		}
		if writes := f.step(); len(writes) != 0 || f.state.Outcome != "" {
			t.Errorf("%s: %+v while paused, %s %q", kind, writes, f.state.Phase, f.state.Outcome)
		}
		if writes := f.step(Command{Kind: CommandContinue, By: "ada"}); len(writes) != 1 || writes[0].Remedy != 1 {
			t.Errorf("%s: %+v after it went on, %s", kind, writes, f.state.Phase)
		}
	}
}
