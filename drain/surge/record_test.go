package surge

import (
	"testing"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// A rollback that was killed has set the replicas of some workloads back: the run that is resumed then raises them
// again. A surge that the run itself has ended does not begin again.
func TestWhatSurgesAgainInAResumedRun(t *testing.T) {
	for name, c := range map[string]struct {
		before []Change
		want   State
	}{
		"ended by a rollback": {[]Change{{State: Starting}, {State: Undone, Message: "a rollback ended it"}}, Planned},
		"not Ready in time": {[]Change{{State: Starting}, {State: Lowering, Message: "late", Late: true},
			{State: Undone, Late: true}}, Undone},
		"refused":                      {[]Change{{State: Refused, Message: "quota"}}, Refused},
		"on its way when the run died": {[]Change{{State: Starting}}, Starting},
	} {
		r := &Record{State: Planned}
		r.Become(Change{State: Raising, Batch: &Batch{Was: 2, To: 3, Pods: []Mover{{"web-1", "u1"}}}}, kubetest.Now)
		for _, change := range c.before {
			r.Become(change, kubetest.Now)
		}
		r.Resume()
		if r.State != c.want || r.begins() && len(r.Tried)+len(r.Spent) > 0 {
			t.Errorf("%s: %s, tried %v, spent %v", name, r.State, r.Tried, r.Spent)
		}
	}
}

// The remedy scale, another run and a raise come to the same number: one that the server has not accepted is not the
// raise.
func TestANumberOfTheRunThatIsNotItsRaise(t *testing.T) {
	for code, want := range map[int]bool{200: true, 500: false, 0: false, 409: false} {
		r := &Record{State: Planned}
		r.Become(Change{State: Raising, Batch: &Batch{Was: 4, To: 5}}, kubetest.Now)
		r.Sent(&attempt.ActionFacts{ID: 1, Verb: attempt.VerbSurge})
		r.Heard("", attempt.VerbSurge, &attempt.AnswerFacts{Code: code, Reason: "Conflict"}, kubetest.Now)
		if got := r.unmarked(&kube.Workload{Replicas: 5, ReplicasOurs: true}); got != want {
			t.Errorf("%d: %v, want %v", code, got, want)
		}
	}
}
