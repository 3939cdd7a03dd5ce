package notice

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/replacement"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// run is a run that is followed, on a clock that stands until it is told to go on.
type run struct {
	t     *testing.T
	now   time.Time
	state *drain.State
	watch *Watch
	wake  time.Time
}

func newRun(t *testing.T, blockedAfter time.Duration, pods ...string) *run {
	facts := drain.RunFacts{ID: "k7f3pm", Context: "prod", Nodes: []drain.NodeFacts{{Name: "worker-1"}}}
	for _, name := range pods {
		facts.Pods = append(facts.Pods, eviction.Facts{Namespace: "shop", Name: name, UID: kube.UID(name), Node: "worker-1",
			Action: plan.ActionEvict})
	}
	r := &run{t: t, now: noon}
	r.state = drain.Fold(nil, drain.Event{Seq: 1, Time: noon, Kind: drain.EventRunStarted, Run: &facts})
	r.watch = NewWatch(nil, blockedAfter)
	return r
}

// after lets time pass, folds the events and looks.
func (r *run) after(d time.Duration, events ...drain.Event) string {
	r.now = r.now.Add(d)
	for _, e := range events {
		e.Seq, e.Time = r.state.Seq+1, r.now
		r.state = drain.Fold(r.state, e)
	}
	var due []Notice
	due, r.wake = r.watch.See(r.state, r.now)
	var lines []string
	for _, n := range due {
		lines = append(lines, string(n.Kind)+" "+n.Message)
	}
	return strings.Join(lines, "\n")
}

func (r *run) is(got, want string) {
	r.t.Helper()
	if got != want {
		r.t.Errorf("at %s: told\n%s\nwant\n%s", r.now.Sub(noon), got, want)
	}
}

func blocked(pod string) drain.Event {
	return drain.Event{Kind: drain.EventPod, Node: "worker-1", Namespace: "shop", Pod: pod, UID: kube.UID(pod),
		PodState: eviction.BudgetBlocked, Wait: &waits.Wait{For: waits.ForWebhook}}
}

func phase(p drain.Phase, status drain.PhaseStatus) drain.Event {
	return drain.Event{Kind: drain.EventPhase, Phase: p, PhaseStatus: status}
}

func TestPhasesAndTheEndAreToldOnce(t *testing.T) {
	r := newRun(t, 0)
	r.is(r.after(0), "")
	r.is(r.after(time.Second, phase(drain.PhaseCheck, drain.PhaseDone), phase(drain.PhaseCordon, drain.PhaseRuns)),
		"PhaseEnded run k7f3pm: the phase check is done")
	r.is(r.after(time.Second), "")
	r.is(r.after(time.Second, phase(drain.PhaseCordon, drain.PhaseDone), phase(drain.PhaseEvict, drain.PhaseFailed),
		phase(drain.PhaseVerify, drain.PhaseSkipped), drain.Event{Kind: drain.EventRunEnded, Outcome: drain.OutcomePartly, Message: "timed out"}),
		"PhaseEnded run k7f3pm: the phase cordon is done\nPhaseEnded run k7f3pm: the phase evict is failed\n"+
			"Ended run k7f3pm: ended: partly, 0 of 0 pods gone, timed out")
	r.is(r.after(time.Hour), "")
	if !r.wake.IsZero() {
		t.Errorf("a run that has ended is to be looked at again at %s", r.wake)
	}
	// A question of before is asked again, so its time begins again.
	asked := newRun(t, 0)
	asked.after(0, drain.Event{Kind: drain.EventQuestion, Phase: drain.PhaseEvict})
	asked.watch, asked.now = NewWatch(asked.state, 0), asked.now.Add(time.Hour)
	asked.is(asked.after(0), "")
	asked.is(asked.after(questionAfter), "Question run k7f3pm: it waits for a confirmation of the phase evict")
	// A process that takes a run up tells nothing of before.
	taken := newRun(t, 0)
	taken.after(0, phase(drain.PhaseCheck, drain.PhaseDone))
	taken.watch = NewWatch(taken.state, 0)
	taken.is(taken.after(time.Second), "")
	taken.is(taken.after(time.Second, drain.Event{Kind: drain.EventControl, Command: drain.CommandSuspend}),
		"Suspended run k7f3pm: it is suspended, not ended: resume continues it")
}

// Pods are told once for each block that is too long, many of them together.
func TestBlockedPods(t *testing.T) {
	r := newRun(t, 5*time.Minute, "a", "b", "c")
	r.is(r.after(0, blocked("a")), "")
	if want := noon.Add(5 * time.Minute); !r.wake.Equal(want) {
		t.Errorf("looks again at %s, not %s", r.wake, want)
	}
	r.is(r.after(10*time.Second, blocked("b"), blocked("c")), "")
	r.is(r.after(4*time.Minute+50*time.Second),
		"Blocked run k7f3pm: 1 pod is blocked for longer than 5m: shop/a on worker-1 waits for an admission webhook")
	r.is(r.after(10*time.Second), "") // b and c wait until the next notice may come
	if want := noon.Add(6 * time.Minute); !r.wake.Equal(want) {
		t.Errorf("looks again at %s, not %s", r.wake, want)
	}
	r.is(r.after(50*time.Second),
		"Blocked run k7f3pm: 2 pods are blocked for longer than 5m: shop/b on worker-1 waits for an admission webhook; and 1 more")
	r.is(r.after(time.Hour), "")
	gone := blocked("a")
	gone.PodState, gone.Wait = eviction.Terminating, nil
	r.is(r.after(0, gone), "")
	stuck := gone
	stuck.PodState = eviction.StuckTerminating
	r.is(r.after(time.Minute, stuck), "")
	r.is(r.after(5*time.Minute), "Blocked run k7f3pm: 1 pod is blocked for longer than 5m: shop/a on worker-1")
	stuck.PodState = eviction.Gone
	r.is(r.after(time.Hour, stuck), "")

	silent := newRun(t, 0, "a")
	silent.after(0, blocked("a"))
	silent.is(silent.after(24*time.Hour), "")
}

func TestGateAndQuestions(t *testing.T) {
	r := newRun(t, 0)
	worse := []replacement.Worse{{Workload: replacement.Workload{Kind: "Deployment", Namespace: "shop", Name: "web", Wanted: 3, Available: 1}}}
	closed := drain.Event{Kind: drain.EventGate, Gate: &replacement.Gate{Closed: true, Workloads: worse}}
	r.is(r.after(0, closed), "GateClosed run k7f3pm: the health gate is closed, no further node begins: 1 workload is worse than before: "+
		"Deployment shop/web has 1 of 3 pods Ready")
	r.is(r.after(time.Second, closed), "")
	r.is(r.after(time.Second, drain.Event{Kind: drain.EventGate, Gate: &replacement.Gate{}}), "")

	asks := drain.Event{Kind: drain.EventQuestion, Phase: drain.PhaseEvict, Word: "worker-1"}
	r.is(r.after(0, asks), "")
	r.is(r.after(questionAfter-time.Second), "")
	r.is(r.after(time.Second), "Question run k7f3pm: it waits for a confirmation of the phase evict")
	r.is(r.after(time.Hour), "")
	r.is(r.after(0, drain.Event{Kind: drain.EventConfirmed, Phase: drain.PhaseEvict}, drain.Event{Kind: drain.EventQuestion, Phase: drain.PhaseEvict}), "")
	r.is(r.after(0, drain.Event{Kind: drain.EventConfirmed, Phase: drain.PhaseEvict}), "") // --yes
	r.is(r.after(time.Hour), "")
}

// Nothing that a cluster sends makes a notice long, or puts control sequences into it.
func TestNoticesAreBounded(t *testing.T) {
	hostile := "\x1b]0;owned\x07" + strings.Repeat("ü", 5000)
	var pods []string
	for i := range 3000 {
		pods = append(pods, fmt.Sprint(i, hostile))
	}
	r := newRun(t, time.Second, pods...)
	var events []drain.Event
	for _, pod := range pods {
		events = append(events, blocked(pod))
	}
	r.after(0, events...)
	r.now = r.now.Add(time.Minute)
	due, _ := r.watch.See(r.state, r.now)
	if len(due) != 1 || len(due[0].Pods) != mostListed || due[0].Omitted != 3000-mostListed {
		t.Fatalf("%d notices: %+v", len(due), due)
	}
	text, err := json.Marshal(due[0])
	if err != nil || len(text) > 40_000 || strings.Contains(string(text), "owned") || strings.Contains(string(text), `\ufffd`) {
		t.Errorf("%d bytes, %v: %.300s", len(text), err, text)
	}
	if !strings.HasPrefix(string(text), `{"schema":"kdrain-tui/notification/v1","kind":"Blocked","time":"2026-11-23T12:01:00Z","run":"k7f3pm"`) {
		t.Errorf("%.200s", text)
	}
}
