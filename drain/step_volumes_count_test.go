package drain

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Somebody else evicts the first pod before its node's turn comes, and it is gone by
// then. Its volume leaves the node all the same, and the next pod waits for that.
func TestAPodThatOthersEvictKeepsItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := volumeWorld(t)
		volumes := map[string][]string{}
		for _, claim := range []string{"data0", "data1"} {
			p := s.addPod("db", "a", d.with(claim+"@disk"))
			volumes[p.Name] = []string{"pv-" + claim}
		}
		d.watchTurns("a", volumes)
		o := DefaultOptions()
		o.ExcludeFromLB = 2 * time.Second
		e := begin(t, t.Context(), s, o, "a")
		time.AfterFunc(200*time.Millisecond, func() {
			s.Evict(t.Context(), kube.EvictRequest{Namespace: "default", Name: "db-1", UID: "pod-1"})
		})
		confirmAll(t.Context(), s, e)
		if e.State().Outcome != OutcomeDone || len(d.overlaps) > 0 {
			t.Errorf("outcome %q, overlaps %v", e.State().Outcome, d.overlaps)
		}
		if p := e.State().Pod("pod-1"); !p.State.Left() || len(p.Volumes) != 1 || p.Volumes[0].DetachedAt.IsZero() {
			t.Errorf("the volume of the first pod was not followed: %+v", p)
		}
	})
}

func TestClaimsThatBindMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := volumeWorld(t)
		p := s.addPod("db", "a", d.with("late"))
		s.addBudget("db", 1)
		s.later(2*time.Second, func() {
			s.store.Put(kube.ClaimRecord(boundClaim("late", "pv-late")))
			s.store.Put(kube.VolumeRecord(csiVolume("pv-late", "disk")))
			d.attach("pv-late", "disk", "a")
		})
		s.later(4*time.Second, func() {
			s.addPod("db", "b")
			s.control("db")
		})
		e := drive(t, s, DefaultOptions(), "a")
		v := e.State().Pod(p.UID).Volumes[0]
		if v.State != VolumeReattached && v.State != VolumeDetached || v.Driver != "disk" || v.Volume != "pv-late" {
			t.Errorf("volume %+v", v)
		}
	})
}
