package drain_test

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/report"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

func init() {
	drain.RollBack = func(s *drain.State, snap *kube.Snapshot, now time.Time) (next *drain.State, all []request.Request) {
		for _, u := range rollback.Plan(s, snap, now) {
			if u.Left == "" {
				s, all = drain.Fold(s, u.Intents(s, "ada", now)...), append(all, u.Requests()...)
			}
		}
		return s, all
	}
	drain.ToDo = func(events []drain.Event) (left []string, safe map[string]bool) {
		r, safe := report.Of(events, false), map[string]bool{}
		for _, one := range r.ToDo {
			left = append(left, one.What)
		}
		for _, n := range r.Nodes {
			safe[n.Name] = n.SafeToPowerOff
		}
		return left, safe
	}
}
