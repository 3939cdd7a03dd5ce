package roll

import (
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// A roll is about as long as its batches were until now, and its pauses; nothing is said of one that does not move.
func TestTheTimeLeft(t *testing.T) {
	at := func(minutes int) time.Time { return kubetest.Now.Add(time.Duration(minutes) * time.Minute) }
	node := func(batch, began, ended int) Node {
		n := Node{Batch: batch, State: Waiting}
		if began >= 0 {
			n.Began = at(began)
		}
		if ended >= 0 {
			n.Ended = at(ended)
		}
		return n
	}
	first, second := []Node{node(0, 0, 4), node(0, 0, 6)}, []Node{node(1, -1, -1)}
	third := []Node{node(2, -1, -1)}
	with := func(change func(*State), nodes ...[]Node) *State {
		s := &State{Facts: Facts{Batches: make([]Batch, 3), Options: Options{PauseBetween: Seconds(time.Minute)}}}
		for _, n := range nodes {
			s.Nodes = append(s.Nodes, n...)
		}
		change(s)
		return s
	}
	for _, test := range []struct {
		name string
		s    *State
		now  int
		want time.Duration
	}{
		{"in the first batch", with(func(s *State) { s.Batch, s.Under = 0, true }, []Node{node(0, 0, -1)}, second, third), 3, -1},
		{"after the first batch", with(func(s *State) { s.Batch = 0 }, first, second, third), 6, 13 * time.Minute},
		{"in the pause", with(func(s *State) { s.Batch, s.Wait = 0, &Wait{Kind: WaitPauseBetween, Until: at(7)} }, first, second, third), 6, 14 * time.Minute},
		{"in the second batch", with(func(s *State) { s.Batch, s.Under = 1, true }, first, []Node{node(1, 7, -1)}, third), 9, 11 * time.Minute},
		{"in a long last batch", with(func(s *State) { s.Batch, s.Under = 2, true }, first, []Node{node(1, 7, 9)}, []Node{node(2, 10, -1)}), 30, 0},
		{"behind the gate", with(func(s *State) { s.Batch, s.Paused = 0, true }, first, second, third), 6, -1},
	} {
		got, known := test.s.Left(at(test.now))
		if want := test.want >= 0; known != want || known && got != test.want {
			t.Errorf("%s: %s, %t, want %s", test.name, got, known, test.want)
		}
	}
}

// The flags take the values that the options have, and their defaults are those of DefaultOptions.
func TestTheFlagsOfARoll(t *testing.T) {
	o := Options{Batch: 3, Work: "x", ReturnTimeout: Seconds(time.Minute)}
	fs := o.Flags()
	for name, want := range map[string][2]string{"batch": {"3", "1"}, "work": {"x", ""}, "return-timeout": {"1m0s", "30m0s"}} {
		if f := fs.Lookup(name); f.Value.String() != want[0] || f.DefValue != want[1] {
			t.Errorf("--%s is %s, by default %s", name, f.Value, f.DefValue)
		}
	}
	fs.VisitAll(func(f *pflag.Flag) {
		if plan.GroupOf(f) == "" {
			t.Errorf("--%s has no group", f.Name)
		}
	})
	if err := fs.Set("pause-between", "90s"); err != nil || time.Duration(o.PauseBetween) != 90*time.Second {
		t.Errorf("%+v, %v", o, err)
	}
	drained := o.Drain(plan.Options{MaxParallelNodes: 1, WaitReplacements: time.Minute})
	if drained.MaxParallelNodes != 3 {
		t.Errorf("%d nodes of a batch are drained at a time", drained.MaxParallelNodes)
	}
}
