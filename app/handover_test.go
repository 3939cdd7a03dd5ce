package app

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

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
