package frame

import (
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/kdrain-tui/kdrain-tui/ui/paint"
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

// In reports whether a line of text has what is looked for: none has, where nothing is.
func (m Match) In(l paint.Line) bool {
	return !m.all && m.Keeps(nil, func(has func(string) bool) bool { return has(l.String()) })
}

// Mark marks what the filter looks for in a line. One that is turned round or by labels looks for no text.
func (m Match) Mark(l paint.Line) paint.Line {
	if m.all || m.inverse || m.selector != nil {
		return l
	}
	return l.Hits(m.places(l.String()))
}

// places are where the filter's text stands in another, each from a byte to another.
func (m Match) places(s string) (places [][]int) {
	if m.regex != nil {
		return slices.DeleteFunc(m.regex.FindAllStringIndex(s, -1), func(p []int) bool { return p[0] == p[1] })
	}
	lower := strings.ToLower(s)
	if len(lower) != len(s) { // letters whose small form is longer: their places differ
		return nil
	}
	for from := 0; ; {
		at := strings.Index(lower[from:], m.text)
		if at < 0 {
			return places
		}
		places = append(places, []int{from + at, from + at + len(m.text)})
		from += at + len(m.text)
	}
}

func (m Match) has(s string) bool {
	if m.regex != nil {
		return m.regex.MatchString(s)
	}
	return strings.Contains(strings.ToLower(s), m.text)
}
