package cli

import (
	"fmt"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/control"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// printLadder shows what else could move a pod: each rung with its word and its
// request, or why it cannot be taken.
func (p *Program) printLadder(f *flags, a control.Answer) {
	fmt.Fprintln(p.Out, kube.Clean(fmt.Sprintf("run %s: the ladder for pod %s on %s", a.Run, a.Pod, a.Node)))
	rungs := table{paint: p.paintFor(f, p.Terminal.Out)}
	rungs.add(toneQuiet, "VERB", "CONFIRMED BY", "REQUEST")
	for _, r := range a.Ladder {
		switch {
		case r.Rung == drain.RungWait:
			rungs.add(toneQuiet, "-", "-", "none, the default: it is tried again on the event that it waits for")
		case r.Off != "":
			rungs.add(toneQuiet, string(r.Rung), "-", "off: "+r.Off)
		default:
			rungs.add("", string(r.Rung), r.Word, r.Request)
		}
	}
	rungs.write(p.Out)
}

// unconfirmed shows a rung that was not taken for want of its word: what it would
// send, at which risk, and the command that confirms it.
func (p *Program) unconfirmed(f *flags, a control.Answer) error {
	if r := a.Rung; r != nil && !f.json() {
		say := func(what, text string) { fmt.Fprintf(p.Out, "  %-8s %s\n", what, kube.Clean(text)) }
		fmt.Fprintln(p.Out, kube.Clean(fmt.Sprintf("run %s: %s for pod %s: %s", a.Run, a.Verb, a.Pod, r.Title)))
		say("request", r.Request)
		if r.Command != "" {
			say("as", r.Command)
		}
		say("risk", r.Risk)
		for _, warning := range r.Warnings {
			say("warning", warning)
		}
		say("word", r.Word)
		say("to do it", fmt.Sprintf("%s ctl %s %s %s --confirm %s", p.display(), a.Run, a.Verb, a.Pod, drain.ShellWord(r.Word)))
	}
	return usage("", "nothing was changed in run %s: %s", a.Run, a.Error)
}
