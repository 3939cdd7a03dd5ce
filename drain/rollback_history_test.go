package drain_test

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

func init() {
	drain.RollBack = func(s *drain.State, snap *kube.Snapshot, now time.Time) (all []request.Request) {
		for _, u := range rollback.Plan(s, snap, now) {
			if u.Left == "" {
				all = append(all, u.Requests()...)
			}
		}
		return all
	}
}
