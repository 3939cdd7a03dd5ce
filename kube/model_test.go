package kube

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// model is a cluster kept the plain way: every answer is a walk over all of it.
type model struct {
	pods    map[UID]*Pod
	budgets map[string]*Budget
}

func newModel() *model { return &model{pods: map[UID]*Pod{}, budgets: map[string]*Budget{}} }

func (m *model) clone() *model {
	copied := newModel()
	for k, v := range m.pods {
		copied.pods[k] = v
	}
	for k, v := range m.budgets {
		copied.budgets[k] = v
	}
	return copied
}

func (m *model) where(keep func(*Pod) bool) []string {
	names := []string{}
	for _, p := range m.pods {
		if keep(p) {
			names = append(names, describe(p))
		}
	}
	slices.Sort(names)
	return names
}

func describe(p *Pod) string {
	return fmt.Sprintf("%s/%s %s on %s of %v %v %s", p.Namespace, p.Name, p.UID, p.Node, p.Owner, p.Labels, p.Phase)
}

func described(pods []*Pod) []string {
	names := []string{}
	for _, p := range pods {
		names = append(names, describe(p))
	}
	slices.Sort(names)
	return names
}

// check compares every question that a snapshot answers with the model.
func (m *model) check(t *testing.T, s *Snapshot) {
	t.Helper()
	same := func(what string, got []*Pod, keep func(*Pod) bool) {
		t.Helper()
		if want := m.where(keep); !slices.Equal(described(got), want) {
			t.Fatalf("%s:\n got %s\nwant %s", what, strings.Join(described(got), "\n     "), strings.Join(want, "\n     "))
		}
	}
	same("all pods", s.Pods(), func(*Pod) bool { return true })
	if s.Sync(KindPods).Count != len(m.pods) {
		t.Fatalf("%d pods, want %d", s.Sync(KindPods).Count, len(m.pods))
	}
	for _, node := range append(modelNodes, "") {
		same("pods on "+node, s.PodsOn(node), func(p *Pod) bool { return p.Node == node })
		if node != "" {
			m.checkTotals(t, s, node)
		}
	}
	for _, ns := range modelNamespaces {
		same("pods in "+ns, s.PodsIn(ns), func(p *Pod) bool { return p.Namespace == ns })
	}
	for _, o := range modelOwners {
		if o != nil {
			same("pods of "+o.Name, slices.Collect(s.PodsOf(o.UID)), func(p *Pod) bool { return p.Owner != nil && p.Owner.UID == o.UID })
		}
	}
	if len(s.Budgets()) != len(m.budgets) {
		t.Fatalf("%d budgets, want %d", len(s.Budgets()), len(m.budgets))
	}
	for _, b := range m.budgets {
		if s.BudgetNamed(b.Namespace, b.Name) != b {
			t.Fatalf("another budget %s/%s", b.Namespace, b.Name)
		}
		same("pods under "+b.Name, s.PodsUnder(b), func(p *Pod) bool {
			return p.Namespace == b.Namespace && b.Selector.Matches(p.Labels)
		})
	}
	for _, p := range m.pods {
		m.checkPod(t, s, p)
	}
}

func (m *model) checkPod(t *testing.T, s *Snapshot, p *Pod) {
	t.Helper()
	if got := s.Pod(p.UID); got != p {
		t.Fatalf("pod %s: got %v, want %v", p.UID, got, p)
	}
	newest := p
	for _, other := range m.pods {
		if other.Namespace == p.Namespace && other.Name == p.Name && other.Created.After(newest.Created) {
			newest = other
		}
	}
	if got := s.PodNamed(p.Namespace, p.Name); !got.Created.Equal(newest.Created) {
		t.Fatalf("pod %s/%s: got %v, want %v", p.Namespace, p.Name, got, newest)
	}
	matching := 0
	for _, b := range m.budgets {
		if b.Namespace == p.Namespace && b.Selector.Matches(p.Labels) {
			matching++
		}
	}
	if got := len(s.BudgetsOf(p)); got != matching {
		t.Fatalf("%d budgets over %s, want %d", got, p.Name, matching)
	}
}

func (m *model) checkTotals(t *testing.T, s *Snapshot, node string) {
	t.Helper()
	var want NodeTotals
	for _, p := range m.pods {
		if p.Node != node {
			continue
		}
		want.Pods++
		if !p.Finished() {
			want.Requested.Pods++
			want.Requested.CPUMilli += p.Spec.Requests.CPUMilli
		}
	}
	got := s.Totals(node)
	if got.Pods != want.Pods || got.Requested.Pods != want.Requested.Pods || got.Requested.CPUMilli != want.Requested.CPUMilli {
		t.Fatalf("totals of %s: %+v, want %+v", node, got, want)
	}
}

var (
	modelNodes      = []string{"n1", "n2", "n3"}
	modelNamespaces = []string{"a", "b"}
	modelOwners     = []*Owner{nil, {Kind: "ReplicaSet", Name: "x", UID: "x"}, {Kind: "ReplicaSet", Name: "y", UID: "y"}}
	modelLabels     = []labels.Set{{"app": "x"}, {"app": "y"}, {"app": "x", "tier": "db"}, nil}
	modelSelectors  = []string{"app=x", "app=y", "tier=db", "", "app=x,tier=db", "app in (x,y)", "app", "!app", "app=x,tier!=db"}
	modelPhases     = []corev1.PodPhase{corev1.PodPending, corev1.PodRunning, corev1.PodSucceeded, corev1.PodFailed}
)

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func randomPod(r *rand.Rand) *Pod {
	return &Pod{
		Namespace: pick(r, modelNamespaces), Name: fmt.Sprintf("p%d", r.IntN(8)), UID: UID(fmt.Sprintf("u%d", r.IntN(24))),
		Node: pick(r, append(modelNodes, "")), Owner: pick(r, modelOwners), Labels: pick(r, modelLabels),
		Phase: pick(r, modelPhases), Created: time.Unix(r.Int64N(1000), 0),
		Spec: &PodSpec{Requests: Resources{CPUMilli: r.Int64N(100)}},
	}
}

func randomBudget(r *rand.Rand) *Budget {
	selector, _ := labels.Parse(pick(r, modelSelectors))
	return &Budget{
		Namespace: pick(r, modelNamespaces), Name: fmt.Sprintf("b%d", r.IntN(14)), UID: UID(fmt.Sprintf("b%d", r.IntN(40))),
		Selector: selector, Generation: r.Int64N(2),
	}
}

// step changes store and model alike.
func (m *model) step(r *rand.Rand, s *Store) {
	switch r.IntN(16) {
	case 0, 10, 11, 12, 13, 14:
		b := randomBudget(r)
		for _, other := range m.budgets {
			if other.UID == b.UID {
				b.Namespace, b.Name = other.Namespace, other.Name // a UID never changes its name
			}
		}
		m.budgets[b.Namespace+"/"+b.Name] = b
		s.Put(b)
	case 1:
		b := randomBudget(r)
		delete(m.budgets, b.Namespace+"/"+b.Name)
		s.Remove(&Budget{Namespace: b.Namespace, Name: b.Name})
	case 2, 3:
		p := randomPod(r)
		delete(m.pods, p.UID)
		s.Remove(&Pod{UID: p.UID})
	case 4:
		keep := m.clone()
		records := []Record{}
		for uid, p := range keep.pods {
			if r.IntN(2) == 0 {
				delete(m.pods, uid)
				continue
			}
			records = append(records, p)
		}
		s.Replace(Scope{Kind: KindPods}, records, 0, SyncState{Phase: Synced})
	case 5, 6:
		// A change of status alone: the key stays.
		if len(m.pods) > 0 {
			old := m.pods[pick(r, sortedUIDs(m.pods))]
			p := *old
			p.Phase, p.Spec = pick(r, modelPhases), &PodSpec{Requests: Resources{CPUMilli: r.Int64N(100)}}
			m.pods[p.UID] = &p
			s.Put(&p)
		}
	default:
		p := randomPod(r)
		m.pods[p.UID] = p
		s.Put(p)
	}
}

func sortedUIDs(pods map[UID]*Pod) []UID {
	uids := []UID{}
	for uid := range pods {
		uids = append(uids, uid)
	}
	slices.Sort(uids)
	return uids
}

// TestSnapshotsEqualModel also keeps old snapshots and asks them again at the
// end: none may have changed.
func TestSnapshotsEqualModel(t *testing.T) {
	type moment struct {
		model    *model
		snapshot *Snapshot
	}
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		s, m := NewStore(time.Now), newModel()
		var kept []moment
		for range 250 {
			m.step(r, s)
			if r.IntN(4) == 0 {
				snapshot := s.Snapshot()
				m.check(t, snapshot)
				kept = append(kept, moment{m.clone(), snapshot})
			}
		}
		for _, k := range kept {
			k.model.check(t, k.snapshot)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func TestChangedIsCoalescedPerCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStore(time.Now)
		ctx, cancel := context.WithCancel(t.Context())
		one, two := s.Changed(ctx), s.Changed(t.Context())
		for range 3 {
			s.SetSync(KindPods, SyncState{Phase: Synced})
		}
		for name, ch := range map[string]<-chan struct{}{"one": one, "two": two} {
			<-ch
			select {
			case <-ch:
				t.Errorf("%s was told twice", name)
			default:
			}
		}
		cancel()
		synctest.Wait()
		if len(s.watchers) != 1 {
			t.Errorf("%d watchers are left", len(s.watchers))
		}
	})
}
