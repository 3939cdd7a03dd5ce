//go:build e2e

package e2e

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every control of a live run, from the screen, on the scene of three workers: four
// pods of shop/web, whose budget needs three and has three, since the one on
// worker-2 crashes. What came of each is read in the cluster and in the journal.
func TestARunIsSteeredFromTheScreen(t *testing.T) {
	world := worldOf(t, setting{scene: "small"})
	defer world.logOnFailure(t, "get", "nodes,pods,pdb", "-n", "shop", "-o", "wide")
	ada := world.operator(t)
	term := ada.open(80, 24, "--ignore-daemonsets", "--max-parallel-nodes=2", "worker-1", "worker-3")
	term.waitFor("● live · 3 nodes", "2 marked")
	story := onScreen{t, world, ada, term}
	for _, part := range []struct {
		name string
		do   func(onScreen)
	}{{"the remedies and skip", remediesAndSkip}, {"pause, retry, last, leave", pauseAndOrder}, {"abort", abortTheRun}} {
		if !t.Run(part.name, func(t *testing.T) { part.do(story.told(t)) }) {
			return // what comes next begins where this should have ended
		}
	}
	term.keys("q")
	if r, normal := ada.leaves(term, 6); r.Outcome != "aborted" || !normal.shows("Aborted worker-1") {
		t.Errorf("%s, and on the normal screen\n%s", r.Outcome, framed(normal))
	}
}

// onScreen is one operator at one screen.
type onScreen struct {
	t     *testing.T
	world *world
	ada   *operator
	term  *terminal
}

// told is the same story in a part of the test.
func (s onScreen) told(t *testing.T) onScreen {
	ada, term := *s.ada, *s.term
	ada.t, term.t = t, t
	return onScreen{t, s.world, &ada, &term}
}

// webs are the pods of shop/web on a node, by name.
func (s onScreen) webs(node string) []pod {
	s.t.Helper()
	found := list[pod](s.t, s.world, "pods", "-n", "shop", "-l", "app=web", "--field-selector", "spec.nodeName="+node)
	slices.SortFunc(found, func(a, b pod) int { return cmp.Compare(a.Metadata.Name, b.Metadata.Name) })
	return found
}

// there tells whether exactly this pod is there and nobody ends it.
func (s onScreen) there(p pod) bool {
	s.t.Helper()
	return slices.ContainsFunc(s.webs(p.Spec.NodeName), func(o pod) bool {
		return o.Metadata.UID == p.Metadata.UID && o.Metadata.DeletionTimestamp == nil
	})
}

func (s onScreen) gone(p pod) {
	s.t.Helper()
	eventually(s.t, patience, p.Metadata.Name+" has left "+p.Spec.NodeName, func() bool {
		return !slices.ContainsFunc(s.webs(p.Spec.NodeName), func(o pod) bool { return o.Metadata.UID == p.Metadata.UID })
	})
}

// stays asserts that nobody touched these pods.
func (s onScreen) stays(pods ...pod) {
	s.t.Helper()
	for _, p := range pods {
		if !s.there(p) {
			s.t.Errorf("%s is not on %s any more, or is ending", p.Metadata.Name, p.Spec.NodeName)
		}
	}
}

// budget changes how many webs are needed, and waits for what that allows.
func (s onScreen) budget(needed, allowed int) {
	s.t.Helper()
	s.world.asMachinery(s.t, "patch", "pdb", "-n", "shop", "web", "--type=merge", "-p", fmt.Sprintf(`{"spec":{"minAvailable":%d}}`, needed))
	s.status(fmt.Sprintf("%d %d", needed, allowed), "{.status.desiredHealthy} {.status.disruptionsAllowed}")
}

func (s onScreen) status(want, path string) {
	s.t.Helper()
	eventually(s.t, patience, "the budget says "+want, func() bool {
		return s.world.asMachinery(s.t, "get", "pdb", "-n", "shop", "web", "-o", "jsonpath="+path) == want
	})
}

// confirm presses a key, and says yes to the question that must come.
func (s onScreen) confirm(key, question string, texts ...string) {
	s.t.Helper()
	s.term.keys(key)
	s.term.waitFor(append(texts, question, "[ n  Cancel ]")...)
	s.term.keys("y")
	s.term.waitGone(question)
}

var wordAsked = regexp.MustCompile(`type (.+?) and press Enter`)

// begin goes from the nodes page, with nodes marked, to a run in which so many pods
// are blocked.
func (s onScreen) begin(blocked int) diary {
	s.t.Helper()
	s.askToGoOn()
	return s.start(blocked)
}

// askToGoOn goes from the nodes page, with nodes marked, to the plan's first question.
func (s onScreen) askToGoOn() {
	s.t.Helper()
	s.term.keys("D")
	s.term.waitFor("Plan  ", "still valid", "D continue to cordon")
	s.term.keys("D")
}

// start confirms the cordon and the evictions.
func (s onScreen) start(blocked int) diary {
	s.t.Helper()
	first := s.term.waitFor(" and continue?", "Cancel")
	if word := wordAsked.FindStringSubmatch(first.String()); word != nil { // no schedulable node is left
		s.term.typing(word[1])
		s.term.keys("Enter")
		s.term.waitGone(" and continue?")
	} else {
		s.term.keys("y")
	}
	asked := s.term.waitFor("and press Enter", "esc  Cancel")
	s.term.typing(wordAsked.FindStringSubmatch(asked.String())[1])
	s.term.keys("Enter")
	s.term.waitGone("and press Enter")
	s.term.until(patience, fmt.Sprintf("%d blocked pods", blocked), func(v screen) bool { return len(blockedLines(v, "shop/web-")) == blocked })
	return s.ada.diaryOf(s.term)
}

func (s onScreen) choose(p pod) {
	s.t.Helper()
	s.term.choose("shop/" + p.Metadata.Name)
}

// apply applies a remedy for a pod: first with a wrong confirmation, which must do
// nothing, then with the right one.
func (s onScreen) apply(d diary, p pod, remedy, kind, word string, target pod) {
	s.t.Helper()
	s.choose(p)
	s.term.keys("E")
	s.term.waitFor("Remedies  shop/"+p.Metadata.Name, "CONFIRMED BY")
	s.term.choose(remedy)
	s.term.until(patience, "the remedy can be taken", func(v screen) bool { return !strings.Contains(v.line("▌"), "not available") })
	s.term.keys("Enter")
	s.term.waitFor("type "+word+" and press Enter", "request")
	before := d.last()
	s.term.typing(word + "x")
	s.term.keys("Enter")
	s.term.waitFor("nothing was done")
	s.stays(target)
	for _, e := range d.entries() {
		if e.Kind == "Remedy" && e.Seq > before.Seq {
			s.t.Errorf("a wrong confirmation applied remedy %+v", e)
		}
	}
	s.term.keys("BSpace", "Enter")
	s.term.waitGone("and press Enter")
	d.wait(before, "remedy "+kind, func(e entry) bool {
		return e.Kind == "Remedy" && e.Remedy.Kind == kind && e.Remedy.UID == target.Metadata.UID && e.RemedyState == "Done"
	})
	sent := d.evictionsAfter(before)
	if i := slices.IndexFunc(sent, func(e entry) bool { return e.UID == target.Metadata.UID }); i < 0 {
		s.t.Errorf("remedy %s is done, and nothing was sent against %s: %+v", kind, target.Metadata.Name, sent)
	}
	s.gone(target)
}

// One pod is deleted past its budget, one is skipped, and the last goes by itself
// once the sick one, which is not in the plan, was sent away.
func remediesAndSkip(s onScreen) {
	one, three, two := s.webs("worker-1"), s.webs("worker-3"), s.webs("worker-2")
	if len(one) != 2 || len(three) != 1 || len(two) != 1 {
		s.t.Fatalf("%d, %d and %d webs", len(one), len(two), len(three))
	}
	first, second, skipped, sick := one[0], one[1], three[0], two[0]
	d := s.begin(3)

	s.apply(d, first, "Delete", "delete", "delete "+first.Metadata.Name, first)
	s.stays(second, skipped, sick)
	s.status("3", "{.status.currentHealthy}") // its replacement serves

	before := d.last()
	s.choose(skipped)
	s.confirm("S", "Skip this pod?", skipped.Metadata.Name+" on worker-3")
	d.control(before, "skip", skipped.Metadata.UID)

	s.apply(d, second, "Evict", "evict-unhealthy", "evict "+sick.Metadata.Name[strings.LastIndex(sick.Metadata.Name, "-")+1:], sick)
	s.gone(second)
	s.term.waitFor("Result ", "worker-1 drained", "worker-3 stopped")
	s.stays(skipped)
	for _, e := range d.entries() {
		if e.Seq > before.Seq && e.isEviction() && e.UID == skipped.Metadata.UID {
			s.t.Errorf("the skipped pod was asked to go: %+v", e)
		}
	}
	if left := s.webs("worker-1"); len(left) > 0 {
		s.t.Errorf("still on worker-1: %v", podNames(left))
	}
}

// The order of a run is changed while it waits, it is paused over the moment at
// which its budget gives way, and one node is left.
func pauseAndOrder(s onScreen) {
	s.budget(4, 0)
	s.term.resize(120, 40)
	s.term.keys("Escape")
	s.term.waitFor("● live · 3 nodes")
	s.term.choose("worker-1")
	s.confirm("U", "Uncordon worker-1?")
	eventually(s.t, patience, "worker-1 is schedulable", func() bool { return !s.world.node(s.t, "worker-1").Spec.Unschedulable })
	for i, node := range []string{"worker-2", "worker-3"} {
		s.term.choose(node)
		s.term.keys("Space")
		s.term.waitFor(fmt.Sprint(i+1, " marked"))
	}
	s.term.waitFor("1 worker-2", "2 worker-3")
	webs, left := s.webs("worker-2"), s.webs("worker-3")
	if len(webs) != 3 || len(left) != 1 {
		s.t.Fatalf("%d and %d webs", len(webs), len(left))
	}
	d := s.begin(4)
	late := webs[0] // which would go first, by its name

	before := d.last()
	s.choose(late)
	s.term.keys("R") // at once
	retried := d.control(before, "retry", late.Metadata.UID)
	d.wait(retried, "the try", func(e entry) bool { return e.isEviction() && e.UID == late.Metadata.UID })

	s.choose(late)
	s.confirm("L", "Put this pod last?", late.Metadata.Name)
	d.control(before, "last", late.Metadata.UID)

	s.term.keys("P") // at once
	paused := d.control(before, "pause", "")
	s.term.waitFor("‖ paused", "nothing new is sent")
	d.answered() // what was out before the pause could still go through
	s.budget(3, 1)
	s.choose(left[0])
	s.confirm("N", "Leave worker-3?")
	d.wait(paused, "worker-3 that is left", func(e entry) bool { return e.Kind == "Node" && e.Node == "worker-3" && e.NodeState == "Stopped" })
	if sent := d.evictionsAfter(paused); len(sent) > 0 {
		s.t.Errorf("the paused run sent %+v", sent)
	}
	s.stays(append(webs, left...)...)

	s.term.keys("P")
	goesOn := d.control(paused, "continue", "")
	for _, p := range webs {
		s.gone(p)
	}
	s.term.waitFor("Result ", "worker-2 drained", "worker-3 stopped")
	s.stays(left...)
	var order []string
	for _, e := range d.entries() {
		if e.Seq > goesOn.Seq && e.isEviction() {
			order = append(slices.DeleteFunc(order, func(uid string) bool { return uid == e.UID }), e.UID)
		}
	}
	if len(order) != len(webs) || order[len(order)-1] != late.Metadata.UID {
		s.t.Errorf("%s was put last, and they were sent away as %v", late.Metadata.UID, order)
	}
}

// After an abort nothing is sent, whatever the budget allows, and the node stays as
// it is.
func abortTheRun(s onScreen) {
	s.budget(4, 0)
	s.term.keys("Escape")
	s.term.waitFor("● live · 3 nodes")
	s.term.choose("worker-2")
	s.confirm("U", "Uncordon worker-2?")
	s.term.choose("worker-1")
	s.term.keys("Space")
	s.term.waitFor("✓ worker-1", "1 marked")
	webs := s.webs("worker-1")
	d := s.begin(len(webs))

	before := d.last()
	s.confirm("A", "Abort the run?", "The nodes stay cordoned")
	aborted := d.control(before, "abort", "")
	d.wait(aborted, "the end", func(e entry) bool { return e.Kind == "RunEnded" && e.Outcome == "aborted" })
	s.term.waitFor("Result ", "Aborted worker-1")
	s.budget(3, 1)
	s.stays(webs...)
	if sent := d.evictionsAfter(aborted); len(sent) > 0 || len(webs) == 0 {
		s.t.Errorf("of %d pods, the aborted run still asked for %+v", len(webs), sent)
	}
	if !s.world.node(s.t, "worker-1").Spec.Unschedulable {
		s.t.Error("worker-1 is not cordoned any more")
	}
}
