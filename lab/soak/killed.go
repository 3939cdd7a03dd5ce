package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/rig"
)

// ordeal is a run that is killed: its processes and what they left.
type ordeal struct {
	e       *evidence
	rig     *rig.Rig // with a state folder of its own
	builder builder
	kdrain  string
	before  dump

	calls        []call
	steers       *steering
	kills        int // and hangups
	hangups      int
	lostTerminal bool // the last process lost its terminal
	journal      journal
	former       journal    // of the run that another machine took up by its marks, or took over
	winner       rig.Result // of the process that took over
	takeovers    int
	ended        string        // how: resumed, rolled back, ended by itself, never begun
	happened     chan struct{} // closed when nothing more happens in the world
	back         chan error    // closed when the API server is back, nil without a fault
	away         span          // of the API server
	roll         *rollLife     // of a roll
}

// call is one process of it.
type call struct {
	Args   []string
	Result rig.Result
}

// runKilled lets a drain be killed, and goes on with it or takes it back.
func (e *evidence) runKilled(ctx context.Context, r *rig.Rig, b builder, kdrain string) error {
	state, err := os.MkdirTemp(r.Dir, "state-")
	if err != nil {
		return fmt.Errorf("make a folder for journals: %w", err)
	}
	own := *r
	own.State = state
	o := &ordeal{e: e, rig: &own, builder: b, kdrain: kdrain}
	e.ordeal = o
	o.before = e.before
	var failed error
	o.happened = make(chan struct{})
	happening, stop := context.WithCancel(ctx)
	go func() {
		defer close(o.happened)
		failed = b.happen(happening, e.world)
	}()
	o.steers = steer(happening, o.rig, b, kdrain, e.world)
	err = o.live(ctx)
	stop()
	e.steered = o.steers.end()
	<-o.happened
	if err == nil && e.world.Killing.Fault == nil {
		err = failed // with the server away, things may not happen
	}
	if o.back != nil {
		if failed := <-o.back; err == nil {
			err = failed
		}
	}
	return err
}

// live is the run from its first process to its last.
func (o *ordeal) live(ctx context.Context) error {
	k := o.e.world.Killing
	switch {
	case o.e.world.Roll != nil:
		return o.liveRoll(ctx)
	case k.TakeOver:
		return o.takeOver(ctx)
	}
	for i, m := range k.Moments {
		takenUp := o.journal.takenUp()
		killed, err := o.process(ctx, i, &m, o.args(i))
		if err != nil {
			return err
		}
		if err := o.lookAtJournal(ctx); err != nil {
			return err
		}
		if m.Hangup && !killed {
			killed = o.checkSuspended(takenUp)
		}
		if !killed && i > 0 && o.back != nil && o.journal.outcome() == "" {
			break // it found no server to go on with; the last one waits for it
		}
		if !killed {
			o.ended = "ended before the kill"
			break
		}
		o.kills++
		if err := o.checkListed(ctx); err != nil {
			return err
		}
		if o.journal.outcome() != "" || o.journal.run == "" {
			break
		}
		time.Sleep(k.Away)
	}
	if done, err := o.handOver(ctx); done || err != nil {
		return err
	}
	switch {
	case o.journal.run == "" && (o.e.result.Killed || o.e.result.Code == hungUp || o.e.result.Code == -1 ||
		o.back != nil && o.e.result.Code == 1):
		o.ended = "never begun"
		return o.checkUndone(ctx)
	case k.Rollback:
		return o.rollBack(ctx)
	case o.ended != "":
		return nil
	case o.journal.outcome() != "":
		o.ended = "ended at the kill"
		return o.takeReport(ctx)
	}
	o.ended = "resumed"
	return o.last(ctx, o.args(len(o.calls)))
}

// args are those of the process of that number.
func (o *ordeal) args(i int) []string {
	if i == 0 {
		return o.e.args()
	}
	return append([]string{"resume", o.journal.run, "--yes", "-o", "json"}, o.e.world.as()...)
}

// process lets one process run until it ends or its moment comes.
func (o *ordeal) process(ctx context.Context, number int, m *moment, args []string) (killed bool, err error) {
	calling, cancel := context.WithTimeout(ctx, o.limit())
	defer cancel()
	watch := newTrigger(m)
	p, err := o.rig.Begin(calling, o.listeners(watch), o.kdrain, args...)
	if err != nil {
		return false, err
	}
	o.startFault(ctx, number)
	o.lostTerminal = false
	done := make(chan struct{})
	var killing sync.WaitGroup
	if m != nil {
		killing.Go(func() {
			switch {
			case !watch.wait(done):
			case m.Hangup:
				o.lostTerminal = true
				err = p.Hangup()
			default:
				err = p.Kill()
			}
		})
	}
	result, failed := p.Wait()
	close(done)
	killing.Wait()
	o.calls = append(o.calls, call{Args: args, Result: result})
	o.e.result = result
	switch {
	case ctx.Err() != nil:
		return false, failed
	case calling.Err() != nil:
		o.e.accuse("%s had not ended after %s", strings.Join(args, " "), o.limit())
		return false, errStuck
	}
	return result.Killed, errors.Join(err, failed)
}

// listeners are all that want the lines of a process.
func (o *ordeal) listeners(watch *trigger) func([]byte) {
	return func(line []byte) {
		o.steers.line(line)
		watch.line(line)
		o.roll.line(line)
	}
}

// errStuck ends an ordeal; what is wrong has been said.
var errStuck = errors.New("it does not end")

// limit is how long one process may take.
func (o *ordeal) limit() time.Duration {
	return time.Duration(len(o.e.world.Targets))*o.e.world.Timeout + beginAndEnd
}

// trigger sees the moment of a kill come.
type trigger struct {
	moment
	seen         int
	began, there chan struct{} // closed at the first line, at the line of the moment
}

func newTrigger(m *moment) *trigger {
	t := &trigger{began: make(chan struct{}), there: make(chan struct{})}
	if m != nil {
		t.moment = *m
	}
	return t
}

// line takes a line of the output.
func (t *trigger) line(text []byte) {
	select {
	case <-t.began:
	default:
		close(t.began)
	}
	if t.Line != "" && strings.Contains(string(text), t.Line) {
		if t.seen++; t.seen == t.Nth {
			close(t.there)
		}
	}
}

// silent is how long a process may take to say something.
const silent = 10 * time.Second

// wait returns at the moment, and tells whether the process still runs.
func (t *trigger) wait(done <-chan struct{}) bool {
	if !t.Early {
		select {
		case <-t.began:
		case <-time.After(silent):
		case <-done:
			return false
		}
	}
	select {
	case <-t.there:
		time.Sleep(t.After)
	case <-time.After(t.Latest):
	case <-done:
		return false
	}
	return true
}

// startFault kills the API server while the process of that number runs, and
// starts it again.
func (o *ordeal) startFault(ctx context.Context, number int) {
	f := o.e.world.Killing.Fault
	if f == nil || f.During != number || o.back != nil {
		return
	}
	back := make(chan error, 1) // o.back is forgotten by whoever has waited for it
	o.back = back
	go func() {
		time.Sleep(f.After)
		// Whatever becomes of us, the server comes back.
		ctx := context.WithoutCancel(ctx)
		o.away = span{time.Now(), time.Now().Add(time.Hour)}
		err := o.rig.Fault(ctx, "stop", "kube-apiserver")
		time.Sleep(f.For)
		err = errors.Join(err, o.rig.Fault(ctx, "start", "kube-apiserver"))
		o.away.to = time.Now()
		back <- err
		close(back)
	}()
}

// serverBack waits until a fault is over, and tells whether there was one.
func (o *ordeal) serverBack() (bool, error) {
	if o.back == nil {
		return false, nil
	}
	err := <-o.back
	return true, err
}

// last is a process that comes to its end. One that finds no server says so and
// is called again once there is one.
func (o *ordeal) last(ctx context.Context, args []string) error {
	number := len(o.e.world.Killing.Moments)
	for {
		if _, err := o.process(ctx, number, nil, args); err != nil {
			return err
		}
		number = -1
		if o.e.result.Code != 1 || strings.Contains(o.e.result.Out, "kdrain-tui/report/") || o.back == nil {
			break
		}
		if again, err := o.serverBack(); err != nil || !again {
			return err
		}
		o.back = nil
	}
	return errors.Join(o.lookAtJournal(ctx), o.checkLeases(ctx))
}

// rollBack takes the run back and compares.
func (o *ordeal) rollBack(ctx context.Context) error {
	o.ended = "rolled back"
	args := append([]string{"rollback", o.journal.run, "--yes"}, o.e.world.as()...)
	if o.e.world.Run%3 == 0 { // a rollback can be killed too
		m := moment{Early: true, Latest: 150 * time.Millisecond * time.Duration(1+o.e.world.Run%5)}
		killed, err := o.process(ctx, -1, &m, args)
		if err != nil {
			return err
		}
		if killed {
			o.kills++
		}
	}
	return o.undone(ctx, args)
}

// undone takes the run back, and compares.
func (o *ordeal) undone(ctx context.Context, args []string) error {
	if err := o.last(ctx, args); err != nil {
		return err
	}
	if o.e.result.Code != 0 {
		o.e.accuse("the rollback ended with code %d: %s", o.e.result.Code, o.e.result.Err)
	}
	return o.checkUndone(ctx)
}

// checkUndone compares the cluster with what it was before the run.
func (o *ordeal) checkUndone(ctx context.Context) error {
	if _, err := o.serverBack(); err != nil {
		return err
	}
	o.back = nil
	if !o.e.world.Killing.Rollback && len(o.e.world.Happenings) > 0 {
		return nil // others have changed it too
	}
	different, err := o.builder.compare(ctx, o.e.world, o.before, whole)
	for _, text := range different {
		o.e.accuse("after all was %s: %s", o.ended, text)
	}
	return err
}

// takeReport asks for the report of a run that had ended when it was killed, and
// makes sure that there is nothing to resume.
func (o *ordeal) takeReport(ctx context.Context) error {
	again, err := o.rig.Call(ctx, o.kdrain, "resume", o.journal.run, "--yes", "-o", "json")
	if err != nil {
		return err
	}
	if again.Code != 1 || !strings.Contains(again.Err, "nothing to resume") {
		o.e.accuse("resume of a run that has ended: code %d, %q", again.Code, again.Err)
	}
	told, err := o.rig.Call(ctx, o.kdrain, "report", o.journal.run, "-o", "json")
	if err != nil {
		return err
	}
	var report report
	if err := json.Unmarshal([]byte(told.Out), &report); err != nil {
		o.e.accuse("the report of the journal is no JSON: %v", err)
		return nil
	}
	o.e.told = &report
	o.e.result.Code = codes[report.Outcome]
	return nil
}

// calls are the processes of a run that was killed.
func (e *evidence) calls() []call {
	if e.ordeal == nil {
		return nil
	}
	return e.ordeal.calls
}

// journalText is the journal of a run that was killed, as it stands.
func (e *evidence) journalText() string {
	if e.ordeal == nil {
		return ""
	}
	return e.ordeal.journal.text
}

// formerText is the journal of the run before that, where there are two.
func (e *evidence) formerText() string {
	if e.ordeal == nil {
		return ""
	}
	return e.ordeal.former.text
}
