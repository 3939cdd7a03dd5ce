package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// waves hands out turns under each budget over all nodes of a plan. The server
// judges every pod alone and would answer "yes" to each of them; the first wave
// has only as many as the budget allows now, and each later one as many again,
// on the assumption that what was replaced is Ready by then. It is an estimate.
type waves map[kube.UID]int

// next is the wave in which a pod goes, 0 where that cannot be said. b is the
// budget that it is counted under, nil for a pod that costs none.
func (w waves) next(l *budget.Tracker, j *budget.Judgement, b *kube.Budget) int {
	switch j.Verdict {
	case budget.VerdictNever, budget.VerdictDeadlock, budget.VerdictMultiple, budget.VerdictUnknown:
		return 0
	case budget.VerdictEvictable, budget.VerdictWait, budget.VerdictManaged, budget.VerdictSyncing:
	}
	if b == nil {
		return 1
	}
	before := w[b.UID]
	w[b.UID]++
	if j.Verdict != budget.VerdictEvictable {
		return 2 + before/l.PerWave(b)
	}
	return 1 + before/int(b.DisruptionsAllowed)
}

// inTurn is the wave in which a pod under the guard goes.
func (w waves) inTurn(g *budget.PlanGuard) int {
	before := w[g.Key]
	w[g.Key]++
	if g.Free <= 0 {
		away := g.Numbers.Expected - g.Numbers.Needed
		return 2 + before/max(1, int(away))
	}
	return 1 + before/g.Free
}

// inOrder puts the waves of a node's pods one behind the other that have different turns. Behind a pod
// that is never allowed to leave there is none.
func inOrder(pods []Pod) {
	turns := map[int64]struct{}{}
	for i := range pods {
		if pods[i].Moves() {
			turns[pods[i].Turn()] = struct{}{}
		}
	}
	before, held := 0, false
	for rank, turn := range slices.Sorted(maps.Keys(turns)) {
		last, holds := before, held
		for i := range pods {
			p := &pods[i]
			if !p.Moves() || p.Turn() != turn {
				continue
			}
			p.Later = rank > 0
			switch {
			case held:
				p.Wave = 0
			case p.Wave > 0:
				p.Wave += before
			}
			last, holds = max(last, p.Wave), holds || p.Wave == 0
		}
		before, held = last, holds
	}
}

// Waves is in which order the pods of a plan go, counted over all its nodes. It
// assumes that what is replaced gets Ready, and that what is unhealthy stays so.
type Waves struct {
	// Now are the pods that nothing holds up.
	Now int
	// Later are those that wait until others are Ready elsewhere, wave after wave.
	Later []Wave
	// Held are the pods that go once they are no longer blocked, which no drain
	// brings about; HeldBy names it where it is one thing: an unhealthy pod or a budget.
	Held   int
	HeldBy string
	// Last are those that leave after all others of their node.
	Last int
	// Never are those that their budgets do not let go as they stand.
	Never int
	// Unknown are those of which it is not known.
	Unknown int
	// Left are those on nodes that are refused, and so left untouched.
	Left int
	// InTurn tells that the nodes are not drained all at once, so that Now is of
	// each node's turn.
	InTurn bool
}

// Wave is one wave after the first.
type Wave struct {
	Pods int
	// Of are the names of the budgets (or workloads under a guard) whose pods
	// have to be Ready before, the one with the most pods first; "" stands for pods of a
	// lower order, which have to leave.
	Of []string
}

// Waves counts the waves of the plan: those of its forecast where it has one, else as
// its budgets allow.
func (p Plan) Waves() Waves {
	t := Waves{InTurn: len(p.Nodes) > max(p.Options.MaxParallelNodes, 1)}
	refused, forecast := p.Refused(), p.Estimate != nil && p.Estimate.Wave != nil
	var later []map[string]int
	held := map[string]struct{}{}
	EachMove(p, func(pod *Pod) {
		if slices.ContainsFunc(refused, func(r RefusedNode) bool { return r.Node == pod.Node }) {
			t.Left++
			return
		}
		verdict := budget.VerdictEvictable
		if pod.Budget != nil {
			verdict = pod.Budget.Verdict
		}
		if forecast && pod.Wave > 0 {
			verdict = budget.VerdictEvictable // whatever holds it now
		}
		switch verdict {
		case budget.VerdictNever, budget.VerdictDeadlock, budget.VerdictMultiple:
			t.Never++
		case budget.VerdictUnknown:
			t.Unknown++
		case budget.VerdictWait, budget.VerdictSyncing:
			t.Held++
			held[pod.Budget.Holder()] = struct{}{}
		default:
			switch {
			case forecast && pod.Wave == 0:
				t.Held++
				held[""] = struct{}{} // nothing of the plan tells what holds it
				return
			case pod.GoesLast():
				t.Last++
				return
			case pod.Wave <= 1:
				t.Now++
				return
			}
			for len(later) < pod.Wave-1 {
				later = append(later, map[string]int{})
			}
			later[pod.Wave-2][pod.turnOf()]++
		}
	})
	for _, of := range later {
		turn := Wave{Of: slices.SortedFunc(maps.Keys(of), func(a, b string) int {
			return cmp.Or(cmp.Compare(of[b], of[a]), cmp.Compare(a, b))
		})}
		for _, n := range of {
			turn.Pods += n
		}
		t.Later = append(t.Later, turn)
	}
	if len(held) == 1 {
		for by := range held {
			t.HeldBy = by
		}
	}
	return t
}

// turnOf names whose pods have to be Ready before this one goes, "" where pods of a lower order
// have to leave.
func (p *Pod) turnOf() string {
	if p.Later {
		return ""
	}
	if p.Budget != nil && len(p.Budget.Names) > 0 {
		return p.Budget.Names[0]
	}
	owner := p.Owner
	if of := p.Budget.GuardOf(); of != "" {
		owner = of
	}
	_, name, _ := strings.Cut(owner, "/")
	return name
}

// wavesSaid is how many waves are told one by one.
const wavesSaid = 4

// then begins the words for the next wave of the same workloads.
const then = "then "

// words are the waves in the order in which they come.
func (t Waves) words() []string {
	var all []string
	say := func(when string, pods int) {
		if pods > 0 {
			all = append(all, strconv.Itoa(pods)+" "+when)
		}
	}
	now := "now"
	if t.InTurn {
		now = "without waiting"
	}
	say(now, t.Now)
	all = append(all, t.later()...)
	held := "once they are no longer blocked"
	if t.HeldBy != "" {
		held = "once " + t.HeldBy
	}
	say(held, t.Held)
	say("after all others of their node", t.Last)
	say("not known", t.Unknown)
	say("blocked", t.Never)
	say("on refused nodes", t.Left)
	return all
}

func (t Waves) later() []string {
	var all []string
	for i, turn := range t.Later {
		if i == wavesSaid && len(t.Later) > wavesSaid+1 {
			rest := 0
			for _, more := range t.Later[i:] {
				rest += more.Pods
			}
			return append(all, fmt.Sprintf("%s%d in %d more waves", then, rest, len(t.Later)-i))
		}
		words := then + strconv.Itoa(turn.Pods)
		if i == 0 || !slices.Equal(turn.Of, t.Later[i-1].Of) {
			words = strconv.Itoa(turn.Pods) + " after " + afterWords(turn.Of)
		}
		if turn.Pods > 0 {
			all = append(all, words)
		}
	}
	return all
}

// String says it in one line: "14 now, 6 after api is Ready, 1 blocked".
func (t Waves) String() string { return strings.Join(t.words(), ", ") }

// afterWords is readyWords, with the pods of a lower order.
func afterWords(of []string) string {
	const left = "the pods of a lower order have left"
	ready := slices.DeleteFunc(slices.Clone(of), func(name string) bool { return name == "" })
	switch {
	case len(ready) == len(of):
		return readyWords(ready)
	case len(ready) == 0:
		return left
	}
	return readyWords(ready) + " and " + left
}

// readyWords is "api is Ready", "api and web are Ready", "api and 3 others are Ready".
func readyWords(of []string) string {
	switch len(of) {
	case 0:
		return "the first are Ready"
	case 1:
		return of[0] + " is Ready"
	case 2:
		return of[0] + " and " + of[1] + " are Ready"
	}
	return of[0] + " and " + strconv.Itoa(len(of)-1) + " others are Ready"
}
