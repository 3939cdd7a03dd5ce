package attempt

import (
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// The one pause of all requests: twice as long with each failure, and never shorter
// than the server asks for.
func TestPauseOfAnAttempt(t *testing.T) {
	for _, c := range []struct {
		tries  int
		answer kube.Answer
		want   time.Duration
	}{
		{0, kube.Answer{Code: 500}, RetryFirst},
		{2, kube.Answer{Code: 500}, 4 * RetryFirst},
		{0, kube.Answer{Code: 503, RetryAfter: time.Minute}, time.Minute},
		{99, kube.Answer{}, RetryMost},
	} {
		a := Attempt{Tries: c.tries}
		if got := a.Pause(c.answer.RetryAfter); got != c.want {
			t.Errorf("after %d tries %+v: %s, want %s", c.tries, c.answer, got, c.want)
		}
	}
}

// After a conflict the next try waits for the object to show its change, or for the
// pause; and never is a second write sent beside the first.
func TestAnAttemptAfterAConflict(t *testing.T) {
	var a Attempt
	a.Sent(&ActionFacts{ID: 1, Version: "5"})
	a.Answered(&AnswerFacts{Code: 409})
	a.Failed(kubetest.Now.Add(time.Second))
	if a.Outdated("5") || !a.Outdated("6") || !a.Waits(kubetest.Now) || a.Waits(kubetest.Now.Add(time.Second)) {
		t.Errorf("after the conflict: %+v", a)
	}
	a.Sent(&ActionFacts{ID: 2, Version: "6"})
	if a.Outdated("5") || !a.Waits(kubetest.Now) {
		t.Errorf("while the next is out: %+v", a)
	}
	if a.Resume(); a.Waits(kubetest.Now) || a.Tries != 0 {
		t.Errorf("in another process: %+v", a)
	}
}

func TestBackOffGrowsToALimit(t *testing.T) {
	for failures, want := range map[int]time.Duration{
		0: RetryFirst, 1: RetryFirst, 2: 2 * RetryFirst, 3: 4 * RetryFirst, 20: RetryMost, 1 << 40: RetryMost,
	} {
		if got := backOff(failures); got != want {
			t.Errorf("after %d failures %s, want %s", failures, got, want)
		}
	}
}
