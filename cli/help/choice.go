package help

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

// oneOf is the value of a flag that takes few.
type oneOf struct {
	to    *string
	known []plan.Choice
}

// OneOf is the value of a flag that takes one of the choices, at least two.
func OneOf(to *string, choices []plan.Choice) pflag.Value { return oneOf{to, choices} }

func (v oneOf) Set(text string) error {
	var values []string
	for _, known := range v.known {
		if known.Value == text {
			*v.to = text
			return nil
		}
		values = append(values, known.Value)
	}
	last := len(values) - 1
	return fmt.Errorf("must be %s or %s", strings.Join(values[:last], ", "), values[last])
}

// nameOf is the value of a flag that is one of the names that there are.
type nameOf struct {
	to    *string
	what  string
	known func() []string
}

// NameOf is the value of a flag that names one of what there is when the flag is read; none is
// refused where known is nil.
func NameOf(to *string, what string, known func() []string) pflag.Value {
	return nameOf{to, what, known}
}

func (v nameOf) Set(text string) error {
	if v.known != nil && text != "" {
		if names := v.known(); !slices.Contains(names, text) {
			return fmt.Errorf("unknown %s: there are %s", v.what, strings.Join(names, ", "))
		}
	}
	*v.to = text
	return nil
}

func (v nameOf) String() string { return *v.to }
func (v nameOf) Type() string   { return "string" }

func (v oneOf) String() string         { return *v.to }
func (v oneOf) Type() string           { return "string" }
func (v oneOf) Choices() []plan.Choice { return v.known }
