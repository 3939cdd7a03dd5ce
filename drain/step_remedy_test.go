package drain

import (
	"net/http"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// climb is one Step with the operator's confirmation of a remedy as it is shown now.
func (f *steps) remediate(kind remedy.Kind, change func(*Command)) []Write {
	r := f.remedy(kind)
	in := Command{Kind: CommandRemedy, Pod: f.pod.UID, Remedy: r.Facts, Word: r.Word, By: "ada", OnScreen: true}
	if change != nil {
		change(&in)
	}
	return f.step(in)
}

func (f *steps) step(in ...Input) []Write {
	out := Step(f.state, f.Snapshot(), in, time.Now())
	f.state = out.State
	return out.Writes
}

func TestRemediateSendsOneRequest(t *testing.T) {
	for _, c := range []struct {
		kind remedy.Kind
		make func(*steps)
		want func(Write) bool
	}{
		{remedy.EvictUnhealthy, func(f *steps) { f.sick(f.unhealthyPod); f.always() },
			func(w Write) bool {
				return w.Verb == attempt.VerbEvict && sent[request.Evict](w).Name == "web-2" && sent[request.Evict](w).UID == "pod-2" && sent[request.Evict](w).Grace == nil
			}},
		{remedy.RolloutRestart, func(f *steps) { f.deployed(func(*appsv1.Deployment) {}) },
			func(w Write) bool {
				return w.Verb == attempt.VerbRolloutRestart && sent[request.Restart](w).UID == "deploy-web" && sent[request.Restart](w).ResourceVersion == "77"
			}},
		{remedy.Scale, func(*steps) {},
			func(w Write) bool {
				return w.Verb == attempt.VerbScale && sent[request.Scale](w) == request.Scale{Kind: "ReplicaSet", Namespace: "default", Name: "web", UID: "rs-web", From: 2, To: 3}
			}},
		{remedy.Delete, func(*steps) {},
			func(w Write) bool {
				return w.Verb == attempt.VerbDelete && sent[request.Delete](w).UID == "pod-1" && sent[request.Delete](w).Grace == nil
			}},
		{remedy.ForceDelete, func(f *steps) { f.off("a") },
			func(w Write) bool {
				return w.Verb == attempt.VerbDelete && sent[request.Delete](w).UID == "pod-1" && *sent[request.Delete](w).Grace == 0
			}},
		{remedy.OutOfService, func(f *steps) { f.off("a") },
			func(w Write) bool {
				return w.Verb == attempt.VerbTaint && sent[request.SetTaints](w).UID == "node-a" && len(sent[request.SetTaints](w).Taints) == 1 && strings.Contains(sent[request.SetTaints](w).Mark, `"run":"r1"`)
			}},
	} {
		f := newSteps()
		c.make(f)
		writes := f.remediate(c.kind, nil)
		if len(writes) != 1 || !c.want(writes[0]) || len(f.state.Remedies) != 1 || f.state.Remedies[0].State != remedy.Requested || f.state.Remedies[0].By != "ada" {
			t.Errorf("%s: %+v, %+v", c.kind, writes, f.state.Remedies)
		}
		if off := f.remedy(remedy.OutOfService).DisabledReason; off != "a request for it is in flight" {
			t.Errorf("%s: a second remedy meanwhile: %q", c.kind, off)
		}
	}
}

// Promise 2: nothing is sent but by the exact word for exactly what was shown.
func TestRemedyNeedsTheConfirmationForWhatWasShown(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Command)
		make   func(*steps)
		said   string // of the remedy that was not done; "" where nothing at all happens
	}{
		"another word":    {change: func(c *Command) { c.Word = "web" }},
		"no word":         {change: func(c *Command) { c.Word = "" }},
		"a word too many": {change: func(c *Command) { c.Word += " " }},
		"another pod":     {change: func(c *Command) { c.Pod = "pod-2" }},
		"another number":  {change: func(c *Command) { c.Remedy.To = 9 }, said: "no longer what was confirmed"},
		"no screen":       {change: func(c *Command) { c.OnScreen = false }, said: "the run was started without --allow-scale"},
		"an autoscaler":   {make: (*steps).autoscale, said: "autoscaler web owns"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newSteps()
			r := f.remedy(remedy.Scale)
			in := Command{Kind: CommandRemedy, Pod: f.pod.UID, Remedy: r.Facts, Word: r.Word, By: "ada", OnScreen: true}
			if c.change != nil {
				c.change(&in)
			}
			if c.make != nil {
				c.make(f)
			}
			if writes := f.step(in); len(writes) != 0 {
				t.Errorf("sent: %+v", writes)
			}
			if c.said == "" && len(f.state.Remedies) != 0 {
				t.Errorf("%+v", f.state.Remedies[0])
			}
			if c.said != "" && (len(f.state.Remedies) != 1 || f.state.Remedies[0].State != remedy.Refused || !strings.Contains(f.state.Remedies[0].Message, c.said)) {
				t.Errorf("%+v", f.state.Remedies)
			}
		})
	}
}

func TestRemediateWithoutAScreenNeedsTheFlag(t *testing.T) {
	for kind, allow := range map[remedy.Kind]func(*plan.Options){
		remedy.Scale:        func(o *plan.Options) { o.AllowScale = true },
		remedy.ForceDelete:  func(o *plan.Options) { o.AllowZeroGrace = true },
		remedy.OutOfService: func(o *plan.Options) { o.AllowTaint = true },
	} {
		f := newSteps()
		if kind != remedy.Scale {
			f.off("a")
		}
		blind := func(c *Command) { c.OnScreen = false }
		if writes := f.remediate(kind, blind); len(writes) != 0 {
			t.Errorf("%s without its flag: %+v", kind, writes)
		}
		allow(&f.state.Run.Options)
		if writes := f.remediate(kind, blind); len(writes) != 1 {
			t.Errorf("%s with its flag: %+v", kind, f.state.Remedies)
		}
	}
}

func TestRemedyAnswers(t *testing.T) {
	for _, c := range []struct {
		answer kube.Answer
		want   remedy.State
		words  string
	}{
		{kube.Answer{Code: 200}, remedy.Done, ""},
		{kube.Answer{Code: http.StatusUnprocessableEntity}, remedy.Refused, "it no longer has 2 replicas"},
		{kube.Answer{Code: http.StatusConflict, Message: "x"}, remedy.Refused, "it changed meanwhile"},
		{kube.Answer{Code: http.StatusForbidden, Message: "may not"}, remedy.Refused, "may not"},
		{kube.Answer{Failure: "gone away"}, remedy.InDoubt, "gone away"},
		{kube.Answer{Failure: "no credentials", Unsent: true}, remedy.Refused, "no credentials"},
		{kube.Answer{Code: 503, Message: "later"}, remedy.InDoubt, "later"},
	} {
		f := newSteps()
		w := f.remediate(remedy.Scale, nil)[0]
		f.step(Answered{Write: w, Answer: c.answer})
		if r := f.state.Remedies[0]; r.State != c.want || !strings.Contains(r.Message, c.words) || r.InFlight != 0 {
			t.Errorf("%+v: %+v", c.answer, r)
		}
	}
}

// Elsewhere than on a screen a missing flag comes before any other reason, and the
// remedies that need none stay as they are.
func TestUnattendedNamesTheFlag(t *testing.T) {
	f := newSteps()
	want := map[remedy.Kind]string{
		remedy.Surge:          "the run was started without --surge or --allow-scale",
		remedy.RolloutRestart: "the run was started without --allow-scale", remedy.Scale: "the run was started without --allow-scale",
		remedy.ForceDelete: "the run was started without --allow-zero-grace", remedy.OutOfService: "the run was started without --allow-taint",
	}
	remedies := Remedies(f.state, f.Snapshot(), f.pod.UID, time.Now())
	remedy.Unattended(remedies, &f.state.Run.Options)
	for i, r := range Remedies(f.state, f.Snapshot(), f.pod.UID, time.Now()) {
		off := r.DisabledReason
		if flag := want[r.Kind]; flag != "" {
			off = flag
		}
		if remedies[i].DisabledReason != off {
			t.Errorf("%s: %q, want %q", r.Kind, remedies[i].DisabledReason, off)
		}
	}
	all := f.state.Run.Options
	all.AllowScale, all.AllowZeroGrace, all.AllowTaint = true, true, true
	remedies = Remedies(f.state, f.Snapshot(), f.pod.UID, time.Now())
	remedy.Unattended(remedies, &all)
	for i, r := range Remedies(f.state, f.Snapshot(), f.pod.UID, time.Now()) {
		if remedies[i].DisabledReason != r.DisabledReason {
			t.Errorf("%s with its flag: %q, want %q", r.Kind, remedies[i].DisabledReason, r.DisabledReason)
		}
	}
}
