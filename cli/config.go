package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/config"
	"github.com/kdrain-tui/kdrain-tui/app/preferences"
	"github.com/kdrain-tui/kdrain-tui/cli/help"
	"github.com/kdrain-tui/kdrain-tui/cli/print"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// knownFlags binds the flags that a setting can be the default of.
func knownFlags(f *flags) config.Known {
	k := config.Known{}
	k.General, k.Drain = pflag.NewFlagSet("", pflag.ContinueOnError), pflag.NewFlagSet("", pflag.ContinueOnError)
	k.General.SortFlags, k.Drain.SortFlags = false, false
	f.bindScreen(k.General)
	f.bindLook(k.General)
	f.bindColumns(k.General)
	f.bindJournals(k.General)
	f.telling.BindAll(k.General)
	f.bindYes(k.General, "")
	f.bindProtected(k.General)
	f.bindDrain(k.Drain)
	return k
}

// settingsOf are what the operator has set for every start.
func settingsOf(p *Program) (*config.Settings, error) {
	s, err := config.Load(p.Config, p.Environ, knownFlags(p.newFlags()))
	if err != nil {
		hint := "nothing was done; " + p.display() + " config --help tells what can be set"
		return nil, &failure{code: ExitUsage, err: err, hint: hint}
	}
	return s, nil
}

// applySettings gives the flags of a command that were not given the values that the
// operator has set. A command without such flags, as ctl, reads no settings: a mistake
// in the file does not keep anyone from aborting a run. For report and replay it is a warning.
func applySettings(p *Program, cmd *cobra.Command) error {
	var open []*pflag.Flag
	looks := true // the settings change nothing but what it looks like
	known := knownFlags(p.newFlags())
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if known.General.Lookup(f.Name) != nil || known.Drain.Lookup(f.Name) != nil {
			open = append(open, f)
			looks = looks && plan.GroupOf(f) == help.GroupOutput
		}
	})
	if len(open) == 0 {
		return nil
	}
	settings, err := settingsOf(p)
	if err != nil && looks {
		fmt.Fprintf(p.Err, "Warning: the settings do not count: %s\n", kube.Clean(err.Error()))
		return nil
	}
	if err != nil {
		return err
	}
	for _, f := range open {
		// Not as given on the command line: what may only be given there looks at that.
		if setting, ok := settings.Of(f.Name); ok && !f.Changed {
			if err := f.Value.Set(setting.Text); err != nil {
				return &failure{code: ExitUsage, text: setting.Where, err: err}
			}
		}
	}
	return nil
}

// protectedWord is the context of a session where it is protected, else "".
func (f *flags) protectedWord(session *app.Session) string {
	return f.protectedContext(session.Identity().Context)
}

func (f *flags) protectedContext(name string) string {
	if !f.protectedOK && config.Matches(f.protected, name) {
		return name
	}
	return ""
}

// protect makes every confirmation of a command one that is typed, in a protected
// context, and asks for it where the command has a question that it would not ask
// elsewhere. It refuses where no one can type.
func (f *flags) protect(ctx context.Context, p *Program, session *app.Session, question string) error {
	if p.typed = f.protectedWord(session); p.typed == "" {
		return nil
	}
	if f.yes || !p.canAsk() {
		what := "there is no terminal to type the confirmation on"
		if f.yes {
			what = "--yes is not enough"
		}
		return usage("add --protected-ok where that is meant",
			"context %s is protected: %s; nothing was done", kube.Clean(p.typed), what)
	}
	fmt.Fprintln(p.Err, kube.Clean("Context "+p.typed+" is protected: its name is typed where y is enough elsewhere."))
	if question == "" {
		return nil
	}
	return p.askFor(ctx, kube.Clean(strings.ToUpper(question[:1])+question[1:]+"?"))
}

// configuring is the command config.
type configuring struct {
	*Program
	f     *flags
	known config.Known // whose flags the command has
}

func (p *Program) configCommand() *cobra.Command {
	c := &configuring{p, p.newFlags(), knownFlags(p.newFlags())}
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Print the settings in force and where each comes from",
		Long: `Prints each setting with its value and where it comes from: a flag of this command line, a variable
KDRAIN_*, the file of settings, or the default. The stronger comes first in that list.

A setting is called as the flag that it is the default of. In the file those of a drain stand under drain; a
variable is called KDRAIN_ and the name in capitals, with _ for -, as KDRAIN_DELETE_EMPTYDIR_DATA=true. What
confirms something, goes past budgets or can lose a workload cannot be set for every start, and is refused.

The file is config.yaml in the folder kdrain-tui of $XDG_CONFIG_HOME.`,
		Example: p.examples(`
# Print the settings in force, for a program
config -o json
# Check the file of settings: exit code 2 names each mistake with its line
config`),
		Args: noArgs,
		RunE: c.run,
	}
	fs := cmd.Flags()
	c.f.bindOutput(fs)
	for _, set := range []*pflag.FlagSet{c.known.General, c.known.Drain} {
		set.VisitAll(func(flag *pflag.Flag) {
			if plan.WhyNoDefault(flag) == "" {
				flag.Hidden = true // the other commands tell what it is for
				fs.AddFlag(flag)
			}
		})
	}
	return cmd
}

func (c *configuring) run(cmd *cobra.Command, _ []string) error {
	settings, err := settingsOf(c.Program)
	if err != nil {
		return err
	}
	for _, name := range settings.Unknown {
		fmt.Fprintln(c.Err, kube.Clean("Warning: "+name+" is no setting"))
	}
	shown := print.Settings{Schema: print.SettingsSchema, File: settings.Path, Found: settings.Found,
		Settings: []print.Setting{}, UsualOn: preferences.In(c.StateDir).Clusters()}
	show := func(prefix string, set *pflag.FlagSet) {
		for _, name := range config.Settable(set) {
			flag := cmd.Flags().Lookup(name)
			line := print.Setting{Name: prefix + name, Value: strings.Trim(flag.Value.String(), "[]"),
				From: config.FromDefault}
			if setting, ok := settings.Of(name); ok {
				line.From, line.Where = setting.From, setting.Where
			}
			if flag.Changed {
				line.From, line.Where = config.FromFlag, ""
			}
			shown.Settings = append(shown.Settings, line)
		}
	}
	show("", c.known.General)
	show(config.DrainKey+".", c.known.Drain)
	return c.printer(c.f).Value(shown, shown.Print)
}
