package ui

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
)

// output is what the program writes to its terminal.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
	want string
	seen chan struct{}
	once sync.Once
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, err := o.text.Write(b)
	if strings.Contains(o.text.String(), o.want) {
		o.once.Do(func() { close(o.seen) })
	}
	return n, err
}

// program runs the real program on pipes until it has painted something, then
// does what the test wants.
func program(t *testing.T, act func(stop func(), keys io.Writer, c *Crash), change ...func(*Deps)) (Result, error) {
	t.Helper()
	theme, err := themes.Load("default", "")
	if err != nil {
		t.Fatal(err)
	}
	in, keys := io.Pipe()
	out := &output{want: "worker-a1", seen: make(chan struct{})}
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(func() { stop(); _ = keys.Close(); _ = in.Close() })
	w := company()
	deps := Deps{Source: w, Cluster: newPaperCluster(w, time.Now), Identity: Identity{Context: "prod", User: "ada"}, Options: plan.DefaultOptions(), Theme: theme,
		Input: in, Output: out, Crash: NewCrash(t.TempDir())}
	for _, c := range change {
		c(&deps)
	}
	var group kube.Group
	group.Go("keys", func() {
		select {
		case <-out.seen:
		case <-ctx.Done():
		}
		act(stop, keys, deps.Crash)
	})
	result, err := Run(ctx, deps)
	_ = in.Close()
	group.Wait()
	return result, err
}

func press(keys io.Writer, text string) { _, _ = io.WriteString(keys, text) }

func TestProgramQuits(t *testing.T) {
	result, err := program(t, func(_ func(), keys io.Writer, _ *Crash) { press(keys, "q") })
	if err != nil || result.Left != LeftByOperator || result.Run != nil {
		t.Fatalf("%+v %v", result, err)
	}
}

func TestProgramEndsWithItsContext(t *testing.T) {
	result, err := program(t, func(stop func(), _ io.Writer, _ *Crash) { stop() }, attached(runState()))
	if err != nil || result.Left != LeftByContext || result.Last == nil || result.Text() == "" {
		t.Fatalf("%+v %v", result, err)
	}
}

func TestProgramLeavesAtOnceOnTwoInterrupts(t *testing.T) {
	result, err := program(t, func(_ func(), keys io.Writer, _ *Crash) { press(keys, "\x03"); press(keys, "\x03") }, attached(runState()))
	if err != nil || result.Left != LeftByForce {
		t.Fatalf("%+v %v", result, err)
	}
	if sent := result.Run.(*fakeRun).sent; len(sent) != 1 {
		t.Fatalf("sent %v", sent)
	}
}

func TestPanicsEndTheProgramInOrder(t *testing.T) {
	var armed atomic.Bool
	cases := map[string]struct {
		change func(*Deps)
		act    func(stop func(), keys io.Writer, c *Crash)
	}{
		"in Update": {func(d *Deps) {
			d.Now = func() time.Time {
				if armed.Load() {
					panic("boom in Update")
				}
				return moment
			}
		}, func(_ func(), keys io.Writer, _ *Crash) { armed.Store(true); press(keys, "j") }},
		"in a command": {func(d *Deps) {
			paper(d).planned = func(plan.Plan) plan.Plan { panic("boom in a command") }
		}, func(_ func(), keys io.Writer, _ *Crash) { press(keys, "D") }},
		"in a goroutine": {func(*Deps) {}, func(_ func(), _ io.Writer, c *Crash) {
			c.onPanic("a reflector", "boom in a goroutine", []byte("stack"))
		}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			armed.Store(false)
			_, err := program(t, c.act, c.change)
			var crash *CrashError
			if !errors.As(err, &crash) || crash.Value != "boom "+name {
				t.Fatalf("err %v", err)
			}
			text, err := os.ReadFile(crash.Path)
			if err != nil || !strings.Contains(string(text), "boom "+name) {
				t.Fatalf("%s: %v", text, err)
			}
		})
	}
}

// Ctrl+Z stops the process, and never a run with it.
func TestStoppedLikeAnyProgram(t *testing.T) {
	d := drive(t, company(), 100, 30)
	_, cmd := d.m.Update(keyPress("ctrl+z"))
	if cmd == nil {
		t.Fatal("the program is not stopped")
	}
	if msg := cmd(); msg != tea.Suspend() {
		t.Errorf("%T instead", msg)
	}
	d = drive(t, company(), 100, 30, attached(runState()))
	_, cmd = d.m.Update(keyPress("ctrl+z"))
	d.exec(cmd)
	d.shows("the run is part of this program and would stop with it: q offers to suspend")
}
