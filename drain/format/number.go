package format

import (
	"math"
	"strconv"
	"strings"
)

// Number returns n with its thousands separated: "150,000".
func Number[T ~int | ~int32](n T) string {
	s := strconv.Itoa(int(n))
	if n < 0 {
		return s
	}
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

// Count returns a number with a noun that has a regular plural: "1 pod", "2 pods", "150,000 pods".
func Count(n int, noun string) string { return Plural(n, noun, pluralOf(noun)) }

// Plural returns a number with the words for one and for many.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Number(n) + " " + many
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

// CPU returns an amount of CPU as kubectl top does: "250m".
func CPU(milli int64) string { return strconv.FormatInt(milli, 10) + "m" }

// Bytes returns an amount of memory in the unit that makes it short: "120Mi", "1.5Gi".
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
