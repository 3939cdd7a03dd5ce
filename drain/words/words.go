package words

import (
	"fmt"
	"time"
)

// Count counts in words.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// ShortTime is a duration in full seconds.
func ShortTime(d time.Duration) string { return fmt.Sprint(d.Round(time.Second)) }

func BeVerb(names []string) string {
	if len(names) == 1 {
		return " is"
	}
	return " are"
}

func VolumeNames(names []string) string {
	if len(names) == 1 {
		return "volume " + names[0]
	}
	return "volumes " + List(names)
}
