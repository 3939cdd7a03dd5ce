package main

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/rig"
)

// rollElsewhere lets another machine roll back or drain on what the annotations of a dead roll name: each of its runs
// by itself. It does nothing where no node has one.
func (o *ordeal) rollElsewhere(ctx context.Context) (done bool, err error) {
	select {
	case <-o.happened: // else a node may lose its mark after it was looked for
	case <-ctx.Done():
		return false, nil
	}
	time.Sleep(landTime)
	if err := o.waitForWorks(ctx); err != nil { // the operator makes sure of what no annotation tells
		return false, err
	}
	marks, err := o.marks(ctx)
	if err != nil || len(marks) == 0 {
		return false, err
	}
	home, runs := o.rig, o.roll.journal.runs
	for _, run := range slices.Sorted(maps.Keys(marks)) {
		var named []string
		for _, name := range marks[run] {
			named = append(named, "--node", name)
		}
		other, err := o.otherMachine()
		if err != nil {
			return true, err
		}
		if o.e.world.Killing.Rollback {
			o.ended = "rolled back elsewhere"
			err = o.rollBackOne(ctx, other, slices.Concat([]string{"rollback", "--yes", withoutLeases}, named)...)
		} else {
			o.ended = "resumed elsewhere"
			err = o.drainElsewhere(ctx, other,
				slices.Concat([]string{"resume", "--yes", "-o", "json"}, named, o.e.world.Flags))
		}
		if err != nil {
			return true, err
		}
	}
	// A run that was killed before it marked a node is known to its journal alone.
	if last := runs[len(runs)-1]; marks[last.run] == nil || !o.e.world.Killing.Rollback {
		return true, o.rollBackAll(ctx, home, o.roll.journal.id)
	}
	o.roll.undone = true
	return true, o.compareRoll(ctx, "after all was rolled back elsewhere")
}

// drainElsewhere drains nodes of the roll in a run of its own, and rolls that back.
func (o *ordeal) drainElsewhere(ctx context.Context, other *rig.Rig, args []string) error {
	calling, cancel := context.WithTimeout(ctx, o.limit())
	defer cancel()
	result, err := other.Call(calling, o.kdrain, args...)
	if ctx.Err() == nil && calling.Err() != nil {
		o.e.accuse("%s had not ended after %s", strings.Join(args, " "), o.limit())
		return errStuck
	}
	if err != nil {
		return err
	}
	o.calls = append(o.calls, call{Args: args, Result: result})
	o.roll.drains = append(o.roll.drains, result)
	drained, err := readJournal(other.State)
	if err != nil || drained.run == "" {
		return err
	}
	o.roll.later = append(o.roll.later, drained)
	return o.rollBackOne(ctx, other, "rollback", drained.run, "--yes")
}

// takeRollOver lets a second operator take nodes from a roll that lives, or that was killed just before.
func (o *ordeal) takeRollOver(ctx context.Context) error {
	m, r, home := o.e.world.Killing.Moments[0], o.roll, o.rig
	o.ended = "taken over"
	watch, first := newTrigger(&m), make(chan error, 1)
	calling, cancel := context.WithTimeout(ctx, 3*o.limit())
	defer cancel()
	p, err := home.Begin(calling, o.listeners(watch), o.kdrain, o.e.args()...)
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		result, err := p.Wait()
		o.e.result = result
		close(ended)
		first <- err
	}()
	if watch.wait(ended) {
		o.takeovers++
		if o.e.world.Killing.Dead {
			if err := p.Kill(); err != nil {
				return err
			}
			<-ended
			o.kills++
			if err := o.waitForWorks(ctx); err != nil {
				return err
			}
		}
	}
	failed := o.takeNodes(ctx)
	err = <-first
	o.calls = append([]call{{Args: o.e.args(), Result: o.e.result}}, o.calls...)
	switch {
	case ctx.Err() != nil:
		return err
	case calling.Err() != nil:
		o.e.accuse("the roll whose nodes were taken over had not ended after %s", 3*o.limit())
		return errStuck
	case failed != nil || err != nil:
		return errors.Join(failed, err)
	}
	if r.journal, err = readRollJournal(home.State); err != nil {
		return err
	}
	if r.journal.id != "" && r.journal.outcome() == "" { // it was killed
		if _, err := o.rollProcess(ctx, nil, home); err != nil {
			return err
		}
	}
	if r.journal.id == "" {
		r.never = true
		return o.compareRoll(ctx, "after the roll did not begin and its nodes were taken over")
	}
	return o.rollBackAll(ctx, home, r.journal.id)
}

// takeNodes drains all nodes of the roll, or those that it has now, from another machine.
func (o *ordeal) takeNodes(ctx context.Context) error {
	nodes := o.e.world.Targets
	marks, err := o.marks(ctx)
	if err != nil {
		return err
	}
	if len(marks) > 0 && !o.e.world.Roll.Beside {
		nodes = slices.Sorted(maps.Keys(invert(marks)))
	}
	o.roll.taken = nodes
	other, err := o.otherMachine()
	if err != nil {
		return err
	}
	return o.drainElsewhere(ctx, other,
		slices.Concat([]string{"drain", "--yes", "-o", "json", "--take-over"}, o.e.world.Flags, nodes))
}

func invert(marks map[string][]string) map[string]string {
	runs := map[string]string{}
	for run, nodes := range marks {
		for _, name := range nodes {
			runs[name] = run
		}
	}
	return runs
}

// compareRoll says what is not as it was before the roll, without what others have changed meanwhile.
func (o *ordeal) compareRoll(ctx context.Context, when string) error {
	different, err := o.builder.compare(ctx, o.e.world, o.before, o.e.world.untouched)
	for _, text := range different {
		o.e.accuse("%s: %s", when, text)
	}
	return err
}

// untouched is the part of a dump that nobody else changes in this world.
func (w world) untouched(d dump) dump {
	part := maps.Clone(d)
	for _, h := range w.Happenings {
		maps.DeleteFunc(part, func(name, _ string) bool {
			kind, named, _ := strings.Cut(name, " ")
			switch h.What {
			case "uncordon":
				return name == "node "+h.Name
			case "loosen", "tighten", "unguard":
				return name == "budget "+h.Namespace+"/"+h.Name
			case "scale", "scale down":
				return kind != "node" && kind != "lease" && kind != "budget" &&
					strings.HasPrefix(named+"-", h.Namespace+"/"+h.Name+"-") ||
					kind == "annotations" && strings.Contains(named, h.Namespace+"/"+h.Name)
			}
			return false
		})
	}
	return part
}

// rollEvidence is what is known of a roll beside its runs, nil where there is none.
func (e *evidence) rollEvidence() any {
	if e.ordeal == nil || e.ordeal.roll == nil {
		return nil
	}
	r := e.ordeal.roll
	return map[string]any{"journal": strings.Split(r.journal.text, "\n"), "works": r.works, "nodes": r.nodes,
		"taken": r.taken, "drains": r.drains}
}
