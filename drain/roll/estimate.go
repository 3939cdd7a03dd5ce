package roll

import "time"

// Left is about how long the roll still takes: each batch as long as those that are through took on average,
// and the pauses between. It is false while none is through, and where nothing moves by itself.
func (s *State) Left(now time.Time) (time.Duration, bool) {
	if s.Outcome != "" || s.Suspended || s.Aborting || s.Paused || s.Gate != nil || s.Question != nil {
		return 0, false
	}
	took := map[int][2]time.Time{} // by batch: its begin and its end, zero while it has none
	for i := range s.Nodes {
		n := &s.Nodes[i]
		span, known := took[n.Batch]
		if !known || n.Began.Before(span[0]) {
			span[0] = n.Began
		}
		if n.Ended.After(span[1]) {
			span[1] = n.Ended
		}
		took[n.Batch] = span
	}
	var all time.Duration
	through := s.Batch
	if !s.Under {
		through++
	}
	for b := range through {
		all += took[b][1].Sub(took[b][0])
	}
	if through <= 0 {
		return 0, false
	}
	mean := all / time.Duration(through)
	waiting := len(s.Facts.Batches) - through
	left := time.Duration(waiting) * mean
	if s.Under {
		left -= min(mean, now.Sub(took[s.Batch][0]))
		waiting--
	}
	left += time.Duration(max(0, waiting-1)) * time.Duration(s.Facts.Options.PauseBetween)
	switch {
	case s.Wait != nil && s.Wait.Until.After(now):
		left += s.Wait.Until.Sub(now)
	case s.Under && waiting > 0:
		left += time.Duration(s.Facts.Options.PauseBetween)
	}
	return left, true
}
