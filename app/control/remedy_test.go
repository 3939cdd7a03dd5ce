package control

import (
	"strings"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// someRemedies is that of shop/api: two remedies that can be taken, of which one needs a
// flag of the run, and one that cannot.
func someRemedies() []remedy.Remedy {
	about := func(kind remedy.Kind, name string) remedy.Facts {
		return remedy.Facts{Kind: kind, Pod: "shop/api", For: "shop/api", Object: "Pod", Namespace: "shop", Name: name, UID: "u"}
	}
	return []remedy.Remedy{
		{Facts: remedy.Facts{Kind: remedy.Wait}, Title: "wait", Risk: "None."},
		{Facts: about(remedy.EvictUnhealthy, "sick"), Title: "evict the unhealthy pod", Call: "POST x", Command: "kubectl x", Risk: "It moves a pod.",
			Warnings: []string{"beware"}, Word: "evict sick"},
		{Facts: about(remedy.ForceDelete, "api"), Title: "forget it", Call: "DELETE x", Risk: "The process may run.", Word: "force-delete api"},
		{Facts: about(remedy.Delete, "api"), Title: "delete it", Risk: "Fewer pods.", Word: "delete api", DisabledReason: "it is already terminating"},
	}
}

func TestRemediesIsToldWithoutAWrite(t *testing.T) {
	dir := t.TempDir()
	run := served(t, dir)
	run.remedies = someRemedies()
	a, err := Ask(dir, Request{Run: "k7f3pm", Verb: "remedies", Pod: "api"})
	if err != nil || !a.OK || a.Pod != "shop/api" || a.Node != "a" || len(a.Remedies) != 4 {
		t.Fatalf("%+v %v", a, err)
	}
	free, kill, del := a.Remedies[1], a.Remedies[2], a.Remedies[3]
	if free.DisabledReason != "" || free.Word != "evict sick" || free.Request != "POST x" || free.Command != "kubectl --context=prod x" || len(free.Warnings) != 1 {
		t.Errorf("%+v", free)
	}
	if kill.DisabledReason != "the run was started without --allow-zero-grace" || del.DisabledReason != "it is already terminating" {
		t.Errorf("%q, %q", kill.DisabledReason, del.DisabledReason)
	}
	if len(run.told) > 0 {
		t.Errorf("the run was told %+v", run.told)
	}
	if a, err := Ask(dir, Request{Run: "k7f3pm", Verb: "remedies", Pod: "none"}); err != nil || a.OK || a.Error != `no pod "none" is in the run` {
		t.Errorf("%+v %v", a, err)
	}
}

// Promise 2: without its exact word, and where it is off, a remedy is not even told
// to the run.
func TestRemediesNeedTheirConfirmation(t *testing.T) {
	dir := t.TempDir()
	run := served(t, dir)
	run.remedies = someRemedies()
	for _, test := range []struct {
		verb, word  string
		unconfirmed bool
		err         string
	}{
		{"evict-unhealthy", "", true, "evict-unhealthy was not confirmed"},
		{"evict-unhealthy", "evict other", true, `evict-unhealthy is confirmed by "evict sick", not by "evict other"`},
		{"evict-unhealthy", "evict sick ", true, `evict-unhealthy is confirmed by "evict sick", not by "evict sick "`},
		{"delete", "", false, "delete is not available for pod shop/api: it is already terminating"},
		{"delete", "delete api", false, "delete is not available for pod shop/api: it is already terminating"},
		{"force-delete", "force-delete api", false, "force-delete is not available for pod shop/api: the run was started without --allow-zero-grace"},
	} {
		a, err := Ask(dir, Request{Run: "k7f3pm", Verb: test.verb, Pod: "shop/api", Word: test.word})
		if err != nil || a.OK || a.Unconfirmed != test.unconfirmed || a.Error != test.err || a.Remedy == nil || string(a.Remedy.Remedy) != test.verb {
			t.Errorf("%+v: %+v %v", test, a, err)
		}
	}
	if len(run.told) > 0 || len(run.state.Remedies) > 0 {
		t.Errorf("the run was told %+v", run.told)
	}
}

// A remedy for which the run has no right is off, with the name of the rule; the run is
// not told.
func TestARemedyWithoutItsRightIsOff(t *testing.T) {
	dir := t.TempDir()
	run := served(t, dir)
	run.remedies = someRemedies()
	run.remedies[1].Needs = []request.Permission{{Verb: "create", Resource: "pods", Subresource: "eviction", Namespace: "shop"}}
	run.lacks = "create pods/eviction in namespace shop"
	for _, word := range []string{"", "evict sick"} {
		a, err := Ask(dir, Request{Run: "k7f3pm", Verb: "evict-unhealthy", Pod: "shop/api", Word: word})
		if want := "evict-unhealthy is not available for pod shop/api: you may not create pods/eviction in namespace shop"; err != nil || a.OK || a.Unconfirmed || a.Error != want {
			t.Errorf("%q: %+v %v", word, a, err)
		}
	}
	if a, err := Ask(dir, Request{Run: "k7f3pm", Verb: "remedies", Pod: "api"}); err != nil || a.Remedies[1].DisabledReason != "you may not "+run.lacks {
		t.Errorf("%+v %v", a.Remedies, err)
	}
	if len(run.told) > 0 {
		t.Errorf("the run was told %+v", run.told)
	}
}

func TestWhatBecameOfARemedy(t *testing.T) {
	for _, test := range []struct {
		becomes drain.Event
		ok      bool
		says    string // in the message, the error or the hint
	}{
		{drain.Event{Kind: drain.EventRemedy, RemedyState: remedy.Done}, true, "evict-unhealthy for pod shop/api: eviction of shop/sick, done"},
		{drain.Event{Kind: drain.EventRemedy, RemedyState: remedy.InDoubt, Message: "cut off"}, true, "it may have taken effect: cut off"},
		{drain.Event{Kind: drain.EventRemedy, RemedyState: remedy.Refused, Message: "may not"}, false, "may not"},
		{drain.Event{}, false, "it had no effect"},
		{drain.Event{Kind: drain.EventRemedy, RemedyState: remedy.Requested}, true, "asked for"}, // the run ends before the answer
	} {
		dir := t.TempDir()
		run := served(t, dir)
		run.remedies, run.becomes = someRemedies(), test.becomes
		close(run.done) // nothing more is waited for
		a, err := Ask(dir, Request{Run: "k7f3pm", Verb: "evict-unhealthy", Pod: "api", Word: "evict sick"})
		if err != nil || a.OK != test.ok || a.Seq != 42 || !strings.Contains(a.Message+a.Error+a.Hint, test.says) || a.Remedy.State != test.becomes.RemedyState {
			t.Errorf("%+v: %+v %v", test, a, err)
		}
		if len(run.told) != 1 || run.told[0].Word != "evict sick" || run.told[0].OnScreen || run.told[0].Remedy != run.remedies[1].Facts {
			t.Errorf("the run was told %+v", run.told)
		}
	}
}
