package drain

import "time"

func (s *State) applyConnection(e Event) {
	s.Down, s.DownWhy, s.unwell = nil, "", e.Time
	if e.Message != "" {
		at := e.Time
		s.Down, s.DownWhy = &at, e.Message
	}
}

func (s *State) applyControl(e Event) {
	switch e.Control {
	case ControlPause:
		s.Paused, s.Message = true, e.Message
	case ControlContinue:
		s.Paused, s.Message = false, ""
	case ControlAbort:
		s.Aborting, s.Message = true, e.Message
	case ControlSuspend:
		if s.Suspended = true; !s.Aborting {
			s.Message = e.Message
		}
	case ControlLast:
		s.editPod(e.UID, func(p *PodRun) { p.last = true })
	case ControlRetry:
		s.QuietUntil = time.Time{}
		s.editPod(e.UID, func(p *PodRun) { p.retryNow = true })
	}
}
