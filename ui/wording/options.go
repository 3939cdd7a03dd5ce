package wording

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

// Asked are the flags that the dashboard asks for at another place.
var Asked = []string{"dry-run", "take-over"}

// OptionWords says which options differ from kubectl's defaults.
func OptionWords(o plan.Options) string {
	words := o.FlagWords(func(f *pflag.Flag) bool {
		return f.Name != "lease-namespace" && !slices.Contains(Asked, f.Name)
	})
	if len(words) == 0 {
		return "kubectl's defaults"
	}
	return strings.Join(words, " ")
}
