package drain

import (
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// cordoning plays a run on synthetic time whose nodes' cordons are answered by a
// function; answers change nothing in the cluster.
type cordoning struct {
	s    *State
	now  time.Time
	wake time.Time
	sent map[string]int // cordons sent, by node
	snap func() *kube.Snapshot
}

func newCordoning(o Options, nodes ...string) *cordoning {
	c := &cordoning{now: markNoon, sent: map[string]int{}}
	first := Event{Kind: EventRunStarted, Seq: 1, Time: c.now, Run: &RunFacts{ID: "r1", Context: "dev", Options: o}}
	var objects []runtime.Object
	for _, name := range nodes {
		first.Run.Nodes = append(first.Run.Nodes, NodeFacts{Name: name, UID: kube.UID("uid-" + name)})
		objects = append(objects, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: kube.UID("uid-" + name), ResourceVersion: "1"}})
	}
	c.s = Fold(nil, first)
	c.snap = func() *kube.Snapshot { return kube.SnapshotOf(c.now, objects...) }
	return c
}

// look is one Step; it confirms what is asked.
func (c *cordoning) look(answer func(w Write, try int) kube.Answer, in ...Input) {
	for {
		if q := c.s.Question; q != nil {
			in = append(in, Confirm{Phase: q.Phase, Word: q.Word})
		}
		events, writes, wake := Step(c.s, c.snap(), in, c.now)
		c.s, c.wake, in = Fold(c.s, events...), wake, nil
		for _, w := range writes {
			c.sent[w.Node]++
			in = append(in, Answered{w, answer(w, c.sent[w.Node])})
		}
		if len(in) == 0 && c.s.Question == nil {
			return
		}
	}
}

// until goes from wake-up to wake-up for that long, or to the end of the run.
func (c *cordoning) until(d time.Duration, answer func(w Write, try int) kube.Answer) {
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
		want    NodeState
		message string
		sent    int // 0: more than its answers
	}{
		"credentials are renewed after a 401": {[]kube.Answer{unauthorized, {Code: 503, Message: "starting"}, unauthorized, {Code: 503, Message: "starting"}}, NodeCordoning, "starting", 0},
		"credentials are refused for good":    {[]kube.Answer{unauthorized}, NodeFailed, "cordon refused: Unauthorized", 2},
		"a right is missing":                  {[]kube.Answer{{Code: 403, Message: "no"}}, NodeFailed, "cordon refused: no", 1},
		"gone":                                {[]kube.Answer{{Code: 404, Message: `nodes "a" not found`}}, NodeFailed, `cordon refused: nodes "a" not found`, 1},
		"404 of a proxy":                      {[]kube.Answer{{Code: 404, Message: "404 page not found"}}, NodeCordoning, "404 page not found", 0},
		"invalid":                             {[]kube.Answer{{Code: 422, Message: "bad"}}, NodeFailed, "cordon refused: bad", 1},
	} {
		t.Run(name, func(t *testing.T) {
			play := newCordoning(DefaultOptions(), "a")
			play.until(5*time.Minute, func(_ Write, try int) kube.Answer {
				return c.answers[min(try, len(c.answers))-1]
			})
			n := play.s.Node("a")
			if n.State != c.want || n.Message != c.message || c.sent != 0 && play.sent["a"] != c.sent || c.sent == 0 && play.sent["a"] <= len(c.answers) {
				t.Errorf("%s (%q) after %d cordons", n.State, n.Message, play.sent["a"])
			}
		})
	}
}
