package cli

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/app/control"
	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// steered is a live run whose one pod a budget holds, and what it was told.
type steered struct {
	mu    sync.Mutex // of state and told: the server asks for the run's ID beside a command
	state *drain.State
	told  []drain.Command
	done  chan struct{}
	// remedies stand in the place of those of the one pod, nil for not.
	remedies []remedy.Remedy
}

func (r *steered) State() *drain.State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

func (r *steered) Changed(context.Context) <-chan struct{} { return nil }
func (r *steered) Send(drain.Input)                        {}
func (r *steered) Done() <-chan struct{}                   { return r.done }

func (r *steered) Remedies(kube.UID) []remedy.Remedy {
	if r.remedies != nil {
		return r.remedies
	}
	return []remedy.Remedy{
		{Facts: remedy.Facts{Kind: remedy.Wait}, Title: "wait", Risk: "None. It is retried as soon as what it waits for happens."},
		{Facts: remedy.Facts{Kind: remedy.EvictUnhealthy}, Title: "evict the unhealthy pod", DisabledReason: "no other pod of budget web is unhealthy"},
		{Facts: remedy.Facts{Kind: remedy.Delete, Namespace: "shop", Name: "web-1", Grace: -1}, Title: "delete it past its budget",
			Call: "DELETE /api/v1/namespaces/shop/pods/web-1, UID p1", Command: "kubectl delete pod -n shop web-1",
			Risk: "No budget is asked.", Warnings: []string{"beware of \x1b[31mred"}, Word: "delete web-1"},
	}
}

func (r *steered) Command(_ context.Context, c drain.Command) (uint64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told = append(r.told, c)
	c.Remedy.ID = 1
	r.state = drain.Fold(r.state, drain.Event{Seq: 9, Kind: drain.EventRemedy, Remedy: &c.Remedy, RemedyState: remedy.Done})
	return 8, nil
}

func steeredBench(t *testing.T) (*bench, *steered) {
	t.Helper()
	b := newBench(t, nil)
	record := writeRun(t, b.StateDir, "aaaaaa", noon, "")
	blocked := drain.Event{Seq: 2, Time: noon, Kind: drain.EventPod, Node: "worker-1", UID: "p1", PodState: eviction.BudgetBlocked}
	if err := record.Append([]drain.Event{blocked}, false); err != nil {
		t.Fatal(err)
	}
	events, _, err := journal.ReadJournal(journal.JournalPath(b.StateDir, "aaaaaa"))
	if err != nil {
		t.Fatal(err)
	}
	run := &steered{state: drain.Fold(nil, events...), done: make(chan struct{})}
	server, err := control.Serve(b.StateDir, run, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Close()
		closed(t, record)
	})
	return b, run
}

// A remedy is shown with everything that there is to know, and taken by its word.
func TestCtlRemedyNeedsItsConfirmation(t *testing.T) {
	b, run := steeredBench(t)
	const shown = `run aaaaaa: delete for pod shop/web-1: delete it past its budget
  request  DELETE /api/v1/namespaces/shop/pods/web-1, UID p1
  as       kubectl --context=prod delete pod -n shop web-1
  risk     No budget is asked.
  warning  beware of red
  confirm  delete web-1
  run      kdrain-tui ctl aaaaaa delete shop/web-1 --confirm 'delete web-1'
`
	for _, test := range []struct {
		args []string
		says string
	}{
		{nil, "nothing was changed in run aaaaaa: delete was not confirmed"},
		{[]string{"--confirm=delete"}, `delete is confirmed by "delete web-1", not by "delete"`},
	} {
		b.out.Reset()
		b.expect(t, ExitUsage, []string{test.says}, append([]string{"ctl", "aaaaaa", "delete", "web-1"}, test.args...)...)
		if b.out.String() != shown {
			t.Errorf("%v:\n%s", test.args, b.out)
		}
	}
	b.expect(t, ExitError, []string{"evict-unhealthy is not available for pod shop/web-1: no other pod of budget web is unhealthy"}, "ctl", "aaaaaa", "evict-unhealthy", "shop/web-1", "--confirm=evict web-2")
	b.expect(t, ExitUsage, []string{"--confirm applies to remedies only"}, "ctl", "aaaaaa", "skip", "shop/web-1", "--confirm=web-1")
	b.expect(t, ExitUsage, []string{`unknown command "pase": did you mean pause?`}, "ctl", "aaaaaa", "pase")
	b.expect(t, ExitUsage, []string{"unknown command \"xyzzy\"\n"}, "ctl", "aaaaaa", "xyzzy")
	b.expect(t, ExitUsage, []string{"delete takes one pod"}, "ctl", "aaaaaa", "delete")
	if len(run.told) > 0 {
		t.Fatalf("the run was told %+v", run.told)
	}
	b.out.Reset()
	b.expect(t, ExitDone, nil, "ctl", "aaaaaa", "delete", "shop/web-1", "--confirm", "delete web-1")
	if got := b.out.String(); got != "run aaaaaa: delete for pod shop/web-1: deletion past its budget, done\n" {
		t.Errorf("%q", got)
	}
	if len(run.told) != 1 || run.told[0].Kind != drain.CommandRemedy || run.told[0].Word != "delete web-1" || run.told[0].OnScreen {
		t.Errorf("the run was told %+v", run.told)
	}
}

// A suspended run says how it is resumed; read-only suspends none.
func TestCtlSuspends(t *testing.T) {
	b, run := steeredBench(t)
	b.expect(t, ExitDone, nil, "ctl", "aaaaaa", "suspend")
	const want = "run aaaaaa: suspended: nothing more is sent, resume continues it\n  resume   kdrain-tui --context=prod resume aaaaaa\n"
	if got := b.out.String(); got != want {
		t.Errorf("%q", got)
	}
	if len(run.told) != 1 || run.told[0].Kind != drain.CommandSuspend {
		t.Errorf("the run was told %+v", run.told)
	}
	b.expect(t, ExitUsage, []string{"--read-only forbids ctl suspend"}, "ctl", "aaaaaa", "suspend", "--read-only")
	if len(run.told) != 1 {
		t.Errorf("the run was told %+v", run.told)
	}
}

func TestCtlReadOnlyLooksAtRemedies(t *testing.T) {
	b, run := steeredBench(t)
	b.expect(t, ExitUsage, []string{"delete was not confirmed"}, "ctl", "aaaaaa", "delete", "shop/web-1", "--read-only")
	b.expect(t, ExitUsage, []string{"--read-only forbids ctl delete"}, "ctl", "aaaaaa", "delete", "shop/web-1", "--confirm=delete web-1", "--read-only")
	if len(run.told) > 0 {
		t.Errorf("the run was told %+v", run.told)
	}
}

func TestCtlTellsTheRemedies(t *testing.T) {
	b, run := steeredBench(t)
	b.expect(t, ExitDone, nil, "ctl", "aaaaaa", "remedies", "web-1", "--read-only")
	const want = `run aaaaaa: remedies for pod shop/web-1 on worker-1
VERB             CONFIRMED BY  REQUEST
-                -             none, the default: it is retried as soon as what it waits for happens
evict-unhealthy  -             not available: no other pod of budget web is unhealthy
delete           delete web-1  DELETE /api/v1/namespaces/shop/pods/web-1, UID p1
`
	if got := b.out.String(); got != want {
		t.Errorf("\n%s", got)
	}
	b.out.Reset()
	b.expect(t, ExitUsage, nil, "ctl", "aaaaaa", "delete", "web-1", "-o", "json")
	var a control.Answer
	if err := json.Unmarshal(b.out.Bytes(), &a); err != nil || !a.Unconfirmed || a.Remedy == nil || a.Remedy.Word != "delete web-1" || len(run.told) > 0 {
		t.Errorf("%v: %s", err, b.out)
	}
}

// A live run is found by its name and its lock: whatever its journal holds, an abort
// does not wait for it.
func TestCtlReadsNoJournalOfALiveRun(t *testing.T) {
	b, run := steeredBench(t)
	file, err := os.OpenFile(journal.JournalPath(b.StateDir, "aaaaaa"), os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = file.WriteString("this is no event\n")
	}
	if err = errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	b.expect(t, ExitDone, nil, "ctl", "aaaaaa", "pause")
	if len(run.told) != 1 || run.told[0].Kind != drain.CommandPause {
		t.Errorf("the run was told %+v", run.told)
	}
}

// The help and the completion know every verb; pods are offered where they have a
// remedies, and no confirmation is.
func TestCtlCompletion(t *testing.T) {
	b, run := steeredBench(t)
	b.run("ctl", "--help")
	help := b.out.String()
	b.out.Reset()
	b.run("__complete", "ctl", "aaaaaa", "")
	for _, v := range control.Verbs {
		if !strings.Contains(help, "  "+v.Name) || !strings.Contains(b.out.String(), v.Name+"\t"+v.Does+"\n") {
			t.Errorf("%s is missing:\n%s\n%s", v.Name, help, b.out)
		}
	}
	for _, kind := range remedy.Kinds[1:] {
		if v, known := control.VerbNamed(string(kind)); !known || v.Remedy != kind {
			t.Errorf("no verb applies remedy %s", kind)
		}
	}
	for verb, offered := range map[string]bool{"remedies": true, "force-delete": true, "skip": true, "leave": false} {
		b.out.Reset()
		b.run("__complete", "ctl", "aaaaaa", verb, "")
		if strings.Contains(b.out.String(), "shop/web-1") != offered {
			t.Errorf("%s: %s", verb, b.out)
		}
	}
	b.out.Reset()
	b.run("__complete", "ctl", "aaaaaa", "force-delete", "shop/web-1", "--confirm", "")
	if strings.Contains(b.out.String(), "force-delete web") || len(run.told) > 0 {
		t.Errorf("%s %+v", b.out, run.told)
	}
}
