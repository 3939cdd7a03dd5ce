package ui

import (
	"slices"
	"strings"
	"testing"

	policyv1 "k8s.io/api/policy/v1"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// remedyWorld is the company with a budget that lets its sick pods go.
func remedyWorld() world {
	w := company()
	b := *w.Snapshot().BudgetNamed("checkout", "cart")
	b.UnhealthyPolicy = policyv1.AlwaysAllow
	w.Put(&b)
	return w
}

// onRemedies is the page of remedies of the blocked pod of the run.
func onRemedies(t testing.TB, width, height int, change ...func(*Deps)) *driver {
	d := drive(t, remedyWorld(), width, height, append([]func(*Deps){attached(runState())}, change...)...)
	d.list(frame.Run).Table.Select("checkout/cart-7f9c-x2x9q")
	d.keys("E")
	return d
}

func sentBy(d *driver) []drain.Input {
	r := d.m.s.Run.(*fakeRun)
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sent
}

// Promise 2 on the screen: a remedy is taken by its own word, beside its request.
func TestRemediesNeedTheConfirmationOfTheRemedy(t *testing.T) {
	d := onRemedies(t, 80, 24)
	d.shows("Remedies", "cart-7f9c-x2x9q", "Evict the unhealthy pod cart-7f9c-k2xzq", "evict k2xzq")
	d.list(frame.Remedies).Table.Select(string(remedy.EvictUnhealthy))
	d.keys("enter")
	d.shows("request POST /api/v1/namespaces/checkout/pods/cart-7f9c-k2xzq/eviction", "type evict k2xzq and press Enter")
	d.typed("evict k2")
	d.keys("enter")
	if sent := sentBy(d); len(sent) != 0 {
		t.Fatalf("a wrong word sent %+v", sent)
	}
	d.typed("xzq")
	d.keys("enter")
	sent := sentBy(d)
	if len(sent) != 1 {
		t.Fatalf("%+v", sent)
	}
	c := sent[0].(drain.Command)
	if c.Kind != drain.CommandRemedy || c.Word != "evict k2xzq" || c.Remedy.Kind != remedy.EvictUnhealthy || c.Remedy.UID != "checkout/cart-7f9c-k2xzq" || !c.OnScreen || c.By != "ada" {
		t.Errorf("%+v", c)
	}
}

// The run tries a blocked pod again by itself; that takes a moment, and must not
// take the question from under the operator's fingers.
func TestATryOfTheRunLeavesTheQuestionOpen(t *testing.T) {
	d := onRemedies(t, 80, 24)
	d.list(frame.Remedies).Table.Select(string(remedy.EvictUnhealthy))
	d.keys("enter")
	d.typed("evict k2")
	change := func(state eviction.State, inFlight uint64) {
		d.t.Helper()
		r := d.m.s.Run.(*fakeRun)
		d.send(runMsg{d.m.s.Run, r.set(func(s *drain.State) {
			pods := slices.Clone(s.Pods)
			for i, p := range pods {
				if p.Name == "cart-7f9c-x2x9q" {
					changed := *p
					changed.State, changed.InFlight = state, inFlight
					pods[i] = &changed
				}
			}
			s.Pods = pods
		}), false})
	}
	change(eviction.Requested, 9)
	d.shows("> evict k2_")
	change(eviction.BudgetBlocked, 0)
	d.typed("xzq")
	d.keys("enter")
	if sent := sentBy(d); len(sent) != 1 {
		t.Fatalf("sent %+v\n%s", sent, d.frame())
	}
	d.keys("E")
	d.list(frame.Remedies).Table.Select(string(remedy.EvictUnhealthy))
	d.keys("enter")
	change(eviction.Terminating, 0)
	if len(d.m.dialogs) != 0 {
		t.Errorf("asks for a pod that goes by itself\n%s", d.frame())
	}
}

func TestRemediesThatAreOffSayWhy(t *testing.T) {
	d := onRemedies(t, 80, 24)
	d.list(frame.Remedies).Table.Select(string(remedy.ForceDelete))
	d.shows("not available: its node is Ready and it is not stuck")
	d.keys("G")
	d.shows("not available: worker-a2 is Ready.", "The machine must")
	d.keys("enter")
	if len(d.m.dialogs) != 0 {
		t.Error("a remedy that is not available asks for its confirmation")
	}
}

func TestRemediesWithoutTheRight(t *testing.T) {
	d := onRemedies(t, 80, 24, func(d *Deps) {
		paper(d).rights = func(needs []request.Permission) []request.AccessResult {
			var results []request.AccessResult
			for _, n := range needs {
				results = append(results, request.AccessResult{Permission: n, Allowed: n.Verb != "delete"})
			}
			return results
		}
	})
	d.list(frame.Remedies).Table.Select(string(remedy.Delete))
	d.shows("not available: you may not delete pods in namespace checkout")
}

// A question goes away when what it asks for is not what would be done any more.
func TestRemediesQuestionGoesAwayWithItsReason(t *testing.T) {
	d := onRemedies(t, 80, 24)
	d.list(frame.Remedies).Table.Select(string(remedy.EvictUnhealthy))
	d.keys("enter")
	d.w.pod("worker-b1", "checkout", "cart-7f9c-k2xzq", "cart") // it is well again
	d.send(snapshotMsg{d.w.Snapshot()})
	d.send(snapshotMsg{d.w.Snapshot()})
	if len(d.m.dialogs) != 0 {
		t.Errorf("it is still asked for: %s", d.frame())
	}
}

func TestNoRemediesReadOnly(t *testing.T) {
	d := onRemedies(t, 80, 24, func(d *Deps) { d.ReadOnly = true })
	if d.m.path.page == frame.Remedies || strings.Contains(d.frame(), "Evict the sick") {
		t.Error("the remedies open read only")
	}
}

func TestRunPageTellsOfRemedies(t *testing.T) {
	s := runState()
	s.Remedies = []*remedy.Record{{State: remedy.Refused, Message: "it no longer has 4 replicas",
		Facts: remedy.Facts{ID: 1, Kind: remedy.Scale, For: "checkout/cart-1", Object: "ReplicaSet", Namespace: "checkout", Name: "cart", From: 4, To: 5}}}
	drive(t, company(), 160, 24, attached(s)).shows("remedy  checkout/cart-1: ReplicaSet checkout/cart from 4 to 5 replicas, not done: it no longer has 4 replicas")
}

// The process of a run that is only watched takes what its flags permit: no more is offered.
func TestRemediesOfAWatchedRun(t *testing.T) {
	d := onRemedies(t, 120, 40, func(d *Deps) { d.Attach = &foreignRun{fakeRun: newFakeRun(runState())} })
	d.list(frame.Remedies).Table.Select(string(remedy.Scale))
	d.shows("the run was started without --allow-scale")
	d.keys("enter")
	if len(d.m.dialogs) != 0 {
		t.Error("it is asked for")
	}
	d.keys("esc")
	if strings.Contains(d.frame(), "one more replica of") {
		t.Errorf("it is a choice:\n%s", d.frame())
	}
}
