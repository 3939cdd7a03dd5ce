package cli

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Temporary budgets that a run left behind: what is known of their runs here, and
// what the headless commands say of them.

// runLife tells what is known here of a run. The id comes from the cluster: it is
// looked for among the journals, never made a path of.
func (p *Program) runLife() func(run string) drain.RunLife {
	ids, err := p.runIDs()
	return func(run string) drain.RunLife {
		if err != nil || !slices.Contains(ids, run) {
			return drain.RunUnknown
		}
		switch live, err := drain.Live(drain.JournalPath(p.StateDir, run)); {
		case err != nil:
			return drain.RunUnknown
		case live:
			return drain.RunLive
		}
		return drain.RunDead
	}
}

// leftoverFindings tell of the budgets that were left behind. Who only reads is
// told of them without a command.
func (p *Program) leftoverFindings(c *Cluster, s *kube.Snapshot) []drain.Finding {
	now := p.Now()
	found := drain.LeftoverFindings(drain.Leftovers(s, p.runLife(), now), now)
	if p.onlyReads {
		for i := range found {
			found[i].Advice = nil
		}
	}
	return c.Target.Findings(found)
}

// sayFindings says what the plan found wrong, a line each, where nobody is shown the
// plan; and how to remove what was left behind.
func (o *output) sayFindings(plan drain.Plan) {
	for _, f := range plan.Findings {
		switch f.Level {
		case drain.LevelError:
			o.complain(f.Message)
		case drain.LevelWarning:
			o.warn(f.Message)
		default:
			continue
		}
		if f.Code != drain.FindingLeftBudgets {
			continue
		}
		for _, a := range f.Advice {
			o.note("%s: %s", a.Text, a.Command)
		}
	}
}

// removeBudget removes exactly one budget; one that is gone already is removed.
func removeBudget(ctx context.Context, w kube.Writer, ref kube.BudgetRef) error {
	// A request that is out is waited for: a signal stops those after it.
	answer := w.DeleteBudget(context.WithoutCancel(ctx), ref)
	if answer.OK() || answer.Code == http.StatusNotFound {
		return nil
	}
	return fmt.Errorf("%s", answerWords(answer))
}
