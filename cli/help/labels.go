package help

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// LabelKeys are keys of labels as a flag takes them: with commas, or given several times.
type LabelKeys struct{ To *[]string }

// Set adds the keys of a text.
func (k LabelKeys) Set(text string) error {
	for key := range strings.SplitSeq(text, ",") {
		if problems := validation.IsQualifiedName(key); len(problems) > 0 {
			return fmt.Errorf("%q is not the key of a label: %s", key, problems[0])
		}
		if !slices.Contains(*k.To, key) {
			*k.To = append(*k.To, key)
		}
	}
	return nil
}

// String is what Set takes.
func (k LabelKeys) String() string { return strings.Join(*k.To, ",") }

// Type is the name of its kind of value.
func (k LabelKeys) Type() string { return "stringSlice" }
