package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

func writeJournal(t *testing.T, text string) string {
	t.Helper()
	path := t.TempDir() + "/r.jsonl"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const journalStart = `{"schema":"kdrain-tui/journal/v1","run":"r"}` + "\n" +
	`{"seq":1,"time":"2026-01-01T00:00:00Z","kind":"RunStarted","run":{"id":"r","nodes":[],"pods":[]}}` + "\n"

func TestTornLastLineIsToleratedAndSaid(t *testing.T) {
	events, torn, err := ReadJournal(writeJournal(t, journalStart+`{"seq":2,"ti`))
	if err != nil || !torn || len(events) != 1 {
		t.Errorf("%d events, torn %v, error %v", len(events), torn, err)
	}
}

func TestDamagedJournalNamesTheLine(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":      journalStart + "nonsense\n" + `{"seq":3}` + "\n",
		"missing line": journalStart + `{"seq":3,"kind":"RunEnded"}` + "\n",
	} {
		_, _, err := ReadJournal(writeJournal(t, text))
		var corrupt *CorruptJournalError
		if !errors.As(err, &corrupt) || corrupt.Line != 3 {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, _, err := ReadJournal(writeJournal(t, `{"schema":"kdrain-tui/journal/v9"}`+"\n"))
	if err == nil || !strings.Contains(err.Error(), "v9") {
		t.Errorf("foreign schema: %v", err)
	}
}

func TestJournalIsPrivateAndNeverOverwritten(t *testing.T) {
	dir := t.TempDir()
	j, err := CreateJournal(dir, "r")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	}()
	for path, want := range map[string]os.FileMode{j.Path(): 0o600, dir + "/runs": 0o700} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want && runtime.GOOS != "windows" { // which knows no modes
			t.Errorf("%s has mode %v, want %v (%v)", path, info.Mode().Perm(), want, err)
		}
	}
	if _, err := CreateJournal(dir, "r"); err == nil {
		t.Error("a second journal of the same run was made")
	}
}

// What is written into a removed file, no other process finds: the run is to know.
func TestARemovedJournalTakesNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be renamed on Windows")
	}
	dir := t.TempDir()
	j, err := CreateJournal(dir, "r")
	if err != nil {
		t.Fatal(err)
	}
	events := []drain.Event{{Seq: 1, Kind: drain.EventWarning, Message: "x"}}
	if err := os.Rename(j.Path(), dir+"/away"); err != nil {
		t.Fatal(err)
	}
	if err := j.Append(events, true); err == nil || !strings.Contains(err.Error(), "somebody has removed it") {
		t.Errorf("removed: %v", err)
	}
	if err := os.WriteFile(j.Path(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := j.Append(events, true); err == nil {
		t.Error("another file of its name is taken for it")
	}
	if err := os.Rename(dir+"/away", j.Path()); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(j.Append(events, true), j.Close()); err != nil {
		t.Error(err)
	}
}

func TestOptionsSurviveTheJournal(t *testing.T) {
	o := plan.DefaultOptions()
	o.Timeout, o.ExcludeFromLB, o.ForceAfter, o.SkipWaitForDelete = time.Minute, time.Second, 90*time.Second, 5*time.Second
	o.Honor, o.Order = []plan.Honored{plan.HonorKarpenter}, plan.OrderTiers
	if err := o.Flags().Set("pod-selector", "app in (a,b)"); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	var back plan.Options
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if back.Selector.String() != o.Selector.String() {
		t.Errorf("selector %s, want %s", back.Selector, o.Selector)
	}
	back.Selector, o.Selector = nil, nil
	if !reflect.DeepEqual(back, o) {
		t.Errorf("read back %+v\nwrote %+v", back, o)
	}
}

// Whoever looks whether a run lives, as runs and completion do, prevents no
// other process from beginning or resuming one; a run that lives does.
func TestCheckingAJournalDoesNotLockIt(t *testing.T) {
	dir := t.TempDir()
	var round atomic.Int64
	run := func() string { return fmt.Sprintf("r%d", round.Load()) }
	ended := make(chan struct{})
	var lookers kube.Group
	for range 2 {
		lookers.Go("looker", func() {
			for {
				select {
				case <-ended:
					return
				default:
					_, _ = Live(JournalPath(dir, run())) // of a journal that is not there, too
				}
			}
		})
	}
	defer lookers.Wait()
	defer close(ended)
	for ; round.Load() < 100; round.Add(1) {
		j, err := CreateJournal(dir, run())
		if err != nil {
			t.Fatalf("create %s: %v", run(), err)
		}
		path := j.Path()
		if _, _, err := OpenJournal(path); !errors.Is(err, ErrRunLives) {
			t.Fatalf("open %s of a live one: %v", run(), err)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		if j, _, err = OpenJournal(path); err != nil {
			t.Fatalf("open %s: %v", run(), err)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
