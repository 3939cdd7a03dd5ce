package volume

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func of(states ...State) Record {
	var r Record
	for i, s := range states {
		r = append(r, VolumeRun{Facts: Facts{Name: string(rune('a' + i)), Driver: "csi", State: s}})
	}
	return r
}

// Where a volume was detached stays known while other volumes change.
func TestBecome(t *testing.T) {
	now := kubetest.Now
	r := of(VolumeDetaching, VolumeInUse).Become([]Facts{{Name: "a", State: VolumeDetached}, {Name: "b", State: VolumeDetaching}}, now)
	r = r.Become([]Facts{{Name: "a", State: VolumeReattached}, {Name: "b", State: VolumeReattached}}, now.Add(time.Second))
	if !r[0].DetachedAt.Equal(now) || !r[0].ReattachedAt.Equal(now.Add(time.Second)) || !r[1].DetachedAt.Equal(now.Add(time.Second)) {
		t.Errorf("%+v", r)
	}
}

func TestGiveUp(t *testing.T) {
	facts := of(VolumeDetaching, VolumeUnattached).GiveUp()
	if facts[0].State != VolumeUnknown || facts[0].Why != WhyUnseen || facts[1].State != VolumeUnattached {
		t.Errorf("%+v", facts)
	}
}

func TestQueue(t *testing.T) {
	q := NewQueue(1)
	if driver, _ := q.Full("n", []string{"csi"}); driver != "" || !q.Free("n", []string{"csi"}) {
		t.Error("an empty queue is full")
	}
	q.Take(Holder{Namespace: "shop", Name: "db-0", Node: "n"}, []string{"csi", "nfs"})
	driver, ahead := q.Full("n", []string{"other", "nfs"})
	if driver != "nfs" || ahead == nil || ahead.Name != "db-0" || q.Free("n", []string{"nfs"}) {
		t.Errorf("%s, %+v", driver, ahead)
	}
	if driver, ahead := q.Full("n", []string{"nfs"}); driver != "nfs" || ahead != nil {
		t.Errorf("the second is told too: %s, %+v", driver, ahead)
	}
	if driver, _ := q.Full("m", []string{"csi"}); driver != "" {
		t.Error("another node waits too")
	}
}

func TestSentence(t *testing.T) {
	now := kubetest.Now
	for want, r := range map[string]Record{
		"detaching from n for 5s, 10s left for it": of(VolumeDetaching),
		"still attached to n":                      of(VolumeStillAttached),
		"attached to m now":                        {{Facts: Facts{Name: "a", State: VolumeReattached, Node: "m"}}},
		"detached from n":                          of(VolumeDetached, VolumeUnattached),
		"attached to no other node yet":            {{Facts: Facts{Name: "a", State: VolumeDetached, Late: true}}},
		"not known: " + WhyNoCSI:                   {{Facts: Facts{Name: "a", State: VolumeUnknown, Why: WhyNoCSI}}},
		"":                                         of(VolumeUnattached),
	} {
		if got := r.Sentence("n", 5*time.Second, now.Add(10*time.Second), now); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := of(VolumeDetaching, VolumeUnattached).Drivers(); !slices.Equal(got, []string{"csi"}) {
		t.Errorf("%v", got)
	}
}
