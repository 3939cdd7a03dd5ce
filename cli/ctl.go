package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/control"
	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/app/rolls"
	"github.com/kdrain-tui/kdrain-tui/cli/print"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

func (p *Program) ctlCommand() *cobra.Command {
	c := &ctl{Program: p, f: p.newFlags()}
	cmd := &cobra.Command{
		Use:   "ctl RUN VERB [POD|NODE]",
		Short: "Steer a live run: pause, continue, retry, skip, last, leave, suspend, abort, or apply a remedy to a blocked pod",
		Long: "Sends a command to a live run on this machine, in the dashboard or headless, and answers once the run accepted it.\n" +
			"The run is given by its id, never by a context; only the user who started it can reach it. POD is NAMESPACE/NAME,\n" +
			"or a name that is unique in the run.\n\n" + control.VerbHelp() + "\n\n" +
			"The verbs from evict-unhealthy on are remedies, each for one blocked or stuck pod. Without --confirm they only\n" +
			"show their request, their risk and the text that confirms them, and nothing is written. A run accepts\n" +
			"surge only if it was started with --surge or --allow-scale, rollout-restart and scale with --allow-scale,\n" +
			"force-delete with --allow-zero-grace, out-of-service with --allow-taint.\n\n" +
			"Exit codes: 0 accepted by the run, 1 no such run, not live, or nothing was changed, 2 usage, or a remedy without --confirm.",
		Example: p.examples(`
# Pause a run: it sends nothing more until it is continued
ctl k7f3pm pause
# End its process and continue it later with resume
ctl k7f3pm suspend
# Leave one pod where it is
ctl k7f3pm skip shop/web-1
# Print how far a run is, as JSON
ctl k7f3pm status -o json
# Show the remedies for a blocked pod, then apply one
ctl k7f3pm remedies shop/web-1
ctl k7f3pm scale shop/web-1 --confirm 'scale web'`),
		ValidArgsFunction: completionOf(p).Steering(func() *app.Runs { return p.runs }),
		RunE:              c.run,
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&c.confirm, "confirm", "",
		"the text that confirms a remedy, as the remedy shows it without this flag")
	fs.BoolVar(&c.withoutJournal, "without-journal", false,
		"continue although the journal cannot be written: what is sent then is unknown to resume, rollback and report")
	c.f.bindOutput(fs)
	return cmd
}

// ctl is the command of that name.
type ctl struct {
	*Program
	f              *flags
	confirm        string // of a remedy
	withoutJournal bool   // of continue
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
	line := "usage: " + cmd.CommandPath() + " RUN "
	switch {
	case len(args) == 0 || args[0] == "":
		return r, usage(line+"VERB\n"+c.display()+" runs lists them", "which run?")
	case len(args) == 1:
		return r, usage(line+"VERB\n"+control.VerbHelp(), "which command for run %s?", args[0])
	}
	verb, known := control.VerbNamed(args[1])
	switch rest := args[2:]; {
	case !known:
		return r, usage(control.VerbHelp(), "unknown command %q%s", args[1], control.VerbMeant(args[1]))
	case verb.Of == control.OfRun && len(rest) > 0:
		return r, usage(line+verb.Name, "%s applies to the whole run", verb.Name)
	case verb.Of != control.OfRun && (len(rest) != 1 || rest[0] == ""):
		return r, usage(line+verb.Usage(), "%s takes one %s", verb.Name, verb.Of)
	case c.withoutJournal && verb.Kind != drain.CommandContinue:
		return r, usage("", "--without-journal applies to continue only")
	case c.confirm != "" && verb.Remedy == "":
		return r, usage("", "--confirm applies to remedies only; %s needs no confirmation", verb.Name)
	case c.connection.ReadOnly && verb.Kind != "" && (verb.Remedy == "" || c.confirm != ""):
		return r, usage("status and remedies change nothing, and neither does a remedy without --confirm",
			"--read-only forbids ctl %s", verb.Name)
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
	if host := c.f.host(c.Program); host.Known(id) {
		return host.Live(id)
	}
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

// notLive says why a run cannot be steered, and what to do instead; nil where it is live.
func (c *ctl) notLive(r *app.Record) error {
	run := r.State.Run
	switch {
	case r.Live:
		return nil
	case r.State.Outcome != "":
		return &failure{
			code: ExitError, text: fmt.Sprintf("run %s ended %s: %s; there is nothing to steer", run.ID,
				r.State.Ended.UTC().Format(time.RFC3339), r.State.Outcome),
			hint: c.display() + " report " + run.ID + " shows what became of each pod",
		}
	}
	control.Sweep(c.StateDir)
	return &failure{
		code: ExitError, text: "run " + run.ID + " is not live: its process ended before the run did",
		hint: fmt.Sprintf("%s continues it, %s undoes what it did", c.printed(run, "resume"), c.printed(run, "rollback")),
	}
}

// noAnswer explains why a run that was live a moment ago gave no answer.
func (c *ctl) noAnswer(id string, cause error) error {
	if r, err := c.runs.Record(id); err == nil && !r.Live {
		return c.notLive(r)
	}
	if errors.Is(cause, control.ErrNobody) {
		return &failure{
			code: ExitError, text: "run " + id + " is live, but accepts no commands: it could not open its socket, or is from a version without ctl",
			hint: "steer it where it runs: in its dashboard, or with Ctrl-C",
		}
	}
	return &failure{code: ExitError, err: cause, hint: c.display() + " report " + id + " shows what it does"}
}

// resumption is the command that continues a run or roll.
func (c *ctl) resumption(id string) string {
	if r, err := c.runs.Record(id); err == nil {
		return c.printed(r.State.Run, "resume")
	}
	if r, err := rolls.Read(c.runs, id); err == nil {
		return c.printed(r.State.Facts.Run, "resume")
	}
	return c.display() + " resume " + id
}

func (c *ctl) tell(a control.Answer) error {
	err := c.printer(c.f).Value(a, func(t *print.Text) {
		print.Answer(t, a, c.display(), c.Now())
		if a.OK && a.Verb == string(drain.CommandSuspend) {
			t.Say("  resume   %s", c.resumption(a.Run))
		}
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
		hint = fmt.Sprintf("free space and continue again, or continue without it: %s ctl %s continue --without-journal", c.display(), a.Run)
	}
	return &failure{code: ExitError, text: "nothing was changed in run " + a.Run + ": " + a.Error, hint: hint}
}
