package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/cli/help"
	"github.com/kdrain-tui/kdrain-tui/cli/print"
	"github.com/kdrain-tui/kdrain-tui/cli/telling"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/selection"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// flags are all flags of one command; each command binds those it has.
type flags struct {
	plan.Options
	selector     string
	chunkSize    int64
	yes          bool
	output       string
	theme        string
	themes       func() []string // the names of those that there are
	labelColumns []string
	mouse        bool
	noColor      bool
	ascii        bool
	marked       []string // --node: nodes that carry the annotation of a run
	takesUp      bool     // the drain goes on where the run of those annotations was
	warn         io.Writer

	telling                telling.Flags
	keepJournals, keepDays uint
	protected              []string
	protectedOK            bool
}

// newFlags are the flags of a command before it reads any.
func (p *Program) newFlags() *flags {
	f := &flags{Options: plan.DefaultOptions(), warn: p.Err, themes: p.Themes}
	f.keepJournals, f.keepDays = uint(app.DefaultKeep.Newest), uint(app.DefaultKeep.Younger/day)
	f.LeaseNamespace = kube.DefaultLeaseNamespace
	return f
}

// bindNodes adds the flags that every command with nodes has.
func (f *flags) bindNodes(fs *pflag.FlagSet) {
	plan.AddGroup(fs, plan.GroupKubectl, func(fs *pflag.FlagSet) {
		fs.StringVarP(&f.selector, "selector", "l", "",
			"choose the nodes by label, like -l zone=a,pool in (x,y) (instead of names)")
	})
}

const defaultChunkSize = 500

// bindDrain adds all options of a drain but some.
func (f *flags) bindDrain(fs *pflag.FlagSet, without ...string) {
	f.bind(fs, func(name string) bool { return !slices.Contains(without, name) })
	plan.AddGroup(fs, plan.GroupKubectl, func(fs *pflag.FlagSet) {
		fs.Int64Var(&f.chunkSize, "chunk-size", defaultChunkSize, "page size of large lists; 0: all at once")
	})
}

// bindOptions adds some options of a drain.
func (f *flags) bindOptions(fs *pflag.FlagSet, names ...string) {
	f.bind(fs, func(name string) bool { return slices.Contains(names, name) })
}

func (f *flags) bind(fs *pflag.FlagSet, wanted func(name string) bool) {
	f.Flags().VisitAll(func(flag *pflag.Flag) {
		if !wanted(flag.Name) {
			return
		}
		if flag.Name == "dry-run" {
			flag.Value = warnedDryRun{&f.DryRun, f.warn}
		}
		fs.AddFlag(flag)
	})
}

// bindYes adds the flag that confirms what the words say.
func (f *flags) bindYes(fs *pflag.FlagSet, what string) {
	plan.AddGroup(fs, help.GroupConfirm, func(fs *pflag.FlagSet) {
		fs.BoolVar(&f.yes, "yes", false, what)
		plan.NoDefault(fs, "yes", "it is a confirmation")
	})
}

// bindProtected adds what a command has that changes the cluster.
func (f *flags) bindProtected(fs *pflag.FlagSet) {
	plan.AddGroup(fs, help.GroupConfirm, func(fs *pflag.FlagSet) {
		fs.BoolVar(&f.protectedOK, "protected-ok", false,
			"in a protected context, too, take --yes and ask no more than elsewhere (see the setting protected-contexts)")
		plan.NoDefault(fs, "protected-ok", "it is a confirmation")
		fs.StringSliceVar(&f.protected, "protected-contexts", nil,
			"contexts in which every confirmation is typed and --yes is refused; * stands for any text, ? for one character")
		fs.Lookup("protected-contexts").Hidden = true // a setting: typed, it would protect nothing
	})
}

// outputForms are the values of --output that every command with one takes.
var outputForms = []plan.Choice{{Value: "text", Does: "for a person"}, {Value: "json", Does: "for a program"}}

func (f *flags) bindOutput(fs *pflag.FlagSet, more ...plan.Choice) {
	f.output = "text"
	plan.AddGroup(fs, help.GroupOutput, func(fs *pflag.FlagSet) {
		fs.VarP(help.OneOf(&f.output, slices.Concat(outputForms, more)), "output", "o", "form of the result")
	})
}

func (f *flags) bindLook(fs *pflag.FlagSet) {
	plan.AddGroup(fs, help.GroupOutput, func(fs *pflag.FlagSet) {
		fs.BoolVar(&f.noColor, "no-color", false, "no colours (as with NO_COLOR=1)")
		fs.BoolVar(&f.ascii, "ascii", false, "plain ASCII characters only")
	})
}

// bindScreen adds what a command has that can open the dashboard.
func (f *flags) bindScreen(fs *pflag.FlagSet) {
	plan.AddGroup(fs, help.GroupOutput, func(fs *pflag.FlagSet) {
		fs.Var(help.NameOf(&f.theme, "theme", f.themes), "theme",
			"colours of the dashboard: the `NAME` of a built-in theme or of a file in the folder of themes")
		fs.BoolVar(&f.mouse, "mouse", false, "the dashboard takes clicks and the wheel; the terminal then selects "+
			"text only with Shift, or another key of its own, held down. A click never confirms anything")
	})
}

// screen is how the dashboard uses the terminal.
func (f *flags) screen(t Terminal) Screen {
	return Screen{Theme: f.theme, NoColor: f.noColor || !t.Color, ASCII: f.ascii, Mouse: f.mouse}
}

// bindJournals adds how many journals a command keeps that starts a run.
func (f *flags) bindJournals(fs *pflag.FlagSet) {
	plan.AddGroup(fs, "Journals", func(fs *pflag.FlagSet) {
		fs.UintVar(&f.keepJournals, "keep-journals", uint(app.DefaultKeep.Newest),
			"journals of ended runs to keep; older ones are removed when a run is started")
		fs.UintVar(&f.keepDays, "keep-journals-days", uint(app.DefaultKeep.Younger/day),
			"days for which every journal is kept, however many there are")
	})
}

const day = 24 * time.Hour

// keep is which journals stay.
func (f *flags) keep() app.Keep {
	const most = 36500 // days, that they can be counted in nanoseconds
	return app.Keep{
		Newest: int(min(f.keepJournals, math.MaxInt32)), Younger: time.Duration(min(f.keepDays, most)) * day,
	}
}

// options are the options of a drain, once they agree with each other.
func (f *flags) options() (plan.Options, error) {
	if err := f.Validate(); err != nil {
		return f.Options, &failure{code: ExitUsage, err: err}
	}
	return f.Options, nil
}

// flagText is an error of the flag parser as ours are written.
func flagText(err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		return fmt.Errorf("--%s=%s: %w", invalid.GetFlag().Name, invalid.GetValue(), invalid.Unwrap())
	}
	return err
}

// warnedDryRun warns as kubectl does of the forms of --dry-run that are deprecated.
type warnedDryRun struct {
	*plan.DryRun
	warn io.Writer
}

func (w warnedDryRun) Set(text string) error {
	err := w.DryRun.Set(text)
	_, notBool := strconv.ParseBool(text)
	switch {
	case err != nil:
	case notBool == nil:
		fmt.Fprintf(w.warn, "Warning: --dry-run=%s is deprecated (boolean value) and can be replaced with --dry-run=%s.\n", text, *w.DryRun)
	case text == plan.DryRunBare:
		fmt.Fprintf(w.warn, "Warning: --dry-run is deprecated and can be replaced with --dry-run=%s.\n", *w.DryRun)
	}
	return err
}

// noArgs is cobra.NoArgs with our exit code.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage("see "+cmd.CommandPath()+" --help", "%s takes no arguments", cmd.CommandPath())
	}
	return nil
}

// checkNodeArgs judges the nodes of the command line before anything connects.
func checkNodeArgs(cmd *cobra.Command, args []string, f *flags) error {
	if len(args) == 0 && f.selector == "" {
		if cmd.Flags().Changed("selector") {
			return usage("", "--selector is empty: that would be every node; name them, or choose by a label")
		}
		return usage("usage: "+cmd.CommandPath()+" NODE... [flags], or -l LABEL=VALUE\n"+
			"see "+cmd.CommandPath()+" --help", "which node?")
	}
	return checkSelection(args, f.selector)
}

// checkSelection asks an empty cluster: all that can be wrong with it is the command line.
func checkSelection(args []string, selector string) error {
	_, err := selection.Nodes(kube.NewStore(time.Now).Snapshot(), args, selector)
	var unknown *selection.UnknownNodesError
	if err == nil || errors.As(err, &unknown) {
		return nil
	}
	return &failure{code: ExitUsage, err: err}
}

// selection is which nodes the command line means.
func (f *flags) selection(args []string) app.Selection {
	return app.Selection{Args: args, Selector: f.selector}
}

// printer prints the result of a command in the form that was asked for.
func (p *Program) printer(f *flags) print.Printer {
	if f.output == "json" {
		return print.JSON{W: p.Out}
	}
	return &print.Text{W: p.Out, Style: f.style(p.Terminal, p.Terminal.Out)}
}

// newOutput prints a drain. To a person at a terminal it tells the time too.
func (p *Program) newOutput(f *flags, session *app.Session) *print.Drain {
	out := p.printer(f)
	if text, ok := out.(*print.Text); ok && p.Terminal.Out {
		text.Since, text.Now = p.Now(), p.Now
	}
	return &print.Drain{
		Out: out, Err: p.Err, ErrStyle: f.style(p.Terminal, p.Terminal.Err), Identity: session.Identity(),
		Target: session.Target, Now: p.Now,
	}
}

// style is how text is written to that stream of the terminal, if it is one.
func (f *flags) style(t Terminal, isTerminal bool) print.Style {
	return print.Style{Color: (isTerminal && t.Color || t.ForceColor) && !f.noColor, ASCII: f.ascii}
}

// bindColumns adds which labels the list of nodes has columns for, as kubectl get has it.
func (f *flags) bindColumns(fs *pflag.FlagSet) {
	plan.AddGroup(fs, help.GroupOutput, func(fs *pflag.FlagSet) {
		fs.VarP(help.LabelKeys{To: &f.labelColumns}, "label-columns", "L",
			"labels that the list of nodes has a column for, like pool,node.kubernetes.io/instance-type")
	})
}
