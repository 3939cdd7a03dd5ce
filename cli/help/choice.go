package help

import (
	"fmt"
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

func (v oneOf) String() string         { return *v.to }
func (v oneOf) Type() string           { return "string" }
func (v oneOf) Choices() []plan.Choice { return v.known }
