package tempbudget

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// RunLife is what this machine knows of a run by its id.
type RunLife string

// What is known of a run here. A run of another machine has no journal here.
const (
	RunUnknown RunLife = ""     // no journal here
	RunLive    RunLife = "live" // a process holds its journal
	RunDead    RunLife = "dead" // it has a journal here that no process holds
)

// youngBudget is the age up to which a budget of a run that is not known here is
// taken for one in use: the run may be under way on another machine.
const youngBudget = 10 * time.Minute

// Leftover is a temporary budget of a run that no longer works on it.
// While it exists it blocks evictions, and nothing else will remove it.
type Leftover struct {
	request.BudgetRef
	Run    string
	Owner  string // Kind/name of the workload it protected, "" if that is not known
	MadeAt time.Time
	// Life is RunDead, or RunUnknown where the run was started on another machine.
	Life RunLife
	// MayLive tells that the run may be under way on another machine: the budget is
	// not to be removed without asking there.
	MayLive bool
}

// Leftovers are the temporary budgets in the cluster whose runs are not live, by
// their labels, oldest first. life tells what is known here of a run; it may be
// asked once for each. Those of namespaces whose budgets cannot be seen are not there.
func Leftovers(s *kube.Snapshot, life func(run string) RunLife, now time.Time) []Leftover {
	known := map[string]RunLife{}
	var left []Leftover
	for _, b := range s.Budgets() {
		run := b.TemporaryOf()
		if run == "" || !s.In(b.Namespace).Trusted(kube.KindBudgets) {
			continue
		}
		if _, asked := known[run]; !asked {
			known[run] = life(run)
		}
		held, alive := heldBy(s, run, now)
		if known[run] == RunLive || alive {
			continue
		}
		l := Leftover{BudgetRef: request.BudgetRef{Namespace: b.Namespace, Name: b.Name, UID: b.UID}, Run: run,
			MadeAt: madeAt(b), Life: known[run]}
		if b.Owner != nil {
			l.Owner = b.Owner.Kind + "/" + b.Owner.Name
		}
		l.MayLive = l.Life == RunUnknown && (held || s.ServerTime(now).Sub(l.MadeAt) < youngBudget)
		left = append(left, l)
	}
	slices.SortFunc(left, func(a, b Leftover) int {
		return cmp.Or(a.MadeAt.Compare(b.MadeAt), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return left
}

// heldBy reports whether the run has a Lease of a node that has not lapsed, and
// whether it was seen to renew one.
func heldBy(s *kube.Snapshot, run string, now time.Time) (held, alive bool) {
	for _, l := range s.Leases() {
		if l.Holder != run {
			continue
		}
		ends := s.LeaseEnds(l)
		held, alive = held || ends.IsZero() || now.Before(ends), alive || l.Alive(now)
	}
	return held, alive
}

// madeAt is when a temporary budget was made, by its annotation, which its
// maker wrote, else by the server.
func madeAt(b *kube.Budget) time.Time {
	if at, err := time.Parse(time.RFC3339, b.Annotations[kube.MadeAtAnnotation]); err == nil {
		return at
	}
	return b.Created
}

// Sentence says what the budget is and how sure it is that it is not needed.
func (l Leftover) Sentence(now time.Time) string {
	text := l.Namespace + "/" + l.Name + " of run " + l.Run
	if !l.MadeAt.IsZero() {
		text += ", made " + format.Since(now, l.MadeAt) + " ago"
	}
	switch {
	case l.MayLive:
		return text + ": the run may be live on another machine"
	case l.Life == RunUnknown:
		return text + " on another machine"
	}
	return text + "; that run has ended"
}

// RemoveCommands are the commands that remove the budgets with kubectl, one for
// each namespace.
func RemoveCommands(left []Leftover) []string {
	var namespaces []string
	names := map[string][]string{}
	for _, l := range left {
		if _, seen := names[l.Namespace]; !seen {
			namespaces = append(namespaces, l.Namespace)
		}
		names[l.Namespace] = append(names[l.Namespace], format.ShellWord(l.Name))
	}
	slices.Sort(namespaces)
	var commands []string
	for _, ns := range namespaces {
		commands = append(commands, "kubectl delete pdb -n "+format.ShellWord(ns)+" "+strings.Join(names[ns], " "))
	}
	return commands
}
