package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain/notice"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// told is what a place was told, and what failed.
type told struct {
	mu       sync.Mutex
	bodies   []string
	failures []string
}

func (g *told) add(list *[]string, text string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	*list = append(*list, text)
}

// follow lets a sender tell a run that has these notices at its beginning and its end; it ends after
// that time, or after the first look.
func follow(ctx context.Context, s *Sender, g *told, first, last []notice.Notice, lasts time.Duration) {
	done, looks := make(chan struct{}), 0
	end := sync.OnceFunc(func() { close(done) })
	if lasts > 0 {
		defer time.AfterFunc(lasts, end).Stop()
	}
	s.Follow(ctx, Watching{
		Followed: live.Followed{Changed: func(context.Context) <-chan struct{} { return nil }, Done: done},
		See: func(time.Time) ([]notice.Notice, time.Time) {
			looks++
			select {
			case <-done:
				return last, time.Time{}
			default:
			}
			if looks == 1 {
				if lasts == 0 {
					end()
				}
				return first, time.Time{}
			}
			return nil, time.Time{}
		},
		Failed: func(why string) { g.add(&g.failures, why) },
	})
}

func notices(n int) (all []notice.Notice) {
	for i := range n {
		all = append(all, notice.Notice{Kind: notice.PhaseEnded, Message: fmt.Sprint(i)})
	}
	return all
}

func TestPost(t *testing.T) {
	g := &told{}
	code := http.StatusNoContent
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" || r.URL.Path != "/T0/s3cret" {
			t.Errorf("%s %s %v", r.Method, r.URL.Path, err)
		}
		var n notice.Notice
		if err := json.Unmarshal(body, &n); err != nil {
			t.Error(err)
		}
		g.add(&g.bodies, n.Message)
		http.Redirect(w, r, "/elsewhere?s3cret", code)
	}))
	defer server.Close()
	s, err := To(server.URL+"/T0/s3cret", 0)
	if err != nil {
		t.Fatal(err)
	}
	follow(t.Context(), s, g, notices(2), notices(1), 0)
	if strings.Join(g.bodies, " ") != "0 1 0" || g.failures != nil {
		t.Errorf("told %q, failed %q", g.bodies, g.failures)
	}
	// A failure is told once, without what is secret in the URL, and the others are still sent.
	g.bodies, code = nil, http.StatusFound
	follow(t.Context(), s, g, notices(2), notices(1), 0)
	if len(g.bodies) != 3 || len(g.failures) != 1 || !strings.Contains(g.failures[0], "127.0.0.1 answered 302") {
		t.Errorf("told %q, failed %q", g.bodies, g.failures)
	}
	server.Close()
	g.failures = nil
	follow(t.Context(), s, g, notices(1), nil, 0)
	if len(g.failures) != 1 || strings.Contains(g.failures[0], "s3cret") || !strings.Contains(g.failures[0], "refused") {
		t.Errorf("failed %q", g.failures)
	}
}

func TestCommand(t *testing.T) {
	file := filepath.Join(t.TempDir(), "got")
	g := &told{}
	s, err := To("cat >>'"+file+"'", 0)
	if err != nil {
		t.Fatal(err)
	}
	follow(t.Context(), s, g, notices(1), notices(1), 0)
	text, err := os.ReadFile(file)
	if err != nil || strings.Count(string(text), "\n") != 2 || strings.Count(string(text), `"kind":"PhaseEnded"`) != 2 || g.failures != nil {
		t.Errorf("%v %q, failed %q", err, text, g.failures)
	}
	if s, err = To("echo s3cret; exit 7", 0); err != nil {
		t.Fatal(err)
	}
	follow(t.Context(), s, g, notices(2), nil, 0)
	if len(g.failures) != 1 || !strings.Contains(g.failures[0], "exit code 7") || strings.Contains(g.failures[0], "s3cret") {
		t.Errorf("failed %q", g.failures)
	}
}

func TestTarget(t *testing.T) {
	if s, err := To("", 0); s != nil || err != nil {
		t.Error(s, err)
	}
	for _, bad := range []string{"https://", "http:// a/s3cret", "HTTPS://%zz/s3cret"} {
		if _, err := To(bad, 0); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// A place that never ends holds up neither the run nor, for long, the program; what does not fit into the
// queue is counted.
func TestSlowPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, began := &told{}, time.Now()
		s := &Sender{send: func(ctx context.Context, body []byte) error {
			g.add(&g.bodies, string(body))
			<-ctx.Done()
			return context.Cause(ctx)
		}}
		follow(t.Context(), s, g, notices(3*mostQueued), notices(1), time.Minute)
		if took := time.Since(began); took != time.Minute+lastMoments {
			t.Errorf("it took %s", took)
		}
		if len(g.failures) != 1 || !strings.Contains(g.failures[0], "no end after 10s") {
			t.Errorf("failed %q", g.failures)
		}
		if len(g.bodies) != mostQueued+1 && len(g.bodies) != mostQueued {
			t.Errorf("%d were tried", len(g.bodies))
		}
		if last := g.bodies[len(g.bodies)-1]; !strings.Contains(last, `"message":"0"`) {
			t.Errorf("the last is not the newest: %s", last)
		}
	})
}

func TestTheProgramEndsBeforeTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &told{}
		ctx, stop := context.WithCancelCause(t.Context())
		s := &Sender{send: func(context.Context, []byte) error { stop(errors.New("the program ends")); return nil }}
		follow(ctx, s, g, notices(1), nil, time.Hour)
		if g.failures != nil {
			t.Errorf("failed %q", g.failures)
		}
	})
}
