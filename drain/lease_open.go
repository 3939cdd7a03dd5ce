package drain

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// OpenHold is a Lease of another run over a node whose cordon a rollback of the run would
// take back, of which it is not known yet whether that run lives: what is said of it, and
// when it lapses if nothing changes. It is empty where there is none.
func OpenHold(run *State, s *kube.Snapshot, now time.Time) (words string, lapses time.Time) {
	for _, n := range run.Nodes {
		l := s.LeaseOf(n.UID)
		if l == nil || l.Holder == "" || l.Holder == run.Run.ID || s.LeaseAlive(l, now) ||
			undoCordon(n, run.Run.ID, s.Node(n.Name)).Cordon == nil {
			continue
		}
		if ends := s.LeaseEnds(l); now.Before(ends) {
			return lease.HolderWords(l) + " has the Lease over node " + n.Name, ends
		}
	}
	return "", time.Time{}
}
