package attempt

import "time"

// Elapsed is how long ago something was by the clock that counts more: a machine
// that slept has a monotonic clock that did not.
func Elapsed(since, now time.Time) time.Duration {
	return max(now.Sub(since), now.Round(0).Sub(since.Round(0)))
}
