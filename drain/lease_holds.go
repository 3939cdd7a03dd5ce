package drain

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Hold is a node of a plan over which another run has the Lease.
type Hold struct {
	Node  string
	Run   string
	Words string // who, since when and why
	// Lapsed tells that its holder has been silent for the Lease's whole time: the
	// node is free to take.
	Lapsed bool
}

// Holds are the nodes over which another run than this one has a Lease, in the
// order given.
func Holds(s *kube.Snapshot, nodes []string, run string, now time.Time) []Hold {
	var holds []Hold
	for _, name := range nodes {
		n := s.Node(name)
		if n == nil {
			continue
		}
		l := s.LeaseOf(n.UID)
		if l == nil || l.Holder == "" || l.Holder == run {
			continue
		}
		ends := s.LeaseEnds(l)
		holds = append(holds, Hold{Node: name, Run: l.Holder, Words: holderWords(l), Lapsed: !ends.IsZero() && !now.Before(ends)})
	}
	return holds
}

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
			return holderWords(l) + " has the Lease over node " + n.Name, ends
		}
	}
	return "", time.Time{}
}

// holderWords say whose Lease it is, since when, and why.
func holderWords(l *kube.Lease) string {
	words := "run " + shortened(l.Holder)
	if l.By != "" {
		words += " of " + shortened(l.By)
	}
	if since, err := time.Parse(time.RFC3339, l.Since); err == nil {
		words += " since " + since.UTC().Format("2006-01-02 15:04 MST")
	}
	if l.Reason != "" {
		words += " (" + quoted(l.Reason) + ")"
	}
	return words
}
