package drain

import "time"

func (s *State) applyConnection(e Event) {
	s.Down, s.DownWhy, s.unwell = nil, "", e.Time
	if e.Message != "" {
		at := e.Time
		s.Down, s.DownWhy = &at, e.Message
	}
}

func (s *State) applyCommand(e Event) {
	switch e.Command {
	case CommandPause:
		s.Paused, s.Message = true, e.Message
	case CommandContinue:
		s.Paused, s.Message = false, ""
	case CommandAbort:
		s.Aborting, s.Message = true, e.Message
	case CommandSuspend:
		if s.Suspended = true; !s.Aborting {
			s.Message = e.Message
		}
	case CommandLast:
		s.editPod(e.UID, func(p *PodRun) { p.last = true })
	case CommandRetry:
		s.QuietUntil = time.Time{}
		s.editPod(e.UID, func(p *PodRun) { p.retryNow = true })
	}
}
