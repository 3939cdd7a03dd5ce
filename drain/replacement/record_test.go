package replacement

import (
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Words that change while a container crashes for hours are told the rarer the longer it lasts; what
// happens to the replacement is told at once.
func TestTell(t *testing.T) {
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	exit := int32(1)
	crash := Facts{State: Failing, Pod: "web-2", UID: "2", Node: "w2", Reason: "CrashLoopBackOff", Exit: &exit}
	again, ready, late, other := crash, crash, crash, crash
	again.Reason = "Error"
	ready.State, late.Late, other.UID = Ready, true, "3"
	sameExit := int32(1)
	copied := crash
	copied.Exit = &sameExit
	for name, c := range map[string]struct {
		f    Facts
		at   time.Duration
		tell bool
		wake time.Duration
	}{
		"the same":                    {copied, time.Hour, false, 0},
		"other words, at once":        {again, 0, false, time.Second},
		"other words, after a second": {again, time.Second, true, time.Second},
		"other words, after an hour":  {again, time.Hour, true, 6 * time.Minute},
		"Ready":                       {ready, 0, true, 0},
		"late":                        {late, 0, true, 0},
		"another pod":                 {other, 0, true, 0},
	} {
		r := Record{}.Become(crash, noon)
		tell, wake := r.Tell(c.f, noon.Add(c.at))
		if want := noon.Add(c.wake); tell != c.tell || c.wake > 0 && !wake.Equal(want) || c.wake == 0 && !wake.IsZero() {
			t.Errorf("%s: told %v, again at %s; want %v, %s", name, tell, wake, c.tell, want)
		}
	}
}

func TestRecord(t *testing.T) {
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	r := Record{}
	if r.Awaited() || r.OnItsWay() || r.Sentence(noon) != "" {
		t.Errorf("a pod that is not followed: %+v", r)
	}
	for i, c := range []struct {
		f                 Facts
		awaited, onItsWay bool
		sentence          string
	}{
		{Facts{State: Awaited}, true, true, "no replacement yet for 5s"},
		{Facts{State: Pending, Pod: "b"}, true, true, "replacement b is Pending for 5s"},
		{Facts{State: Pending, Pod: "b", Reason: "Unschedulable", Why: "no room"}, true, false, "replacement b is Pending for 15s: Unschedulable: no room"},
		{Facts{State: Failing, Pod: "b", Node: "w2", Container: "app", Reason: "Error"}, true, false, "replacement b fails on w2 for 5s: container app: Error"},
		{Facts{State: Starting, Pod: "b", Node: "w2", Late: true}, false, false, "replacement b starts on w2 for 5s; not waited for any longer"},
		{Facts{State: Ready, Pod: "b", Node: "w2", Late: true}, false, false, "replacement b is Ready on w2 after 50s"},
		{Facts{State: Ready, Pod: "b", Node: "w2"}, false, false, "replacement b is Ready on w2 after 50s"},
		{Facts{State: NotWanted, Why: "it has no controller"}, false, false, "no replacement: it has no controller"},
	} {
		at := noon.Add(time.Duration(i) * 10 * time.Second)
		r = r.Become(c.f, at)
		if r.Awaited() != c.awaited || r.OnItsWay() != c.onItsWay || r.Sentence(at.Add(5*time.Second)) != c.sentence {
			t.Errorf("%d: awaited %v, on its way %v: %s", i, r.Awaited(), r.OnItsWay(), r.Sentence(at.Add(5*time.Second)))
		}
	}
}

// The gate tells when it closes, when others keep it closed, and when it opens.
func TestDecide(t *testing.T) {
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	web := Worse{Workload: Workload{Kind: "Deployment", Namespace: "shop", Name: "web", UID: "web", Wanted: 3, Available: 2}}
	api := Worse{Workload: Workload{Kind: "Deployment", Namespace: "shop", Name: "api", UID: "api", Wanted: 1}}
	fewer := web
	fewer.Available = 1
	var g *GateRun
	for i, c := range []struct {
		worse   []Worse
		allowed int
		closed  bool
		tell    bool
	}{
		{nil, 0, false, false},
		{[]Worse{web}, 1, false, false},
		{[]Worse{web}, 0, true, true},
		{[]Worse{web}, 0, true, false},
		{[]Worse{fewer}, 0, true, true}, // a minute later
		{[]Worse{api, fewer}, 0, true, true},
		{nil, 0, false, true},
		{nil, 0, false, false},
	} {
		now := noon.Add(time.Duration(i) * time.Minute)
		next, tell, _ := g.Decide(c.worse, c.allowed, now)
		if next.Closed != c.closed || tell != c.tell {
			t.Errorf("%d: closed %v, told %v", i, next.Closed, tell)
		}
		if tell {
			g = g.Become(next, now)
		}
	}
	next, _, _ := g.Decide([]Worse{api, fewer}, 1, noon)
	const want = "2 workloads are worse than before, more than 1: Deployment shop/api has 0 of 1 pod Ready; Deployment shop/web has 1 of 3 pods Ready"
	if next.Sentence() != want {
		t.Error(next.Sentence())
	}
}

// A gate that a Ready pod keeps closed says what that pod waits for.
func TestWhyAWorkloadIsWorse(t *testing.T) {
	ready, starting := &kube.Pod{Name: "web-1", Ready: true}, &kube.Pod{Name: "web-1"}
	for _, c := range []struct {
		worst *kube.Pod
		want  string
	}{{ready, "web-1: Ready, counts after minReadySeconds"}, {starting, "web-1: not Ready"}, {nil, "it cannot create pods: \"quota\""}} {
		if got := whyWorse(&kube.Workload{Failure: "quota"}, c.worst); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
