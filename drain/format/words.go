package format

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

// Clock is a time as on a clock that counts up: "0:41", "1:02:03".
func Clock(d time.Duration) string {
	s := int(max(d, 0) / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
