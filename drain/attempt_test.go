package drain

import (
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
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
		{0, kube.Answer{Code: 500}, attempt.RetryFirst},
		{2, kube.Answer{Code: 500}, 4 * attempt.RetryFirst},
		{0, kube.Answer{Code: 503, RetryAfter: time.Minute}, time.Minute},
		{99, kube.Answer{}, attempt.RetryMost},
	} {
		a := attempt.Attempt{Tries: c.tries}
		if got := a.Pause(c.answer); got != c.want {
			t.Errorf("after %d tries %+v: %s, want %s", c.tries, c.answer, got, c.want)
		}
	}
}

// After a conflict the next try waits for the object to show its change, or for the
// pause; and never is a second write sent beside the first.
func TestAnAttemptAfterAConflict(t *testing.T) {
	var a attempt.Attempt
	a.Sent(&attempt.ActionFacts{ID: 1, Version: "5"})
	a.Answered(&attempt.AnswerFacts{Code: 409})
	a.Failed(kubetest.Now.Add(time.Second))
	st := &stepper{now: kubetest.Now}
	if a.Outdated("5") || !a.Outdated("6") || !st.waits(a) || !st.out.Wake.Equal(kubetest.Now.Add(time.Second)) {
		t.Errorf("after the conflict: %+v, wake %s", a, st.out.Wake)
	}
	a.Sent(&attempt.ActionFacts{ID: 2, Version: "6"})
	if a.Outdated("5") || !st.waits(a) {
		t.Errorf("while the next is out: %+v", a)
	}
	if a.Resume(); st.waits(a) || a.Tries != 0 {
		t.Errorf("in another process: %+v", a)
	}
}
