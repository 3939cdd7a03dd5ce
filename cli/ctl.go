package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/control"
	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/cli/print"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

func (p *Program) ctlCommand() *cobra.Command {
	c := &ctl{Program: p, f: p.newFlags()}
	cmd := &cobra.Command{
		Use:   "ctl RUN VERB [POD|NODE]",
		Short: "Steer a live run from outside: pause, continue, retry, skip, last, leave, abort, or climb the ladder",
		Long: "Tells a live run of this machine what to do, in the dashboard or headless, and answers when the run took it.\n" +
			"A run is meant by its id, never by a context; only the user who began it reaches it. POD is NAMESPACE/NAME,\n" +
			"or a name that is the only one in the run.\n\n" + ctlVerbs() + "\n" +
			"Those from free on are the rungs of the ladder, each for one pod that does not go. Without --confirm and the rung's\n" +
			"word they only show its request, its risk and that word, and nothing is written. A run takes restart and scale only if\n" +
			"it was started with --allow-scale, kill with --allow-zero-grace, taint with --allow-taint.\n\n" +
			"Exit codes: 0 the run took it, 1 no such run, not live, or nothing was changed, 2 usage, or a rung without its c.",
		Example: p.examples(`
# Pause a run: it sends nothing more until it is continued
ctl k7f3pm pause
# Leave one pod where it is
ctl k7f3pm skip shop/web-1
# Print how far a run is, as JSON
ctl k7f3pm status -o json
# Show what else could move a pod that does not leave, then do one of that
ctl k7f3pm ladder shop/web-1
ctl k7f3pm scale shop/web-1 --confirm 'scale web'`),
		ValidArgsFunction: c.complete,
		RunE:              c.run,
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&c.confirm, "confirm", "",
		"the word that takes a rung of the ladder, as the rung shows it without this flag")
	fs.BoolVar(&c.withoutJournal, "without-journal", false,
		"continue although the journal cannot be written: what is sent then is unknown to resume, rollback and report")
	c.f.bindOutput(fs)
	return cmd
}

// ctl is the command of that name.
type ctl struct {
	*Program
	f              *flags
	confirm        string // of a remedy of the ladder
	withoutJournal bool   // of continue
}

// ctlVerbs are the lines of the help.
func ctlVerbs() string {
	var lines strings.Builder
	for _, v := range control.Verbs {
		fmt.Fprintf(&lines, "  %-14s %s\n", strings.TrimSpace(v.Name+" "+objectOf(v)), v.Does)
	}
	return lines.String()
}

// objectOf is what a verb is about as it stands in a usage line, "" for none.
func objectOf(v control.Verb) string {
	if v.Of == control.OfRun {
		return ""
	}
	return strings.ToUpper(string(v.Of))
}

func (c *ctl) run(cmd *cobra.Command, args []string) error {
	request, err := c.request(cmd, args)
	if err != nil {
		return err
	}
	if err := c.mustLive(request.Run); err != nil {
		return err
	}
	answer, err := control.Ask(c.StateDir, request)
	if err != nil {
		return c.noAnswer(request.Run, err)
	}
	return c.tell(answer)
}

// request judges the command line, before anything is read.
func (c *ctl) request(cmd *cobra.Command, args []string) (control.Request, error) {
	r := control.Request{}
	line := "USAGE: " + cmd.CommandPath() + " RUN "
	switch {
	case len(args) == 0 || args[0] == "":
		return r, usage(c.display()+" runs lists them", "which run? %sVERB", line)
	case len(args) == 1:
		return r, usage(strings.TrimRight(ctlVerbs(), "\n"), "what is run %s to do? %sVERB", args[0], line)
	}
	verb, known := control.VerbNamed(args[1])
	switch rest := args[2:]; {
	case !known:
		return r, usage(strings.TrimRight(ctlVerbs(), "\n"), "a run knows no %q", args[1])
	case verb.Of == control.OfRun && len(rest) > 0:
		return r, usage("", "%s is about the whole run: %s%s", verb.Name, line, verb.Name)
	case verb.Of != control.OfRun && (len(rest) != 1 || rest[0] == ""):
		return r, usage("", "%s takes one %s: %s%s %s", verb.Name, verb.Of, line, verb.Name, objectOf(verb))
	case c.withoutJournal && verb.Kind != drain.CommandContinue:
		return r, usage("", "--without-journal belongs to continue")
	case c.confirm != "" && verb.Remedy == "":
		return r, usage("", "--confirm belongs to a rung of the ladder; %s takes no word", verb.Name)
	case c.connection.ReadOnly && verb.Kind != "" && (verb.Remedy == "" || c.confirm != ""):
		return r, usage("status and ladder only look, and so does a rung without --confirm", "--read-only forbids to steer a run")
	}
	r.Run, r.Verb, r.Word = args[0], verb.Name, c.confirm
	switch verb.Of {
	case control.OfPod:
		r.Pod = args[2]
	case control.OfNode:
		r.Node = strings.TrimPrefix(args[2], "node/")
	}
	if c.withoutJournal {
		r.Word = drain.WordWithoutJournal
	}
	return r, nil
}

// mustLive finds a live run, by its name and its lock: a journal of days is not read
// before an abort. Why one is not live takes its journal.
func (c *ctl) mustLive(id string) error {
	if err := c.runs.Known(id); err != nil {
		return err
	}
	if live, err := journal.Live(c.runs.Path(id)); err == nil && live {
		return nil
	}
	record, err := c.runs.Record(id)
	if err != nil {
		return err
	}
	return c.notLive(record)
}

// notLive says why a run cannot be steered, and what to do
// instead; nil where it is live.
func (c *ctl) notLive(r *app.Record) error {
	id := r.State.Run.ID
	switch {
	case r.Live:
		return nil
	case r.State.Outcome != "":
		return &failure{
			code: ExitError, text: fmt.Sprintf("run %s ended %s: %s; there is nothing to steer", id, r.State.Ended.UTC().Format(time.RFC3339), r.State.Outcome),
			hint: c.display() + " report " + id + " tells what became of each pod",
		}
	}
	control.Sweep(c.StateDir)
	return &failure{
		code: ExitError, text: "run " + id + " is not live: its process has ended, the run has not",
		hint: fmt.Sprintf("%s goes on with it, %s undoes what it did", c.printed(r.State, "resume"), c.printed(r.State, "rollback")),
	}
}

// noAnswer explains why a run that was live a moment ago gave no answer.
func (c *ctl) noAnswer(id string, cause error) error {
	if r, err := c.runs.Record(id); err == nil && !r.Live {
		return c.notLive(r)
	}
	if errors.Is(cause, control.ErrNobody) {
		return &failure{
			code: ExitError, text: "run " + id + " is live, but takes no commands: it could not open its socket, or is from a version without ctl",
			hint: "steer it where it runs: in its dashboard, or with Ctrl-C",
		}
	}
	return &failure{code: ExitError, err: cause, hint: c.display() + " report " + id + " tells what it does"}
}

func (c *ctl) tell(a control.Answer) error {
	err := c.printer(c.f).Value(a, func(t *print.Text) {
		print.Answer(t, a, c.display(), c.Now())
		if a.OK && a.Hint != "" && a.Status == nil && a.Remedies == nil {
			fmt.Fprintln(c.Err, kube.Clean("Warning: "+a.Hint))
		}
	})
	switch {
	case err != nil:
		return err
	case a.Unconfirmed:
		return usage("", "nothing was changed in run %s: %s", a.Run, a.Error)
	case a.OK:
		return nil
	}
	hint := a.Hint
	if a.Verb == string(drain.CommandContinue) && hint == "" && strings.HasPrefix(a.Error, "the journal") {
		hint = fmt.Sprintf("make room and continue again, or go on without it: %s ctl %s continue --without-journal", c.display(), a.Run)
	}
	return &failure{code: ExitError, text: "nothing was changed in run " + a.Run + ": " + a.Error, hint: hint}
}

// complete offers live runs, verbs, and what the run knows of pods and nodes.
func (c *ctl) complete(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	switch len(args) {
	case 0:
		return completion{c.Program}.runsOf(func(b app.Brief) bool { return b.Live })(cmd, args, typed)
	case 1:
		var verbs []string
		for _, v := range control.Verbs {
			verbs = append(verbs, v.Name+"\t"+v.Does)
		}
		return verbs, offers
	case 2:
		verb, known := control.VerbNamed(args[1])
		state := c.stateFor(args[0])
		if !known || state == nil {
			return nil, offers
		}
		return objectsOf(verb, state), offers
	}
	return nil, offers
}

// quickRead is how large a journal may be that is read while somebody waits for a Tab.
const quickRead = 4 << 20

// stateFor is what a run is known to be like for completion, nil where it is not known
// without reading a long journal.
func (c *ctl) stateFor(id string) *drain.State {
	if c.runs.Known(id) != nil {
		return nil
	}
	info, err := os.Stat(c.runs.Path(id))
	if err != nil || info.Size() > quickRead {
		return nil
	}
	r, err := c.runs.Record(id)
	if err != nil {
		return nil
	}
	return r.State
}

// objectsOf are the pods or nodes that a verb would do something to.
func objectsOf(v control.Verb, s *drain.State) (offers []string) {
	switch v.Of {
	case control.OfPod:
		for _, pod := range s.Pods {
			if v.Offered(s, drain.Command{Kind: v.Kind, Pod: pod.UID}) {
				offers = append(offers, pod.Namespace+"/"+pod.Name)
			}
		}
	case control.OfNode:
		for _, n := range s.Nodes {
			if v.Offered(s, drain.Command{Kind: v.Kind, Node: n.Name}) {
				offers = append(offers, n.Name)
			}
		}
	}
	return offers
}
