package app

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// A Lease with the id of a roll means that a command of the roll may run on the node. Without the journal of the roll it
// is not known which: the node stays cordoned, and the Lease stays as the sign of it.
func TestANodeAtWhichARollWorkedStaysCordoned(t *testing.T) {
	for holder, stays := range map[string]bool{"k7f3pm": true, "k7f3pm-1": false} {
		sim := kubetest.NewSimulation()
		sim.AddNode("worker-1")
		node := *sim.Store.Snapshot().Node("worker-1")
		mark := annotation.Mark{Run: "k7f3pm-1", Was: "schedulable", At: kubetest.Now}
		node.Unschedulable = true
		node.Cordon = &kube.Cordon{Manager: kube.FieldManager, Mark: mark.String(), Since: kubetest.Now}
		node.Annotations = map[string]string{kube.CordonAnnotation: mark.String()}
		sim.Store.Put(&node)
		sim.Store.Put(&kube.Lease{Name: kube.LeaseName(node.UID), UID: "lease", Holder: holder, Duration: time.Second})
		s := &Session{View: View{Source: sim, Now: time.Now}, Runs: NewRuns(t.TempDir(), "kdrain-tui")}
		marked, err := rollback.ReadMarks(sim.Store.Snapshot(), []string{"worker-1"})
		if err != nil {
			t.Fatal(err)
		}
		r, err := (&Handover{s, marked}).Rollback()
		if err != nil {
			t.Fatal(err)
		}
		r.Plan()
		if len(r.Items) != 2 {
			t.Errorf("%s: %+v", holder, r.Items)
		}
		for _, u := range r.Items {
			if left := strings.Contains(u.Left, "a command of roll k7f3pm still runs on it"); left != stays {
				t.Errorf("%s: %+v", holder, u)
			}
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		sim.Halt()
	}
}

// A run is over only once its Lease has expired: one that renews it is live, and one that releases it meanwhile has just
// drained the node.
func TestARunThatHasJustEndedIsNotUndone(t *testing.T) {
	const dead, renewed, released = "dead", "renewed", "released"
	for name, over := range map[string]bool{dead: true, renewed: false, released: false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sim := kubetest.NewSimulation()
				defer sim.Halt()
				sim.AddNode("worker-1")
				held := kube.Lease{Name: kube.LeaseName("node-worker-1"), UID: "lease", ResourceVersion: "1", Holder: "r1",
					Duration: 30 * time.Second}
				sim.Store.Put(&held)
				sim.Store.SetSync(kube.KindLeases, kube.SyncState{Phase: kube.Synced})
				sim.Later(10*time.Second, func() {
					switch next := held; name {
					case renewed:
						next.ResourceVersion = "2"
						sim.Store.Put(&next)
					case released:
						sim.Store.Remove(&held)
					}
				})
				var said []string
				h := &Handover{session: &Session{View: View{Source: sim, Now: time.Now, Progress: func(text string) { said = append(said, text) }}},
					Marked: rollback.Marked{Mark: annotation.Mark{Run: "r1"}, Nodes: []string{"worker-1"}}}
				began := time.Now()
				err := h.Over(t.Context())
				took := time.Since(began)
				if (err == nil) != over || over && took != 30*time.Second || !over && took != 10*time.Second || len(said) != 1 {
					t.Errorf("%v after %s; said %q", err, took, said)
				}
			})
		})
	}
}
