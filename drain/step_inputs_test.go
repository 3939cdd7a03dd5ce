package drain

import (
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// asked is a run of two pods, of which one waits for the answer to its eviction.
func asked() *State {
	facts := RunFacts{ID: "r1", Nodes: []NodeFacts{{Name: "a"}}}
	for _, uid := range []kube.UID{"p1", "p2"} {
		facts.Pods = append(facts.Pods, eviction.Facts{Node: "a", Namespace: "n", Name: string(uid), UID: uid, Action: plan.ActionEvict})
	}
	s := Fold(nil, Event{Seq: 1, Time: kubetest.Now, Kind: EventRunStarted, Run: &facts},
		Event{Seq: 2, Time: kubetest.Now, Kind: EventNode, Node: "a", NodeState: NodeCordoned},
		Event{Seq: 3, Time: kubetest.Now, Kind: EventNode, Node: "a", NodeState: NodeDraining},
		Event{Seq: 4, Time: kubetest.Now, Kind: EventPhase, Phase: PhaseEvict, PhaseStatus: PhaseRuns},
		Event{Seq: 5, Time: kubetest.Now, Kind: EventIntent, Node: "a", Namespace: "n", Pod: "p1", UID: "p1",
			Action: &attempt.ActionFacts{ID: 1, Verb: attempt.VerbEvict}})
	return s
}

// unread is a snapshot of a cluster of which nothing is known yet.
func unread() *kube.Snapshot { return kube.NewStore(time.Now).Snapshot() }

func controls(out Output) (seen []Event) {
	for _, e := range out.Events {
		if e.Kind == EventControl {
			seen = append(seen, e)
		}
	}
	return seen
}

// What is said on a screen of a pod whose eviction is on its way waits for the answer;
// who wants to be told what became of it is told at once.
func TestAControlWaitsForTheAnswer(t *testing.T) {
	snap := unread()
	skip := Command{Kind: CommandSkip, Pod: "p1", By: "ada"}
	out := Step(asked(), snap, []Input{skip}, kubetest.Now)
	if len(controls(out)) != 0 || len(out.State.waiting) != 1 {
		t.Fatalf("before the answer: %+v", out.Events)
	}
	write := Write{ID: 1, Verb: attempt.VerbEvict, Node: "a", Request: request.Evict{Namespace: "n", Name: "p1", UID: "p1"}}
	out = Step(out.State, snap, []Input{Answered{write, kube.Answer{Code: 500}}}, kubetest.Now.Add(time.Second))
	if seen := controls(out); len(seen) != 1 || seen[0].UID != "p1" || len(out.State.waiting) != 0 || out.State.Pod("p1").State != eviction.Skipped {
		t.Errorf("after it: %+v, pod %s", seen, out.State.Pod("p1").State)
	}

	skip.ID = 7
	out = Step(asked(), snap, []Input{skip}, kubetest.Now)
	if out.Refused[7] == nil || len(out.State.waiting) != 0 {
		t.Errorf("refused %v, waiting %v", out.Refused, out.State.waiting)
	}
}

// Two controls that say the same are told apart by their IDs.
func TestEventsEchoTheIDsOfControls(t *testing.T) {
	last := Command{Kind: CommandLast, Pod: "p2", By: "ada"}
	first, second := last, last
	first.ID, second.ID = 1, 2
	out := Step(asked(), unread(), []Input{first, second}, kubetest.Now)
	if seen := controls(out); len(seen) != 1 || seen[0].Input != 1 || out.Refused[2] == nil || out.Refused[1] != nil {
		t.Errorf("%+v, refused %v", seen, out.Refused)
	}
}

// A run whose journal cannot be written pauses itself, and goes on where it is told to.
func TestALostJournalPauses(t *testing.T) {
	out := Step(asked(), unread(), []Input{JournalNews{Lost: "disk full"}}, kubetest.Now)
	if seen := controls(out); len(seen) != 1 || !out.State.Paused || out.State.JournalLost != "disk full" {
		t.Errorf("%+v, paused %v", seen, out.State.Paused)
	}
	out = Step(out.State, unread(), []Input{JournalNews{}, Command{Kind: CommandContinue, By: "ada"}}, kubetest.Now)
	if out.State.Paused || out.State.JournalLost != "" {
		t.Errorf("paused %v, %q", out.State.Paused, out.State.JournalLost)
	}
}
