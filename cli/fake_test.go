package cli

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/engine"
	"github.com/kdrain-tui/kdrain-tui/cli/build"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
	"github.com/kdrain-tui/kdrain-tui/kube/watch"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestMain(m *testing.M) {
	// Printed commands name the file that it names; tests that want one set it.
	if err := os.Unsetenv("KUBECONFIG"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m, // one in the process, never closed
		goleak.IgnoreAnyFunction("github.com/kdrain-tui/kdrain-tui/kube/conn.(*pluginOutput).copy"))
}

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// golden compares with testdata/NAME, or writes it with -update.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test ./cli -update rewrites it).\ngot:\n%s\nwant:\n%s", name, got, want)
	}
}

// still is a cluster that never changes.
type still struct{ snapshot *kube.Snapshot }

func (s still) Snapshot() *kube.Snapshot { return s.snapshot }

func (s still) Changed(context.Context) <-chan struct{} {
	ch := make(chan struct{}, 1)
	ch <- struct{}{}
	return ch
}

// scribe is a Writer that writes down what it is asked for.
type scribe struct {
	mu      sync.Mutex
	cordons []request.Cordon
	evicts  []request.Evict
	deletes []request.Delete
	scales  []request.Scale
	taints  []request.SetTaints
	answers map[string]kube.Answer // by name; the others are accepted
}

func (s *scribe) answer(name string, code int) kube.Answer {
	if a, ok := s.answers[name]; ok {
		return a
	}
	return kube.Answer{Code: code}
}

func (s *scribe) Evict(_ context.Context, r request.Evict) kube.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.evicts = append(s.evicts, r)
	return s.answer(r.Name, 201)
}

func (s *scribe) Delete(_ context.Context, r request.Delete) kube.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deletes = append(s.deletes, r)
	return s.answer(r.Name, 200)
}

func (s *scribe) Cordon(_ context.Context, r request.Cordon) kube.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cordons = append(s.cordons, r)
	return s.answer(r.Node, 200)
}

func (s *scribe) CreateBudget(context.Context, request.CreateBudget) kube.Answer {
	return kube.Answer{}
}

func (s *scribe) LiveBudget(context.Context, request.GetBudget) kube.Answer { return kube.Answer{} }

func (s *scribe) DeleteBudget(context.Context, request.BudgetRef) kube.Answer { return kube.Answer{} }

func (s *scribe) Scale(_ context.Context, r request.Scale) kube.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scales = append(s.scales, r)
	return s.answer(r.Name, 200)
}

func (s *scribe) Restart(context.Context, request.Restart) kube.Answer { return kube.Answer{} }

func (s *scribe) Raise(context.Context, request.Raise) kube.Answer { return kube.Answer{} }

func (s *scribe) Lower(context.Context, request.Lower) kube.Answer { return kube.Answer{} }

func (s *scribe) SetCost(context.Context, request.SetCost) kube.Answer { return kube.Answer{} }

func (s *scribe) SetFields(context.Context, request.SetFields) kube.Answer { return kube.Answer{} }

func (s *scribe) Taint(_ context.Context, r request.SetTaints) kube.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taints = append(s.taints, r)
	return s.answer(r.Node, 200)
}

func (s *scribe) LivePod(context.Context, string, string) (*kube.Pod, kube.Answer) {
	return nil, kube.Answer{Code: 404, Reason: "NotFound"}
}

func (s *scribe) writes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.cordons) + len(s.evicts) + len(s.deletes) + len(s.scales) + len(s.taints)
}

// bench is a Program with everything around it made of paper.
type bench struct {
	*Program
	out, err *bytes.Buffer
	writer   *scribe
	acts     request.Writer // in the place of writer
	shows    engine.Source  // in the place of snapshot
	snapshot *kube.Snapshot
	denied   []string // rules that the server does not grant
	asked    []string // rules that were asked for
	opened   []app.ConnectOptions
	openErr  error
	signals  chan os.Signal
	exits    []int
}

func newBench(t *testing.T, snapshot *kube.Snapshot) *bench {
	b := &bench{
		out: &bytes.Buffer{}, err: &bytes.Buffer{}, writer: &scribe{answers: map[string]kube.Answer{}},
		snapshot: snapshot, signals: make(chan os.Signal, 4),
	}
	b.Program = &Program{
		Name: "kdrain-tui", In: strings.NewReader(""), Out: b.out, Err: b.err,
		Build:    build.Info{Version: "v1.2.3", Commit: "abc", Go: "go1.26", Kubernetes: "v0.37.2"},
		StateDir: t.TempDir(), Now: func() time.Time { return noon }, Signals: b.signals,
		Exit: func(code int) { b.exits = append(b.exits, code) }, Open: b.open,
		Launch: func(context.Context, engine.EngineConfig, plan.Plan, drain.RunFacts) (app.Run, error) {
			return nil, errors.New("no engine in this test")
		},
		Dashboard: func(context.Context, DashboardRequest) (DashboardEnd, error) {
			return DashboardEnd{}, errors.New("no dashboard in this test")
		},
	}
	return b
}

func (b *bench) open(_ context.Context, flags *conn.Flags, o app.ConnectOptions) (app.Cluster, error) {
	flags.ReadOnly = o.ReadOnly // as Connect does
	b.opened = append(b.opened, o)
	if b.openErr != nil {
		return nil, b.openErr
	}
	return b.cluster(), nil
}

func (b *bench) cluster() paperCluster {
	c := paperCluster{bench: b, writer: b.writer}
	if b.acts != nil {
		c.writer = b.acts
	}
	return c
}

// session is one on the bench's cluster, which needs no command.
func (b *bench) session() *app.Session {
	return &app.Session{Cluster: b.cluster(), View: app.View{Source: still{b.snapshot}, Now: b.Now}}
}

// paperCluster is a connection to the cluster of a bench.
type paperCluster struct {
	bench  *bench
	writer request.Writer
}

func (c paperCluster) Identity() conn.Identity {
	return conn.Identity{Context: "prod", Server: "https://prod.example:6443", ClusterID: "cluster-1", User: "ada", Version: "v1.36.3"}
}
func (c paperCluster) Writer() request.Writer            { return c.writer }
func (c paperCluster) Bring(engine.Source, []kube.Scope) {}
func (c paperCluster) Watch(context.Context, watch.Needs) engine.Source {
	if c.bench.shows != nil {
		return c.bench.shows
	}
	return still{c.bench.snapshot}
}
func (c paperCluster) NodeNames(context.Context, string) ([]string, error) {
	return nil, errors.New("they come with all others")
}
func (c paperCluster) EvictionSupport(context.Context) (conn.EvictionVersion, error) {
	return conn.EvictionV1, nil
}
func (c paperCluster) ReadDaemonSets(context.Context, engine.Source, []string) error { return nil }
func (c paperCluster) ReadScales(context.Context, engine.Source, []string)           {}
func (c paperCluster) ReadStatuses(context.Context, engine.Source, []string)         {}
func (c paperCluster) ReadDrainRules(context.Context, engine.Source) error           { return nil }
func (c paperCluster) ServerAddresses(context.Context) []string                      { return nil }
func (c paperCluster) NodeDetails(context.Context, string, kube.UID) (watch.NodeDetails, error) {
	return watch.NodeDetails{}, errors.New("no details")
}

func (c paperCluster) PodUsage(context.Context, string) (map[string]kube.Usage, error) {
	return nil, errors.New("no metrics")
}

func (c paperCluster) PodLogs(_ context.Context, _, _ string, d watch.PodDetails) watch.PodDetails {
	return d
}

func (c paperCluster) PodDetails(context.Context, string, string, kube.UID, string) (watch.PodDetails, error) {
	return watch.PodDetails{}, errors.New("there are none")
}
func (c paperCluster) OnPluginOutput(func(string)) {}
func (c paperCluster) Close()                      {}

func (c paperCluster) CheckAccess(_ context.Context, rights []request.Permission) ([]request.AccessResult, error) {
	var results []request.AccessResult
	for _, r := range rights {
		name := rightName(r)
		c.bench.asked = append(c.bench.asked, name)
		results = append(results, request.AccessResult{Permission: r, Allowed: !slices.Contains(c.bench.denied, name)})
	}
	return results, nil
}

// run starts the program and returns its exit code.
func (b *bench) run(args ...string) int { return b.Main(context.Background(), args) }

// expect checks the exit code and that each text is in standard error.
func (b *bench) expect(t *testing.T, code int, stderr []string, args ...string) {
	t.Helper()
	if got := b.run(args...); got != code {
		t.Errorf("%v: exit %d, want %d\n%s%s", args, got, code, b.out, b.err)
	}
	for _, text := range stderr {
		if !strings.Contains(b.err.String(), text) {
			t.Errorf("%v: standard error lacks %q:\n%s", args, text, b.err)
		}
	}
}

// rightName is a permission as RBAC names it.
func rightName(p request.Permission) string {
	name := p.Verb + " " + p.Resource
	if p.Subresource != "" {
		name += "/" + p.Subresource
	}
	if p.Group != "" {
		name += "." + p.Group
	}
	return name
}
