package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// askHeld asks before nodes are uncordoned that a run holds by its Lease: the run
// would stop there. Without a terminal that takes --take-over. A Lease that cannot be
// read does not prevent it: it is said that nothing is known. One whose run is known
// on this machine to have ended holds nothing.
func (c *cordoning) askHeld(ctx context.Context, session *app.Session, nodes []string, o plan.Options) error {
	if o.LeaseNamespace == "" {
		return nil
	}
	s, err := session.Read(ctx, []kube.Kind{kube.KindLeases})
	if err != nil {
		return err
	}
	if !s.Trusted(kube.KindLeases) {
		words := "Warning: Leases cannot be read: whether a run is at work on " + strings.Join(nodes, ", ") + " is not known"
		if reason := s.Sync(kube.KindLeases).Reason; reason != "" {
			words += ": " + reason
		}
		fmt.Fprintln(c.Err, kube.Clean(words))
		return nil
	}
	life, said := c.runs.Lives(), []string(nil)
	holds := slices.DeleteFunc(lease.Holds(s, nodes, "", c.Now()), func(h lease.Hold) bool {
		n := s.Node(h.Node)
		return h.Lapsed || n == nil || !n.Unschedulable || slices.Contains(o.TakeOver, h.Run) || slices.Contains(o.TakeOver, plan.TakeOverAny) ||
			life(h.Run) == tempbudget.RunDead
	})
	for _, h := range holds {
		said = append(said, "node "+h.Node+" is held by "+h.Words+", which stops there when the node is uncordoned")
	}
	if len(holds) == 0 {
		return nil
	}
	refused := &failure{code: ExitRefused, text: strings.Join(said, "\n") + "\nnothing was changed",
		hint: "let that run end or abort it where it runs; or uncordon all the same: --take-over=" + holds[0].Run}
	if !c.canAsk() {
		return refused
	}
	word := holds[0].Run
	if slices.ContainsFunc(holds, func(h lease.Hold) bool { return h.Run != word }) {
		word = "take over"
	}
	question := kube.Clean(strings.Join(said, "; ") + ". Type " + word + " to uncordon all the same: ")
	select {
	case line := <-c.ask(func() { fmt.Fprint(c.Err, question) }): // "" where none can come
		if line == word {
			return nil
		}
		return refused
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
