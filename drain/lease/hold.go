package lease

import (
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
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
		if l == nil || l.Holder == "" || Ours(l.Holder, run) {
			continue
		}
		ends := s.LeaseEnds(l)
		holds = append(holds, Hold{Node: name, Run: l.Holder, Words: HolderWords(l),
			Lapsed: !ends.IsZero() && !now.Before(ends)})
	}
	return holds
}

// Ours reports whether the holder of a Lease is the run, or of the same roll: the roll holds a node before and after
// the run of its batch, ROLL-1 and so on, and each takes it over from the other.
func Ours(holder, run string) bool {
	return holder == run || BatchOf(holder, run) || BatchOf(run, holder)
}

// BatchOf reports whether a run drains a batch of the roll.
func BatchOf(run, roll string) bool { return strings.HasPrefix(run, roll+"-") }

// RollAt is the roll of that run which has or had the Lease of the node itself, "" for none. It runs commands on the
// node, which may go on after its process has died.
func RollAt(s *kube.Snapshot, node, run string) string {
	n := s.Node(node)
	if n == nil {
		return ""
	}
	if l := s.LeaseOf(n.UID); l != nil && l.Holder != "" && BatchOf(run, l.Holder) {
		return l.Holder
	}
	return ""
}

// InTheWay are the Holds of runs that may be live: the Lease has not lapsed, and free, which
// may be nil, does not say that the node can be had from the run all the same.
func InTheWay(s *kube.Snapshot, nodes []string, run string, now time.Time, free func(run string) bool) []Hold {
	return slices.DeleteFunc(Holds(s, nodes, run, now), func(h Hold) bool {
		return h.Lapsed || free != nil && free(h.Run)
	})
}

// HolderWords say whose Lease it is, since when, and why.
func HolderWords(l *kube.Lease) string {
	text := "run " + format.Shorten(l.Holder)
	if l.By != "" {
		text += " of " + format.Shorten(l.By)
	}
	if since, err := time.Parse(time.RFC3339, l.Since); err == nil {
		text += " since " + since.UTC().Format("2006-01-02 15:04 MST")
	}
	if l.Reason != "" {
		text += " (" + format.Quote(l.Reason) + ")"
	}
	return text
}
