package report

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
)

// What held a pod for 71 s is its cause, and not what held it in its last second;
// outages and what the operator did have their places.
func TestTheCauseIsWhatHeldLongest(t *testing.T) {
	c := aDrain() // 31 s ErrImagePull, then ImagePullBackOff
	c.pod(time.Second, "api-1", eviction.BudgetBlocked, blockedByUnhealthy(1, "terminating"))
	c.add(time.Second, drain.Event{Kind: drain.EventControl, Command: drain.CommandPause, By: "bob", Message: "lunch"})
	c.add(time.Second, drain.Event{Kind: drain.EventConnection, Message: "no route to host"})
	c.add(9*time.Second, drain.Event{Kind: drain.EventControl, Command: drain.CommandAbort, By: "bob"})
	c.pod(0, "api-1", eviction.BudgetBlocked, blockedByUnhealthy(1, "terminating"))
	c.add(time.Second, drain.Event{Kind: drain.EventRunEnded, Outcome: drain.OutcomeAborted})
	r := Of(c.events, false)
	b := r.Blockers[0]
	if len(b.Causes) != 3 || b.Causes[0].UnhealthyPod.Reason != "ImagePullBackOff" || b.Causes[2].UnhealthyPod.Reason != "terminating" {
		t.Fatalf("causes %+v", b.Causes)
	}
	if !strings.Contains(b.Why, "ImagePullBackOff") || b.UnhealthyPod.Reason != "ImagePullBackOff" {
		t.Errorf("blocker %+v", b)
	}
	sum := 0.0
	for _, cause := range b.Causes {
		sum += cause.Share
	}
	if sum < 0.99 || sum > 1.01 || b.Causes[0].Share < 0.6 {
		t.Errorf("shares %+v", b.Causes)
	}
	pod := r.Nodes[0].Pods[0]
	if len(pod.Causes) != 3 || pod.Causes[0].Why != b.Why {
		t.Errorf("pod %+v", pod.Causes)
	}
	if len(r.Outages) != 2 || r.Outages[0].Seconds != 5 || r.Outages[0].Why != "connection refused" || !r.Outages[1].Until.IsZero() || r.Outages[1].Seconds != 10 {
		t.Errorf("outages %+v", r.Outages)
	}
	if len(r.Actions) != 2 || r.Actions[0].Text != "pause: lunch" || r.Actions[0].By != "bob" {
		t.Errorf("actions %+v", r.Actions)
	}
	for _, text := range []string{r.Result(nil).Text(), r.Story(), r.Markdown()} {
		for _, want := range []string{"last known state", "ImagePullBackOff"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
	}
	golden(t, "away.txt", r.Story())
	golden(t, "away.md", r.Markdown())
}

// Pods that two webhooks hold are two rows, also where both hold one pod, one after the other.
func TestEachWebhookIsABlocker(t *testing.T) {
	c := aDrain()
	denied := func(name string) *waits.Wait {
		return &waits.Wait{For: waits.ForWebhook, Words: `admission webhook "` + name + `" denied the request: not now`}
	}
	c.pod(time.Second, "api-1", eviction.Retrying, denied("strimzi.example.com"))
	c.pod(time.Second, "db-0", eviction.Retrying, denied("kubevirt.example.com"))
	c.pod(time.Second, "api-1", eviction.Retrying, denied("kubevirt.example.com"))
	of := map[string][]string{}
	for _, b := range Of(c.ended(), false).Blockers {
		if b.For == waits.ForWebhook {
			of[b.Why] = b.Pods
		}
	}
	want := map[string][]string{denied("strimzi.example.com").Words: {"shop/api-1"}, denied("kubevirt.example.com").Words: {"shop/api-1", "shop/db-0"}}
	for why, pods := range want {
		if slices.Sort(of[why]); !slices.Equal(of[why], pods) {
			t.Errorf("%s holds %q, want %q", why, of[why], pods)
		}
	}
}

// A process that goes on where another died found the server as it is then.
func TestAnOutageEndsWithItsProcess(t *testing.T) {
	c := aDrain()
	c.add(time.Second, drain.Event{Kind: drain.EventConnection, Message: "no route to host"})
	c.add(time.Minute, drain.Event{Kind: drain.EventResumed})
	r := Of(c.ended(), false)
	if last := r.Outages[len(r.Outages)-1]; last.Seconds != 60 || last.Until.IsZero() || r.lastKnown() != "" {
		t.Errorf("outages %+v", r.Outages)
	}
}

// The time in which no process worked on the run is no time in which its pods were blocked.
func TestNothingIsBlockedWhileNoProcessWorks(t *testing.T) {
	c := aDrain()
	c.add(time.Minute, drain.Event{Kind: drain.EventControl, Command: drain.CommandSuspend, By: "ada"})
	blocked := podOf(Of(c.events, false), "api-1").BlockedSeconds
	c.add(10*time.Hour, drain.Event{Kind: drain.EventResumed})
	p, sum := podOf(Of(c.ended(), false), "api-1"), 0.0
	for _, s := range p.Timeline {
		if s.State.Blocked() {
			sum += s.Seconds
		}
	}
	if got := p.BlockedSeconds - blocked; got < 4 || got > 5 || math.Abs(sum-p.BlockedSeconds) > 0.001 {
		t.Errorf("blocked for %g s, of which %g s after the resume, in spans of %g s", p.BlockedSeconds, got, sum)
	}
}

func podOf(r Report, name string) (found Pod) {
	for _, n := range r.Nodes {
		for _, p := range n.Pods {
			if p.Name == name {
				found = p
			}
		}
	}
	return found
}
