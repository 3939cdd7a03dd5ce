package roll

import (
	"errors"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kdrain-tui/kdrain-tui/drain/roll"
)

// option is one flag of a roll as the page of a new one shows it.
type option struct {
	flag, help, value string
	switches, on      bool
}

// optionsOf are the flags of a roll with their values.
func optionsOf(o roll.Options) (options []option) {
	o.Flags().VisitAll(func(f *pflag.Flag) {
		_, help := pflag.UnquoteUsage(f)
		options = append(options, option{flag: f.Name, help: help, value: f.Value.String(),
			switches: f.Value.Type() == "bool", on: f.Value.String() == "true"})
	})
	return options
}

// set takes the text as the command line would.
func set(o roll.Options, flag, text string) (roll.Options, error) {
	before := o
	err := o.Flags().Set(flag, strings.TrimSpace(text))
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		err = invalid.Unwrap()
	}
	if err != nil {
		return before, err
	}
	if flag != "rerun-work" && o.Work == "" && o.Before == "" {
		o.RerunWork = false // there is nothing to run again
	}
	if err := o.Validate(); err != nil {
		return before, err
	}
	return o, nil
}
