package drain

import (
	"fmt"
	"strings"
)

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
