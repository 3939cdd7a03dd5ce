package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/audit"
	"github.com/kdrain-tui/kdrain-tui/lab/bench/film"
)

const budgetRefusal = "Cannot evict pod as it would violate the pod's disruption budget."

// forced is a run in which the budget held the pod from second 2 on, and the pod was
// deleted in second 10.
func forced(flag string, answers ...audit.Request) *evidence {
	e := story()
	e.world.Flags = []string{flag}
	e.requests[1].Verb, e.requests[1].Subresource = "delete", ""
	for i, r := range answers {
		r.Verb, r.Resource, r.Subresource, r.Namespace, r.Name = "create", "pods", "eviction", "ns", "web-1"
		r.Received, r.Answered = second(2+i), second(2+i)
		e.requests = append(e.requests[:1+i:1+i], append([]audit.Request{r}, e.requests[1+i:]...)...)
	}
	frames := e.budgets["b"]
	held := frames[0]
	held.At, held.Allowed = second(2), 0
	e.budgets["b"] = append([]film.BudgetFrame{frames[0], held}, frames[1:]...)
	e.result.Began = second(1)
	return e
}

func TestForcedDeletions(t *testing.T) {
	byBudget := audit.Request{Code: 429, Message: budgetRefusal}
	byWebhook := audit.Request{Code: 429, Message: `admission webhook "x" denied the request: disruption budget`}
	later, often := "--force-after="+forceAfter.String(), "--max-evict-retries=1"
	for _, c := range []struct {
		name  string
		e     *evidence
		wrong string
	}{
		{"the budget held it long enough", forced(later, byBudget), ""},
		{"the budget allowed it all the time", func() *evidence {
			e := forced(later, byWebhook)
			e.budgets["b"][1].Allowed = 1
			return e
		}(), "of the 1.5s of --force-after"},
		{"what the budget allowed was another pod's all the time", func() *evidence {
			e := forced(later, byWebhook)
			e.budgets["b"][1].Allowed = 1
			other := audit.Request{Verb: "create", Resource: "pods", Subresource: "eviction", Namespace: "ns", Name: "web-2", Code: 201,
				Received: second(2), Answered: second(10)}
			e.requests = append(e.requests, other)
			frames := slices.Clone(e.pods["1"])
			for i := range frames {
				frames[i].Name, frames[i].UID = other.Name, "2"
			}
			e.pods["2"] = frames
			return e
		}(), ""},
		{"the run was paused meanwhile", func() *evidence {
			e := forced(later, byBudget)
			e.steered = []spoken{{Verb: "pause", Asked: second(3), Answered: second(3)}, {Verb: "continue", Asked: second(10).Add(-100 * time.Millisecond), Answered: second(10)}}
			e.steered[0].Asked, e.steered[0].Answered = second(2), second(2).Add(time.Second)
			return e
		}(), "of the 1.5s of --force-after"},
		{"the budget held it since before the run began", func() *evidence {
			e := forced(later, byBudget)
			e.budgets["b"] = e.budgets["b"][1:]
			e.result.Began = second(3)
			return e
		}(), ""},
		{"refused a moment ago, by a budget that the run cannot read", func() *evidence {
			e := forced(later, byBudget)
			e.world.As, e.requests[1].Answered = withoutBudgets, second(10).Add(-time.Second)
			return e
		}(), ""},
		{"refused too long ago by such a budget", func() *evidence {
			e := forced(later, byBudget)
			e.world.As = withoutBudgets
			return e
		}(), "refused it last at"},
		{"the budget refused it twice", forced(often, byBudget, byBudget), ""},
		{"the budget refused it once, a webhook once", forced(often, byBudget, byWebhook), "after 1 refusals"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.e.checkForced()
			all := strings.Join(c.e.wrong, "; ")
			if c.wrong == "" && all != "" || !strings.Contains(all, c.wrong) {
				t.Errorf("wrong: %q, want %q", all, c.wrong)
			}
		})
	}
}

func TestBlindRetries(t *testing.T) {
	byBudget := audit.Request{Code: 429, Message: budgetRefusal}
	e := forced("", byBudget, byBudget)
	e.world.As = withoutBudgets
	e.checkBlind()
	if len(e.wrong) != 1 || !strings.Contains(e.wrong[0], "1s after it was refused") {
		t.Errorf("wrong: %q, want one early try", e.wrong)
	}
	e.wrong, e.requests[2].Received = nil, second(7)
	if e.checkBlind(); len(e.wrong) != 0 {
		t.Errorf("wrong although it waited five seconds: %q", e.wrong)
	}
}
