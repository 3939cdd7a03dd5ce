package app

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/app/hook"
	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/process"
	"github.com/kdrain-tui/kdrain-tui/drain/retire"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// writeRoll puts the journal of a roll into a folder whose process died while that command ran.
func writeRoll(t *testing.T, dir string, g process.Group) {
	t.Helper()
	written, err := journal.CreateRoll(dir, "x")
	if err != nil {
		t.Fatal(err)
	}
	events := []roll.Event{
		{Kind: roll.EventRollStarted, Roll: &roll.Facts{
			Run:     drain.RunFacts{ID: "x", Nodes: []drain.NodeFacts{{Name: "w1", UID: "node-w1"}}},
			Batches: []roll.Batch{{Nodes: []string{"w1"}}}}},
		{Kind: roll.EventHookStarted, Node: "w1", Hook: roll.HookWork},
		{Kind: roll.EventHookProcess, Node: "w1", Hook: roll.HookWork, Process: &g},
	}
	for i := range events {
		events[i].Seq = uint64(i + 1)
	}
	if err := errors.Join(written.Append(events, true), written.Close()); err != nil {
		t.Fatal(err)
	}
}

// writeRetirement is writeRoll for a run that stops the kubelet of a node after its drain.
func writeRetirement(t *testing.T, dir string, g process.Group) {
	t.Helper()
	written, err := journal.CreateJournal(dir, "y")
	if err != nil {
		t.Fatal(err)
	}
	events := []drain.Event{
		{Kind: drain.EventRunStarted, Run: &drain.RunFacts{ID: "y", Nodes: []drain.NodeFacts{{Name: "w1", UID: "node-w1"}}}},
		{Kind: drain.EventRunEnded, Outcome: drain.OutcomeDone},
		{Kind: drain.EventRetire, Node: "w1", UID: "node-w1", Retire: &retire.Facts{Step: retire.StepStop, Status: retire.Running, Command: "ssh w1"}},
		{Kind: drain.EventRetire, Node: "w1", UID: "node-w1", Retire: &retire.Facts{Step: retire.StepStop, Process: &g}},
	}
	for i := range events {
		events[i].Seq = uint64(i + 1)
	}
	if err := errors.Join(written.Append(events, true), written.Close()); err != nil {
		t.Fatal(err)
	}
}

// The run of a batch whose process died before its journal had an event left nothing to roll back.
func TestARunThatWasNotBegun(t *testing.T) {
	runs := NewRuns(t.TempDir(), "kdrain-tui")
	died, err := journal.CreateJournal(runs.Dir, "x-1")
	if err != nil || runs.Begun("x-1") || runs.Begun("x-2") {
		t.Errorf("%v; begun: %v, %v", err, runs.Begun("x-1"), runs.Begun("x-2"))
	}
	first := drain.Event{Seq: 1, Kind: drain.EventRunStarted, Run: &drain.RunFacts{ID: "x-1"}}
	if err := errors.Join(died.Append([]drain.Event{first}, true), died.Close()); err != nil || !runs.Begun("x-1") {
		t.Errorf("%v; begun: %v", err, runs.Begun("x-1"))
	}
}

// While the command of a roll runs on a node, the run of its batch is not rolled back; where nobody knows whether it
// runs, the node is left cordoned.
func TestCommandsUnderARollback(t *testing.T) {
	of := &drain.State{Run: drain.RunFacts{ID: "x-1"}}
	back := rollback.Undo{Node: "w1", Cordon: &request.Cordon{Node: "w1"}}
	file := filepath.Join(t.TempDir(), "go")
	runs := NewRuns(t.TempDir(), "kdrain-tui")
	c := hook.Command{Line: `echo on; until [ -e ` + file + ` ]; do sleep 0.05; done`}
	c.Began = func(g process.Group) error { writeRoll(t, runs.Dir, g); return nil }
	c.Tell = func([]string) {
		w, err := runs.working(of)
		if err == nil && len(w.unknown) == 0 ||
			err != nil && !strings.Contains(err.Error(), "the --work command of roll x still runs for node w1 as process group") {
			t.Error("it is rolled back under a command: ", err)
		}
		if err := errors.Join(os.WriteFile(file, nil, 0o600), w.close()); err != nil { // what was refused is closed already
			t.Error(err)
		}
	}
	if _, err := hook.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	w, err := runs.working(of)
	if err != nil {
		t.Fatal("after its end: ", err)
	}
	if _, err := runs.working(of); err == nil || !strings.Contains(err.Error(), "roll x, which is live") {
		t.Errorf("while another process has the roll: %v", err)
	}
	if err := w.close(); err != nil {
		t.Error(err)
	}

	runs = NewRuns(t.TempDir(), "kdrain-tui")
	writeRoll(t, runs.Dir, process.Group{ID: 7, Host: "z"})
	if w, err = runs.working(of); err != nil {
		t.Fatal(err)
	}
	left := w.leave([]rollback.Undo{back, {Node: "w2", Cordon: &request.Cordon{Node: "w2"}, Uncordons: true}})
	if !strings.Contains(left[0].Left, "whether the --work command of roll x still runs on it: it was started on host z") ||
		left[0].Cordon != nil {
		t.Errorf("%+v", left[0])
	}
	if got := rollback.Uncordons(left); !slices.Equal(got, []string{"w2"}) {
		t.Errorf("uncordons %q", got)
	}
	if err := w.close(); err != nil {
		t.Error(err)
	}
}

// Nothing else begins on a node while the command of a dead roll or retirement runs there: no run, no roll, no uncordon.
func TestCommandsUnderOtherRuns(t *testing.T) {
	for command, write := range map[string]func(*testing.T, string, process.Group){
		"the --work command of roll x": writeRoll, "the command to stop the kubelet": writeRetirement,
	} {
		t.Run(command, func(t *testing.T) { playCommandUnderOtherRuns(t, command, write) })
	}
}

func playCommandUnderOtherRuns(t *testing.T, command string, write func(*testing.T, string, process.Group)) {
	file := filepath.Join(t.TempDir(), "go")
	sim := kubetest.NewSimulation()
	defer sim.Halt()
	sim.AddNode("w1")
	sim.SetNode("w1", func(n *corev1.Node) { n.Spec.Unschedulable = true })
	s := &Session{Cluster: somewhere{}, Runs: NewRuns(t.TempDir(), "kdrain-tui"), View: View{Source: sim, Now: time.Now}}
	c := hook.Command{Line: `echo on; until [ -e ` + file + ` ]; do sleep 0.05; done`}
	c.Began = func(g process.Group) error { write(t, s.Runs.Dir, g); return nil }
	c.Tell = func([]string) {
		_, uncordon := s.Uncordon(t.Context(), "w1", plan.DryRunClient)
		_, begun := s.Start(t.Context(), plan.Plan{Nodes: []plan.Node{{Name: "w1", UID: "node-w1"}}})
		for what, err := range map[string]error{"uncordon": uncordon, "a run": begun} {
			if err == nil || !strings.Contains(err.Error(), command+" still runs for node w1") {
				t.Errorf("%s under a command: %v", what, err)
			}
		}
		onW2 := func(node kube.UID) bool { return node == "node-w2" }
		if err := errors.Join(s.Runs.CheckCommands(onW2), os.WriteFile(file, nil, 0o600)); err != nil {
			t.Error(err)
		}
	}
	if _, err := hook.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if changed, err := s.Uncordon(t.Context(), "w1", plan.DryRunClient); err != nil || !changed {
		t.Errorf("after its end: %v", err)
	}
}
