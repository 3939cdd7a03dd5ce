package format

import (
	"fmt"
	"strconv"
	"time"
)

// Duration returns how long something takes or took, rounded: "0.8s", "41s", "2m05s", "5m", "3h12m", "2d3h". A negative
// duration is "0s".
func Duration(d time.Duration) string {
	d = max(d, 0)
	if tenths := d.Round(time.Second / 10); tenths < 10*time.Second {
		return strconv.FormatFloat(tenths.Seconds(), 'f', -1, 64) + "s"
	}
	switch s := d.Round(time.Second); {
	case s < time.Minute:
		return fmt.Sprintf("%ds", int(s/time.Second))
	case s < time.Hour:
		return twoUnits("%dm", s/time.Minute, "%02ds", s%time.Minute/time.Second)
	}
	if m := d.Round(time.Minute); m < 48*time.Hour {
		return twoUnits("%dh", m/time.Hour, "%02dm", m%time.Hour/time.Minute)
	}
	h := d.Round(time.Hour)
	return twoUnits("%dd", h/(24*time.Hour), "%dh", h%(24*time.Hour)/time.Hour)
}

func twoUnits(large string, n time.Duration, small string, rest time.Duration) string {
	text := fmt.Sprintf(large, int64(n))
	if rest > 0 {
		text += fmt.Sprintf(small, int64(rest))
	}
	return text
}

// Age returns how old something is, rounded down so that it seldom changes: "41d".
func Age(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Minute:
		return strconv.Itoa(int(d/time.Second)) + "s"
	case d < time.Hour:
		return strconv.Itoa(int(d/time.Minute)) + "m"
	case d < 48*time.Hour:
		return strconv.Itoa(int(d/time.Hour)) + "h"
	}
	return strconv.Itoa(int(d/(24*time.Hour))) + "d"
}

// Since returns the Age of something that began at since, "an unknown time" if that is zero.
func Since(now, since time.Time) string {
	if since.IsZero() {
		return "an unknown time"
	}
	return Age(now.Sub(since))
}

// Remaining returns how long it is until then: "41s left", or "over".
func Remaining(until, now time.Time) string {
	if d := until.Sub(now).Round(time.Second); d > 0 {
		return Duration(d) + " left"
	}
	return "over"
}

// Clock returns a duration as a clock that counts up: "0:41", "1:02:03".
func Clock(d time.Duration) string {
	s := int(max(d, 0) / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
