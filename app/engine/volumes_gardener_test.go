package engine

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// The tables of this file are the public volume cases of two other engines, as inputs
// and expected outcomes of our rules. Each row names the case that it comes from;
// differs says where we mean to do otherwise, and why.
//
//	gardener: gardener/machine-controller-manager 54caf54, pkg/util/provider/drain/drain_test.go
//	          (its bugs are rows in drain/volume/gardener_test.go)
//	Cluster API: kubernetes-sigs/cluster-api ae7ff047, core/reconcilers/machine/machine_controller_test.go
//	          (until August 2026 in internal/controllers/machine)

// accounted are the volumes of a pod as "title@handle State", and why where it is not
// known.
func accounted(p *kube.Pod, s *kube.Snapshot) []string {
	var words []string
	for _, v := range volume.VolumesOf(p, s) {
		w := v.Title()
		if v.Handle != "" {
			w += "@" + v.Handle
		}
		if w += " " + string(v.State); v.Why != "" {
			w += ": " + v.Why
		}
		words = append(words, w)
	}
	return words
}

// Table "getPodVolumeInfos" of gardener's drain_test.go, all 7.
func TestGardenerVolumeAccounting(t *testing.T) {
	join := func(lists ...[]runtime.Object) (all []runtime.Object) { return slices.Concat(lists...) }
	bar := func(i int, claims ...string) runtime.Object {
		return kubetest.Pod(fmt.Sprintf("foo/bar%d", i), kubetest.Claiming(claims...))
	}
	for _, c := range []struct {
		source, differs string
		objects         []runtime.Object
		want            map[string][]string // by pod
	}{
		{source: "should return empty map for empty pod list", want: map[string][]string{}},
		{source: "should return empty volume list for pods without volumes",
			objects: []runtime.Object{bar(0), bar(1)}, want: map[string][]string{"bar0": nil, "bar1": nil}},
		{source: "should return list of exclusive volumes",
			objects: join(kubetest.Claim("foo/exclusive", "exclusive-0"), []runtime.Object{bar(0, "exclusive")}),
			want:    map[string][]string{"bar0": {"exclusive-0@handle-exclusive-0 InUse"}}},
		{source: "should filter out shared volumes", differs: "they are kept and called shared, so that the report has them; nothing waits for them",
			objects: join(kubetest.Claim("foo/exclusive0", "exclusive0-0"), kubetest.Claim("foo/exclusive1", "exclusive1-0"), kubetest.Claim("foo/shared", "shared"),
				[]runtime.Object{bar(0, "exclusive0", "shared"), bar(1, "exclusive1", "shared")}),
			want: map[string][]string{"bar0": {"exclusive0-0@handle-exclusive0-0 InUse", "shared@handle-shared Shared"},
				"bar1": {"exclusive1-0@handle-exclusive1-0 InUse", "shared@handle-shared Shared"}}},
		{source: "should filter out provider-unrelated volumes", differs: "it is kept and said that it is not known, never that it is detached",
			objects: join(kubetest.Claim("foo/exclusive", "exclusive-0", kubetest.FcDisk), []runtime.Object{bar(0, "exclusive")}),
			want:    map[string][]string{"bar0": {"exclusive-0 Unknown: not a CSI volume"}}},
		{source: "should filter out non-existing PVCs", differs: "the same, and it is read again as long as its pod is there",
			objects: []runtime.Object{bar(0, "exclusive")},
			want:    map[string][]string{"bar0": {"claim exclusive Unknown: its claim does not exist"}}},
		{source: "should filter out non-existing persistent volumes", differs: "the same",
			objects: join(kubetest.Claim("foo/exclusive", "exclusive-0")[:1], []runtime.Object{bar(0, "exclusive")}),
			want:    map[string][]string{"bar0": {"exclusive-0 Unknown: its volume does not exist"}}},
	} {
		t.Run(c.source, func(t *testing.T) {
			s := kubetest.SnapshotOf(kubetest.Now, append(c.objects, kubetest.Node("w1"))...)
			pods := s.PodsOn("w1")
			if len(pods) != len(c.want) {
				t.Errorf("%d pods, want %d", len(pods), len(c.want))
			}
			for _, p := range pods {
				if got := accounted(p, s); !slices.Equal(got, c.want[p.Name]) {
					t.Errorf("%s: %q, want %q (%s)", p.Name, got, c.want[p.Name], c.differs)
				}
			}
		})
	}
}

// gardenerDrain is a row of the table "RunDrain" of gardener's drain_test.go.
type gardenerDrain struct {
	source, differs          string
	plain, own, shared, both int // pods without volumes, with volumes of their own, with a shared one, with both
	volumes                  int // of each pod that has volumes of its own
	options                  func(*plan.Options)
	refused                  bool // every eviction is
	grace                    int64
	evictions                int
	took                     time.Duration
	attached                 bool // to the node at the end: nothing waited for it
}

func deletes(o *plan.Options) { o.DisableEviction = true }

func byForce(o *plan.Options) { o.DisableEviction, o.MaxParallelVolumes = true, 0 }

// Here a pod takes a second to end, and its volumes three more to be detached.
const gardenerEnd, gardenerDetach = time.Second, 3 * time.Second

// gardenerDrains are all 16 of them: how many pods of which kind are drained, how many
// evictions that takes, and how long.
var gardenerDrains = []gardenerDrain{
	{source: "Successful drain without support for eviction pods without volume", plain: 10, options: deletes, took: gardenerEnd},
	{source: "Successful drain with support for eviction of pods without volume", plain: 10, evictions: 10, took: gardenerEnd},
	{source: "Successful drain without support for eviction of pods with exclusive volumes", own: 2, volumes: 1, options: deletes, took: 2 * (gardenerEnd + gardenerDetach)},
	{source: "Successful drain with support for eviction of pods with exclusive volumes", own: 2, volumes: 1, evictions: 2, took: 2 * (gardenerEnd + gardenerDetach)},
	{source: "Successful drain with support for eviction of pods with exclusive volumes with volume attachments",
		differs: "gardener waits for the attach on the other node too; here that is shown and never waited for",
		own:     2, volumes: 1, evictions: 2, took: 2 * (gardenerEnd + gardenerDetach)},
	{source: "Successful drain with support for eviction of pods with 2 exclusive volumes with volume attachments",
		own: 1, volumes: 2, evictions: 1, took: gardenerEnd + gardenerDetach},
	{source: "Successful drain without support for eviction of pods with shared volumes",
		differs: "gardener ends with the volume attached; here the detach after the last of its pods is awaited",
		shared:  2, options: deletes, took: 2*gardenerEnd + gardenerDetach},
	{source: "Successful drain with support for eviction of pods with shared volumes", differs: "the same",
		shared: 2, evictions: 2, took: 2*gardenerEnd + gardenerDetach},
	{source: "Successful drain without support for eviction of pods with exclusive and shared volumes", both: 2, volumes: 1, options: deletes,
		took: 2 * (gardenerEnd + gardenerDetach)},
	{source: "Successful drain with support for eviction of pods with exclusive and shared volumes", both: 2, volumes: 1, evictions: 2,
		took: 2 * (gardenerEnd + gardenerDetach)},
	{source: "Successful drain without support for eviction of pods with and without volume", plain: 10, own: 2, volumes: 1, options: deletes,
		took: 2 * (gardenerEnd + gardenerDetach)},
	{source: "Successful drain with support for eviction of pods with and without volume", plain: 10, own: 2, volumes: 1, evictions: 12,
		took: 2 * (gardenerEnd + gardenerDetach)},
	{source: "Successful forced drain without support for eviction of pods with and without volume",
		differs: "what ForceDeletePods does at once is two flags here: --disable-eviction and --max-parallel-volumes=0; the node is not safe then",
		plain:   10, own: 2, volumes: 1, options: byForce, took: gardenerEnd, attached: true},
	{source: "Successful forced drain with support for eviction of pods with and without volume", differs: "the same",
		plain: 10, own: 2, volumes: 1, options: byForce, took: gardenerEnd, attached: true},
	{source: "Successful forced drain with support for eviction of pods with and without volume when eviction fails", differs: "the same",
		plain: 10, own: 2, volumes: 1, options: byForce, refused: true, took: gardenerEnd, attached: true},
	{source: "Successful drain for pods with long termination grace period", plain: 10, own: 2, volumes: 1, grace: 3600, evictions: 12,
		took: 2 * (gardenerEnd + gardenerDetach)},
}

// fill puts the pods of the row on node a.
func (c *gardenerDrain) fill(s *kubetest.Simulation, d *kubetest.Disks) {
	sharedClaim := "shared@disk" // the first brings it
	add := func(count int, own, shared bool) {
		for range count {
			var claims []string
			for i := range c.volumes {
				if own {
					claims = append(claims, fmt.Sprintf("own-%d-%d@disk", s.Serial, i))
				}
			}
			if shared {
				claims, sharedClaim = append(claims, sharedClaim), "shared"
			}
			s.AddPod("app", "a", d.With(claims...), func(p *corev1.Pod) {
				if c.grace > 0 {
					p.Spec.TerminationGracePeriodSeconds = &c.grace
				}
			})
		}
	}
	add(c.plain, false, false)
	add(c.own, true, false)
	add(c.shared, false, true)
	add(c.both, true, true)
	if c.refused {
		s.Answer = func(request.Evict) (kube.Answer, bool) { return kube.Answer{Code: 429}, true }
	}
}

func TestGardenerDrains(t *testing.T) {
	for _, c := range gardenerDrains {
		t.Run(c.source, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, d := volumeWorld(t)
				c.fill(s, d)
				o := plan.DefaultOptions()
				if c.options != nil {
					c.options(&o)
				}
				began := time.Now()
				state := drive(t, s, o, "a").State()
				if took := time.Since(began); took < c.took || took > c.took+200*time.Millisecond {
					t.Errorf("took %s, want %s (%s)", took, c.took, c.differs)
				}
				if state.Outcome != drain.OutcomeDone || len(s.Evictions) != c.evictions {
					t.Errorf("%s with %d evictions, want %d (%s)", state.Outcome, len(s.Evictions), c.evictions, c.differs)
				}
				// With both, the shared volume leaves in the moment in which the run looks.
				if n := state.Nodes[0]; c.both == 0 && (n.Warning != "") != c.attached {
					t.Errorf("warning %q, attached %v (%s)", n.Warning, c.attached, c.differs)
				}
			})
		})
	}
}

// volume_attachment.go drops what its channel of 20 does not take: of 50 volumes that
// leave in one moment, none is missed here.
func TestGardenerLostEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := volumeWorld(t)
		claims := make([]string, 50)
		for i := range claims {
			claims[i] = fmt.Sprintf("data%d@disk", i)
		}
		p := s.AddPod("db", "a", d.With(claims...))
		began := time.Now()
		state := drive(t, s, plan.DefaultOptions(), "a").State()
		if took := time.Since(began); took > gardenerEnd+gardenerDetach+200*time.Millisecond || !state.Nodes[0].SafeToPowerOff() {
			t.Errorf("took %s, warning %q", took, state.Nodes[0].Warning)
		}
		for _, v := range state.Pod(p.UID).Volumes {
			if v.State != volume.VolumeDetached && v.State != volume.VolumeReattached {
				t.Errorf("volume %+v", v)
			}
		}
	})
}
