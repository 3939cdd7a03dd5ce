package print

import (
	"fmt"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/control"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/drain/report"
)

// Answer is what a run answered to ctl. What it refused is an error, and not said here,
// but for what is to be confirmed.
func Answer(t *Text, a control.Answer, program string, now time.Time) {
	switch {
	case a.Unconfirmed && a.Remedy != nil:
		unconfirmed(t, a, program)
	case !a.OK:
	case a.Status != nil:
		runStatus(t, a, now)
	case a.Roll != nil:
		rollStatus(t, a, now)
	case a.Remedies != nil:
		remedies(t, a)
	default:
		t.Say("run %s: %s", a.Run, a.Message)
	}
}

// runStatus is where a run stands.
func runStatus(t *Text, a control.Answer, now time.Time) {
	s := a.Status
	head := fmt.Sprintf("run %s: %s %s", a.Run, s.Phase, s.PhaseStatus)
	for _, note := range []struct {
		holds bool
		text  string
	}{
		{s.Question != "", "waits for confirmation"}, {s.Paused, "paused"}, {s.Aborting, "being aborted"},
		{s.JournalLost != "", "the journal cannot be written: " + s.JournalLost},
		{s.ServerAway != "", "the API server is unreachable: " + s.ServerAway},
	} {
		if note.holds {
			head += ", " + note.text
		}
	}
	t.Say("%s", head)
	nodes := t.table("NODE", "STATE", "PODS", "GONE", "ENDING", "BLOCKED")
	for _, n := range s.Nodes {
		nodes.Add("", n.Name, string(n.State), fmt.Sprint(n.Pods), fmt.Sprint(n.Gone), fmt.Sprint(n.Terminating),
			fmt.Sprint(n.Blocked))
	}
	nodes.Write(t.W)
	if len(s.Blocked) == 0 {
		return
	}
	pods := t.table("BLOCKED", "NODE", "STATE", "FOR")
	for _, b := range s.Blocked {
		pods.Add("", b.Pod, b.Node, report.StateWord(b.State), format.Duration(now.Sub(b.Since)))
	}
	pods.Write(t.W)
}

// remedies shows what else could move a pod: each remedy with its word and its
// request, or why it cannot be taken.
func remedies(t *Text, a control.Answer) {
	t.Say("run %s: remedies for pod %s on %s", a.Run, a.Pod, a.Node)
	remedies := t.table("VERB", "CONFIRMED BY", "REQUEST")
	for _, r := range a.Remedies {
		switch {
		case r.Remedy == remedy.Wait:
			remedies.Add(Quiet, "-", "-", "none, the default: it is retried as soon as what it waits for happens")
		case r.DisabledReason != "":
			remedies.Add(Quiet, string(r.Remedy), "-", "not available: "+r.DisabledReason)
		default:
			remedies.Add("", string(r.Remedy), r.Word, r.Request)
		}
	}
	remedies.Write(t.W)
}

// unconfirmed shows a remedy that was not taken for want of its word: what it would
// send, at which risk, and the command that confirms it.
func unconfirmed(t *Text, a control.Answer, program string) {
	r := a.Remedy
	t.Say("run %s: %s for pod %s: %s", a.Run, a.Verb, a.Pod, r.Title)
	say := func(what, text string) { t.Say("  %-8s %s", what, text) }
	say("request", r.Request)
	if r.Command != "" {
		say("as", r.Command)
	}
	say("risk", r.Risk)
	for _, warning := range r.Warnings {
		say("warning", warning)
	}
	say("confirm", r.Word)
	say("run", fmt.Sprintf("%s ctl %s %s %s --confirm %s", program, a.Run, a.Verb, a.Pod, format.ShellWord(r.Word)))
}
