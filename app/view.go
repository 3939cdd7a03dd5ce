package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/engine"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// View is what is watched of a cluster, and waits until it shows something.
type View struct {
	engine.Source // nil before anything is watched
	Now           func() time.Time
	// Progress is told what a wait is for, a line at a time; nil where it is not shown.
	Progress func(line string)
}

func (v *View) report(line string) {
	if v.Progress != nil {
		v.Progress(line)
	}
}

// patience is how long the wait for the first lists stays silent.
const patience = 3 * time.Second

// Synced returns the first snapshot in which every kind is in. Where nodes are named,
// only these are needed, and of the pods those on them. A kind without which nothing
// works is an *Error where it may not be listed.
func (v *View) Synced(ctx context.Context, kinds []kube.Kind, nodes ...string) (*kube.Snapshot, error) {
	return v.awaitKinds(ctx, func(snapshot *kube.Snapshot) ([]string, error) {
		return missingKinds(snapshot, kinds, nodes)
	})
}

// Read is Synced for what only explains more: it may as well be denied.
func (v *View) Read(ctx context.Context, kinds []kube.Kind) (*kube.Snapshot, error) {
	return v.awaitKinds(ctx, func(snapshot *kube.Snapshot) ([]string, error) {
		missing, _ := missingKinds(snapshot, kinds, nil) // an error tells that a kind is denied
		return missing, nil
	})
}

func (v *View) awaitKinds(
	ctx context.Context, look func(*kube.Snapshot) (missing []string, err error),
) (*kube.Snapshot, error) {
	changed := v.Changed(ctx)
	silent := time.NewTimer(patience)
	defer silent.Stop()
	for {
		snapshot := v.Snapshot()
		missing, err := look(snapshot)
		if err != nil || len(missing) == 0 {
			return snapshot, err
		}
		select {
		case <-changed:
		case <-silent.C:
			silent.Reset(10 * patience)
			line := "reading the cluster: " + strings.Join(missing, ", ") + " not complete yet"
			if h := snapshot.Health(); !h.Live && h.Reason != "" {
				line += "; the API server does not answer: " + h.Reason
			}
			v.report(line)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// await returns once the snapshot is as it should be, or the context ends, with its
// cause. until is when it is to look again without a change, zero for not.
func (v *View) await(ctx context.Context, done func(*kube.Snapshot) (ok bool, until time.Time)) error {
	changed := v.Changed(ctx)
	for {
		ok, until := done(v.Snapshot())
		if ok {
			return nil
		}
		timer := time.NewTimer(until.Sub(v.Now()))
		if until.IsZero() {
			timer.Stop()
		}
		select {
		case <-changed:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

func missingKinds(s *kube.Snapshot, kinds []kube.Kind, nodes []string) (missing []string, err error) {
	for _, k := range kinds {
		state := syncOf(s, k, nodes)
		switch {
		case state.Phase == kube.Denied && slices.Contains(essentialKinds, k):
			return nil, &Error{
				Reason: ReasonForbidden, Text: fmt.Sprintf("cannot list %s: %s", k, state.Reason),
				Hint: "the user needs the rule: list " + string(k),
			}
		case state.Phase == kube.NotSynced:
			missing = append(missing, fmt.Sprintf("%s (%d)", k, state.Count))
		}
	}
	return missing, nil
}

// syncOf is the sync state of a kind; of nodes and pods, where nodes are named, that
// of the first of them that is not known yet.
func syncOf(s *kube.Snapshot, k kube.Kind, nodes []string) kube.SyncState {
	if len(nodes) == 0 || !slices.Contains(essentialKinds, k) {
		return s.Sync(k)
	}
	var state kube.SyncState
	for _, node := range nodes {
		state = s.On(node).Sync(k)
		if state.Phase == kube.NotSynced || state.Phase == kube.Denied {
			break
		}
	}
	return state
}
