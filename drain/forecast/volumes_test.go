package forecast

import (
	"slices"
	"strings"
	"testing"
	"time"

	storagev1 "k8s.io/api/storage/v1"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/plan/plantest"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// The estimate counts the detach of volumes, and that pods of one driver wait for each other's.
func TestVolumesAreDetached(t *testing.T) {
	objects := []runtime.Object{kubetest.Node("w1", kubetest.Roomy), kubetest.Node("w2", kubetest.Roomy),
		&storagev1.CSIDriver{ObjectMeta: kubetest.Meta("CSIDriver", "disk")}}
	for _, name := range []string{"db-0", "db-1"} {
		objects = append(objects, kubetest.BoundClaim(name, "pv-"+name), kubetest.CsiVolume("pv-"+name, "disk"), kubetest.AttachmentOf("pv-"+name, "w1", true),
			kubetest.Pod("default/"+name, kubetest.OwnedBy("apps/v1", "StatefulSet", "db"), kubetest.On("w1"), kubetest.Claiming(name)))
	}
	of := func(flags ...string) plan.Estimate {
		s := kubetest.SnapshotOf(kubetest.Now, objects...)
		planned := plantest.New(t, s, plantest.Options(func(o *plan.Options) {
			for f := range slices.Chunk(flags, 2) {
				if err := o.Flags().Set(f[0], f[1]); err != nil {
					t.Fatal(err)
				}
			}
		}), "w1")
		return Of(s, planned, kubetest.Now)
	}
	ends := of("max-parallel-volumes", "0").Total
	for _, c := range []struct {
		most string
		want time.Duration
	}{{"1", 2 * (ends + detachTakes)}, {"2", ends + detachTakes}} {
		if e := of("max-parallel-volumes", c.most); e.Total != c.want || !strings.Contains(e.Because, "its volumes 10s to be detached") || e.Nodes[0].Until != c.want {
			t.Errorf("%s: %s, %q, want %s", c.most, e.Total, e.Because, c.want)
		}
	}
}
