package format

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
)

func Number(n int32) string { return strconv.Itoa(int(n)) }

// maxQuote bounds foreign words in a line of ours.
const maxQuote = 160

// Quote puts words of others into quotation marks and cuts long ones.
func Quote(words string) string {
	if len(words) > maxQuote {
		if runes := []rune(words); len(runes) > maxQuote {
			words = string(runes[:maxQuote-1]) + "…"
		}
	}
	return `"` + words + `"`
}

// longestWord is how much of a text that anybody could have written is shown.
const longestWord = 120

func Shorten(text string) string {
	runes := []rune(text)
	if len(runes) <= longestWord {
		return text
	}
	return string(runes[:longestWord-3]) + "..."
}

// NamesShown is how many of several names a sentence has.
const NamesShown = 3

// List names the first few and counts the others.
func List(names []string) string {
	if len(names) <= NamesShown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:NamesShown], ", "), len(names)-NamesShown)
}

// Age is a duration in the form of kubectl's AGE columns.
func Age(now, since time.Time) string {
	if since.IsZero() {
		return "an unknown time"
	}
	return duration.HumanDuration(max(now.Sub(since), 0))
}
