package plan

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Previews are plans of single nodes of one snapshot, each as if it were drained
// alone, without findings and advice: cheap enough for all rows of a table. What
// has been worked out of a budget or an owner for one node serves the next, and
// under other options too. They are for one goroutine.
type Previews struct {
	s      *kube.Snapshot
	now    time.Time
	ledger *budget.Ledger
	taken  map[kube.UID]struct{} // room for the pods of one node
}

// NewPreviews are the previews of a snapshot.
func NewPreviews(s *kube.Snapshot, now time.Time) *Previews {
	return &Previews{s: s, now: now, ledger: budget.NewLedger(s, now), taken: map[kube.UID]struct{}{}}
}

// Node is the plan of one node. One that does not exist has an empty plan.
func (v *Previews) Node(name string, o Options) Node {
	clear(v.taken)
	p := planner{s: v.s, o: o, now: v.now, ledger: v.ledger, taken: v.taken}
	return p.nodes([]string{name})[0]
}
