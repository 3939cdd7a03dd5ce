package app

import (
	"context"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/app/engine"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// guarded is a connection to a server that does not let us evict.
type guarded struct{ somewhere }

func (guarded) CheckAccess(_ context.Context, rights []request.Permission) ([]request.AccessResult, error) {
	results := make([]request.AccessResult, len(rights))
	for i, r := range rights {
		results[i] = request.AccessResult{Permission: r, Allowed: r.Subresource != "eviction"}
	}
	return results, nil
}

func (guarded) ServerAddresses(context.Context) []string              { return nil }
func (guarded) ReadScales(context.Context, engine.Source, []string)   {}
func (guarded) ReadStatuses(context.Context, engine.Source, []string) {}
func (guarded) ReadDrainRules(context.Context, engine.Source) error   { return nil }

// The plan of the dashboard has the findings about rights that the plan of the
// commands has, once the server was asked under the same options.
func TestThePlanOfTheDashboardNamesMissingRights(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-1", UID: "1"}}
	s := (&Session{Cluster: guarded{}, Runs: NewRuns(t.TempDir(), "kdrain-tui"),
		View: View{Now: func() time.Time { return now }}}).Dashboard(t.Context())
	found := func(o plan.Options) bool {
		t.Helper()
		planned, err := s.NewPlan(kubetest.SnapshotOf(now, node), []string{"worker-1"}, o, now)
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(planned.Findings, func(f plan.Finding) bool { return f.Code == plan.FindingAccess })
	}
	o := plan.DefaultOptions()
	if found(o) {
		t.Error("before the server was asked")
	}
	if _, err := s.Access(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if !found(o) {
		t.Error("no finding")
	}
	o.DisableEviction = true
	if found(o) {
		t.Error("of other options")
	}
}
