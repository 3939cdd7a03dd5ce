package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// cordonMark is the annotation by which a run is known without its journal.
const cordonMark = "kdrain-tui.dev/cordon"

// landTime is how long a request that a killed process sent may take to arrive.
const landTime = 2 * time.Second

// elsewhere moves the operator to a machine that has no journal: what is known of
// the run from here on are its marks in the cluster.
func (o *ordeal) elsewhere() error {
	state, err := os.MkdirTemp(o.rig.Dir, "state-")
	if err != nil {
		return fmt.Errorf("make a folder for journals: %w", err)
	}
	moved := *o.rig
	moved.State = state
	o.rig, o.former = &moved, o.journal
	return nil
}

// marked are the targets that carry the mark of the run. It counts only while the
// node is cordoned: whoever uncordons it takes the node out of the run.
func (o *ordeal) marked(ctx context.Context) ([]string, error) {
	var names []string
	for _, name := range o.e.world.Targets {
		node, err := o.builder.client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, fmt.Errorf("look for the mark of node %s: %w", name, err)
		}
		var mark struct{ Run string }
		if node.Spec.Unschedulable && json.Unmarshal([]byte(node.Annotations[cordonMark]), &mark) == nil &&
			mark.Run == o.journal.run {
			names = append(names, name)
		}
	}
	return names, nil
}

// handOver lets another machine roll the run back or go on with it, by its marks
// alone. It does nothing where the run has left no mark.
func (o *ordeal) handOver(ctx context.Context) (done bool, err error) {
	if !o.e.world.Killing.Elsewhere || o.journal.run == "" || o.journal.outcome() != "" {
		return false, nil
	}
	select {
	case <-o.happened: // else a node may lose its mark after it was looked for
	case <-ctx.Done():
		return false, nil
	}
	time.Sleep(landTime)
	nodes, err := o.marked(ctx)
	if err != nil || len(nodes) == 0 {
		return false, err
	}
	if err := o.elsewhere(); err != nil {
		return true, err
	}
	var named []string
	for _, name := range nodes {
		named = append(named, "--node", name)
	}
	if o.e.world.Killing.Rollback {
		o.ended = "rolled back elsewhere"
		return true, o.undone(ctx, slices.Concat([]string{"rollback", "--yes", withoutLeases}, named))
	}
	o.ended = "resumed elsewhere"
	return true, o.last(ctx, slices.Concat([]string{"resume", "--yes", "-o", "json"}, named, o.e.world.Flags))
}

// withoutLeases keeps a handover from waiting until those of the dead run lapse.
const withoutLeases = "--lease-namespace="

// takeOver lets a second operator take the nodes from the run while it lives.
func (o *ordeal) takeOver(ctx context.Context) error {
	m := o.e.world.Killing.Moments[0]
	first := make(chan error, 1)
	second := make(chan struct{})
	watch := newTrigger(&m)
	calling, cancel := context.WithTimeout(ctx, 2*o.limit())
	defer cancel()
	p, err := o.rig.Begin(calling, o.listeners(watch), o.kdrain, o.args(0)...)
	if err != nil {
		return err
	}
	go func() {
		result, err := p.Wait()
		o.e.result = result
		close(second)
		first <- err
	}()
	there := watch.wait(second)
	if there {
		o.takeovers++
	}
	if there && o.e.world.Killing.Dead {
		if err := p.Kill(); err != nil {
			return err
		}
		<-second
		o.kills++
	}
	machine := o.rig
	if err := o.elsewhere(); err != nil {
		return err
	}
	args := slices.Concat([]string{"drain", "--yes", "-o", "json", "--take-over"}, o.e.world.Flags, o.e.world.Targets)
	failed := o.takeUp(ctx, args)
	err = <-first
	switch {
	case ctx.Err() != nil:
		return err
	case calling.Err() != nil:
		o.e.accuse("the run whose nodes were taken over had not ended after %s", 2*o.limit())
		return errStuck
	case failed != nil || err != nil:
		return errors.Join(failed, err)
	}
	loser := o.e.result
	o.e.result = o.winner
	// The processes as they began, for what is asked for twice.
	o.calls = []call{{Args: o.args(0), Result: loser}, {Args: args, Result: o.winner}}
	if o.former, err = readJournal(machine.State); err != nil {
		return err
	}
	o.ended = "taken over"
	return o.lookAtJournal(ctx)
}

// takeUp is the second operator's process, up to its end.
func (o *ordeal) takeUp(ctx context.Context, args []string) error {
	calling, cancel := context.WithTimeout(ctx, o.limit())
	defer cancel()
	result, err := o.rig.Call(calling, o.kdrain, args...)
	o.winner = result
	if ctx.Err() == nil && calling.Err() != nil {
		o.e.accuse("the run that took over had not ended after %s", o.limit())
		return errStuck
	}
	return err
}

// noticed is how long a run may take to see that a node was taken from it.
const noticed = time.Second

// checkTakenOver: once another run has begun to work on a node, the first one asks
// for nothing more there.
func (e *evidence) checkTakenOver() {
	since := map[string]time.Time{}
	for _, event := range e.ordeal.journal.events {
		if _, known := since[event.Node]; !known && event.Kind == "Intent" &&
			slices.Contains(moving, event.Action.Verb) {
			since[event.Node] = event.Time
		}
	}
	for _, event := range e.ordeal.former.events {
		began, taken := since[event.Node]
		if taken && event.Kind == "Intent" && slices.Contains(moving, event.Action.Verb) &&
			event.Time.After(began.Add(e.allowed(noticed))) {
			e.accuse("node %s was taken over at %s, and the first run began to %s %s/%s at %s", event.Node,
				clock(began),
				event.Action.Verb, event.Namespace, event.Pod, clock(event.Time))
		}
	}
}

// takenOver is when the run began that took the nodes over, zero where none did.
func (e *evidence) takenOver() time.Time {
	if e.world.Killing == nil || !e.world.Killing.TakeOver {
		return time.Time{}
	}
	return e.ordeal.journal.began()
}
