package format

import "strings"

// maxQuote is how much of a quoted text is shown, in characters.
const maxQuote = 160

// Quote puts the text of somebody else into quotation marks, and cuts it if it is long.
func Quote(text string) string {
	if len(text) > maxQuote {
		if runes := []rune(text); len(runes) > maxQuote {
			text = string(runes[:maxQuote-1]) + "…"
		}
	}
	return `"` + text + `"`
}

// longestWord is how much of a text that anybody could have written is shown, in characters.
const longestWord = 120

// Shorten cuts a name that anybody could have written.
func Shorten(text string) string {
	runes := []rune(text)
	if len(runes) <= longestWord {
		return text
	}
	return string(runes[:longestWord-3]) + "..."
}

// NamesShown is how many of several names a sentence has.
const NamesShown = 3

// List joins names and counts those beyond most: "a", "a and b", "a, b and 3 more". It returns "" for none.
func List(names []string, most int) string {
	switch {
	case len(names) == 0:
		return ""
	case len(names) == 1:
		return names[0]
	case len(names) > most:
		return strings.Join(names[:most], ", ") + " and " + Number(len(names)-most) + " more"
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// BeVerb returns the verb for a list of names.
func BeVerb(names []string) string {
	if len(names) == 1 {
		return " is"
	}
	return " are"
}

// VolumeNames returns a list of volumes with its noun.
func VolumeNames(names []string) string {
	if len(names) == 1 {
		return "volume " + names[0]
	}
	return "volumes " + List(names, NamesShown)
}
