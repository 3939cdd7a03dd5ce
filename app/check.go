package app

import (
	"context"

	"github.com/kdrain-tui/kdrain-tui/drain/checklist"
)

// Check judges whether the nodes are safe to power off, all of them together, once all
// that this depends on is in. What may not be listed is not known, but for nodes and
// their pods: without these it is an *Error.
func Check(ctx context.Context, s *Session, sel Selection) ([]checklist.NodeVerdict, error) {
	if err := s.rights().need(ctx, readRights); err != nil {
		return nil, err
	}
	s.Observe(ctx, checklist.Kinds...)
	snapshot, err := s.Synced(ctx, checklist.Kinds)
	if err != nil {
		return nil, err
	}
	names, err := sel.Nodes(snapshot, s.Target)
	if err != nil {
		return nil, err
	}
	if err := s.readDaemonSets(ctx, names); err != nil {
		return nil, err
	}
	return checklist.OfAll(s.Snapshot(), names, s.Now()), nil
}
