//go:build e2e

package e2e

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
)

// Every control of a live headless run, from another terminal, on the scene control:
// each workload there waits for another of them. What is sent, and that nothing
// is, tells the audit log of the API server.
func TestEveryControlFromOutside(t *testing.T) {
	world := worldOf(t, setting{scene: "control", audited: true})
	defer world.logOnFailure(t, "get", "nodes,pods,pdb,deploy", "-A", "-o", "wide")

	// A machine that is off takes the cluster some twenty seconds to forget, which
	// pass while the others are at work.
	off := world.steer(t, "drain", "worker-3", "--allow-zero-grace", "--allow-taint", "--yes")
	t.Run("kill and taint", func(t *testing.T) { machineIsOff(t, world, off.in(t)) })

	// The parts of one run: each leaves it alive for the next.
	run := world.steer(t, "drain", "worker-1", "--allow-scale", "--max-parallel-evictions=1", "--yes", "-o", "json")
	run.waitsBlocked(7)
	for _, part := range []struct {
		name string
		test func(*testing.T, *steered)
	}{
		{"a remedy without its word, and one that is off", remediesAreRefused},
		{"retry", aPodIsTriedAgain},
		{"pause, last and continue", aRunIsPaused},
		{"evict-unhealthy", theBudgetIsFreed},
		{"rollout-restart", theNewPodComesFirst},
		{"scale", oneMoreReplica},
		{"delete", aPodIsDeleted},
		{"skip", aPodIsSkipped},
	} {
		if !t.Run(part.name, func(t *testing.T) { part.test(t, run.in(t)) }) {
			t.Fatal("the run is not what the next part needs")
		}
	}
	t.Run("leave and abort", func(t *testing.T) { aRunIsAborted(t, world) })
	t.Run("the machine that was off", func(t *testing.T) { machineIsForgotten(t, world, off.in(t)) })
}

// machineIsOff drains worker-3, where no kubelet ends the pods: one is killed, and
// for the other the machine is declared off.
func machineIsOff(t *testing.T, world *world, run *steered) {
	run.run.waitFor(patience, "the kubelet is silent")
	var pods []string
	for _, p := range world.podsOn(t, "worker-3") {
		pods = append(pods, p.Metadata.Name)
	}
	if len(pods) != 2 {
		t.Fatalf("on worker-3 are %v", pods)
	}
	remediesOf := func(pod string) func() bool {
		return func() bool { return strings.Contains(run.ctl("remedies", pod).out, "force-delete "+pod) }
	}
	eventually(t, patience, "both can be killed", func() bool { return remediesOf(pods[0])() && remediesOf(pods[1])() })

	eventually(t, patience, "the cluster has drawn its conclusions from the cordon and the silent kubelet", func() bool {
		taints := world.taints("worker-3") // each is a change of the node that a taint of ours would conflict with
		return strings.Contains(taints, "node.kubernetes.io/unschedulable") &&
			strings.Contains(taints, "node.kubernetes.io/unreachable=:NoExecute")
	})

	since := world.auditEnd(t)
	shown := run.ctl("force-delete", pods[0])
	shown.exits(t, 2, "force-delete was not confirmed")
	shown.prints(t, "request  DELETE /api/v1/namespaces/shop/pods/"+pods[0], "gracePeriodSeconds 0", "confirm  force-delete "+pods[0])
	run.ctl("force-delete", pods[0], "--confirm", "force-delete "+pods[1]).exits(t, 2, "is confirmed by")
	run.ctl("out-of-service", pods[1]).exits(t, 2, "out-of-service was not confirmed")
	run.ctl("delete", pods[1], "--confirm", "delete "+pods[1]).exits(t, 1, "it is already terminating")
	if sent := world.written(t, since); len(sent) > 0 {
		t.Errorf("sent without a word: %v", sent)
	}

	run.ctl("force-delete", pods[0], "--confirm", "force-delete "+pods[0]).exits(t, 0)
	run.run.waitFor(patience, "pod/"+pods[0]+" deleted")
	run.ctl("out-of-service", pods[1], "--confirm", "worker-3 is off").exits(t, 0)
	if taints := world.taints("worker-3"); !strings.Contains(taints, "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute") {
		t.Errorf("the taints of worker-3 are %s", taints)
	}
	if sent := world.written(t, since); !slices.Equal(sent, []string{"delete pods " + pods[0], "patch nodes worker-3"}) {
		t.Errorf("sent: %v", sent)
	}
}

func (w *world) taints(node string) string {
	return w.mayFail("get", "node", node, "-o", `jsonpath={range .spec.taints[*]}{.key}={.value}:{.effect} {end}`)
}

// machineIsForgotten: the pods are gone since the machine was declared off, and a
// rollback takes the declaration back.
func machineIsForgotten(t *testing.T, world *world, run *steered) {
	run.run.wait(patience).exits(t, 0)
	run.operator.run("report", run.id).prints(t, "deletion with zero grace, done", "out-of-service taint on node worker-3, done")
	run.operator.run("rollback", run.id, "--yes").exits(t, 0)
	if taints := world.taints("worker-3"); strings.Contains(taints, "out-of-service") || world.node(t, "worker-3").Spec.Unschedulable {
		t.Errorf("not as before: %s, %+v", taints, world.node(t, "worker-3"))
	}
}

// remediesAreRefused: without its exact word a remedy tells what it would do, and one
// that is off why. Nothing is sent.
func remediesAreRefused(t *testing.T, run *steered) {
	world := run.world
	of := func(app string) string { return world.only(t, app, "worker-1") }
	name := func(app string) string { return strings.TrimPrefix(of(app), "shop/") }
	since := world.auditEnd(t)
	for _, test := range []struct {
		verb, app, word string
		code            int
		says            string // on standard output where the code is 2
	}{
		{"rollout-restart", "web", "", 2, "PATCH /apis/apps/v1/namespaces/shop/deployments/web, pod template annotation"},
		{"surge", "web", "surge web", 1, "the replicas of Deployment web belong to kdrain-tui-lab"},
		{"surge", "cart", "surge cart", 1, "autoscaler cart owns the replicas of Deployment cart"},
		{"scale", "api", "", 2, "PATCH /apis/apps/v1/namespaces/shop/deployments/api/scale, replicas 1 to 2"},
		{"evict-unhealthy", "search", "", 2, "/eviction, UID "},
		{"delete", "wiki", "delete wiki", 2, "DELETE /api/v1/namespaces/shop/pods/" + name("wiki")},
		{"evict-unhealthy", "web", "evict web", 1, "no other pod of budget web is unhealthy"},
		{"rollout-restart", "wiki", "rollout-restart wiki", 1, "maxSurge 0, or Recreate"},
		{"rollout-restart", "search", "rollout-restart search", 1, "search has 2 replicas: a restart would move pods outside the plan"},
		{"scale", "cart", "scale cart", 1, "autoscaler cart owns the number of replicas"},
		{"force-delete", "wiki", "force-delete " + name("wiki"), 1, "the run was started without --allow-zero-grace"},
		{"out-of-service", "wiki", "worker-1 is off", 1, "the run was started without --allow-taint"},
	} {
		answer := run.ctl(test.verb, of(test.app), "--confirm", test.word)
		if test.code == 2 {
			answer.exits(t, 2, "nothing was changed")
			answer.prints(t, test.says, "risk ", "--confirm")
		} else {
			answer.exits(t, test.code, "nothing was changed", test.says)
		}
	}
	run.ctl("force-delete", "shop/nobody").exits(t, 1, `no pod "shop/nobody" is in the run`)
	if sent := others(world.written(t, since)); len(sent) > 0 || len(world.evicted(t, since)) > 0 {
		t.Errorf("sent without a word: %v, %v", sent, world.evicted(t, since))
	}
}

// aPodIsTriedAgain: its eviction is asked for by the same step that takes the word.
func aPodIsTriedAgain(t *testing.T, run *steered) {
	world := run.world
	api := world.only(t, "api", "worker-1")
	var said, sent event
	eventually(t, patience, "it is asked for while nothing else is", func() bool {
		answer := run.asks("retry", api)
		if !answer.OK {
			t.Fatalf("%+v", answer)
		}
		eventually(t, patience, "it is tried again", func() bool {
			for _, e := range run.events() {
				switch {
				case e.Seq == answer.Seq:
					said = e
				case e.Seq > answer.Seq && e.Kind == "Intent" && "shop/"+e.Pod == api:
					sent = e
					return true
				}
			}
			return false
		})
		// One eviction at a time: a try of another pod, which the run makes now and
		// then, goes first.
		return len(run.outAt(answer.Seq)) == 0
	})
	if said.Kind != "Control" || !sent.Time.Equal(said.Time) || sent.Action.Verb != "evict" {
		t.Errorf("%+v, then %+v", said, sent)
	}
}

// outAt are the pods for which a request had no answer yet at that event.
func (s *steered) outAt(seq int) []string {
	out := map[int]string{}
	for _, e := range s.events() {
		switch {
		case e.Seq > seq:
		case e.Kind == "Intent" && e.Pod != "":
			out[e.Action.ID] = e.Pod
		case e.Kind == "Answer":
			delete(out, e.Action.ID)
		}
	}
	return slices.Sorted(maps.Values(out))
}

// answered waits until no request of the run is out.
func (s *steered) answered() {
	s.t.Helper()
	eventually(s.t, patience, "every request is answered", func() bool { return len(s.outAt(math.MaxInt)) == 0 })
}

// events are what a run has printed so far as JSON.
func (s *steered) events() (events []event) {
	text := s.run.out.String()
	for line := range strings.Lines(text[:strings.LastIndex(text, "\n")+1]) {
		e := event{}
		if json.Unmarshal([]byte(line), &e) == nil && e.Schema == "kdrain-tui/event/v1" {
			events = append(events, e)
		}
	}
	return events
}

// aRunIsPaused: two budgets give way meanwhile, and their pods go only after the
// pause, the one that was put last after the other.
func aRunIsPaused(t *testing.T, run *steered) {
	world := run.world
	ledger, orders, wiki := world.only(t, "ledger", "worker-1"), world.only(t, "orders", "worker-1"), world.only(t, "wiki", "worker-1")
	run.ctl("continue").exits(t, 1, "the run is not paused")
	run.ctl("pause").exits(t, 0)
	run.answered() // what was out before the pause could still go through
	since := world.auditEnd(t)
	// One after the other: a run that sees the ledger's, which is to go last, has seen
	// that of orders.
	for _, budget := range []string{"orders", "ledger"} {
		world.asMachinery(t, "patch", "pdb", "-n", "shop", budget, "--type=merge", "-p", `{"spec":{"minAvailable":0}}`)
		eventually(t, patience, "budget "+budget+" allows a disruption", func() bool {
			return world.asMachinery(t, "get", "pdb", "-n", "shop", budget, "-o", "jsonpath={.status.disruptionsAllowed}") == "1"
		})
	}
	run.ctl("last", ledger).exits(t, 0)
	run.ctl("last", ledger).exits(t, 1, "is already last")
	run.ctl("delete", wiki, "--confirm", "delete "+strings.TrimPrefix(wiki, "shop/")).exits(t, 1, "the run is paused")
	run.ctl("pause").exits(t, 1, "the run is already paused")
	if status := run.asks("status").Status; !status.Paused || len(status.Blocked) != 7 {
		t.Errorf("%+v", status)
	}
	if sent := world.written(t, since); len(sent) > 0 {
		t.Errorf("sent while the run was paused: %v", sent)
	}
	run.ctl("continue").exits(t, 0)
	world.goes(t, "ledger", "worker-1")
	world.goes(t, "orders", "worker-1")
	if got := world.evicted(t, since); !slices.Equal(got, []string{orders, ledger}) {
		t.Errorf("evicted: %v, want %s and last %s", got, orders, ledger)
	}
}

// applies takes a remedy by the word that it shows itself.
func (s *steered) applies(verb, pod, word string) {
	s.t.Helper()
	if shown := s.asks(verb, pod).Remedy.Confirmation; shown != word {
		s.t.Errorf("%s of %s is confirmed by %q, want %q", verb, pod, shown, word)
	}
	s.ctl(verb, pod, "--confirm", word).exits(s.t, 0)
}

func theBudgetIsFreed(t *testing.T, run *steered) {
	world := run.world
	held, since := world.only(t, "search", "worker-1"), world.auditEnd(t)
	sick := world.only(t, "search", "worker-2")
	run.applies("evict-unhealthy", held, "evict "+sick[strings.LastIndex(sick, "-")+1:])
	world.goes(t, "search", "worker-1")
	if got := world.evicted(t, since); !slices.Equal(got, []string{sick, held}) {
		t.Errorf("evicted: %v, want the sick %s and then %s", got, sick, held)
	}
}

func theNewPodComesFirst(t *testing.T, run *steered) {
	world := run.world
	since := world.auditEnd(t)
	run.applies("rollout-restart", world.only(t, "web", "worker-1"), "rollout-restart web")
	world.goes(t, "web", "worker-1")
	if sent := others(world.written(t, since)); !slices.Equal(sent, []string{"patch deployments web"}) {
		t.Errorf("sent: %v", sent)
	}
}

func oneMoreReplica(t *testing.T, run *steered) {
	world := run.world
	api, since := world.only(t, "api", "worker-1"), world.auditEnd(t)
	run.applies("scale", api, "scale api")
	world.goes(t, "api", "worker-1")
	if sent := others(world.written(t, since)); !slices.Equal(sent, []string{"patch deployments/scale api"}) {
		t.Errorf("sent: %v", sent)
	}
	if got := world.evicted(t, since); !slices.Equal(got, []string{api}) {
		t.Errorf("evicted: %v", got)
	}
	if got := world.replicas(t, "api"); got != "2" {
		t.Errorf("api has %s replicas while the run lives", got)
	}
}

func (w *world) replicas(t *testing.T, app string) string {
	t.Helper()
	return w.asMachinery(t, "get", "deploy", "-n", "shop", app, "-o", "jsonpath={.spec.replicas}")
}

func aPodIsDeleted(t *testing.T, run *steered) {
	world := run.world
	wiki, since := world.only(t, "wiki", "worker-1"), world.auditEnd(t)
	name := strings.TrimPrefix(wiki, "shop/")
	run.applies("delete", wiki, "delete "+name)
	world.goes(t, "wiki", "worker-1")
	if sent := others(world.written(t, since)); !slices.Equal(sent, []string{"delete pods " + name}) {
		t.Errorf("sent: %v", sent)
	}
}

// aPodIsSkipped: it was the last that held the run up. The run ends, with its
// node not empty, and takes its replica back.
func aPodIsSkipped(t *testing.T, run *steered) {
	world := run.world
	cart := world.only(t, "cart", "worker-1")
	run.ctl("skip", cart).exits(t, 0)
	answer := run.run.wait(patience)
	answer.exits(t, 4, "cart", "left where it is, as the operator asked")
	run.ctl("skip", cart).exits(t, 1, "ended")
	if still := world.only(t, "cart", "worker-1"); still != cart || !world.node(t, "worker-1").Spec.Unschedulable {
		t.Errorf("on worker-1 is %q, %+v", still, world.node(t, "worker-1"))
	}
	if got := world.replicas(t, "api"); got != "1" {
		t.Errorf("api has %s replicas after the run", got)
	}
	report := decode[struct {
		Outcome  string
		Remedies []struct{ Kind, State, By string }
	}](t, run.operator.run("report", run.id, "-o", "json").out)
	var remedies []string
	for _, r := range report.Remedies {
		remedies = append(remedies, r.Kind+" "+r.State+" by "+r.By)
	}
	want := []string{"evict-unhealthy Done by ada", "rollout-restart Done by ada", "scale Undone by ada", "delete Done by ada"}
	if report.Outcome != "partly" || !slices.Equal(remedies, want) {
		t.Errorf("outcome %s, remedies %v", report.Outcome, remedies)
	}
}

// aRunIsAborted: of two nodes one is left and then the run is aborted, while on
// both a budget holds a pod. Nothing more is sent, both stay cordoned.
func aRunIsAborted(t *testing.T, world *world) {
	world.operator(t).run("uncordon", "worker-1").exits(t, 0)
	run := world.steer(t, "drain", "worker-1", "worker-2", "--max-parallel-nodes=2", "--yes", "-o", "json")
	cart := world.only(t, "cart", "worker-1")
	run.waitsBlocked(5) // cart, and on worker-2 api, web, wiki and one of search; the others may go
	run.ctl("leave", "worker-3").exits(t, 1, "is not in the run")
	run.ctl("leave", "node/worker-1").exits(t, 0)
	run.ctl("leave", "worker-1").exits(t, 1, "nothing more happens on node worker-1")
	before := world.auditEnd(t)
	aborted := run.asks("abort")
	if !aborted.OK {
		t.Fatalf("%+v", aborted)
	}
	since := world.auditEnd(t)
	run.run.wait(patience).exits(t, 6, "worker-1", "worker-2")
	run.ctl("abort").exits(t, 1, "ended")
	for _, e := range run.events() {
		if e.Seq > aborted.Seq && e.Kind == "Intent" && e.Pod != "" {
			t.Errorf("sent after the abort: %+v", e)
		}
	}
	if went := world.evicted(t, before); len(went) > 0 {
		t.Errorf("evicted by the last request before the abort: %v", went)
	}

	// A budget gives way, and nobody is there to use it.
	world.asMachinery(t, "patch", "pdb", "-n", "shop", "cart", "--type=merge", "-p", `{"spec":{"minAvailable":0}}`)
	for _, name := range []string{"worker-1", "worker-2"} {
		if !world.node(t, name).Spec.Unschedulable {
			t.Errorf("%s is not cordoned any more", name)
		}
	}
	if still := world.only(t, "cart", "worker-1"); still != cart {
		t.Errorf("on worker-1 is %q", still)
	}
	// What was out at the abort comes to its answer, and nothing else.
	out := run.outAt(aborted.Seq)
	sent := slices.DeleteFunc(world.written(t, since), func(change string) bool {
		pod, eviction := strings.CutPrefix(change, "create pods/eviction ")
		return eviction && slices.Contains(out, pod)
	})
	if len(sent) > 0 {
		t.Errorf("sent after the abort: %v", sent)
	}
}
