package print

import (
	"bytes"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// The text of a drain tells of volumes what changed, each change once.
func TestVolumesAsText(t *testing.T) {
	var out, err bytes.Buffer
	o := (&Drain{Out: &Text{W: &out}, Err: &err, Now: time.Now}).Of(plan.Plan{})
	facts := func(name string, state volume.State) volume.Facts {
		return volume.Facts{Name: name, Claim: name, Volume: "pv-" + name, Driver: "disk", State: state}
	}
	volumes := func(pod, message string, wait *waits.Wait, all ...volume.Facts) {
		o.Event(drain.Event{Kind: drain.EventVolumes, Node: "worker-1", Namespace: "data", Pod: pod, UID: kube.UID(pod), Volumes: all, Message: message, Wait: wait})
	}
	turn := func(ahead *waits.Ahead) {
		o.Event(drain.Event{Kind: drain.EventPod, Time: noon, Node: "worker-1", Namespace: "data", Pod: "db-1", UID: "db-1", PodState: eviction.Planned,
			Wait: &waits.Wait{For: waits.ForVolumeQueue, Driver: "disk", Ahead: ahead}})
	}
	shared, inline := facts("b", volume.VolumeShared), volume.Facts{Name: "scratch", State: volume.VolumeUnknown, Why: "named in the pod itself, without a claim"}
	volumes("db-0", "", nil, facts("a", volume.VolumeInUse), shared, inline)
	volumes("db-9", "", nil, inline)
	turn(nil) // not the next in line: nothing to tell
	turn(&waits.Ahead{Namespace: "data", Pod: "db-0", Node: "worker-1"})
	wait := &waits.Wait{For: waits.ForDetach, Since: noon, Until: noon.Add(150 * time.Second)}
	volumes("db-0", "", wait, facts("a", volume.VolumeDetaching), shared, inline)
	turn(&waits.Ahead{Namespace: "data", Pod: "db-0", Node: "worker-1", Volumes: []string{"pv-a"}})
	volumes("db-0", "", nil, facts("a", volume.VolumeDetached), shared, inline)
	elsewhere := facts("a", volume.VolumeReattached)
	elsewhere.Node = "worker-2"
	volumes("db-0", "", nil, elsewhere, shared, inline)
	volumes("db-1", "volume pv-c still attached to worker-1, 2m0s after its pod could have ended: not waited for any longer", nil, facts("c", volume.VolumeStillAttached))
	o.Event(drain.Event{Kind: drain.EventVolumes, Node: "worker-1"}) // nothing is attached: nothing to warn of
	o.Event(drain.Event{Kind: drain.EventVolumes, Node: "worker-1", Message: "not safe to power off: volume pv-c (data/c) is still attached\x1b[2J"})
	o.Event(drain.Event{Kind: drain.EventPod, Time: noon, Namespace: "data", Pod: "db-2", UID: "db-2", PodState: eviction.StuckTerminating,
		Wait: &waits.Wait{For: waits.ForEnd, Volumes: []string{"pv-d", "pv-e"}}})
	const want = `volume pv-b of pod data/db-0 is not waited for, other pods on worker-1 use it
volume scratch of pod data/db-0 is not waited for, because it is not known when it is detached: named in the pod itself, without a claim (reported once for all of its kind)
pod data/db-1 waits for its turn: data/db-0 is ending on worker-1 (driver disk)
volume pv-a of pod data/db-0 is detaching from worker-1 since 12:00:00 UTC, waited for until 12:02:30 UTC
pod data/db-1 waits for its turn: data/db-0 is detaching from worker-1 (pv-a, driver disk)
volume pv-a of pod data/db-0 detached from worker-1
volume pv-a of pod data/db-0 is attached to worker-2 now
Warning: pod data/db-1: volume pv-c still attached to worker-1, 2m0s after its pod could have ended: not waited for any longer
Warning: node/worker-1: not safe to power off: volume pv-c (data/c) is still attached
pod data/db-2 does not terminate, it waits: its grace period has expired, the kubelet has not removed it; volumes pv-d and pv-e are still attached to its node
`
	if got := err.String(); got != want || out.Len() > 0 {
		t.Errorf("said\n%s\nwant\n%s\nresult %q", got, want, out.String())
	}
}
