package engine

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// A drain of a node that carries the mark of another run takes the mark over, so
// that its own rollback uncordons. The cordon of anybody else stays theirs.
func TestADrainTakesOverTheMarkOfAnotherRun(t *testing.T) {
	of := func(m annotation.Mark) string { m.At = kubetest.Noon; return m.String() }
	for name, c := range map[string]struct {
		manager, mark string
		adopts        bool
	}{
		"another run's":               {kube.FieldManager, of(annotation.Mark{Run: "dead01", By: "bob", Was: "schedulable"}), true},
		"its label too":               {kube.FieldManager, of(annotation.Mark{Run: "dead01", Was: "schedulable", ExcludedFromLB: true}), true},
		"cordoned again by kubectl":   {"kubectl", of(annotation.Mark{Run: "dead01", Was: "schedulable"}), false},
		"an operator's own cordon":    {kube.FieldManager, of(annotation.Mark{By: "bob", Was: "schedulable"}), false},
		"unschedulable before it too": {kube.FieldManager, of(annotation.Mark{Run: "dead01", Was: "unschedulable"}), false},
		"no run's":                    {"kubectl", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := kubetest.NewSimulation()
				s.AddNode("a")
				s.AddNode("b")
				s.AddPod("web", "a")
				s.SetNode("a", func(n *corev1.Node) {
					marked := cordonedNode(c.manager, c.mark)
					n.Spec, n.Annotations, n.ManagedFields = marked.Spec, marked.Annotations, marked.ManagedFields
				})
				e := begin(t, t.Context(), s, plan.DefaultOptions(), "a")
				confirmAll(t.Context(), s, e)
				state := e.State()
				if state.Outcome != drain.OutcomeDone || state.Node("a").Cordoned != c.adopts || s.Cordons != map[bool]int{true: 1}[c.adopts] {
					t.Fatalf("%s, cordoned %v, %d patches", state.Outcome, state.Node("a").Cordoned, s.Cordons)
				}
				undos := rollback.Plan(state, s.Snapshot(), time.Now())
				if !c.adopts {
					if len(undos) != 0 || s.Nodes["a"].Annotations[kube.CordonAnnotation] != c.mark {
						t.Errorf("undoes %+v, mark %s", undos, s.Nodes["a"].Annotations)
					}
					return
				}
				mark, _ := annotation.Parse(s.Nodes["a"].Annotations[kube.CordonAnnotation])
				before, _ := annotation.Parse(c.mark)
				if mark.Run != state.Run.ID || mark.After != "dead01" || mark.Was != "schedulable" || mark.ExcludedFromLB != before.ExcludedFromLB {
					t.Errorf("mark %+v", mark)
				}
				if len(undos) != 1 || undos[0].Cordon == nil || undos[0].Cordon.Unschedulable {
					t.Errorf("undoes %+v", undos)
				}
				if !slices.ContainsFunc(e.Events(0), func(e drain.Event) bool {
					return e.Kind == drain.EventNode && strings.Contains(e.Message, "takes over the cordon of run dead01 by ")
				}) {
					t.Errorf("nothing says so: %+v", e.Events(0))
				}
			})
		})
	}
}

// Something in the cluster that takes our marks away again holds no drain up.
func TestAMarkThatDoesNotStay(t *testing.T) {
	node := cordonedNode(kube.FieldManager, annotation.Mark{Run: "dead01", By: "bob", At: kubetest.Noon, Was: "schedulable"}.String())
	s := &drain.State{Run: drain.RunFacts{ID: "r1"}, Phase: drain.PhaseCordon, Phases: map[drain.Phase]drain.PhaseStatus{drain.PhaseCordon: drain.PhaseRuns},
		Nodes: []*drain.NodeRun{{NodeFacts: drain.NodeFacts{Name: "a", UID: "a1"}, State: drain.NodeWaiting}}}
	now, sent := kubetest.Noon, 0
	for range 20 {
		out := drain.Step(s, kubetest.SnapshotOf(now, node), nil, now)
		for _, w := range out.Writes {
			sent++
			out = drain.Step(out.State, kubetest.SnapshotOf(now, node), []drain.Input{drain.Answered{Write: w, Answer: kube.Answer{Code: 200}}}, now)
		}
		s = out.State
		if now = now.Add(time.Second); out.Wake.After(now) {
			now = out.Wake
		}
	}
	n := s.Node("a")
	if sent != drain.AdoptTries || n.State != drain.NodeCordoned || n.Cordoned || n.Message != "already cordoned by bob at 2026-11-21T12:00:00Z" {
		t.Errorf("%d sent, %+v", sent, n)
	}
}

func marked(name string, m annotation.Mark) *corev1.Node {
	n := cordonedNode(kube.FieldManager, m.String())
	n.Name, n.UID = name, kube.UID("uid-"+name)
	return n
}

func leftBudget(name, run string, made time.Time) *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: kube.UID("uid-" + name),
		Labels:      map[string]string{kube.ManagedByLabel: kube.ManagedByValue, kube.RunLabel: run},
		Annotations: map[string]string{kube.MadeAtAnnotation: made.UTC().Format(time.RFC3339)}}}
}

func leaseOf(node kube.UID, run string) *coordinationv1.Lease {
	return &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: kube.LeaseName(node), UID: "lease-" + types.UID(node),
		Labels: map[string]string{kube.ManagedByLabel: kube.ManagedByValue}}, Spec: coordinationv1.LeaseSpec{HolderIdentity: &run}}
}

// markedNodes are nodes with the mark of a run that died, and others; kubectl has cordoned d.
func markedNodes() (annotation.Mark, *kube.Snapshot) {
	mark := annotation.Mark{Run: "dead01", By: "bob", Reason: "kernel", At: kubetest.Noon, Was: "schedulable"}
	theirs := marked("d", mark)
	theirs.ManagedFields[0].Manager = "kubectl"
	return mark, kubetest.SnapshotOf(kubetest.Noon, marked("a", mark), marked("b", mark), theirs,
		marked("c", annotation.Mark{Run: "other1", By: "eve", Was: "schedulable"}), marked("own", annotation.Mark{By: "bob", At: kubetest.Noon, Was: "schedulable"}),
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "open", UID: "open"}}, marked("bare", annotation.Mark{}),
		leftBudget("mine", "dead01", kubetest.Noon), leftBudget("not", "other1", kubetest.Noon),
		leaseOf("uid-a", "dead01"), leaseOf("uid-d", "other2"))
}

// What the marks tell of a run is enough for its rollback, by the same rules.
func TestReadMarks(t *testing.T) {
	mark, snap := markedNodes()
	m, err := rollback.ReadMarks(snap, []string{"a", "d"})
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Sentence(); got != "run dead01 by bob at 2026-11-21T12:00:00Z, reason: kernel, on a, d" || len(m.Others) != 1 || m.Others[0] != "b" {
		t.Errorf("%s, others %v", got, m.Others)
	}
	undos := rollback.Plan(m.State, snap, time.Now())
	if len(undos) != 4 || undos[3].Release == nil || undos[3].Node != "a" || undos[0].Unguard == nil || undos[0].Unguard.UID != "uid-mine" || undos[1].Cordon == nil || undos[1].Node != "a" ||
		undos[2].Left != "kubectl has cordoned it since" {
		t.Errorf("%+v", undos)
	}
	uncordoned := marked("e", mark) // with kubectl, which leaves the annotation
	uncordoned.Spec.Unschedulable = false
	excluded := mark
	excluded.ExcludedFromLB = true
	more := map[string]*corev1.Node{"f": marked("f", mark), "g": kubetest.ExcludeFromLB(marked("g", excluded), kube.FieldManager, ""),
		"h": marked("h", mark)} // only the Lease of h is left
	for _, n := range more {
		n.Spec.Unschedulable = false
	}
	snap = kubetest.SnapshotOf(kubetest.Noon, uncordoned, more["f"], more["g"], more["h"], leaseOf("uid-h", "dead01"),
		leftBudget("mine", "dead01", kubetest.Noon))
	if m, err = rollback.ReadMarks(snap, []string{"e"}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.Others, []string{"g", "h"}) {
		t.Errorf("others %q", m.Others)
	}
	if undos = rollback.Plan(m.State, snap, time.Now()); len(undos) != 2 || undos[0].Unguard == nil || undos[1].Left != "it is already schedulable" {
		t.Errorf("%+v", undos)
	}
}

// A run that died on a node with an annotation that is not its own is known by its Lease, if it has changed more.
func TestARunIsKnownByItsLease(t *testing.T) {
	earlier := annotation.Mark{Run: "dead01", By: "bob", At: kubetest.Noon, Was: "schedulable"}
	operators := annotation.Mark{By: "bob", At: kubetest.Noon, Was: "schedulable"}
	for name, c := range map[string]struct {
		mark    annotation.Mark
		run     string   // of the temporary budget
		last    string   // "" for none
		earlier []string // what is named beside it
	}{
		"beside the annotation of an earlier run": {earlier, "dead02", "dead02", []string{"dead01"}},
		"after kdrain-tui cordon":                 {operators, "dead02", "dead02", nil},
		"nothing of it is left":                   {earlier, "dead01", "dead01", nil},
		"no run with anything left":               {operators, "dead01", "", nil},
	} {
		snap := kubetest.SnapshotOf(kubetest.Noon, marked("a", c.mark), leftBudget("mine", c.run, kubetest.Noon),
			leaseOf("uid-a", "dead02"))
		m, err := rollback.ReadMarks(snap, []string{"a"})
		named := err == nil && strings.HasSuffix(m.Sentence(), ", on a; the nodes have the annotation of an earlier run, "+
			"dead01: the same command undoes that next time")
		if named != (len(c.earlier) > 0) || m.Mark.Run != c.last || (err == nil) != (c.last != "") ||
			!slices.Equal(m.Earlier, c.earlier) {
			t.Errorf("%s: run %q, earlier %q, %v", name, m.Mark.Run, m.Earlier, err)
		}
		if c.last != "dead02" {
			continue
		}
		undos := rollback.Plan(m.State, snap, kubetest.Noon)
		if len(undos) != 3 || undos[0].Unguard == nil || undos[1].Left == "" || undos[2].Release == nil {
			t.Errorf("%s: %+v", name, undos)
		}
	}
}

func TestReadMarksRefuses(t *testing.T) {
	_, snap := markedNodes()
	for nodes, want := range map[string]string{
		"a c": "one run at a time", "own": "no run cordoned it, bob at 2026-11-21T12:00:00Z did", "open": "schedulable",
		"nosuch": "no such node", "bare": "no run cordoned it, an operator did",
	} {
		_, err := rollback.ReadMarks(snap, strings.Fields(nodes))
		var none *annotation.NoMarkError
		if err == nil || !strings.Contains(err.Error(), want) || nodes != "a c" && !errors.As(err, &none) {
			t.Errorf("%s: %v", nodes, err)
		}
	}
}

func TestLeftovers(t *testing.T) {
	foreign := leftBudget("foreign", "dead01", kubetest.Noon)
	foreign.Labels[kube.ManagedByLabel] = "helm"
	snap := kubetest.SnapshotOf(kubetest.Noon, foreign, leftBudget("young", "far001", kubetest.Noon.Add(-2*time.Minute)),
		leftBudget("old", "far002", kubetest.Noon.Add(-time.Hour)), leftBudget("ours", "dead01", kubetest.Noon.Add(-time.Minute)),
		leftBudget("busy", "live01", kubetest.Noon.Add(-time.Hour)))
	asked := 0
	life := func(run string) tempbudget.RunLife {
		asked++
		return map[string]tempbudget.RunLife{"dead01": tempbudget.RunDead, "live01": tempbudget.RunLive}[run]
	}
	left := tempbudget.Leftovers(snap, life, kubetest.Noon)
	var got []string
	for _, l := range left {
		got = append(got, l.Sentence(kubetest.Noon))
	}
	want := "shop/old of run far002, made 1h ago on another machine; " +
		"shop/young of run far001, made 2m ago: the run may be live on another machine; " +
		"shop/ours of run dead01, made 1m ago; that run has ended"
	if strings.Join(got, "; ") != want || asked != 4 || left[0].UID != "uid-old" {
		t.Errorf("asked %d times\n%s\n%s", asked, strings.Join(got, "; "), want)
	}
	found := preflight.Check(snap, plan.Plan{}, preflight.Env{Leftovers: left, Now: kubetest.Noon}).Findings
	if len(found) != 2 || found[0].Level != plan.LevelWarning || found[1].Level != plan.LevelInfo ||
		found[0].Advice[0].Command != "kubectl delete pdb -n shop old ours" ||
		found[1].Advice[0] != (budget.Advice{Text: "only if that run has ended", Command: "kubectl delete pdb -n shop young"}) {
		t.Errorf("%+v", found)
	}
	if len(preflight.Check(snap, plan.Plan{}, preflight.Env{Now: kubetest.Noon}).Findings) != 0 {
		t.Error("found nothing and says so")
	}
	unseen := kubetest.StoreOf(kubetest.Noon, leftBudget("old", "far002", kubetest.Noon))
	unseen.SetSync(kube.KindBudgets, kube.SyncState{Phase: kube.Denied})
	if len(tempbudget.Leftovers(unseen.Snapshot(), life, kubetest.Noon)) != 0 {
		t.Error("believes a list that it may not read")
	}
	elsewhere := leftBudget("elsewhere", "far002", kubetest.Noon)
	elsewhere.Namespace, elsewhere.UID = "other", "uid-elsewhere"
	shop := kube.NewStore(func() time.Time { return kubetest.Noon })
	shop.SetHealth(kube.Health{Live: true})
	of := kube.Scope{Kind: kube.KindBudgets, Namespace: "shop"}
	shop.Open(of)
	shop.Put(kubetest.Convert(elsewhere))
	shop.Replace(of, []kube.Record{kubetest.Convert(leftBudget("old", "far002", kubetest.Noon))}, 1, kube.SyncState{Phase: kube.Synced})
	if left := tempbudget.Leftovers(shop.Snapshot(), life, kubetest.Noon); len(left) != 1 || left[0].Name != "old" {
		t.Errorf("of one namespace that was read: %+v", left)
	}
}
