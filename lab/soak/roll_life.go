package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/rig"
)

// rollLife is what there is of a roll beside its processes.
type rollLife struct {
	trace   string // the file that its commands append to
	journal rollJournal
	drains  []rig.Result // of others on its nodes: by annotations, or that took them over
	later   []journal    // of those
	taken   []string     // the nodes that were taken over
	nodes   map[string][]nodeFrame
	works   []work
	undone  bool // in the end all was rolled back
	never   bool // it did not begin

	mu      sync.Mutex
	id      string
	closed  time.Time // since when its health gate is closed, zero while it is open
	aborted bool      // by the operator, whom the gate made wait for too long
}

// line takes a line of the output of any process; none but those of rolls are of use.
func (r *rollLife) line(text []byte) {
	var e rollEvent
	if r == nil || json.Unmarshal(text, &e) != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var started struct{ Run struct{ ID string } }
	switch {
	case e.Kind == "RollStarted" && json.Unmarshal(e.Roll, &started) == nil:
		r.id = started.Run.ID
	case e.Kind == "Gate" && e.Gate != nil && !e.Gate.Closed:
		r.closed = time.Time{}
	case e.Kind == "Gate" && r.closed.IsZero():
		r.closed = time.Now()
	}
}

// gatePatience is how long the operator waits for workloads that are worse than before.
const gatePatience = 4 * time.Second

// impatient is the id of the roll whose gate has been closed for too long, "" for none.
func (r *rollLife) impatient() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed.IsZero() || r.aborted || time.Since(r.closed) < gatePatience {
		return ""
	}
	return r.id
}

// attend aborts a roll that waits for workloads that do not get better, until the context ends.
func (o *ordeal) attend(ctx context.Context) {
	home, r := *o.rig, o.roll
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(200 * time.Millisecond):
		}
		id := r.impatient()
		if id == "" {
			continue
		}
		if result, err := home.Call(ctx, o.kdrain, "ctl", id, "abort"); err == nil && result.Code == 0 {
			r.mu.Lock()
			r.aborted = true
			r.mu.Unlock()
		}
	}
}

// liveRoll is a roll from its first process to its last, and what is done with what it leaves.
func (o *ordeal) liveRoll(ctx context.Context) error {
	o.roll = &rollLife{trace: filepath.Join(o.rig.State, "trace.jsonl")}
	film, err := o.builder.filmNodes(ctx)
	if err != nil {
		return err
	}
	attending, stop := context.WithCancel(ctx)
	var attendant sync.WaitGroup
	attendant.Go(func() { o.attend(attending) })
	err = o.goThrough(ctx)
	stop()
	attendant.Wait()
	nodes, broken := film.end()
	o.roll.nodes = nodes
	steps, failed := readTrace(o.roll.trace)
	o.roll.works = worksOf(steps)
	return errors.Join(err, broken, failed)
}

func (o *ordeal) goThrough(ctx context.Context) error {
	k, r, home := o.e.world.Killing, o.roll, o.rig
	if k.TakeOver {
		return o.takeRollOver(ctx)
	}
	killed := false
	for i := range k.Moments {
		var err error
		if killed, err = o.rollProcess(ctx, &k.Moments[i], home); err != nil {
			return err
		}
		if !killed || r.journal.id == "" || r.journal.outcome() != "" {
			break
		}
		if k.Uncordon {
			if err := o.uncordonOne(ctx); err != nil {
				return err
			}
		}
		time.Sleep(k.Away)
	}
	switch {
	case len(k.Moments) == 0:
		o.ended = "rolled"
		if _, err := o.rollProcess(ctx, nil, home); err != nil {
			return err
		}
	case r.journal.id == "" || r.journal.outcome() != "" || !killed:
		o.ended = "ended at the kill"
	case k.Elsewhere:
		if done, err := o.rollElsewhere(ctx); done || err != nil {
			return err
		}
		fallthrough // no node has the annotation yet
	default:
		if o.ended = "rolled back"; k.Rollback {
			return o.rollBackAll(ctx, home, r.journal.id)
		}
		o.ended = "resumed"
		if _, err := o.rollProcess(ctx, nil, home); err != nil {
			return err
		}
	}
	if r.journal.id == "" {
		r.never = true
		return o.compareRoll(ctx, "after the roll did not begin")
	}
	return o.afterRoll(ctx, home)
}

// uncordonOne lets somebody uncordon a node that the roll has cordoned, if there is one.
func (o *ordeal) uncordonOne(ctx context.Context) error {
	marks, err := o.marks(ctx)
	if err != nil || len(marks) == 0 {
		return err
	}
	nodes := slices.Sorted(maps.Keys(invert(marks)))
	h := happening{What: "uncordon", Name: nodes[o.e.world.Run%len(nodes)]}
	o.e.world.Happenings = append(o.e.world.Happenings, h)
	return o.builder.one(ctx, o.e.world, h)
}

// rollProcess lets a process begin or resume the roll, and reads what the journals hold after it.
func (o *ordeal) rollProcess(ctx context.Context, m *moment, home *rig.Rig) (killed bool, err error) {
	args := o.e.args()
	if o.roll.journal.id != "" {
		args = []string{"resume", o.roll.journal.id, "--yes", "-o", "json"}
	}
	if killed, err = o.process(ctx, len(o.calls), m, args); err != nil {
		return killed, err
	}
	before := len(o.roll.journal.events)
	if o.roll.journal, err = readRollJournal(home.State); err != nil {
		o.e.accuse("the journal of the roll is damaged: %v", err)
		return killed, errStuck
	}
	if killed {
		o.kills++
	}
	if m != nil && m.Hangup && !killed && o.roll.journal.outcome() == "" {
		killed = true // as good as
		o.checkRollHungUp(len(o.roll.journal.events) > before)
	}
	return killed, nil
}

// checkRollHungUp judges a process of a roll whose terminal went away before the roll had ended; began tells that it
// wrote to the journal. Before that it has taken nothing up that it could suspend.
func (o *ordeal) checkRollHungUp(began bool) {
	result := o.e.result
	switch {
	case !began:
	case !o.roll.journal.suspended() && result.Code == -1: // before its handler of signals
	case !o.roll.journal.suspended():
		o.e.accuse("the roll was hung up, ended with code %d, and is not suspended: %s", result.Code, result.Err)
	case result.Code != hungUp:
		o.e.accuse("the roll was hung up and suspended, and ended with code %d: %s", result.Code, result.Err)
	default:
		o.hangups++
	}
}

// afterRoll compares the cluster with what it was, once more after what the roll left is rolled back.
func (o *ordeal) afterRoll(ctx context.Context, home *rig.Rig) error {
	outcome := o.roll.journal.outcome()
	if outcome == "" {
		o.e.accuse("the roll has not ended: %s", o.e.result.Err)
		return nil
	}
	again, err := home.Call(ctx, o.kdrain, "resume", o.roll.journal.id, "--yes", "-o", "json")
	if err != nil {
		return err
	}
	if again.Code != 1 || !strings.Contains(again.Err, "nothing to resume") {
		o.e.accuse("resume of a roll that has ended: code %d, %q", again.Code, again.Err)
	}
	if outcome == "done" {
		return o.compareRoll(ctx, "after the roll was done")
	}
	return o.rollBackAll(ctx, home, o.roll.journal.id)
}

// rollBackAll rolls a run or roll back, and compares.
func (o *ordeal) rollBackAll(ctx context.Context, home *rig.Rig, id string) error {
	if err := o.rollBackOne(ctx, home, "rollback", id, "--yes"); err != nil {
		return err
	}
	o.roll.undone = true
	return o.compareRoll(ctx, "after all was rolled back")
}

// rollBackOne calls a rollback. Beside a command that still runs it has to refuse, and is called again after the end of
// that.
func (o *ordeal) rollBackOne(ctx context.Context, home *rig.Rig, args ...string) error {
	for range 2 {
		before, err := o.running()
		if err != nil {
			return err
		}
		result, err := home.Call(ctx, o.kdrain, args...)
		if err != nil {
			return err
		}
		o.calls = append(o.calls, call{Args: args, Result: result})
		after, err := o.running()
		if err != nil {
			return err
		}
		beside := slices.ContainsFunc(after, func(w work) bool { return slices.Contains(before, w) })
		switch {
		case beside && result.Code == 0 && strings.HasPrefix(args[1], o.roll.id) && // another machine knows of none
			!strings.Contains(result.Err, "there is nothing to undo for roll"):
			o.e.accuse("%s ended well while commands ran: %+v", strings.Join(args, " "), after)
		case result.Code == 0:
			return nil
		case len(before) > 0 && result.Code == 1 && strings.Contains(result.Err, "still runs for node"):
			if err := o.waitForWorks(ctx); err != nil {
				return err
			}
			continue
		default:
			o.e.accuse("%s ended with code %d: %s", strings.Join(args, " "), result.Code, result.Err)
		}
		return nil
	}
	o.e.accuse("%s did not do it after all commands had ended", strings.Join(args, " "))
	return nil
}

// running are the commands that have begun and are not known to have ended.
func (o *ordeal) running() ([]work, error) {
	steps, err := readTrace(o.roll.trace)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(worksOf(steps), func(w work) bool { return !w.Ended.IsZero() }), nil
}

func (o *ordeal) waitForWorks(ctx context.Context) error {
	err := until(ctx, "the commands of the roll to end", func() (bool, error) {
		left, err := o.running()
		return len(left) == 0, err
	})
	time.Sleep(100 * time.Millisecond) // their processes end after their last line
	return err
}

// marks are the nodes of each run whose annotation a cordoned target carries.
func (o *ordeal) marks(ctx context.Context) (map[string][]string, error) {
	marks := map[string][]string{}
	for _, name := range o.e.world.Targets {
		node, err := o.builder.client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, fmt.Errorf("look for the mark of node %s: %w", name, err)
		}
		if run := markedBy(node); run != "" && node.Spec.Unschedulable {
			marks[run] = append(marks[run], name)
		}
	}
	return marks, nil
}

// otherMachine has no journal.
func (o *ordeal) otherMachine() (*rig.Rig, error) {
	state, err := os.MkdirTemp(o.rig.Dir, "state-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for journals: %w", err)
	}
	other := *o.rig
	other.State = state
	return &other, nil
}
