package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/engine"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/watch"
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

// Synced returns the first snapshot in which all objects of every kind are in. A kind
// without which nothing works is an *Error where it may not be listed.
func (s *Session) Synced(ctx context.Context, kinds []kube.Kind) (*kube.Snapshot, error) {
	return s.synced(ctx, watch.Whole(kinds...))
}

// synced is Synced for what is needed, as far as each snapshot tells which that is. What is not
// watched yet is watched from then on.
func (s *Session) synced(ctx context.Context, needs watch.Needs) (*kube.Snapshot, error) {
	changed := s.Changed(ctx)
	silent := time.NewTimer(patience)
	defer silent.Stop()
	for {
		snapshot := s.Snapshot()
		needed, _ := needs(snapshot)
		missing, err := missingOf(snapshot, needed)
		if err != nil || len(missing) == 0 {
			return snapshot, err
		}
		s.Bring(s.Source, missing)
		select {
		case <-changed:
		case <-silent.C:
			silent.Reset(10 * patience)
			line := "reading the cluster: " + counts(snapshot, missing) + " not complete yet"
			if h := snapshot.Health(); !h.Live && h.Reason != "" {
				line += "; the API server does not answer: " + h.Reason
			}
			s.report(line)
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

// missingOf are the scopes that are not in yet.
func missingOf(s *kube.Snapshot, scopes []kube.Scope) (missing []kube.Scope, err error) {
	for _, of := range scopes {
		state := of.Sync(s)
		switch {
		case state.Phase == kube.Denied && slices.Contains(essentialKinds, of.Kind):
			return nil, &Error{
				Reason: ReasonForbidden, Text: fmt.Sprintf("cannot list %s: %s", of.Kind, state.Reason),
				Hint: "the user needs the rule: list " + string(of.Kind),
			}
		case state.Phase == kube.NotSynced:
			missing = append(missing, of)
		}
	}
	return missing, nil
}

// counts are the kinds of the scopes, with how many objects of each are in.
func counts(s *kube.Snapshot, scopes []kube.Scope) string {
	var all []string
	for _, of := range scopes {
		if text := fmt.Sprintf("%s (%d)", of.Kind, s.Sync(of.Kind).Count); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return strings.Join(all, ", ")
}
