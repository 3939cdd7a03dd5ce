package conn

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// healthScene runs a health in a bubble of its own time; fails is what heartbeats
// meet. The play holds the lock but while it lets time pass.
type healthScene struct {
	h *health

	mu        sync.Mutex
	fails     error
	probe     func(context.Context) error // instead of fails
	beats     []time.Time
	resets    int
	published []kube.Health
}

func playHealth(t *testing.T, play func(t *testing.T, s *healthScene, pass func(time.Duration))) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &healthScene{h: newHealth(time.Now())}
		s.h.reset = func() { s.mu.Lock(); defer s.mu.Unlock(); s.resets++ }
		s.h.probe = func(ctx context.Context) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			if probe := s.probe; probe != nil {
				s.mu.Unlock()
				defer s.mu.Lock()
				return probe(ctx)
			}
			s.beats = append(s.beats, time.Now())
			if s.fails == nil {
				s.h.contacted(time.Now())
			}
			return s.fails
		}
		ctx, cancel := context.WithCancel(t.Context())
		var group kube.Group
		group.Go("health", func() {
			s.h.run(ctx, func(h kube.Health) { s.mu.Lock(); defer s.mu.Unlock(); s.published = append(s.published, h) })
		})
		synctest.Wait()
		s.mu.Lock()
		play(t, s, func(d time.Duration) {
			s.mu.Unlock()
			time.Sleep(d)
			synctest.Wait()
			s.mu.Lock()
		})
		s.mu.Unlock()
		cancel()
		group.Wait()
	})
}

func (s *healthScene) last() kube.Health { return s.published[len(s.published)-1] }

func TestHeartbeatOnlyInSilence(t *testing.T) {
	playHealth(t, func(t *testing.T, s *healthScene, pass func(time.Duration)) {
		for range 10 {
			pass(time.Second)
			s.h.contacted(time.Now())
		}
		if len(s.beats) != 0 {
			t.Errorf("%d heartbeats while others talked", len(s.beats))
		}
		pass(20 * time.Second)
		if n := len(s.beats); n != 4 {
			t.Errorf("%d heartbeats in 20 s of silence", n)
		}
		if !s.last().Live || time.Since(s.last().LastContact) > 5*time.Second {
			t.Errorf("%+v", s.last())
		}
	})
}

func TestDownAtOnceAndUpAtOnce(t *testing.T) {
	playHealth(t, func(t *testing.T, s *healthScene, pass func(time.Duration)) {
		pass(2 * time.Second)
		s.fails = errors.New("connection refused")
		s.h.suspect(s.fails)
		pass(0)
		if h := s.last(); h.Live || h.Reason != "connection refused" || !h.DownSince.Equal(time.Now()) {
			t.Fatalf("after a failed request: %+v", h)
		}
		waited := make(chan time.Time, 1)
		var group kube.Group
		group.Go("watch", func() {
			if s.h.wait(t.Context()) == nil {
				waited <- time.Now()
			}
		})
		before := len(s.published)
		pass(30 * time.Second)
		if len(s.published) != before {
			t.Error("the same news was published again and again")
		}
		if len(waited) != 0 {
			t.Error("the gate is open while the server is down")
		}
		s.fails = nil
		back := time.Now()
		pass(1100 * time.Millisecond)
		if !s.last().Live || !s.last().DownSince.IsZero() {
			t.Errorf("after recovery: %+v", s.last())
		}
		if at := <-waited; at.Sub(back) > time.Second {
			t.Errorf("the watch waited for %v more", at.Sub(back))
		}
		group.Wait()
	})
}

func TestSuspicionsShareAHeartbeat(t *testing.T) {
	playHealth(t, func(t *testing.T, s *healthScene, pass func(time.Duration)) {
		for range 10 {
			s.h.suspect(errors.New("reset"))
		}
		pass(0)
		if len(s.beats) > 1 || !s.last().Live {
			t.Errorf("%d heartbeats, %+v", len(s.beats), s.last())
		}
		pass(time.Second)
		if len(s.beats) > 2 {
			t.Errorf("%d heartbeats", len(s.beats))
		}
	})
}

func TestSilentServer(t *testing.T) {
	playHealth(t, func(t *testing.T, s *healthScene, pass func(time.Duration)) {
		s.probe = func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}
		pass(heartbeatEvery + heartbeatTimeout + time.Millisecond)
		if s.last().Live || s.last().Reason != "no answer to a heartbeat within 2.5s" || s.resets != 1 {
			t.Errorf("%+v, %d resets", s.last(), s.resets)
		}
	})
}

// A heartbeat that queues behind a long list is late, and the server is there.
func TestSlowIsNotDown(t *testing.T) {
	playHealth(t, func(t *testing.T, s *healthScene, pass func(time.Duration)) {
		s.probe = func(ctx context.Context) error {
			time.Sleep(time.Second)
			s.h.contacted(time.Now()) // bytes of the list
			<-ctx.Done()
			return ctx.Err()
		}
		pass(heartbeatEvery + heartbeatTimeout + time.Millisecond)
		if !s.last().Live || s.resets != 0 {
			t.Errorf("%+v, %d resets", s.last(), s.resets)
		}
	})
}

// A request that waits for its credentials is an outage within 10 s, also while a
// watch goes on to bring news; and no longer than the plugin takes.
func TestHangingCredentialsAreAnOutage(t *testing.T) {
	playHealth(t, func(t *testing.T, s *healthScene, pass func(time.Duration)) {
		s.h.credentials.source = "the credential plugin p"
		s.probe = func(ctx context.Context) error {
			if err := s.h.credentials.acquire(ctx, time.Now()); err != nil {
				return err
			}
			s.h.credentials.release()
			s.h.contacted(time.Now())
			return nil
		}
		hear := func(d time.Duration) {
			for range d / time.Second {
				pass(time.Second)
				s.h.contacted(time.Now())
			}
		}
		hear(20 * time.Second)
		if err := s.h.credentials.acquire(t.Context(), time.Now()); err != nil {
			t.Fatal(err)
		}
		hear(8 * time.Second)
		if h := s.last(); h.Live || s.resets != 1 || h.Reason != "the credential plugin p has not answered for 8s: "+
			"finish its log-in, or end its process, and it is asked again" {
			t.Errorf("%+v, %d resets", h, s.resets)
		}
		pass(time.Minute)
		s.h.credentials.release()
		pass(2 * time.Second)
		if h := s.last(); !h.Live || s.resets != 1 {
			t.Errorf("after it has answered: %+v, %d resets", h, s.resets)
		}
	})
}

// A server that serves and says that it is not ready is live, and its connections stay.
func TestNotReadyIsNotDown(t *testing.T) {
	playHealth(t, func(t *testing.T, s *healthScene, pass func(time.Duration)) {
		s.probe = func(context.Context) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.h.contacted(time.Now()) // it answers
			return s.fails
		}
		s.fails = &NotReadyError{Checks: []string{"kms-provider-0"}}
		pass(30 * time.Second)
		if h := s.last(); !h.Live || h.Warning != "not ready: kms-provider-0" || s.resets != 0 {
			t.Errorf("%+v, %d resets", h, s.resets)
		}
		s.fails = nil
		pass(30 * time.Second)
		if h := s.last(); !h.Live || h.Warning != "" {
			t.Errorf("%+v", h)
		}
	})
}

// What writes hear says nothing of the connection that reads: a watch that went silent is
// asked about however often the run renews its Leases and evicts.
func TestWritesDoNotKeepTheHeartbeatAway(t *testing.T) {
	for reads, want := range map[bool]int{false: 2, true: 0} {
		playHealth(t, func(t *testing.T, s *healthScene, pass func(time.Duration)) {
			answered := &meter{health: s.h, reads: reads, next: roundTrip(func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: http.NoBody}, nil
			})}
			for range 12 {
				pass(time.Second)
				request, _ := http.NewRequestWithContext(t.Context(), http.MethodPut, "https://server/lease", http.NoBody)
				response, err := answered.RoundTrip(request)
				if err != nil {
					t.Fatal(err)
				}
				_ = response.Body.Close()
			}
			if n := len(s.beats); n != want {
				t.Errorf("reads %v: %d heartbeats in 12 s, want %d", reads, n, want)
			}
		})
	}
}
