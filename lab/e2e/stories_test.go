//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"syscall"
	"testing"
)

// tale is a drain on a terminal that something happens to. Each begins with all nodes of the
// scene small schedulable, goes from the marked nodes to a run, and ends as every story does:
// the terminal is the shell's again, and the report is what the API server says.
type tale struct {
	name    string
	args    []string       // the nodes that come up marked, and flags
	panics  bool           // with the keys that panic
	scene   func(onScreen) // made before the dashboard is opened, so that no plan is outdated by it
	blocked int            // pods that are blocked before anything happens
	happens func(onScreen) // in the end the dashboard is left
	code    int
	status  string
	outcome string
	says    []string // the report, as text
	shows   []string // the normal screen
}

// Ten ends of a drain are told. The others are where their own stories are: blocked
// (TestDrainFromTheDashboard), aborted (TestARunIsSteeredFromTheScreen), with a server that is
// killed and a terminal that is resized (TestTroubleDuringRuns).
func TestEveryStoryEndsInOrder(t *testing.T) {
	world := worldOf(t, setting{scene: "small", audited: true})
	defer world.logOnFailure(t, "get", "nodes,pods,pdb", "-n", "shop", "-o", "wide")
	signalled := func(sig syscall.Signal) func(onScreen) { return func(s onScreen) { s.term.kill(sig) } }
	for _, story := range []tale{
		{name: "SIGTERM", args: []string{"--mouse", "worker-1"}, blocked: 2, happens: signalled(syscall.SIGTERM),
			code: 143, status: "ended", outcome: "aborted", says: []string{"SIGTERM"}},
		{name: "SIGHUP", args: []string{"worker-1"}, blocked: 2, happens: signalled(syscall.SIGHUP),
			code: 129, status: "suspended", says: []string{"resume "}, shows: []string{"is suspended, not ended"}},
		{name: "a planted panic", args: []string{"--mouse", "worker-1"}, blocked: 2, panics: true,
			happens: func(s onScreen) { s.term.keys("F12") },
			code:    1, status: "suspended", says: []string{"resume "}, shows: []string{"rehearsed in a goroutine", "is suspended, not ended"}},
		{name: "a deadlocked order", args: []string{"--strict-order", "worker-1", "worker-2"}, blocked: 2, happens: leaveTheOneThatWaits,
			code: 4, status: "ended", outcome: "partly", says: []string{"worker-1 stopped", "left as it is, as the operator asked"}},
		{name: "happy", args: []string{"worker-3"}, happens: toItsEnd,
			code: 0, status: "ended", outcome: "done", says: []string{"worker-3: no volume is attached"}},
		{name: "stranded pods", args: []string{"worker-1"}, scene: nowhereToLand, happens: toItsEnd,
			code: 0, status: "ended", outcome: "done", says: []string{"0 of 3 replacements Ready", "is Pending"}, shows: []string{"0 of 3 replacements Ready", "is Pending"}},
		{name: "a server that is killed, and left", args: []string{"worker-1"}, scene: allIsHeld, blocked: 2, happens: leaveWithoutServer,
			code: 6, status: "ended", outcome: "aborted", says: []string{"the last known state, not the current one"},
			shows: []string{"the last known state, not the current one", "worker-1 stopped"}},
	} {
		if !t.Run(story.name, func(t *testing.T) { story.tell(t, world) }) {
			return // the next begins where this should have ended
		}
	}
}

func (story tale) tell(t *testing.T, world *world) {
	ada := world.operator(t)
	if story.panics {
		ada.bin = rehearsal(t)
	}
	if story.scene != nil {
		story.scene(onScreen{t: t, world: world})
	}
	term := ada.open(120, 40, append([]string{"--ignore-daemonsets"}, story.args...)...)
	s := onScreen{t, world, ada, term}
	term.waitFor("● live · 3 nodes", " marked")
	s.begin(story.blocked)
	story.happens(s)
	r, normal := ada.leaves(term, story.code)
	if mouse := slices.Contains(story.args, "--mouse"); mouse != strings.Contains(term.written(), "\x1b[?1006h") {
		t.Errorf("whether the mouse was asked for: %v, and the record of the terminal says otherwise", mouse)
	}
	if r.Status != story.status || r.Outcome != story.outcome {
		t.Errorf("the run is %s, outcome %q; want %s, %q", r.Status, r.Outcome, story.status, story.outcome)
	}
	ada.run("report", r.Run).prints(t, story.says...)
	if missing := firstMissing(flat(normal.String()), story.shows); missing != "" {
		t.Errorf("nothing of %q is on the normal screen\n%s", missing, framed(normal))
	}
	ada.run("rollback", r.Run, "--yes").exits(t, 0)
	for _, n := range r.Nodes {
		if world.node(t, n.Name).Spec.Unschedulable {
			t.Errorf("%s is cordoned after the rollback", n.Name)
		}
	}
}

// toItsEnd waits for the result and leaves.
func toItsEnd(s onScreen) {
	s.t.Helper()
	s.term.waitFor("Result ")
	s.term.keys("q")
}

// leaveTheOneThatWaits: the first node waits for a pod on the second, which is begun only after
// it. The screen says what gets them out of it.
func leaveTheOneThatWaits(s onScreen) {
	s.t.Helper()
	s.term.waitFor("waits for worker-1", "1 leave worker-1: worker-2, which holds it, is drained next")
	s.confirm("1", "Leave worker-1?", "The node stays cordoned.")
	toItsEnd(s)
}

// nowhereToLand: all other nodes are cordoned, and no budget holds the pods of this one.
func nowhereToLand(s onScreen) {
	s.t.Helper()
	s.world.asMachinery(s.t, "cordon", "worker-2", "worker-3")
	s.budget(0, 4)
	s.t.Cleanup(func() { s.world.mayFail("uncordon", "worker-2", "worker-3") })
}

// allIsHeld: every pod of shop/web is needed. Those that the story before moved are Ready first, else they outdate
// the plan.
func allIsHeld(s onScreen) {
	s.t.Helper()
	for _, name := range []string{"web", "api"} {
		s.world.asMachinery(s.t, "rollout", "status", "deployment", name, "-n", "shop", "--timeout=2m")
	}
	s.budget(4, 0)
}

// leaveWithoutServer: the run cannot even tell whether its node is still cordoned.
func leaveWithoutServer(s onScreen) {
	s.t.Helper()
	s.world.fault(s.t, "stop", "kube-apiserver")
	s.term.waitFor("server unreachable")
	s.term.keys("q")
	s.term.waitFor("Keep watching")
	s.term.keys("y")
	s.term.waitFor("ended with")
	s.world.fault(s.t, "start", "kube-apiserver")
}
