package report

import (
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// A run that died was rolled back: its report says so, and pods that are where they were before it are nothing to do.
func TestTheReportOfARunThatWasRolledBack(t *testing.T) {
	c := aDrain()
	facts := surge.Facts{Kind: "Deployment", Namespace: "shop", Name: "web", UID: "web"}
	action := &attempt.ActionFacts{ID: 9, Verb: attempt.VerbSurge}
	c.add(time.Second, drain.Event{Kind: drain.EventIntent, Namespace: "shop", Surge: &facts, Action: action})
	c.add(0, drain.Event{Kind: drain.EventAnswer, Namespace: "shop", Surge: &facts, Action: action,
		Answer: attempt.AnswerFactsOf(kube.Answer{Code: 200})})
	stays := func(r Report) (pods int) {
		for _, d := range r.ToDo {
			if strings.Contains(d.What, " is still on ") {
				pods++
			}
		}
		return pods
	}
	before := Of(c.events, false)
	c.add(time.Second, drain.Event{Kind: drain.EventUndone, By: "ada", Outcome: drain.OutcomeDone})
	after := Of(c.events, false)
	if stays(before) == 0 || stays(after) != 0 || before.RolledBack || !after.RolledBack {
		t.Errorf("before the rollback %+v, after it %+v", before.ToDo, after.ToDo)
	}
	if text := after.Result(nil).Verdict.Text; !strings.HasPrefix(text, "Cut short on ") || !strings.HasSuffix(text, ", rolled back since") {
		t.Error(text)
	}
	if last := after.Answers[len(after.Answers)-1]; last.Object != "Deployment/shop/web" {
		t.Errorf("%+v", last)
	}
}
