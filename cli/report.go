package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/cli/print"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/report"
)

func (p *Program) reportCommand() *cobra.Command {
	f := p.newFlags()
	cmd := &cobra.Command{
		Use:   "report [RUN]",
		Short: "Show what a run was asked to do and what became of it",
		Long: "Shows what a run was asked to do and what became of each pod, what blocked them and for how\n" +
			"long, and what is left to do, from its journal; also of a run that is under way or whose process died.\n" +
			"Without a name it is the newest run. Needs no cluster.",
		Example: p.examples(`
# Tell what became of the newest run
report
# Tell what became of a run
report k7f3pm
# Write it for a ticket, with a chart
report k7f3pm -o markdown > change-4711.md`),
		ValidArgsFunction: completion{p}.runsOf(func(app.Brief) bool { return true }),
		RunE:              func(_ *cobra.Command, args []string) error { return p.report(f, args) },
	}
	f.bindOutput(cmd.Flags(), plan.Choice{Value: "markdown", Does: "for a ticket, with a chart, as GitHub shows it"})
	f.bindLook(cmd.Flags())
	return cmd
}

func (p *Program) report(f *flags, args []string) error {
	if len(args) > 1 || len(args) == 1 && (strings.ContainsAny(args[0], `/\`) || args[0] == "") {
		return usage(p.display()+" runs lists them", "which run? usage: %s report [RUN]", p.display())
	}
	id, err := "", error(nil)
	if len(args) == 1 {
		id = args[0]
	} else if id, err = p.runs.Newest(); err != nil {
		return err
	}
	r, err := p.runs.Record(id)
	if err != nil {
		return err
	}
	switch {
	case r.Torn:
		fmt.Fprintln(p.Err, "Warning: the last line of the journal is incomplete: what the run did last is not known")
	case r.State.Suspended && !r.Live:
		fmt.Fprintf(p.Err, "Warning: the run has not ended: it is suspended, and %s continues it\n", p.printed(r.State, "resume"))
	case r.State.Outcome == "" && !r.Live:
		fmt.Fprintln(p.Err, "Warning: the run has not ended: its process died")
	}
	told := report.Of(r.Events, r.Live)
	if r.Torn {
		told.Warnings = append(told.Warnings, "the last line of the journal is incomplete: what the run did last is not known")
	}
	return p.printer(f).Value(told, func(t *print.Text) {
		if f.output == "markdown" {
			fmt.Fprint(p.Out, told.Markdown())
			return
		}
		for line := range strings.Lines(t.Style.Plain(told.Story())) {
			t.Say("%s", strings.TrimSuffix(line, "\n"))
		}
	})
}
