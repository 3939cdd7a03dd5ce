package options

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// option is one flag of a drain as the options page shows it.
type option struct {
	Flag    string // without dashes; a switch for one value of a flag has that too
	Help    string
	Group   string
	Ours    bool // not kubectl's
	Changed bool // from its default
	Risky   bool
	Switch  bool // on or off, or else a text
	On      bool
	Value   string
	Fixed   string // where it is set instead, "" where it can be changed here
	name    string
	toggled string // what the text of a switch would be
	initial string // its default, as the command line takes it
}

// optionsOf are the flags of the options page with their values: kubectl's first.
func optionsOf(o plan.Options) []option {
	var options []option
	defaults := plan.DefaultOptions()
	before := defaults.Flags()
	o.Flags().VisitAll(func(f *pflag.Flag) {
		if slices.Contains(wording.Asked, f.Name) {
			return
		}
		opt := option{
			Flag: f.Name, name: f.Name, Help: f.Usage, Value: f.Value.String(),
			Group: plan.GroupOf(f), Ours: plan.GroupOf(f) != plan.GroupKubectl, Risky: wording.Risky(f.Name),
			Changed: f.Value.String() != before.Lookup(f.Name).Value.String(),
			initial: strings.Trim(before.Lookup(f.Name).Value.String(), "[]"),
		}
		switch choices := plan.ChoicesOf(f); {
		case f.Value.Type() == "bool":
			opt.Switch, opt.On, opt.toggled = true, opt.Value == "true", "true"
			if opt.On {
				opt.toggled = "false"
			}
		case len(choices) == 1:
			only := choices[0].Value
			opt.Switch, opt.On, opt.Flag = true, opt.Value == only, f.Name+"="+only
			opt.Help, opt.Changed = strings.TrimPrefix(opt.Help, only+": "), opt.On
			if !opt.On {
				opt.toggled = only
			}
		}
		if f.Name == "lease-namespace" {
			opt.Fixed = "chosen when the program is started"
		}
		options = append(options, opt)
	})
	return options
}

// Toggle switches a switch.
func (o *option) Toggle(in plan.Options) (plan.Options, error) { return o.Set(in, o.toggled) }

// Set takes the text as the command line would, with what another option has to be
// then.
func (o *option) Set(in plan.Options, text string) (plan.Options, error) {
	flags, text := in.Flags(), strings.TrimSpace(text)
	err := error(nil)
	if several, ok := flags.Lookup(o.name).Value.(pflag.SliceValue); ok {
		err = several.Replace([]string{text})
	} else {
		err = flags.Set(o.name, text)
	}
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		err = invalid.Unwrap()
	}
	if err != nil {
		return in, err
	}
	switch {
	case o.name == "guard-write" && in.GuardWrite && in.Guard == "":
		in.Guard = "25%"
	case o.name == "guard" && in.Guard == "":
		in.GuardWrite = false // it would have nothing to say
	case o.name == "surge-managed" && in.SurgeManaged && in.Surge == "":
		in.Surge = "100%"
	case o.name == "surge" && in.Surge == "":
		in.SurgeManaged = false
	}
	return in, in.Validate()
}
