package drain

import (
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// GrantLife is how long a grant can hold a token back at most: the server's
// word may get lost, and a token only saves requests.
const GrantLife = 15 * time.Second

// settleGrant keeps the token of an accepted eviction until the budget shows
// it, and gives that of a refused one back.
func (s *State) settleGrant(e Event, accepted bool) {
	for budget, list := range s.Grants {
		for i, g := range list {
			if g.action != e.Action.ID {
				continue
			}
			if accepted {
				list[i].granted, list[i].at = true, e.Time
			} else {
				s.Grants[budget] = slices.Delete(list, i, i+1)
			}
			return
		}
	}
}

// returnGrants gives back the tokens of a pod that is to be tried again: whatever
// became of its last eviction, the next one is about the same disruption.
func (s *State) returnGrants(pod kube.UID) {
	for budget, list := range s.Grants {
		s.Grants[budget] = slices.DeleteFunc(list, func(g grant) bool { return g.pod == pod && g.granted })
	}
}

// dropLapsedGrants forgets granted tokens that are too old to hold anything
// back. A request still in flight keeps its token.
func (s *State) dropLapsedGrants(now time.Time) {
	for budget, list := range s.Grants {
		list = slices.DeleteFunc(list, func(g grant) bool { return g.granted && now.Sub(g.at) >= GrantLife })
		if len(list) == 0 {
			delete(s.Grants, budget)
			continue
		}
		s.Grants[budget] = list
	}
}
