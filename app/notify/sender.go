package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/hook"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain/notice"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Sender sends notices to one place. A nil Sender sends nothing.
type Sender struct {
	// BlockedAfter is how long a pod is blocked before it is told, zero for never.
	BlockedAfter time.Duration

	target string
	send   func(ctx context.Context, body []byte) error
}

// To is the sender to a URL, or to a command line for sh -c. nil is for no target.
func To(target string, blockedAfter time.Duration) (*Sender, error) {
	s := &Sender{BlockedAfter: blockedAfter, target: target}
	switch {
	case target == "":
		return nil, nil
	case !isURL(target):
		if err := hook.Check(target); err != nil {
			return nil, fmt.Errorf("--notify: %w", err)
		}
		s.send = s.run
		return s, nil
	}
	u, err := url.Parse(target)
	if err != nil || u.Host == "" {
		return nil, errors.New("--notify: this is no URL that could be posted to") // it may have a secret in it
	}
	s.send = s.post
	return s, nil
}

func isURL(target string) bool {
	scheme, _, found := strings.Cut(target, "://")
	return found && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

const (
	// oneMoment is how long one notification may take.
	oneMoment = 10 * time.Second
	// lastMoments is how long those may take together that are not sent when their run ends.
	lastMoments = 20 * time.Second
	// mostQueued is how many may wait.
	mostQueued = 64
	// lookGap is how far apart two looks at a changing run are.
	lookGap = 200 * time.Millisecond
)

// Watching is what is told of: a run or a roll.
type Watching struct {
	live.Followed
	// See is what to tell at that moment, and when to look again.
	See func(now time.Time) (due []notice.Notice, wake time.Time)
	// Failed gets the first failure.
	Failed func(why string)
}

// Follow tells of a run until it is over and all is told, or the context ends; what is left
// then has its last moments too.
func (s *Sender) Follow(ctx context.Context, w Watching) {
	if s == nil {
		return
	}
	sending, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	q := &queue{news: make(chan struct{}, 1)}
	var group kube.Group
	group.Go("notifications", func() { s.drainQueue(sending, q, w.Failed) })
	w.Followed.Follow(ctx, lookGap, func() time.Time {
		due, wake := w.See(time.Now())
		q.add(due)
		return wake
	})
	q.close()
	last := time.AfterFunc(lastMoments, func() { stop(errors.New("the run is over")) })
	defer last.Stop()
	group.Wait()
}

// drainQueue sends what comes, one after the other, until the queue is closed and empty.
func (s *Sender) drainQueue(ctx context.Context, q *queue, failed func(why string)) {
	said := false
	for {
		n, dropped, ok := q.next()
		if !ok {
			return
		}
		err := s.deliver(ctx, n)
		if dropped > 0 && err == nil {
			err = fmt.Errorf("%d were dropped: it takes longer than they come", dropped)
		}
		if err != nil && !said {
			said = true
			failed(kube.Clean(fmt.Sprintf("a notification (%s) was not sent: %s; the run continues without, and further failures are not told", n.Kind, err)))
		}
	}
}

func (s *Sender) deliver(ctx context.Context, n notice.Notice) error {
	body, err := json.Marshal(n)
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeoutCause(ctx, oneMoment, fmt.Errorf("no end after %s", oneMoment))
	defer stop()
	return s.send(ctx, append(body, '\n'))
}

// run runs the command with the notice on its standard input. Its output is not kept: it
// could have what no journal may have.
func (s *Sender) run(ctx context.Context, body []byte) error {
	code, err := hook.Run(ctx, hook.Command{Line: s.target, Input: string(body), Tell: func([]string) {}})
	switch {
	case err != nil:
		return fmt.Errorf("its command: %w", err)
	case code != 0:
		return fmt.Errorf("its command ended with exit code %d", code)
	}
	return nil
}

// queue holds notices until they are sent.
type queue struct {
	mu      sync.Mutex
	news    chan struct{} // capacity one: something was added, or the queue was closed
	all     []notice.Notice
	dropped int
	closed  bool
}

// add adds notices; where there are too many the oldest go, for the newest say how it stands.
func (q *queue) add(more []notice.Notice) {
	q.mu.Lock()
	q.all = append(q.all, more...)
	if extra := len(q.all) - mostQueued; extra > 0 {
		q.all, q.dropped = q.all[extra:], q.dropped+extra
	}
	q.mu.Unlock()
	live.Signal(q.news)
}

func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	live.Signal(q.news)
}

// next waits for the next notice; ok is false when there will be none. dropped is how many were
// dropped since the last.
func (q *queue) next() (n notice.Notice, dropped int, ok bool) {
	for {
		q.mu.Lock()
		if len(q.all) > 0 {
			n, q.all = q.all[0], q.all[1:]
			dropped, q.dropped = q.dropped, 0
			q.mu.Unlock()
			return n, dropped, true
		}
		closed := q.closed
		q.mu.Unlock()
		if closed {
			return n, 0, false
		}
		<-q.news
	}
}
