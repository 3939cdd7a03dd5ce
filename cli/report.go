package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/cli/print"
	"github.com/kdrain-tui/kdrain-tui/drain/report"
)

func (p *Program) reportCommand() *cobra.Command {
	f := p.newFlags()
	cmd := &cobra.Command{
		Use:   "report RUN",
		Short: "Show what a run was asked to do and what became of it",
		Long: "Shows what a run was asked to do and what became of each pod, what blocked them and for how\n" +
			"long, and what is left to do, from its journal; also of a run that is under way or whose process died.\n" +
			"Needs no cluster.",
		Example: p.examples("report k7f3pm", "report k7f3pm -o markdown > change-4711.md", "report k7f3pm -o json"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			ids, _ := p.runs.IDs() // nothing to offer is all that an error means here
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error { return p.report(f, args) },
	}
	cmd.Flags().StringVarP(&f.output, "output", "o", "text", "text, markdown (as GitHub shows it, with a chart) or json")
	f.bindLook(cmd.Flags())
	return cmd
}

func (p *Program) report(f *flags, args []string) error {
	format := f.output
	switch format {
	case "", "text", "json", "markdown":
	default:
		return usage("", "--output=%s: must be text, markdown or json", format)
	}
	if len(args) != 1 || strings.ContainsAny(args[0], `/\`) || args[0] == "" {
		return usage(p.display()+" runs lists them", "which run? USAGE: %s report RUN", p.display())
	}
	r, err := p.runs.Record(args[0])
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
		if format == "markdown" {
			fmt.Fprint(p.Out, told.Markdown())
			return
		}
		for line := range strings.Lines(t.Style.Plain(told.Story())) {
			t.Say("%s", strings.TrimSuffix(line, "\n"))
		}
	})
}
