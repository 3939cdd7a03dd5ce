package drain

import (
	"encoding/json"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"pgregory.net/rapid"

	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// TestHistories drains random clusters in which anything happens in any order: requests
// are refused, lost, or answered late, watches lag, the server goes away, processes end,
// also while they write the journal, and others resume, operators give commands, pods fall
// sick, budgets change and controllers are late. After each look all checks of the scripts
// hold, and all that history_judge_test.go lists. Once everybody does what they should, the
// run ends. A history that fails is printed as short as it can be. Without flags the same
// histories are played each time; make soak plays others.
func TestHistories(t *testing.T) {
	unlessGiven(t, map[string]string{"rapid.checks": "1500", "rapid.seed": "1"})
	for name, surges := range map[string]bool{"evict first": false, "surge": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				h := newHistory(t)
				h.drainSome(t, surges)
				t.Repeat(h.actionsUntilRollback())
				if !h.rolledBack {
					h.settle(t)
					h.checkEnd(t)
				}
			})
		})
	}
}

// unlessGiven sets the flags that the command line does not set.
func unlessGiven(t *testing.T, values map[string]string) {
	flag.Visit(func(f *flag.Flag) { delete(values, f.Name) })
	for name, value := range values {
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
}

func newHistory(t *rapid.T) *history {
	h := &history{script: newScript(), truth: newShownCluster(), evicted: map[kube.UID]time.Time{}, retried: map[kube.UID]bool{}, claims: map[string]string{},
		refused: map[kube.UID]time.Time{}, heldSince: map[string]time.Time{}}
	h.yes = true
	h.checks.brief = true
	for _, node := range []string{"w1", "w2", "w3"} {
		h.lines("node " + node)
	}
	shared := rapid.IntRange(0, 2).Draw(t, "one budget for all") == 2
	for app := range rapid.IntRange(1, 3).Draw(t, "apps") {
		h.now = h.now.Add(rapid.SampledFrom([]time.Duration{0, time.Second}).Draw(t, "made later"))
		name := fmt.Sprintf("app%d", app)
		pods := rapid.IntRange(1, 4).Draw(t, "pods of "+name)
		nodes := make([]string, pods)
		for i := range nodes {
			nodes[i] = rapid.SampledFrom([]string{"w1", "w1", "w2", "w3"}).Draw(t, "node")
		}
		h.addApp(t, name, nodes)
		if needs := rapid.IntRange(-1, pods).Draw(t, "needed of "+name); needs >= 0 && !shared {
			owner := rapid.SampledFrom([]string{"", "", "", " owner=example.org"}).Draw(t, "owner")
			h.lines(fmt.Sprintf("budget %s needs=%d%s", name, needs, owner))
		}
	}
	if shared {
		away := rapid.IntRange(0, 1).Draw(t, "away of all")
		h.lines(fmt.Sprintf("budget shared needs=%d of=all", len(h.truth.pods)-away))
	}
	for _, others := range []string{"pod ds-1 on=w1 owner=DaemonSet\npod ds-2 on=w2 owner=DaemonSet\nworkload ds kind=DaemonSet",
		"pod bare-1 on=w1 bare", "pod job-1 on=w1 owner=Job", "rule last app=app1 order=5", "rule runs app=app0 behavior=WaitCompleted",
		"rule skips app=app1 behavior=Skip", "webhook evictions"} {
		if rapid.IntRange(1, 5).Draw(t, "others") == 5 {
			h.lines(others)
		}
	}
	for _, p := range h.truth.pods {
		for _, v := range p.Spec.Volumes {
			h.claims[v.Name] = ""
		}
	}
	h.attach()
	h.showNext(len(h.unseen))
	h.now = h.now.Add(rapid.SampledFrom([]time.Duration{0, time.Second, 20 * time.Second, time.Hour}).Draw(t, "pods are old"))
	h.server("up")
	return h
}

func (h *history) addPod(app, node string, words ...string) {
	h.serial++
	h.lines(fmt.Sprintf("pod %s-%d on=%s %s", app, h.serial, node, strings.Join(words, " ")))
}

// drainSome begins the run.
func (h *history) drainSome(t *rapid.T, surges bool) {
	o, given := drawOptions(t, surges)
	if rapid.IntRange(0, 5).Draw(t, "budgets unseen") == 0 && o.Guard == "" {
		h.store.SetSync(kube.KindBudgets, kube.SyncState{Phase: kube.Denied})
	}
	nodes := []string{"w1", "w2"}[:rapid.IntRange(1, 2).Draw(t, "nodes")]
	plan, err := plan.New(h.store.Snapshot(), nodes, *o, h.now)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("drain %v with %v", nodes, given)
	h.begin(plan, "lab")
	h.lookAround(t)
	if rapid.IntRange(0, 2).Draw(t, "nothing fails at first") > 0 {
		h.begun(t)
	}
}

// begun lets the run come to its evictions before anything fails.
func (h *history) begun(t *rapid.T) {
	for range 20 {
		cordons := slices.ContainsFunc(h.state.Nodes, func(n *NodeRun) bool { return n.State == NodeCordoning })
		if h.state.Phase == PhaseEvict && !cordons {
			return
		}
		for len(h.requests) > 0 {
			h.serve(t, 0, "")
		}
		h.pass(watchLag)
		h.lookAround(t)
	}
}

// lookAround is one look of the run at what has come by then.
func (h *history) lookAround(t *rapid.T) {
	in := h.arrived
	h.arrived = nil
	h.lookWith(t, in...)
}

func (h *history) lookWith(t *rapid.T, in ...Input) {
	h.text.Reset()
	was, written := h.state, len(h.events)
	h.judgeAnswers(in)
	h.judgeHolds()
	h.look(in...)
	text := h.text.String()
	if text != "" {
		t.Logf("%s:\n%s", h.now.Sub(h.state.Started), text)
	}
	if strings.Contains(text, "!!") {
		t.Fatal(text[strings.Index(text, "!!"):])
	}
	h.judgeLook(t, was, h.events[written:])
	if h.tears && len(h.events) > written && h.state.JournalLost == "" && h.state.Outcome == "" {
		h.torn(t, written)
		return
	}
	h.sent(h.out)
}

// gone reports whether an eviction of the pod was accepted, and the watches have shown it.
func (h *history) gone(pod kube.UID) bool {
	at, accepted := h.evicted[pod]
	return accepted && h.now.Sub(at) >= watchLag
}

// settle lets everybody do what they should until the run ends.
func (h *history) settle(t *rapid.T) {
	if !h.goOn(t, 1500) {
		t.Fatalf("the run does not end:\n%s", standingState(h.state, h.now))
	}
}

// goOn is so many looks in a world in order, and tells whether the run has ended.
func (h *history) goOn(t *rapid.T, looks int) (ended bool) {
	h.lossless, h.tears = true, false
	if h.state.Suspended {
		h.restart(t)
	}
	for range looks {
		if h.state.Outcome != "" && len(h.unseen) == 0 {
			return true
		}
		h.mend(t)
		h.lookAround(t)
		wait := time.Minute
		switch {
		case len(h.requests) > 0 || len(h.unseen) > 0:
			wait = watchLag
		case !h.wake.IsZero():
			wait = min(wait, h.wake.Sub(h.now))
		}
		h.pass(wait)
	}
	return false
}

// mend brings everything that can be in order into order.
func (h *history) mend(t *rapid.T) {
	if h.down {
		h.serverUp()
	}
	if h.state.JournalLost != "" {
		h.arrived = append(h.arrived, JournalNews{})
	}
	if h.state.Paused {
		h.arrived = append(h.arrived, Command{Kind: CommandContinue, By: "ada"})
	}
	for len(h.requests) > 0 {
		h.serve(t, 0, "")
	}
	for _, name := range alike(h.truth.pods, func(p *corev1.Pod) bool { return p.DeletionTimestamp != nil }) {
		h.lines("pod " + name + " gone")
	}
	for _, name := range alike(h.truth.pods, func(p *corev1.Pod) bool { return active(p) && !kubetest.IsReady(p) }) {
		h.lines("pod " + name + " ready")
	}
	for _, a := range h.apps {
		if a.rollsOut {
			a.rollsOut = false
			h.putApp(a)
		}
		h.endOthersSurge(a)
		h.controlNow(a)
	}
	h.listApps()
	h.attach()
	h.endJobs()
	for _, name := range alike(h.truth.budgets, func(b *policyv1.PodDisruptionBudget) bool { return true }) {
		b := h.truth.budgets[name]
		switch ours := b.Labels != nil; {
		case name == "second", name == "shared", !ours && b.Spec.MinAvailable.IntVal > 0: // whose operator sees to it that it blocks no pod for ever
			h.disturbAll()
			h.lines("budget " + name + " gone")
		case !h.counted(b):
			h.controlBudget(name)
		}
	}
}

// counted reports whether the figures of a budget are those of its pods.
func (h *history) counted(b *policyv1.PodDisruptionBudget) bool {
	now := b.DeepCopy()
	h.truth.recount(now)
	return now.Status.ObservedGeneration == b.Status.ObservedGeneration && now.Status.DisruptionsAllowed == b.Status.DisruptionsAllowed &&
		now.Status.CurrentHealthy == b.Status.CurrentHealthy && len(b.Status.DisruptedPods) == 0
}

// checkEnd looks at the run as a whole.
func (h *history) checkEnd(t *rapid.T) {
	tellTheSame(t, h.events, h.state)
	h.judgeLeftovers(t)
}

// tellTheSame compares what the journal of a run tells with its state.
func tellTheSame(t rapid.TB, events []Event, state *State) {
	fromJournal, live := *Fold(nil, journalled(events)...), *state
	got, want := toldBy(t, &fromJournal), toldBy(t, &live)
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Errorf("the journal tells %s, and the run %s", got[i], want[i])
		}
	}
}

// toldBy is what a state tells its readers, without what no journal keeps: when Leases
// were renewed.
func toldBy(t rapid.TB, s *State) []string {
	nodes := make([]*NodeRun, len(s.Nodes))
	for i, n := range s.Nodes {
		changed := *n
		if n.Lease != nil {
			l := lease.Record{Facts: n.Lease.Facts, State: n.Lease.State, Since: n.Lease.Since, Message: n.Lease.Message, Taken: n.Lease.Taken}
			changed.Lease = &l
		}
		nodes[i] = &changed
	}
	s.Nodes, s.Sent = nodes, nil
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")
}

// standingState tells what in a run has not come to an end.
func standingState(s *State, now time.Time) string {
	text := &strings.Builder{}
	fmt.Fprintf(text, "phase %s (%s), paused %v, journal %q, down %v\n", s.Phase, s.Phases[s.Phase], s.Paused, s.JournalLost, s.Down)
	for _, n := range s.Nodes {
		fmt.Fprintf(text, "%s %s, request %d: %s\n", n.Name, n.State, n.InFlight, n.Message)
		if n.Lease != nil {
			fmt.Fprintf(text, "  Lease %s, request %d: %s\n", n.Lease.State, n.Lease.InFlight, n.Lease.Message)
		}
	}
	for _, p := range s.Pods {
		if p.Volumes.Open() {
			fmt.Fprintf(text, "volumes of %s on %s, %s: %+v\n", p.UID, p.Node, p.State, p.Volumes)
		}
		if p.Replacement.State != "" {
			fmt.Fprintf(text, "replacement of %s: %+v\n", p.UID, p.Replacement.Facts)
		}
		if !p.State.Final() {
			fmt.Fprintf(text, "%s on %s %s, request %d: %s\n", p.UID, p.Node, p.State, p.InFlight, p.Wait.Sentence(now))
		}
	}
	for _, b := range s.Budgets {
		fmt.Fprintf(text, "temporary budget %s %s, request %d: %s\n", b.Name, b.State, b.InFlight, b.Message)
	}
	for _, r := range s.Surges {
		fmt.Fprintf(text, "surge of %s %s, request %d: %s\n", r.Name, r.State, r.InFlight, r.Message)
	}
	for _, r := range s.Remedies {
		fmt.Fprintf(text, "%s %s, request %d: %s\n", r.Kind, r.State, r.InFlight, r.Message)
	}
	return text.String()
}
