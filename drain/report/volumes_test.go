package report

import (
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/checklist"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// aVolumeDrain is a drain of two nodes: the volumes of db-0 are detached, one of them
// late, of db-1 one stays and of one it is not known, and db-2 does not end.
func aVolumeDrain() []drain.Event {
	c := &chronicle{at: noon}
	pod := func(node, name string) eviction.Facts {
		return eviction.Facts{Node: node, Namespace: "data", Name: name, UID: kube.UID(name), Owner: "StatefulSet/db", Action: plan.ActionEvict}
	}
	vol := func(name string, state volume.State) volume.Facts {
		return volume.Facts{Name: "v", Claim: "data-" + name, Volume: "pv-" + name, Driver: "disk", Handle: "handle-" + name, State: state}
	}
	say := func(after time.Duration, node, name string, state eviction.State, wait *waits.Wait) {
		c.add(after, drain.Event{Kind: drain.EventPod, Node: node, Namespace: "data", Pod: name, UID: kube.UID(name), PodState: state, Wait: wait})
	}
	volumes := func(after time.Duration, name string, all ...volume.Facts) {
		c.add(after, drain.Event{Kind: drain.EventVolumes, Node: "worker-1", Namespace: "data", Pod: name, UID: kube.UID(name), Volumes: all})
	}
	c.add(0, drain.Event{Kind: drain.EventRunStarted, Run: &drain.RunFacts{ID: "v1", Context: "prod", Options: plan.DefaultOptions(),
		Nodes: []drain.NodeFacts{{Name: "worker-1", UID: "n1"}, {Name: "worker-2", UID: "n2"}, {Name: "worker-3", UID: "n3"}},
		Pods:  []eviction.Facts{pod("worker-1", "db-0"), pod("worker-1", "db-1"), pod("worker-2", "db-2")}}})
	say(time.Second, "worker-1", "db-0", eviction.Gone, nil)
	inline := volume.Facts{Name: "scratch", State: volume.VolumeUnknown, Why: "named in the pod itself, without a claim"}
	moved, late := vol("b", volume.VolumeReattached), vol("c", volume.VolumeDetached)
	moved.Node, late.Late = "worker-3", true
	volumes(0, "db-0", vol("b", volume.VolumeDetaching), vol("c", volume.VolumeDetaching))
	volumes(3*time.Second, "db-0", vol("b", volume.VolumeDetached), vol("c", volume.VolumeDetached))
	volumes(2*time.Second, "db-0", moved, late)
	say(0, "worker-1", "db-1", eviction.Gone, nil)
	volumes(2*time.Minute, "db-1", vol("d", volume.VolumeStillAttached), inline)
	say(0, "worker-2", "db-2", eviction.StuckTerminating, &waits.Wait{For: waits.ForEnd, Volumes: []string{"pv-e"}})
	c.add(time.Minute, drain.Event{Kind: drain.EventNode, Node: "worker-1", NodeState: drain.NodeDrained})
	c.add(0, drain.Event{Kind: drain.EventNode, Node: "worker-2", NodeState: drain.NodeFailed, Message: "not drained within 5m0s"})
	c.add(0, drain.Event{Kind: drain.EventNode, Node: "worker-3", NodeState: drain.NodeDrained})
	c.add(0, drain.Event{Kind: drain.EventVolumes, Node: "worker-1", Volumes: []volume.Facts{vol("d", volume.VolumeStillAttached)},
		PowerOff: &checklist.Verdict{Why: []checklist.Reason{{Object: "VolumeAttachment/pv-d", Message: "volume pv-d (data/data-d) is still attached"}}},
		Message:  "not safe to power off: volume pv-d (data/data-d) is still attached"})
	c.add(0, drain.Event{Kind: drain.EventVolumes, Node: "worker-3", PowerOff: &checklist.Verdict{Safe: true, Checks: []checklist.Check{checklist.CheckPods}}})
	c.add(0, drain.Event{Kind: drain.EventRunEnded, Outcome: drain.OutcomePartly})
	return c.events
}

func TestVolumesInTheReport(t *testing.T) {
	r := Of(aVolumeDrain(), false)
	for _, n := range r.Nodes {
		if n.SafeToPowerOff != (n.Name == "worker-3") {
			t.Errorf("%s: safe %v", n.Name, n.SafeToPowerOff)
		}
		// A journal of an older version tells of no lines: none is claimed to be true.
		if lines := n.Checklist; n.Name == "worker-3" && (len(lines) != 1 || lines[0].Holds == nil || !*lines[0].Holds) || n.Name == "worker-1" && len(lines) != 0 {
			t.Errorf("%s: lines %+v", n.Name, lines)
		}
	}
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"text": {r.Result(nil).Text(), []string{
			"  power off  ▲ worker-1: not safe to power off: volume pv-d (data/data-d) is still attached\n",
			"  volumes    2 detached, the slowest after 3s, 1 of them attached to no other node in time," +
				" 1 not known (scratch of data/db-1: named in the pod itself, without a claim)\n",
			"             worker-3: no volume is attached, ",
		}},
		"story": {r.Story(), []string{
			"node worker-1: not safe to power off: volume pv-d (data/data-d) is still attached: kubectl --context=prod get volumeattachments\n",
			"pod data/db-2 is still on worker-2; volume pv-e is still attached to its node\n",
			"its grace period has expired, the kubelet has not removed it; volume pv-e is still attached to its node\n",
			"of data/db-0  on worker-1  detached after 3s, attached to worker-3 2s later\n",
			"of data/db-0  on worker-1  detached after 3s, attached to no other node in time\n",
			"of data/db-1  on worker-1  still attached when its timeout expired\n",
			"of data/db-1  on worker-1  not known: named in the pod itself, without a claim\n",
		}},
		"markdown": {r.Markdown(), []string{
			"- [ ] node worker-1: not safe to power off: volume pv-d (data/data-d) is still attached: `kubectl --context=prod get volumeattachments`\n",
			"## Volumes\n", "| `pv-b` | `data/data-b` | `data/db-0` | `worker-1` | `detached after 3s, attached to worker-3 2s later` |\n",
			"| `scratch` |  | `data/db-1` |",
		}},
	} {
		for _, want := range c.want {
			if !strings.Contains(c.text, want) {
				t.Errorf("the %s does not say %q:\n%s", name, want, c.text)
			}
		}
	}
}
