package drain

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

var markNoon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// A drain of a node that carries the mark of another run takes the mark over, so
// that its own rollback uncordons. The cordon of anybody else stays theirs.
func TestADrainTakesOverTheMarkOfAnotherRun(t *testing.T) {
	of := func(m Mark) string { m.At = markNoon; return m.String() }
	for name, c := range map[string]struct {
		manager, mark string
		adopts        bool
	}{
		"another run's":               {kube.FieldManager, of(Mark{Run: "dead01", By: "bob", Was: "schedulable"}), true},
		"its label too":               {kube.FieldManager, of(Mark{Run: "dead01", Was: "schedulable", ExcludedFromLB: true}), true},
		"cordoned again by kubectl":   {"kubectl", of(Mark{Run: "dead01", Was: "schedulable"}), false},
		"an operator's own cordon":    {kube.FieldManager, of(Mark{By: "bob", Was: "schedulable"}), false},
		"unschedulable before it too": {kube.FieldManager, of(Mark{Run: "dead01", Was: "unschedulable"}), false},
		"nobody's":                    {"kubectl", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSimulation()
				s.addNode("a")
				s.addNode("b")
				s.addPod("web", "a")
				s.setNode("a", func(n *corev1.Node) {
					marked := cordonedNode(c.manager, c.mark)
					n.Spec, n.Annotations, n.ManagedFields = marked.Spec, marked.Annotations, marked.ManagedFields
				})
				e := begin(t, t.Context(), s, DefaultOptions(), "a")
				confirmAll(t.Context(), s, e)
				state := e.State()
				if state.Outcome != OutcomeDone || state.Node("a").Cordoned != c.adopts || s.cordons != map[bool]int{true: 1}[c.adopts] {
					t.Fatalf("%s, cordoned %v, %d patches", state.Outcome, state.Node("a").Cordoned, s.cordons)
				}
				undos := RollbackPlan(state, s.Snapshot(), time.Now())
				if !c.adopts {
					if len(undos) != 0 || s.nodes["a"].Annotations[kube.CordonAnnotation] != c.mark {
						t.Errorf("undoes %+v, mark %s", undos, s.nodes["a"].Annotations)
					}
					return
				}
				mark, _ := ParseMark(s.nodes["a"].Annotations[kube.CordonAnnotation])
				before, _ := ParseMark(c.mark)
				if mark.Run != state.Run.ID || mark.After != "dead01" || mark.Was != "schedulable" || mark.ExcludedFromLB != before.ExcludedFromLB {
					t.Errorf("mark %+v", mark)
				}
				if len(undos) != 1 || undos[0].Cordon == nil || undos[0].Cordon.Unschedulable {
					t.Errorf("undoes %+v", undos)
				}
				if !slices.ContainsFunc(e.Events(0), func(e Event) bool {
					return e.Kind == EventNode && strings.Contains(e.Message, "takes over the cordon of run dead01 by ")
				}) {
					t.Errorf("nobody says so: %+v", e.Events(0))
				}
			})
		})
	}
}

// Something in the cluster that takes our marks away again holds no drain up.
func TestAMarkThatDoesNotStay(t *testing.T) {
	node := cordonedNode(kube.FieldManager, Mark{Run: "dead01", By: "bob", At: markNoon, Was: "schedulable"}.String())
	s := &State{Run: RunFacts{ID: "r1"}, Phase: PhaseCordon, Phases: map[Phase]PhaseStatus{PhaseCordon: PhaseRuns},
		Nodes: []*NodeRun{{NodeFacts: NodeFacts{Name: "a", UID: "a1"}, State: NodeWaiting}}}
	now, sent := markNoon, 0
	for range 20 {
		out := Step(s, kube.SnapshotOf(now, node), nil, now)
		for _, w := range out.Writes {
			sent++
			out = Step(out.State, kube.SnapshotOf(now, node), []Input{Answered{w, kube.Answer{Code: 200}}}, now)
		}
		s = out.State
		if now = now.Add(time.Second); out.Wake.After(now) {
			now = out.Wake
		}
	}
	n := s.Node("a")
	if sent != adoptTries || n.State != NodeCordoned || n.Cordoned || n.Message != "already cordoned by bob at 2026-11-21T12:00:00Z" {
		t.Errorf("%d sent, %+v", sent, n)
	}
}

func marked(name string, m Mark) *corev1.Node {
	n := cordonedNode(kube.FieldManager, m.String())
	n.Name, n.UID = name, kube.UID("uid-"+name)
	return n
}

func leftBudget(name, run string, made time.Time) *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: kube.UID("uid-" + name),
		Labels:      map[string]string{kube.ManagedByLabel: kube.ManagedByValue, kube.RunLabel: run},
		Annotations: map[string]string{kube.MadeAtAnnotation: made.UTC().Format(time.RFC3339)}}}
}

// What the marks tell of a run is enough for its rollback, by the same rules.
func TestReadMarks(t *testing.T) {
	mark := Mark{Run: "dead01", By: "bob", Reason: "kernel", At: markNoon, Was: "schedulable"}
	theirs := marked("d", mark)
	theirs.ManagedFields[0].Manager = "kubectl"
	snap := kube.SnapshotOf(markNoon, marked("a", mark), marked("b", mark), theirs,
		marked("c", Mark{Run: "other1", By: "eve", Was: "schedulable"}), marked("own", Mark{By: "bob", At: markNoon, Was: "schedulable"}),
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "open", UID: "open"}}, marked("bare", Mark{}),
		leftBudget("mine", "dead01", markNoon), leftBudget("not", "other1", markNoon))
	m, err := ReadMarks(snap, []string{"a", "d"})
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Sentence(); got != "run dead01 by bob at 2026-11-21T12:00:00Z, reason: kernel, on a, d" || len(m.Others) != 1 || m.Others[0] != "b" {
		t.Errorf("%s, others %v", got, m.Others)
	}
	undos := RollbackPlan(m.State, snap, time.Now())
	if len(undos) != 3 || undos[0].Unguard == nil || undos[0].Unguard.UID != "uid-mine" || undos[1].Cordon == nil || undos[1].Node != "a" ||
		undos[2].Left != "kubectl has cordoned it since" {
		t.Errorf("%+v", undos)
	}
	for nodes, want := range map[string]string{
		"a c": "one run at a time", "own": "no run cordoned it, bob at 2026-11-21T12:00:00Z did", "open": "schedulable",
		"nosuch": "no such node", "bare": "no run cordoned it, an operator did",
	} {
		_, err := ReadMarks(snap, strings.Fields(nodes))
		var none *NoMarkError
		if err == nil || !strings.Contains(err.Error(), want) || nodes != "a c" && !errors.As(err, &none) {
			t.Errorf("%s: %v", nodes, err)
		}
	}
}

func TestLeftovers(t *testing.T) {
	foreign := leftBudget("foreign", "dead01", markNoon)
	foreign.Labels[kube.ManagedByLabel] = "helm"
	snap := kube.SnapshotOf(markNoon, foreign, leftBudget("young", "far001", markNoon.Add(-2*time.Minute)),
		leftBudget("old", "far002", markNoon.Add(-time.Hour)), leftBudget("ours", "dead01", markNoon.Add(-time.Minute)),
		leftBudget("busy", "live01", markNoon.Add(-time.Hour)))
	asked := 0
	life := func(run string) RunLife {
		asked++
		return map[string]RunLife{"dead01": RunDead, "live01": RunLive}[run]
	}
	left := Leftovers(snap, life, markNoon)
	var got []string
	for _, l := range left {
		got = append(got, l.Sentence(markNoon))
	}
	want := "shop/old of run far002, made 60m ago on another machine; " +
		"shop/young of run far001, made 2m ago: the run may be live on another machine; " +
		"shop/ours of run dead01, made 60s ago; that run is over"
	if strings.Join(got, "; ") != want || asked != 4 || left[0].UID != "uid-old" {
		t.Errorf("asked %d times\n%s\n%s", asked, strings.Join(got, "; "), want)
	}
	found := findLeftovers(nil, nil, &Env{Leftovers: left, Now: markNoon})
	if len(found) != 2 || found[0].Level != LevelWarning || found[1].Level != LevelInfo ||
		found[0].Advice[0].Command != "kubectl delete pdb -n shop old ours" ||
		found[1].Advice[0] != (Advice{"only if that run is over", "kubectl delete pdb -n shop young"}) {
		t.Errorf("%+v", found)
	}
	if len(findLeftovers(nil, nil, &Env{Now: markNoon})) != 0 {
		t.Error("found nothing and says so")
	}
	unseen := kube.StoreOf(markNoon, leftBudget("old", "far002", markNoon))
	unseen.SetSync(kube.KindBudgets, kube.SyncState{Phase: kube.Denied})
	if len(Leftovers(unseen.Snapshot(), life, markNoon)) != 0 {
		t.Error("believes a list that it may not read")
	}
}

// --exclude-from-lb on a node that somebody else has cordoned notes in their mark what it
// adds, and changes nothing else of it; a rollback takes back just that.
func TestTheMarkOfSomebodyElseStaysTheirs(t *testing.T) {
	theirs := Mark{By: "eve", Reason: "disk", At: time.Unix(1e9, 0).UTC(), Was: "schedulable"}
	for name, c := range map[string]struct {
		mark string
		want Mark
	}{
		"an operator's": {theirs.String(), Mark{By: "eve", Reason: "disk", At: theirs.At, Was: "schedulable", ExcludedFromLB: true, ExcludedBy: "r1"}},
		"kubectl's":     {"", Mark{Run: "r1", By: "ada", Was: "unschedulable", ExcludedFromLB: true}},
		"our own":       {Mark{Run: "r1", Was: "schedulable"}.String(), Mark{Run: "r1", By: "ada", Was: "schedulable", ExcludedFromLB: true}},
	} {
		s := newSimulation()
		s.addNode("a")
		s.setNode("a", func(n *corev1.Node) {
			n.Spec.Unschedulable, n.Annotations = true, map[string]string{kube.CordonAnnotation: c.mark}
		})
		st := &stepper{s: &State{Run: RunFacts{ID: "r1", User: "ada"}}, snap: s.Snapshot(), now: time.Now()}
		mark := st.nodeMark(s.Snapshot().Node("a"), false, true)
		if mark.Run == "r1" {
			mark.At = time.Time{}
		}
		if mark != c.want {
			t.Errorf("%s: %+v, want %+v", name, mark, c.want)
		}
		s.setNode("a", func(n *corev1.Node) { n.Annotations[kube.CordonAnnotation] = mark.String() })
		u := undoCordon(&NodeRun{NodeFacts: NodeFacts{Name: "a", UID: "node-a"}}, "r1", s.Snapshot().Node("a"))
		if name == "an operator's" && (u.Cordon == nil || !u.Cordon.Unschedulable || u.Cordon.Mark != c.mark || *u.Cordon.ExcludeFromLB) {
			t.Errorf("%s: rollback %+v", name, u)
		}
	}
}

// A drain that takes over the cordon of another run says so before, and its rollback says
// whose cordon it takes back.
func TestAnAdoptedCordonIsSaid(t *testing.T) {
	s := newSimulation()
	s.addNode("a")
	cordoned := func(mark Mark) {
		s.setNode("a", func(n *corev1.Node) {
			n.Spec.Unschedulable, n.Annotations = true, map[string]string{kube.CordonAnnotation: mark.String()}
			n.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: kube.FieldManager, FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:unschedulable":{}}}`)}}
		})
	}
	for run, level := range map[string]Level{"r0": LevelWarning, "": LevelInfo} { // an operator's own cordon is left to them
		cordoned(Mark{Run: run, By: "eve", Was: "schedulable"})
		plan, err := NewPlan(s.Snapshot(), []string{"a"}, DefaultOptions(), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		plan = Check(s.Snapshot(), plan, Env{Now: time.Now()})
		i := slices.IndexFunc(plan.Findings, func(f Finding) bool { return f.Code == FindingAlreadyCordoned })
		if i < 0 || plan.Findings[i].Level != level || strings.Contains(plan.Findings[i].Message, "its rollback") != (level == LevelWarning) {
			t.Errorf("run %q: %+v", run, plan.Findings)
		}
	}
	cordoned(Mark{Run: "r1", By: "ada", Was: "schedulable", After: "r0", AfterBy: "eve"})
	u := undoCordon(&NodeRun{NodeFacts: NodeFacts{Name: "a", UID: "node-a"}}, "r1", s.Snapshot().Node("a"))
	if u.Cordon == nil || u.What != "uncordon node a, cordoned before by run r0 of eve" {
		t.Errorf("%+v", u)
	}
}
