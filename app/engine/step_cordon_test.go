package engine

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// cordoning plays a run on synthetic time whose nodes' cordons are answered by a
// function; answers change nothing in the cluster.
type cordoning struct {
	s    *drain.State
	now  time.Time
	wake time.Time
	sent map[string]int // cordons sent, by node
	node map[string]*corev1.Node
}

func newCordoning(o plan.Options, nodes ...string) *cordoning {
	c := &cordoning{now: kubetest.Noon, sent: map[string]int{}, node: map[string]*corev1.Node{}}
	first := drain.Event{Kind: drain.EventRunStarted, Seq: 1, Time: c.now, Run: &drain.RunFacts{ID: "r1", Context: "dev", Options: o}}
	for _, name := range nodes {
		first.Run.Nodes = append(first.Run.Nodes, drain.NodeFacts{Name: name, UID: kube.UID("uid-" + name)})
		c.node[name] = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: kube.UID("uid-" + name), ResourceVersion: "1"}}
	}
	c.s = drain.Fold(nil, first)
	return c
}

func (c *cordoning) snap() *kube.Snapshot {
	var objects []runtime.Object
	for _, n := range c.node {
		objects = append(objects, n)
	}
	return kubetest.SnapshotOf(c.now, objects...)
}

// done is the answer to a cordon that the cluster shows.
func (c *cordoning) done(w drain.Write) kube.Answer {
	n := c.node[w.Node].DeepCopy()
	n.Spec.Unschedulable, n.ResourceVersion = true, n.ResourceVersion+"1"
	n.Annotations = map[string]string{kube.CordonAnnotation: w.Request.(request.Cordon).Mark}
	c.node[w.Node] = n
	return kube.Answer{Code: http.StatusOK}
}

// look is one Step; it confirms what is asked.
func (c *cordoning) look(answer func(w drain.Write, try int) kube.Answer, in ...drain.Input) {
	for {
		if q := c.s.Question; q != nil {
			in = append(in, drain.Confirm{Phase: q.Phase, Word: q.Word})
		}
		out := drain.Step(c.s, c.snap(), in, c.now)
		c.s, c.wake, in = out.State, out.Wake, nil
		for _, w := range out.Writes {
			c.sent[w.Node]++
			in = append(in, drain.Answered{Write: w, Answer: answer(w, c.sent[w.Node])})
		}
		if len(in) == 0 && c.s.Question == nil {
			return
		}
	}
}

// until goes from wake-up to wake-up for that long, or to the end of the run.
func (c *cordoning) until(d time.Duration, answer func(w drain.Write, try int) kube.Answer) {
	for end := c.now.Add(d); c.s.Outcome == "" && c.now.Before(end); {
		c.look(answer)
		if c.wake.IsZero() || c.wake.After(end) {
			c.now = end
		} else {
			c.now = c.wake
		}
	}
}

func TestAnswersToACordon(t *testing.T) {
	unauthorized := kube.Answer{Code: http.StatusUnauthorized, Message: "Unauthorized"}
	for name, c := range map[string]struct {
		answers []kube.Answer // the last one again and again
		want    drain.NodeState
		message string
		sent    int // 0: more than its answers
	}{
		"credentials are renewed after a 401": {[]kube.Answer{unauthorized, {Code: 503, Message: "starting"}, unauthorized, {Code: 503, Message: "starting"}}, drain.NodeCordoning, "starting", 0},
		"credentials are refused for good":    {[]kube.Answer{unauthorized}, drain.NodeCordoning, "Unauthorized", 0},
		"a right is missing":                  {[]kube.Answer{{Code: 403, Message: "no"}}, drain.NodeFailed, "cordon refused: no", 1},
		"gone":                                {[]kube.Answer{{Code: 404, Reason: "NotFound", Message: `nodes "a" not found`}}, drain.NodeFailed, `cordon refused: nodes "a" not found`, 1},
		"404 of a proxy":                      {[]kube.Answer{{Code: 404, Message: "404 page not found"}}, drain.NodeCordoning, "404 page not found", 0},
		"invalid":                             {[]kube.Answer{{Code: 422, Message: "bad"}}, drain.NodeFailed, "cordon refused: bad", 1},
	} {
		t.Run(name, func(t *testing.T) {
			play := newCordoning(plan.DefaultOptions(), "a")
			play.until(5*time.Minute, func(_ drain.Write, try int) kube.Answer {
				return c.answers[min(try, len(c.answers))-1]
			})
			n := play.s.Node("a")
			if n.State != c.want || n.Message != c.message || c.sent != 0 && play.sent["a"] != c.sent || c.sent == 0 && play.sent["a"] <= len(c.answers) {
				t.Errorf("%s (%q) after %d cordons", n.State, n.Message, play.sent["a"])
			}
		})
	}
}

// A node whose cordon is refused for ever holds only itself.
func TestANodeThatCannotBeCordonedFailsAlone(t *testing.T) {
	refused := kube.Answer{Code: 500, Message: `failed calling webhook "nodes": no endpoints`}
	for _, timeout := range []time.Duration{0, 10 * time.Minute} {
		o := plan.DefaultOptions()
		o.Timeout = timeout
		play := newCordoning(o, "a", "b")
		play.until(time.Hour, func(w drain.Write, _ int) kube.Answer {
			if w.Node == "a" {
				return refused
			}
			return play.done(w)
		})
		a, b := play.s.Node("a"), play.s.Node("b")
		if b.State != drain.NodeDrained || b.Ended.Sub(kubetest.Noon) > time.Minute {
			t.Errorf("timeout %s: b is %s after %s", timeout, b.State, b.Ended.Sub(kubetest.Noon))
		}
		want, message := drain.NodeCordoning, refused.Message
		if timeout > 0 {
			want, message = drain.NodeFailed, "not cordoned within 10m: "+refused.Message
		}
		if a.State != want || a.Message != message || a.CordonInDoubt {
			t.Errorf("timeout %s: a is %s: %s", timeout, a.State, a.Message)
		}
		if timeout > 0 && a.Ended.Sub(kubetest.Noon) != timeout {
			t.Errorf("a was given up after %s", a.Ended.Sub(kubetest.Noon))
		}
	}
}

// Something takes our cordons off again, and the node changes each time.
func TestACordonThatDoesNotStayIsNotRepeatedAtOnce(t *testing.T) {
	play := newCordoning(plan.DefaultOptions(), "a")
	play.until(5*time.Minute, func(w drain.Write, _ int) kube.Answer {
		play.done(w)
		play.node["a"].Spec.Unschedulable, play.node["a"].Annotations = false, nil
		return kube.Answer{Code: http.StatusOK}
	})
	if most := int(5*time.Minute/drain.CordonShown) + 1; play.sent["a"] > most || play.s.Node("a").State != drain.NodeCordoning {
		t.Errorf("%d cordons in five minutes, want at most %d", play.sent["a"], most)
	}
}

// What became of a cordon that was sent is not known before the cluster shows it.
func TestAbortWhileACordonIsInDoubt(t *testing.T) {
	for name, c := range map[string]struct {
		answer          kube.Answer
		cordoned, doubt bool
	}{
		"accepted, not shown":  {kube.Answer{Code: 200}, false, true},
		"no answer":            {kube.Answer{Failure: "EOF"}, false, true},
		"no answer, and shown": {kube.Answer{Failure: "EOF"}, true, false},
		"the server failed":    {kube.Answer{Code: 500, Message: "no"}, false, true},
		"refused":              {kube.Answer{Code: 429, Message: "no"}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			play := newCordoning(plan.DefaultOptions(), "a")
			var sent drain.Write
			answer := func(w drain.Write, _ int) kube.Answer { sent = w; return c.answer }
			play.look(answer)
			if c.cordoned {
				play.done(sent)
			}
			play.look(answer, drain.Command{Kind: drain.CommandAbort})
			if n := play.s.Node("a"); play.s.Outcome != drain.OutcomeAborted || n.Cordoned != c.cordoned || n.CordonInDoubt != c.doubt {
				t.Errorf("outcome %q, cordoned %v, in doubt %v", play.s.Outcome, n.Cordoned, n.CordonInDoubt)
			}
		})
	}
}

// A temporary budget that is not observed, or whose workload wants no pod, ends.
func TestGuardThatIsNeverObserved(t *testing.T) {
	for _, timeout := range []time.Duration{0, time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			s := kubetest.NewSimulation()
			s.ControllerOff = true
			s.AddNode("a")
			s.AddNode("b")
			s.AddPod("web", "a")
			s.AddPod("web", "b")
			s.AddReplicaSet("web", 2)
			o := plan.DefaultOptions()
			o.Guard, o.GuardWrite, o.Timeout = "1", true, timeout
			began := time.Now()
			state := drive(t, s, o, "a").State()
			within := max(timeout, time.Minute)
			if timeout == 0 {
				within = drain.GuardPatience
			}
			if n := state.Nodes[0]; n.State != drain.NodeStopped || !strings.Contains(n.Message, "has not observed budget") ||
				time.Since(began) > within+5*time.Second || len(s.Unmade) != 1 || s.Cordons != 0 {
				t.Errorf("after %s: %s, %s; budgets removed: %v", time.Since(began), n.State, n.Message, s.Unmade)
			}
		})
	}
}

// A pod that a finalizer holds can be left behind: the run goes on without it.
func TestATerminatingPodCanBeSkipped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddNode("b")
		stuck := s.AddPod("db", "a", func(p *corev1.Pod) { p.Finalizers = []string{"example.com/hold"} })
		e, _ := recorded(t, s)
		done := make(chan struct{})
		go func() { defer close(done); confirmAll(t.Context(), s, e) }()
		time.Sleep(time.Minute)
		steer(t, e, drain.Command{Kind: drain.CommandRetry, Pod: stuck.UID}, "was accepted")
		steer(t, e, drain.Command{Kind: drain.CommandSkip, Pod: stuck.UID, By: "ada"}, "")
		<-done
		state := e.State()
		p, n := state.Pod(stuck.UID), state.Node("a")
		if p.State != eviction.Skipped || !strings.HasPrefix(p.Message, "still terminating") || n.State != drain.NodeDrained || n.SafeToPowerOff() || state.Outcome != drain.OutcomeDone {
			t.Errorf("pod %s (%s), node %s, safe %v, outcome %s", p.State, p.Message, n.State, n.SafeToPowerOff(), state.Outcome)
		}
	})
}
