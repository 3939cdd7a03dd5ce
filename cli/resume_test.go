package cli

import (
	"encoding/json"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

// resumeBench is a server with the node and the pod of kubectl's tables, and the
// journal of a run on it.
func resumeBench(t *testing.T, pods []*corev1.Pod, events ...drain.Event) (*bench, *apiServer) {
	t.Helper()
	cordoned := len(events) > 0
	s := newAPIServer(t, theNode(cordoned))
	for _, p := range pods {
		s.put("ADDED", p)
	}
	b := s.connected(t)
	options := plan.DefaultOptions()
	options.Force = true
	start := drain.Event{Kind: drain.EventRunStarted, Run: &drain.RunFacts{
		ID: "aaaaaa", ClusterUID: "cluster", User: "eve", Options: options,
		Nodes: []drain.NodeFacts{{Name: "node", UID: "uid-node"}},
		Pods: []eviction.Facts{
			{Node: "node", Namespace: "default", Name: "bar", UID: "uid-bar", Action: plan.ActionEvict},
			{Node: "node", Namespace: "default", Name: "foo", UID: "uid-foo", Action: plan.ActionEvict}},
	}}
	journal, err := journal.CreateJournal(b.StateDir, "aaaaaa")
	if err != nil {
		t.Fatal(err)
	}
	events = append([]drain.Event{start}, events...)
	for i := range events {
		events[i].Seq, events[i].Time = uint64(i+1), b.Now()
	}
	if err := journal.Append(events, false); err != nil {
		t.Fatal(err)
	}
	closed(t, journal)
	return b, s
}

// evicting are the events of a run that died right after it asked for the
// eviction of foo, with both phases confirmed.
func evicting() []drain.Event {
	pod := drain.Event{Kind: drain.EventIntent, Node: "node", Namespace: "default", Pod: "foo", UID: "uid-foo",
		Action: &attempt.ActionFacts{ID: 2, Verb: attempt.VerbEvict}}
	cordon := drain.Event{Kind: drain.EventIntent, Node: "node", Action: &attempt.ActionFacts{ID: 1, Verb: attempt.VerbCordon}}
	answer := drain.Event{Kind: drain.EventAnswer, Node: "node", Action: cordon.Action, Answer: &attempt.AnswerFacts{Code: 200}}
	done := drain.Event{Kind: drain.EventNode, Node: "node", NodeState: drain.NodeCordoned}
	draining := drain.Event{Kind: drain.EventNode, Node: "node", NodeState: drain.NodeDraining}
	phase := func(p drain.Phase, status drain.PhaseStatus) drain.Event {
		return drain.Event{Kind: drain.EventPhase, Phase: p, PhaseStatus: status}
	}
	return []drain.Event{
		phase(drain.PhaseCheck, drain.PhaseDone), phase(drain.PhaseCordon, drain.PhaseRuns), cordon, answer, done,
		phase(drain.PhaseCordon, drain.PhaseDone), phase(drain.PhaseEvict, drain.PhaseRuns), draining, pod,
	}
}

// What was confirmed stays confirmed, what was evicted is said to be, and no
// line of before is printed again.
func TestResume(t *testing.T) {
	b, s := resumeBench(t, []*corev1.Pod{thePod()}, evicting()...)
	code := b.run("resume", "aaaaaa", "--yes", "--server="+s.URL)
	if code != ExitDone {
		t.Fatalf("exit %d\n%s%s", code, b.out, b.err)
	}
	for _, line := range []string{"pod/foo evicted\n", "evicting pod default/bar\n", "pod/bar evicted\n", "node/node drained\n"} {
		if strings.Count(b.out.String(), line) != 1 {
			t.Errorf("not once %q:\n%s", line, b.out)
		}
	}
	if strings.Contains(b.out.String(), "cordoned") || s.sent("PATCH", "/nodes/node") > 0 || s.sent("POST", "/eviction") != 1 {
		t.Errorf("%v\n%s", s.requests, b.out)
	}
	if !strings.Contains(b.err.String(), "run aaaaaa is resumed, started by eve") || !strings.Contains(b.err.String(), "0 of 2 pods gone") {
		t.Errorf("%s", b.err)
	}
	b.expect(t, ExitError, []string{"run aaaaaa ended ", ": done; there is nothing to resume"}, "resume", "aaaaaa", "--yes", "--server="+s.URL)
}

func TestResumeAsksWhatIsOpen(t *testing.T) {
	for typed, want := range map[string]struct{ code, evictions int }{"y\ny\n": {ExitDone, 2}, "y\nn\n": {ExitAborted, 0}, "n\n": {ExitAborted, 0}} {
		b, s := resumeBench(t, []*corev1.Pod{thePod(), thePod(func(p *corev1.Pod) { p.Name, p.UID = "foo", "uid-foo" })})
		b.types(strings.Replace(typed, "y\ny", "y\nnode", 1))
		code := b.run("resume", "aaaaaa", "--server="+s.URL)
		if code != want.code || s.sent("POST", "/eviction") != want.evictions || !strings.Contains(b.err.String(), "Cordon node? [y/N] ") {
			t.Errorf("%q: exit %d, %v\n%s%s", typed, code, s.requests, b.out, b.err)
		}
	}
}

func TestResumeJSON(t *testing.T) {
	b, s := resumeBench(t, []*corev1.Pod{thePod()}, evicting()...)
	if code := b.run("resume", "aaaaaa", "--yes", "-o", "json", "--server="+s.URL); code != ExitDone {
		t.Fatalf("exit %d\n%s%s", code, b.out, b.err)
	}
	var first struct {
		Schema, Kind string
		Seq          int
	}
	line, _, _ := strings.Cut(b.out.String(), "\n")
	if err := json.Unmarshal([]byte(line), &first); err != nil || first.Kind != "Resumed" || first.Seq != 11 || first.Schema != drain.EventSchema {
		t.Errorf("%v: first line %s", err, line)
	}
	if report := lastReport(t, b); report.Run != "aaaaaa" || report.Outcome != drain.OutcomeDone || len(report.Nodes[0].Pods) != 2 {
		t.Errorf("report %+v", report)
	}
}

// The node has the name of the run's node and is another one.
func TestResumeHoldsToTheNodesUID(t *testing.T) {
	b, s := resumeBench(t, []*corev1.Pod{thePod()}, evicting()...)
	other := theNode(false)
	other.UID = "uid-of-another"
	s.put("MODIFIED", other)
	code := b.run("resume", "aaaaaa", "--yes", "--server="+s.URL)
	if code != ExitPartly || s.sent("POST", "/eviction")+s.sent("PATCH", "/nodes/node") > 0 {
		t.Errorf("exit %d, %v\n%s%s", code, s.requests, b.out, b.err)
	}
}

func TestResumeNeedsItsRights(t *testing.T) {
	for _, rule := range []string{"patch nodes", "create pods/eviction", "list pods"} {
		b := newBench(t, smallCluster())
		writeJournal(t, b.StateDir, "cluster-1")
		b.denied = []string{rule}
		b.expect(t, ExitPermission, []string{"ada may not " + rule}, "resume", "aaaaaa", "--yes")
		if live, err := journal.Live(journal.JournalPath(b.StateDir, "aaaaaa")); live || err != nil || b.writer.writes() > 0 {
			t.Errorf("live %v, %v, %d writes", live, err, b.writer.writes())
		}
	}
}
