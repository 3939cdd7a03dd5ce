package plan

import (
	"fmt"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/words"
)

// Words say the estimate in one line, for a run that begins at start, in the
// time zone of start: "about 3 min (estimate); not before 14:40: kafka-2 has 1 h
// of grace". It is "" where nothing would go.
func (e Estimate) Words(start time.Time) string {
	if len(e.Waves) == 0 {
		return ""
	}
	text := "about " + roughly(e.Total) + " (estimate)"
	if e.Rough {
		text = "very roughly " + roughly(e.Total) + " (estimate)"
	}
	if e.LowerBound > 0 {
		text += "; not before " + clock(start, start.Add(e.LowerBound)) + ": " + e.Longest
		if e.LongestGrace == e.LowerBound {
			text += " has " + whole(e.LongestGrace) + " of grace"
		} else {
			text += " may take " + roughly(e.LowerBound) + " to end"
		}
	}
	if e.Held > 0 {
		text += fmt.Sprintf("; without the %s held up", words.Count(e.Held, "pod", "pods"))
	}
	return text
}

// roughly is a time as exact as an estimate is: seconds below one and a half
// minutes in steps of five, minutes below one and a half hours.
func roughly(d time.Duration) string {
	switch {
	case d < 5*time.Second:
		return "5 s"
	case d < 90*time.Second:
		return fmt.Sprintf("%d s", int(d.Round(5*time.Second)/time.Second))
	case d < 90*time.Minute:
		return fmt.Sprintf("%d min", int(d.Round(time.Minute)/time.Minute))
	case d < 36*time.Hour:
		return fmt.Sprintf("%d h", int(d.Round(time.Hour)/time.Hour))
	}
	return fmt.Sprintf("%d days", int(d.Round(24*time.Hour)/(24*time.Hour)))
}

// whole is a time that somebody wrote down, in the unit that he took.
func whole(d time.Duration) string {
	switch {
	case d >= time.Hour && d%time.Hour == 0:
		return fmt.Sprintf("%d h", d/time.Hour)
	case d%time.Minute == 0:
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%d s", int(d.Round(time.Second)/time.Second))
}

// clock is a time of day, with the date where that is another than that of now.
func clock(now, at time.Time) string {
	if at = at.In(now.Location()); at.Format(time.DateOnly) != now.Format(time.DateOnly) {
		return at.Format("2006-01-02 15:04 MST")
	}
	return at.Format("15:04 MST")
}
