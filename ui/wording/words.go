package wording

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Age is how old something is, rounded so that it seldom changes: "41d".
func Age(d time.Duration) string {
	switch {
	case d < 0:
		return "0s"
	case d < time.Minute:
		return strconv.Itoa(int(d/time.Second)) + "s"
	case d < time.Hour:
		return strconv.Itoa(int(d/time.Minute)) + "m"
	case d < 48*time.Hour:
		return strconv.Itoa(int(d/time.Hour)) + "h"
	}
	return strconv.Itoa(int(d/(24*time.Hour))) + "d"
}

// Spell is how long something took, in words as precise as they are useful:
// "0.8s", "41s", "2m 04s", "3h 12m".
func Spell(d time.Duration) string {
	switch {
	case d < 0:
		return "0s"
	case d < 10*time.Second:
		return strconv.FormatFloat(float64(d.Round(100*time.Millisecond))/float64(time.Second), 'f', -1, 64) + "s"
	case d < time.Minute:
		return strconv.Itoa(int(d.Round(time.Second)/time.Second)) + "s"
	case d < time.Hour:
		s := int(d.Round(time.Second) / time.Second)
		return fmt.Sprintf("%dm %02ds", s/60, s%60)
	}
	m := int(d.Round(time.Minute) / time.Minute)
	return fmt.Sprintf("%dh %02dm", m/60, m%60)
}

// Clock is a running time: "0:41", "1:02:03".
func Clock(d time.Duration) string {
	return format.Clock(d)
}

// Count is a number with its noun: "1 pod", "2 pods", "150,000 pods".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Number(n) + " " + pluralOf(noun)
}

// Plural is a number with its words, where they are no plain noun.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Number(n) + " " + many
}

// Number is a number with its thousands set apart.
func Number(n int) string {
	s := strconv.Itoa(n)
	if n < 0 {
		return s
	}
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

// CPU is an amount of CPU as kubectl top has it: "250m".
func CPU(milli int64) string { return strconv.FormatInt(milli, 10) + "m" }

// Bytes is an amount of memory in the unit that makes it short: "120Mi", "1.5Gi".
func Bytes(n int64) string {
	const kibi, mebi, gibi, tebi = 1 << 10, 1 << 20, 1 << 30, 1 << 40
	of := func(unit float64) string { return strconv.FormatFloat(math.Round(float64(n)/unit*10)/10, 'f', -1, 64) }
	switch {
	case n >= tebi:
		return of(tebi) + "Ti"
	case n >= gibi:
		return of(gibi) + "Gi"
	case n >= mebi:
		return strconv.FormatInt((n+mebi/2)/mebi, 10) + "Mi"
	case n >= kibi:
		return strconv.FormatInt(n/kibi, 10) + "Ki"
	}
	return strconv.FormatInt(n, 10)
}

func pluralOf(noun string) string {
	switch {
	case strings.HasSuffix(noun, "y"):
		return noun[:len(noun)-1] + "ies"
	case strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "ch"):
		return noun + "es"
	}
	return noun + "s"
}

// List joins names as people do: "a", "a and b", "a, b and 3 more".
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

// Quote puts a server's words between quotation marks.
func Quote(s string) string { return `"` + s + `"` }

// FirstUpper begins a sentence; the name of an object stays as it is.
func FirstUpper(s string) string {
	word, _, _ := strings.Cut(s, " ")
	if s == "" || strings.ContainsAny(word, "-/.0123456789") && !strings.HasSuffix(word, ".") {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// Sentence begins and ends words as a sentence; those of a server may have its full stop already.
func Sentence(s string) string { return FirstUpper(strings.TrimRight(s, ". ")) + "." }

// Clean takes everything out of typed, pasted or received text that is not text.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, kube.Clean(s))
}
