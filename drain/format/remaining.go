package format

import "time"

// Remaining says how long it is until then.
func Remaining(until, now time.Time) string {
	if d := until.Sub(now).Round(time.Second); d > 0 {
		return d.String() + " left"
	}
	return "over"
}
