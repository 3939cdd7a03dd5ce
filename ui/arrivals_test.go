package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/replacement"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// A drain whose pod came up nowhere is no green success, and its result follows the replacement until it is Ready;
// a run of another cluster keeps what it saw.
func TestTheResultFollowsReplacements(t *testing.T) {
	w, s := oneDrained()
	p := s.Pods[0]
	p.Controller = &kube.Owner{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "front-7f9c", UID: "rs-front"}
	p.Replacement = p.Replacement.Become(replacement.Facts{State: replacement.Pending, Pod: "front-new", UID: "web/front-new",
		Reason: "Unschedulable", Why: "0/8 nodes are available", After: moment.Add(-21 * time.Second)}, moment.Add(-20*time.Second))
	w.pod("", "web", "front-new", "front", func(p *kube.Pod) {
		p.Ready, p.Created = false, moment.Add(-20*time.Second)
		p.Trouble = &kube.Trouble{Reason: "Unschedulable", Message: "0/8 nodes are available"}
	})
	other := *s
	other.Nodes = []*drain.NodeRun{{NodeFacts: drain.NodeFacts{Name: "worker-a1", UID: "of-another-cluster"}, State: drain.NodeDrained}}
	elsewhere := drive(t, w, 130, 40, attached(&other))

	d := drive(t, w, 130, 40, attached(s))
	pending := []string{"▲ Drained worker-a1 in 41s, but 1 replacement is Pending.", "0 of 1 replacement Ready",
		"unready    ▲ web/front-66d5f7c9b-a8sd0  replacement front-new is Pending: Unschedulable: 0/8 nodes are available",
		"› Pending for 20s: Unschedulable: 0/8 nodes are available"}
	d.shows(pending...)
	elsewhere.shows(pending...)
	d.now = d.now.Add(10 * time.Second)
	d.refresh()
	d.shows("› Pending for 30s")

	w.pod("worker-b1", "web", "front-new", "front", func(p *kube.Pod) {
		p.Created, p.ReadySince = moment.Add(-20*time.Second), d.now
	})
	d.refresh()
	d.shows("✔ Drained worker-a1 in 41s.", "replacement front-new is Ready on worker-b1 after 30s")
	d.now = d.now.Add(time.Minute)
	d.refresh()
	d.shows("replacement front-new is Ready on worker-b1 after 30s")
	if f := d.frame(); strings.Contains(f, "Pending") {
		t.Errorf("still Pending:\n%s", f)
	}
	elsewhere.now = d.now
	elsewhere.refresh()
	elsewhere.shows(pending...)
}
