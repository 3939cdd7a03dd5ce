package control

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stage is a run that notes what it is told.
type stage struct {
	state    *drain.State
	told     []drain.Command
	done     chan struct{}
	remedies []remedy.Remedy
	lacks    string      // the right that is missing
	becomes  drain.Event // what becomes of a remedy that is taken; of no kind: nothing does
}

func (r *stage) State() *drain.State                     { return r.state }
func (r *stage) Changed(context.Context) <-chan struct{} { return nil }
func (r *stage) Send(drain.Input)                        {}
func (r *stage) Done() <-chan struct{}                   { return r.done }
func (r *stage) Remedies(kube.UID) []remedy.Remedy       { return slices.Clone(r.remedies) }
func (r *stage) Command(_ context.Context, c drain.Command) (uint64, error) {
	r.told = append(r.told, c)
	if c.Kind == drain.CommandRemedy && r.becomes.Kind != "" {
		e := r.becomes
		e.Seq, e.Remedy = 43, &c.Remedy
		c.Remedy.ID = len(r.state.Remedies) + 1
		r.state = drain.Fold(r.state, e)
	}
	return 42, r.state.Objection(c)
}

func (r *stage) rights(_ context.Context, needs []request.Permission) (results []request.AccessResult, err error) {
	for _, need := range needs {
		results = append(results, request.AccessResult{Permission: need, Allowed: need.String() != r.lacks})
	}
	return results, nil
}

func served(t *testing.T, dir string) *stage {
	t.Helper()
	run := &drain.RunFacts{ID: "k7f3pm", User: "ada", Context: "prod", Nodes: []drain.NodeFacts{{Name: "a", UID: "uid-a"}, {Name: "b", UID: "uid-b"}}}
	for _, pod := range []string{"shop/web", "ops/web", "shop/api", "shop/db"} {
		ns, name, _ := strings.Cut(pod, "/")
		run.Pods = append(run.Pods, eviction.Facts{Node: "a", Namespace: ns, Name: name, UID: kube.UID(pod), Action: plan.ActionEvict})
	}
	r := &stage{done: make(chan struct{}), state: drain.Fold(nil,
		drain.Event{Seq: 1, Kind: drain.EventRunStarted, Run: run},
		drain.Event{Seq: 2, Kind: drain.EventPod, Node: "a", UID: "shop/db", PodState: eviction.Replaced},
		drain.Event{Seq: 3, Kind: drain.EventPod, Node: "a", UID: "shop/api", PodState: eviction.BudgetBlocked, Wait: &waits.Wait{For: waits.ForBudget}})}
	journal, err := journal.CreateJournal(dir, "k7f3pm")
	if err != nil {
		t.Fatal(err)
	}
	server, err := Serve(dir, r, r.rights)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Close()
		if _, err := os.Lstat(path(dir, "k7f3pm")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the socket is left behind: %v", err)
		}
		if err := journal.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func TestRequests(t *testing.T) {
	dir := t.TempDir()
	run := served(t, dir)
	for _, test := range []struct {
		request Request
		told    drain.Command // what the run was told
		message string
		err     string
	}{
		{Request{Verb: "pause"}, drain.Command{Kind: drain.CommandPause}, "paused: nothing new is sent", ""},
		{Request{Verb: "continue"}, drain.Command{Kind: drain.CommandContinue}, "", "the run is not paused"},
		{Request{Verb: "continue", Word: "w"}, drain.Command{Kind: drain.CommandContinue, Word: "w"}, "", "the run is not paused"},
		{Request{Verb: "retry", Pod: "api"}, drain.Command{Kind: drain.CommandRetry, Pod: "shop/api"}, "pod shop/api is tried again now", ""},
		{Request{Verb: "skip", Pod: "shop/web"}, drain.Command{Kind: drain.CommandSkip, Pod: "shop/web"}, "pod shop/web is left where it is", ""},
		{Request{Verb: "last", Pod: "ops/web"}, drain.Command{Kind: drain.CommandLast, Pod: "ops/web"}, "pod ops/web is evicted last", ""},
		{Request{Verb: "leave", Node: "b"}, drain.Command{Kind: drain.CommandLeave, Node: "b"}, "node b stays cordoned, nothing more is evicted from it", ""},
		{Request{Verb: "abort"}, drain.Command{Kind: drain.CommandAbort}, "aborted: nothing more is sent, nodes stay cordoned", ""},
		{Request{Verb: "skip", Pod: "db"}, drain.Command{Kind: drain.CommandSkip, Pod: "shop/db"}, "", "nothing more happens to pod shop/db: it is replaced"},
		{Request{Verb: "skip", Pod: "web"}, drain.Command{}, "", `2 pods of the run match "web": shop/web, ops/web`},
		{Request{Verb: "skip", Pod: "none"}, drain.Command{}, "", `no pod "none" is in the run`},
		{Request{Verb: "leave", Node: "c"}, drain.Command{}, "", `node "c" is not in the run`},
		{Request{Verb: "dance"}, drain.Command{}, "", `unknown command "dance"`},
	} {
		run.told = nil
		test.request.Run = "k7f3pm"
		a, err := Ask(dir, test.request)
		if err != nil {
			t.Fatal(test.request, err)
		}
		if a.OK != (test.err == "") || a.Error != test.err || a.Message != test.message || a.OK && a.Seq != 42 {
			t.Errorf("%+v: %+v", test.request, a)
		}
		switch {
		case test.told.Kind == "" && len(run.told) > 0:
			t.Errorf("%+v: the run was told %+v", test.request, run.told)
		case test.told.Kind != "":
			test.told.By = "ada"
			if len(run.told) != 1 || run.told[0] != test.told {
				t.Errorf("%+v: the run was told %+v", test.request, run.told)
			}
		}
	}
	a, err := Ask(dir, Request{Run: "k7f3pm", Verb: "status"})
	if err != nil || a.Status == nil || len(a.Status.Nodes) != 2 || a.Status.Nodes[0].Gone != 1 || len(a.Status.Blocked) != 1 {
		t.Errorf("%+v %v", a, err)
	}
}

// What is no request of ours is answered as such, and told to no run.
func TestForeignRequests(t *testing.T) {
	dir := t.TempDir()
	run := served(t, dir)
	for line, complaint := range map[string]string{
		"hello\n": "cannot be read",
		`{"schema":"kdrain-tui/ctl/v9","run":"k7f3pm","verb":"abort"}` + "\n": "the run uses kdrain-tui/ctl/v1",
		`{"schema":"kdrain-tui/ctl/v1","run":"other","verb":"abort"}` + "\n":  `this is run k7f3pm, not "other"`,
		strings.Repeat("x", mostRequest+1):                                    "incomplete request",
	} {
		conn, err := net.Dial("unix", path(dir, "k7f3pm"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
		text, err := bufio.NewReader(conn).ReadBytes('\n')
		var a Answer
		if err == nil {
			err = json.Unmarshal(text, &a)
		}
		if err != nil || a.OK || !strings.Contains(a.Error, complaint) {
			t.Errorf("%.60q: %+v %v", line, a, err)
		}
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}
	// Whoever says nothing does not hold up the end.
	silent, err := net.Dial("unix", path(dir, "k7f3pm"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	if len(run.told) > 0 {
		t.Errorf("the run was told %+v", run.told)
	}
}

// The socket is for its user alone, also under a path that no address can hold,
// and one that a dead process left is not in the way.
func TestSocket(t *testing.T) {
	for _, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), strings.Repeat("long", 40))} {
		for range 2 { // the second finds the socket of the first
			t.Run("", func(t *testing.T) {
				if err := os.MkdirAll(filepath.Dir(path(dir, "x")), 0o700); err != nil {
					t.Fatal(err)
				}
				_ = os.Remove(journal.JournalPath(dir, "k7f3pm"))
				served(t, dir)
				info, err := os.Lstat(path(dir, "k7f3pm"))
				if err != nil || info.Mode().Perm() != 0o600 || info.Mode().Type() != fs.ModeSocket {
					t.Fatal(info.Mode(), err)
				}
				if a, err := Ask(dir, Request{Run: "k7f3pm", Verb: "status"}); err != nil || !a.OK {
					t.Error(a, err)
				}
				Sweep(dir)
				if _, err := os.Lstat(path(dir, "k7f3pm")); err != nil {
					t.Errorf("the socket of a live run was swept away: %v", err)
				}
			})
			leaveSocket(t, dir, "k7f3pm")
			if _, err := Ask(dir, Request{Run: "k7f3pm", Verb: "status"}); !errors.Is(err, ErrNobody) {
				t.Errorf("error %v", err)
			}
		}
		leaveSocket(t, dir, "orphan")
		Sweep(dir)
		if left, _ := filepath.Glob(path(dir, "*")); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	}
	if _, err := Ask(t.TempDir(), Request{Run: "none", Verb: "status"}); !errors.Is(err, ErrNobody) {
		t.Errorf("error %v", err)
	}
}

// leaveSocket is what a killed process leaves.
func leaveSocket(t *testing.T, dir, run string) {
	t.Helper()
	err := reach(path(dir, run), func(short string) error {
		listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: short, Net: "unix"})
		if err != nil {
			return err
		}
		listener.SetUnlinkOnClose(false)
		return listener.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The kernel tells who is at the other end.
func TestPeer(t *testing.T) {
	dir := t.TempDir()
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "s"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	client, err := net.Dial("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	conn, err := listener.AcceptUnix()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if uid, known := peer(conn); known && uid != os.Geteuid() {
		t.Errorf("the peer is %d, not %d", uid, os.Geteuid())
	}
}
