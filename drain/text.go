package drain

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
)

// plural counts in words.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// maxQuote bounds foreign words in a line of ours.
const maxQuote = 160

// quoted puts words of others into quotation marks and cuts long ones.
func quoted(words string) string {
	if len(words) > maxQuote {
		if runes := []rune(words); len(runes) > maxQuote {
			words = string(runes[:maxQuote-1]) + "…"
		}
	}
	return `"` + words + `"`
}

// longestWord is how much of a text that anybody could have written is shown.
const longestWord = 120

func shortened(text string) string {
	runes := []rune(text)
	if len(runes) <= longestWord {
		return text
	}
	return string(runes[:longestWord-3]) + "..."
}

// namesShown is how many of several names a sentence has.
const namesShown = 3

// some names the first few and counts the others.
func some(names []string) string {
	if len(names) <= namesShown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:namesShown], ", "), len(names)-namesShown)
}

// age is a duration in the form of kubectl's AGE columns.
func age(now, since time.Time) string {
	if since.IsZero() {
		return "an unknown time"
	}
	return duration.HumanDuration(max(now.Sub(since), 0))
}

// shortTime is a duration in full seconds.
func shortTime(d time.Duration) string { return fmt.Sprint(d.Round(time.Second)) }
