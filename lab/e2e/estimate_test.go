//go:build e2e

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The order and the time that a plan names are those of the run: as many pods go
// at once, as many after others are Ready, as many are held up; and the estimate
// is within a factor of two. Pods start and end as slowly here as real ones do, in
// seconds, so that the machine adds little. Workloads without a budget are under the
// run's own guard, in both.
func TestTheRunIsAsThePlanSaid(t *testing.T) {
	world := pacedWorld(t, "real")
	operator := world.operator(t)
	nodes := []string{"worker-a1", "worker-a2"} // there is room for all that is on them
	flags := []string{"--ignore-daemonsets", "--delete-emptydir-data", "--max-parallel-nodes", "2", "--guard", "1"}
	answer := operator.run(append(append([]string{"plan", "-o", "json"}, nodes...), flags...)...)
	answer.exits(t, 0)
	planned := decode[plan](t, answer.out)
	if planned.Estimate == nil {
		t.Fatal("there is no estimate")
	}
	said := planned.Waves.counts()
	estimate := seconds(planned.Estimate.TotalSeconds)
	if len(planned.Waves.Later) == 0 || planned.Waves.Blocked == 0 {
		t.Fatalf("the scene shows too little: %s", said)
	}
	if !slices.ContainsFunc(planned.Waves.Later, func(l planLater) bool { return slices.Contains(l.After, "thumbnails") }) {
		t.Fatalf("the temporary budget for thumbnails, two of which go, is in no wave: %+v", planned.Waves.Later)
	}

	// What is held up stays so: the run is ended once nothing else is left of it.
	run := world.steer(t, append(append([]string{"drain", "--yes", "-o", "json"}, nodes...), flags...)...)
	eventually(t, patience, "no more pods are left than are held up", func() bool { return run.asks("status").Status.left() <= said.held })
	run.run.signal(syscall.SIGINT)
	answer = run.run.wait(patience)
	answer.exits(t, 130)
	events, _ := readLines(t, answer.out)
	ran, took := measure(events)
	t.Logf("planned: %s, about %s; ran: %s in %s", said, estimate, ran, took)
	if ran != said {
		t.Errorf("planned: %s; ran: %s", said, ran)
	}
	if took > 2*estimate || estimate > 2*took {
		t.Errorf("estimated %s, took %s", estimate, took)
	}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// waveCounts is how many pods went at once, later, and not at all.
type waveCounts struct{ now, later, held int }

func (c waveCounts) String() string {
	return fmt.Sprintf("now %d, later %d, held %d", c.now, c.later, c.held)
}

func (w planWaves) counts() waveCounts {
	c := waveCounts{now: w.Now, held: w.Blocked + w.Never}
	for _, later := range w.Later {
		c.later += later.Pods
	}
	return c
}

// measure counts in a run what the plan foretold: a pod went at once if no budget
// and no guard was ever in its way. The time is that from the first eviction to the moment
// when the last pod was gone.
func measure(events []event) (waveCounts, time.Duration) {
	blocked, gone := map[string]bool{}, map[string]bool{}
	var first, last time.Time
	for _, e := range events {
		pod := e.Namespace + "/" + e.Pod
		switch {
		case e.Kind == "Intent" && e.Action.Verb == "evict" && first.IsZero():
			first = e.Time
		case e.Kind == "Pod" && (e.PodState == "BudgetBlocked" || e.Wait != nil && e.Wait.For == "temporary budget"):
			blocked[pod] = true
		case e.Kind == "Pod" && (e.PodState == "Gone" || e.PodState == "Replaced"):
			gone[pod], last = true, e.Time
		}
	}
	var c waveCounts
	for pod := range gone {
		if blocked[pod] {
			c.later++
		} else {
			c.now++
		}
	}
	for pod := range blocked {
		if !gone[pod] {
			c.held++
		}
	}
	return c, last.Sub(first)
}

// The estimate is in the text for a ticket as well, and called one.
func TestPlanTextNamesTheTime(t *testing.T) {
	answer := sharedWorld(t).operator(t).run("plan", "worker-a2", "--ignore-daemonsets", "--delete-emptydir-data")
	answer.exits(t, 0)
	answer.prints(t, "Waves: ", " now", "Time: about ", "(estimate)")
	if !strings.Contains(answer.out, "once cart-") {
		t.Errorf("the sick cart does not hold its siblings up in:\n%s", answer.out)
	}
}
