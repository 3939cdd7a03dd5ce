package engine

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// Somebody else evicts the first pod before its node's turn comes, and it is gone by
// then. Its volume leaves the node all the same, and the next pod waits for that.
func TestAPodThatOthersEvictKeepsItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := volumeWorld(t)
		volumes := map[string][]string{}
		for _, claim := range []string{"data0", "data1"} {
			p := s.AddPod("db", "a", d.With(claim+"@disk"))
			volumes[p.Name] = []string{"pv-" + claim}
		}
		d.WatchTurns("a", volumes)
		o := plan.DefaultOptions()
		o.ExcludeFromLB = 2 * time.Second
		e := begin(t, t.Context(), s, o, "a")
		time.AfterFunc(200*time.Millisecond, func() {
			s.Evict(t.Context(), request.Evict{Namespace: "default", Name: "db-1", UID: "pod-1"})
		})
		confirmAll(t.Context(), s, e)
		if e.State().Outcome != drain.OutcomeDone || len(d.Overlaps) > 0 {
			t.Errorf("outcome %q, overlaps %v", e.State().Outcome, d.Overlaps)
		}
		if p := e.State().Pod("pod-1"); !p.State.Left() || len(p.Volumes) != 1 || p.Volumes[0].DetachedAt.IsZero() {
			t.Errorf("the volume of the first pod was not followed: %+v", p)
		}
	})
}

func TestClaimsThatBindMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := volumeWorld(t)
		p := s.AddPod("db", "a", d.With("late"))
		s.AddBudget("db", 1)
		s.Later(2*time.Second, func() {
			s.Store.Put(convert.ClaimRecord(kubetest.BoundClaim("late", "pv-late")))
			s.Store.Put(convert.VolumeRecord(kubetest.CsiVolume("pv-late", "disk")))
			d.Attach("pv-late", "disk", "a")
		})
		s.Later(4*time.Second, func() {
			s.AddPod("db", "b")
			s.Control("db")
		})
		e := drive(t, s, plan.DefaultOptions(), "a")
		v := e.State().Pod(p.UID).Volumes[0]
		if v.State != volume.VolumeReattached && v.State != volume.VolumeDetached || v.Driver != "disk" || v.Volume != "pv-late" {
			t.Errorf("volume %+v", v)
		}
	})
}
