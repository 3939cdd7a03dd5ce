package frame

import (
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
)

// Match is a filter as a test of rows: a text in them, ~ a regular expression, -l a label
// selector where rows have labels; ! before it turns it round.
type Match struct {
	// Problem is what is wrong with the filter, "" if nothing is. Such a filter keeps all
	// rows: it is not finished yet.
	Problem string

	all      bool
	inverse  bool
	text     string // in lower case
	regex    *regexp.Regexp
	selector labels.Selector
}

// labelFilter begins a filter by labels.
const labelFilter = "-l"

// Match reads the filter of the list.
func (l *List) Match() (m Match) {
	text, inverse := strings.CutPrefix(strings.TrimSpace(l.Filter), "!")
	m.inverse = inverse
	var err error
	if pattern, ok := strings.CutPrefix(text, "~"); ok && pattern != "" {
		m.regex, err = regexp.Compile("(?i)" + pattern)
	} else if selector, ok := strings.CutPrefix(text, labelFilter); ok && l.Labels {
		m.selector, err = labels.Parse(strings.TrimSpace(selector))
	} else {
		m.text = strings.ToLower(strings.TrimPrefix(text, "~"))
	}
	if err != nil {
		m.Problem = err.Error()
	}
	m.all = err != nil || text == "" || text == "~" || text == labelFilter && l.Labels
	return m
}

// All reports whether every row is kept.
func (m Match) All() bool { return m.all }

// Keeps reports whether a row is kept; finds calls has for each of its texts until one
// has it.
func (m Match) Keeps(of labels.Set, finds func(has func(string) bool) bool) bool {
	switch {
	case m.all:
		return true
	case m.selector != nil:
		return m.selector.Matches(of) != m.inverse
	}
	return finds(m.has) != m.inverse
}

func (m Match) has(s string) bool {
	if m.regex != nil {
		return m.regex.MatchString(s)
	}
	return strings.Contains(strings.ToLower(s), m.text)
}
