package engine

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// A temporary budget that must yield to another stands while the run is paused.
func TestPauseLeavesTheGuard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddNode("b")
		s.AddPod("web", "a")
		s.AddPod("web", "b")
		s.Replicas["web"] = 2
		s.PutReplicaSet("web", false)
		o := plan.DefaultOptions()
		o.Guard, o.GuardWrite = "1", true
		e := begin(t, t.Context(), s, o, "a")
		s.Answer = func(request.Evict) (kube.Answer, bool) { return kubetest.BudgetRefusal(s.Budgets["web"]), true }
		confirmUntil(t, e, "the guard holds a pod", func(state *drain.State) bool { return state.Pods[0].State == eviction.BudgetBlocked })
		e.Send(drain.Command{Kind: drain.CommandPause, By: "ada"})
		synctest.Wait()
		s.Mu.Lock()
		other := s.Budgets["web"].DeepCopy()
		other.Name, other.UID, other.Labels = "other", "other", nil
		s.Store.Put(convert.Budget(other))
		s.Mu.Unlock()
		time.Sleep(time.Minute)
		s.Mu.Lock()
		removed := len(s.Unmade)
		s.Mu.Unlock()
		if removed != 0 {
			t.Errorf("%d budgets removed while paused", removed)
		}
		e.Send(drain.Command{Kind: drain.CommandAbort, By: "ada"})
		<-e.Done()
		s.Halt()
	})
}
