package retire

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/app/hook"
	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/app/retire/hosttest"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/process"
	"github.com/kdrain-tui/kdrain-tui/drain/retire"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// deleter is a server that deletes Node objects, as far as their UIDs match.
type deleter struct {
	request.Writer // nothing else is written
	store          *kube.Store
	deleted        []kube.UID
	answer         kube.Answer // instead, where it has a code
	kept           bool        // by a finalizer
}

func (d *deleter) DeleteNode(_ context.Context, r request.DeleteNode) kube.Answer {
	live := d.store.Snapshot().Node(r.Node)
	switch {
	case d.answer.Code != 0:
		return d.answer
	case live == nil:
		return kube.Answer{Code: http.StatusNotFound, Reason: "NotFound"}
	case live.UID != r.UID:
		return kube.Answer{Code: http.StatusConflict, Reason: "Conflict", Message: "the UID does not match"}
	}
	d.deleted = append(d.deleted, r.UID)
	if d.kept {
		terminating := *live
		terminating.Deleted, terminating.Finalizers = kubetest.Now, []string{"karpenter.sh/termination"}
		d.store.Put(&terminating)
		return kube.Answer{Code: http.StatusOK}
	}
	d.store.Remove(live)
	return kube.Answer{Code: http.StatusOK}
}

// stage is a run that has drained one node, and its journal.
type stage struct {
	t      *testing.T
	path   string
	store  *kube.Store
	server *deleter
}

func newStage(t *testing.T) *stage {
	n := &corev1.Node{ObjectMeta: kubetest.Meta("Node", "w1")}
	n.Spec.Unschedulable = true
	n.Status.NodeInfo.MachineID, n.Status.NodeInfo.ContainerRuntimeVersion = hosttest.MachineID, "containerd://2"
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	s := &stage{t: t, store: kubetest.StoreOf(kubetest.Now, n)}
	s.server = &deleter{store: s.store}
	dir := t.TempDir()
	j, err := journal.CreateJournal(dir, "r1")
	if err != nil {
		t.Fatal(err)
	}
	events := []drain.Event{
		{Kind: drain.EventRunStarted, Run: &drain.RunFacts{ID: "r1", Nodes: []drain.NodeFacts{{Name: "w1", UID: n.UID}}}},
		{Kind: drain.EventNode, Node: "w1", NodeState: drain.NodeDrained},
		{Kind: drain.EventRunEnded, Outcome: drain.OutcomeDone},
	}
	for i := range events {
		events[i].Seq, events[i].Time = uint64(i+1), kubetest.Now
	}
	if err := j.Append(events, true); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	s.path = journal.JournalPath(dir, "r1")
	return s
}

// begin takes the run up as a new process does.
func (s *stage) begin() *Retirement {
	s.t.Helper()
	j, events, err := journal.OpenJournal(s.path)
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := Begin(Config{Source: s.store, Writer: s.server, Journal: j, Now: func() time.Time { return kubetest.Now }}, events)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

func (s *stage) close(r *Retirement) {
	s.t.Helper()
	if err := r.Close(); err != nil {
		s.t.Error(err)
	}
	<-r.Done()
}

func step(of retire.Step, command string) retire.Confirmed {
	return retire.Confirmed{Step: of, Word: "w1", By: "ada", HostExec: command}
}

// Each step is taken by a process of its own, and each was tried before by one that was
// killed in its midst: the journal ends with its beginning.
func TestStepsAfterAKill(t *testing.T) {
	s := newStage(t)
	kill := func(of retire.Step) {
		r := s.begin()
		n := r.State().Node("w1")
		cut := taking{r, n, retire.Facts{Step: of, Status: retire.Running}}
		if err := r.record(cut.event(cut.begin, "ada", ""), true); err != nil {
			t.Fatal(err)
		}
		s.close(r)
	}
	host := hosttest.New(t, "w1")
	for _, of := range retire.Steps {
		kill(of)
		r := s.begin()
		record := r.State().Node("w1").Retire
		if record.Next() != of || record.Of(of).Status != retire.Running {
			t.Fatalf("%s: next is %s", of, record.Next())
		}
		if err := r.Do(t.Context(), "w1", step(of, `echo "$NODE $RUN"; `+host.Exec("--yes"))); err != nil {
			t.Fatal(err)
		}
		if got := r.State().Node("w1").Retire.Of(of); got.Status != retire.Done || got.Tries != 2 || got.By != "ada" {
			t.Errorf("%s: %+v", of, got)
		}
		s.close(r)
	}
	if !slices.Equal(host.Steps(), []string{"stop", "clean"}) || !host.Clean() || len(s.server.deleted) != 1 {
		t.Errorf("%q, clean %v, deleted %v", host.Steps(), host.Clean(), s.server.deleted)
	}
	r := s.begin()
	defer s.close(r)
	if got := r.State().Node("w1").Retire.Of(retire.StepClean).Output; got[0] != "w1 r1" || got[len(got)-1] != "clean: all checks passed (run r1)" {
		t.Errorf("output %q", got)
	}
	if err := r.Do(t.Context(), "w1", step(retire.StepClean, "true")); err == nil || r.State().Outcome != drain.OutcomeDone {
		t.Errorf("%v, outcome %q", err, r.State().Outcome)
	}
}

// A killed deletion that the server had done is not sent to the node that registered since.
func TestANamesakeIsNeverDeleted(t *testing.T) {
	for name, register := range map[string]func(s *stage, again *kube.Node){
		"seen": func(s *stage, again *kube.Node) { s.store.Put(again) },
		"not seen": func(s *stage, _ *kube.Node) {
			s.server.answer = kube.Answer{Code: http.StatusConflict, Reason: "Conflict"}
		},
	} {
		s := newStage(t)
		r := s.begin()
		if err := r.Do(t.Context(), "w1", step(retire.StepStop, "")); err != nil {
			t.Fatal(err)
		}
		again := *s.store.Snapshot().Node("w1")
		again.UID = "another"
		register(s, &again)
		err := r.Do(t.Context(), "w1", step(retire.StepDelete, ""))
		if err == nil || !strings.Contains(err.Error(), "another Node object has the name now") || len(s.server.deleted) > 0 {
			t.Errorf("%s: %v, deleted %v", name, err, s.server.deleted)
		}
		if r.Failure() == nil {
			t.Errorf("%s: no failure", name)
		}
		s.close(r)
	}
}

// A command that ends with 0 and shows nothing of the checks did not do the step: a dry run, one that never read the
// script, and one that only shows it.
func TestOnlyTheScriptSaysThatItIsDone(t *testing.T) {
	host := hosttest.New(t, "w1")
	for name, command := range map[string]string{
		"a dry run": host.Exec("--dry-run"), "a command of its own": "echo stop: all checks passed", "the text": "cat",
		"another run": "echo 'stop: all checks passed (run r2)'", "elsewhere": host.Exec("--yes") + " >/dev/null",
	} {
		s := newStage(t)
		r := s.begin()
		err := r.Do(t.Context(), "w1", step(retire.StepStop, command))
		if err == nil || !strings.Contains(err.Error(), "the host command ended with 0, but its output lacks the line") ||
			r.State().Node("w1").Retire.Of(retire.StepStop).Status != retire.Failed {
			t.Errorf("%s: %v", name, err)
		}
		if err := r.Do(t.Context(), "w1", step(retire.StepStop, host.Exec("--yes")+" | sed 's/^/w1 out: /'")); err != nil {
			t.Errorf("%s, then with --yes: %v", name, err)
		}
		s.close(r)
	}
}

// A node that is in use again is neither stopped nor deleted, whatever is typed.
func TestANodeInUseAgainStays(t *testing.T) {
	for name, c := range map[string]struct {
		use  func(s *stage)
		says string
	}{
		"uncordoned": {func(s *stage) {
			n := *s.store.Snapshot().Node("w1")
			n.Unschedulable = false
			s.store.Put(&n)
		}, "it was uncordoned after it was drained"},
		"a pod": {func(s *stage) {
			s.store.Put(kubetest.SnapshotOf(kubetest.Now, kubetest.Pod("shop/web-1")).PodsOn("w1")[0])
		}, "shop/web-1 was bound to the node after it was drained"},
		"pods not read": {func(s *stage) { s.store.SetSync(kube.KindPods, kube.SyncState{Phase: kube.Stale}) }, "not up to date"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newStage(t)
			r := s.begin()
			file := filepath.Join(t.TempDir(), "called")
			take := func(of retire.Step) {
				t.Helper()
				word := retire.Word(of, "w1", r.See(t.Context(), "w1"))
				err := r.Do(t.Context(), "w1", retire.Confirmed{Step: of, Word: word, By: "ada", HostExec: "touch " + file})
				if err == nil || !strings.Contains(err.Error(), c.says) || len(s.server.deleted) > 0 {
					t.Errorf("%s, %s: %v, deleted %v", name, of, err, s.server.deleted)
				}
			}
			before := s.store.Snapshot().Node("w1")
			c.use(s)
			take(retire.StepStop)
			s.store.SetSync(kube.KindPods, kube.SyncState{Phase: kube.Synced})
			for _, p := range s.store.Snapshot().PodsOn("w1") {
				s.store.Remove(p)
			}
			s.store.Put(before)
			if err := r.Do(t.Context(), "w1", step(retire.StepStop, "")); err != nil {
				t.Fatal(err)
			}
			c.use(s)
			take(retire.StepDelete)
			if _, err := os.Stat(file); err == nil {
				t.Errorf("%s: the host command ran", name)
			}
			s.close(r)
		})
	}
}

// A finalizer keeps the Node object: the deletion is waited for, and taken up again.
func TestFinalizersAreWaitedFor(t *testing.T) {
	s := newStage(t)
	s.server.kept = true
	r := s.begin()
	if err := r.Do(t.Context(), "w1", step(retire.StepStop, "")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	news := r.Changed(ctx)
	var group kube.Group
	var err error
	group.Go("step", func() { err = r.Do(ctx, "w1", step(retire.StepDelete, "")) })
	for range news {
		if out := r.State().Node("w1").Retire.Of(retire.StepDelete).Output; len(out) == 1 && strings.Contains(out[0], "karpenter.sh/termination") {
			break
		}
	}
	if again := r.Do(ctx, "w1", step(retire.StepDelete, "")); again == nil || !strings.Contains(again.Error(), "another step") {
		t.Errorf("two at a time: %v", again)
	}
	cancel()
	group.Wait()
	if err == nil || !strings.Contains(err.Error(), "its deletion was accepted") {
		t.Error(err)
	}
	s.store.Remove(s.store.Snapshot().Node("w1"))
	if err := r.Do(t.Context(), "w1", step(retire.StepDelete, "")); err != nil || len(s.server.deleted) != 1 {
		t.Errorf("%v, deleted %v", err, s.server.deleted)
	}
	s.close(r)
}

// Nothing is done that was not confirmed as it is now.
func TestOnlyWhatWasConfirmed(t *testing.T) {
	s := newStage(t)
	r := s.begin()
	defer s.close(r)
	before := r.State().Seq
	for name, c := range map[string]retire.Confirmed{
		"another step": step(retire.StepDelete, ""), "another word": {Step: retire.StepStop, Word: "w2"}, "no word": {Step: retire.StepStop},
	} {
		if err := r.Do(t.Context(), "w1", c); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	s.store.SetSync(kube.KindAttachments, kube.SyncState{Phase: kube.Denied}) // since it was typed
	if err := r.Do(t.Context(), "w1", step(retire.StepStop, "")); err == nil || !strings.Contains(err.Error(), "w1 despite Volumes") {
		t.Error(err)
	}
	if err := r.Do(t.Context(), "w2", step(retire.StepStop, "")); err == nil {
		t.Error("a node of no run")
	}
	if r.State().Seq != before || len(s.server.deleted) > 0 {
		t.Error("something was done")
	}
	if _, err := Begin(Config{}, []drain.Event{{Kind: drain.EventRunStarted, Run: &drain.RunFacts{ID: "r1"}}}); err == nil {
		t.Error("a run that has not ended")
	}
}

// A command that outlives the process that began it is joined by no other.
func TestACommandThatLivesOn(t *testing.T) {
	s := newStage(t)
	file, calls := filepath.Join(t.TempDir(), "go"), filepath.Join(t.TempDir(), "calls")
	var group process.Group
	hung := hook.Command{Line: `echo on; until [ -e ` + file + ` ]; do sleep 0.05; done`}
	hung.Began = func(g process.Group) error { // as the process noted it that is dead now
		group = g
		r := s.begin()
		n := r.State().Node("w1")
		t := taking{r, n, retire.Facts{Step: retire.StepStop, Status: retire.Running}}
		return errors.Join(r.record(t.event(t.begin, "ada", ""), true), t.began(g), r.Close())
	}
	hung.Tell = func([]string) {
		r := s.begin()
		defer s.close(r)
		err := r.Do(t.Context(), "w1", step(retire.StepStop, "echo >>"+calls))
		if group.Boot == "" { // not known on this system
			return
		}
		if err == nil || !strings.Contains(err.Error(), "still runs as "+group.String()) {
			t.Error(err)
		}
		if _, err := os.Stat(calls); err == nil {
			t.Error("a second command ran beside the first")
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Error(err)
		}
	}
	if code, err := hook.Run(t.Context(), hung); code != 0 || err != nil {
		t.Fatal(code, err)
	}
	r := s.begin()
	defer s.close(r)
	err := r.Do(t.Context(), "w1", step(retire.StepStop, "echo >>"+calls)) // which does not run the script
	if _, missing := os.Stat(calls); missing != nil && group.Boot != "" {
		t.Error("after its end: ", err)
	}
}
