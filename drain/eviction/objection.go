package eviction

import (
	"fmt"
	"strings"
)

// MaySkip is why the pod cannot be left where it is, nil where it can: its answer comes first.
func (r *Record) MaySkip() error {
	switch {
	case r.State.Final():
		return r.nothingMore()
	case r.InFlight != 0:
		return r.awaitsAnswer()
	}
	return nil
}

// MayRetry is why the pod cannot be tried again now, nil where it can: only one that waits is.
func (r *Record) MayRetry() error {
	switch {
	case r.State.Final():
		return r.nothingMore()
	case r.State.Ends():
		return r.noReturn()
	case r.InFlight != 0:
		return r.awaitsAnswer()
	case !r.State.Blocked():
		return fmt.Errorf("only a pod that waits can be tried again: pod %s is %s", r.title(), r.State)
	}
	return nil
}

// MayGoLast is why the pod cannot be put behind all others, nil where it can.
func (r *Record) MayGoLast() error {
	switch {
	case r.State.Final():
		return r.nothingMore()
	case r.State.Ends():
		return r.noReturn()
	case r.PutLast:
		return fmt.Errorf("pod %s is already last", r.title())
	}
	return nil
}

func (r *Record) title() string { return r.Namespace + "/" + r.Name }

func (r *Record) nothingMore() error {
	return fmt.Errorf("nothing more happens to pod %s: it is %s", r.title(), strings.ToLower(string(r.State)))
}

func (r *Record) noReturn() error {
	return fmt.Errorf("the eviction of pod %s was accepted: nothing more is sent for it, and it cannot be called back",
		r.title())
}

func (r *Record) awaitsAnswer() error {
	return fmt.Errorf("a request for pod %s is in flight: its answer comes first", r.title())
}
