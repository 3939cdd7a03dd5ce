package drain

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// The codes of findings about the Leases by which runs keep off each other's
// nodes.
const (
	FindingNodeHeld     = "NodeHeld"
	FindingLeasesUnseen = "LeasesUnseen"
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

// longestWord is how much of a text that anybody could have written is shown.
const longestWord = 120

func shortened(text string) string {
	runes := []rune(text)
	if len(runes) <= longestWord {
		return text
	}
	return string(runes[:longestWord-3]) + "..."
}

// held finds the nodes that another run is at work on.
func (p *planner) held(nodes []NodePlan) []Finding {
	if p.o.LeaseNamespace == "" {
		return nil
	}
	names := make([]string, len(nodes))
	for i := range nodes {
		names[i] = nodes[i].Name
	}
	var found []Finding
	for _, h := range Holds(p.s, names, "", p.now) {
		f := Finding{Code: FindingNodeHeld, Objects: nodeObjects([]string{h.Node})}
		switch {
		case h.Lapsed:
			f.Level, f.Message = LevelInfo, "node "+h.Node+" was held by "+h.Words+", which has not been heard of since: it is free to take"
		case p.o.takesOver(h.Run):
			f.Level, f.Message = LevelWarning, "node "+h.Node+" is taken over from "+h.Words
		default:
			f.Level, f.Message = LevelError, "node "+h.Node+" is held by "+h.Words+": it is left alone while that run lives"
			f.Advice = []Advice{{Text: "let that run end, or abort it where it runs"},
				{Text: "take the node over, which stops that run there: drain with --take-over=" + shortened(h.Run)}}
		}
		found = append(found, f)
	}
	if state := p.s.Sync(kube.KindLeases); state.Phase == kube.Denied {
		message := "the Leases in " + p.o.LeaseNamespace + " cannot be read: whether another run is at work on these nodes is not known"
		if state.Reason != "" {
			message += ": " + quoted(state.Reason)
		}
		found = append(found, Finding{Code: FindingLeasesUnseen, Level: LevelInfo, Message: message})
	}
	return found
}
