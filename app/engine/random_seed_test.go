package engine

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// inRandomClusters runs a test on many random clusters. How many and which is
// said by DRAIN_N and DRAIN_SEED; each has a seed of its own, so that one alone
// can be run again: go test -run 'TestRandomRuns/17$'.
func inRandomClusters(t *testing.T, run func(*testing.T, *rand.Rand)) {
	n, seed := fromEnv(t, "DRAIN_N", 60), fromEnv(t, "DRAIN_SEED", 1)
	t.Logf("DRAIN_N=%d DRAIN_SEED=%d", n, seed)
	for i := range n {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { run(t, rand.New(rand.NewPCG(seed, i))) })
		})
	}
}

func fromEnv(t *testing.T, name string, otherwise uint64) uint64 {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// endsWithin is far longer than any run in a simulation takes, the longest --timeout included.
const endsWithin = 6 * time.Hour

// standing tells where a run stands: everything in it that has not come to an
// end, and its last events.
func standing(e *Engine) string {
	s, text := e.State(), &strings.Builder{}
	fmt.Fprintf(text, "at %s in phase %s (%s), question %+v, paused %v, down %v, quiet until %s\n",
		time.Now().Format(time.TimeOnly), s.Phase, s.Phases[s.Phase], s.Question, s.Paused, s.Down, s.QuietUntil.Format(time.TimeOnly))
	for _, n := range s.Nodes {
		fmt.Fprintf(text, "node %s: %s, in flight %d, tries %d: %s\n", n.Name, n.State, n.InFlight, n.Attempts, n.Message)
	}
	for _, p := range s.Pods {
		if !p.State.Final() {
			fmt.Fprintf(text, "pod %s on %s: %s since %s, in flight %d, tries %d, must look %v, waits for %s\n",
				p.Name, p.Node, p.State, p.Since.Format(time.TimeOnly), p.InFlight, p.Attempts, p.Look, asJSON(p.Wait))
		}
	}
	for _, b := range s.Budgets {
		fmt.Fprintf(text, "temporary budget %s: %s, in flight %d: %s\n", b.Name, b.State, b.InFlight, b.Message)
	}
	for budget, assumed := range s.Assumed {
		fmt.Fprintf(text, "tokens of %s: %+v\n", budget, assumed)
	}
	events := e.Events(0)
	for _, event := range events[max(0, len(events)-25):] {
		fmt.Fprintln(text, asJSON(event))
	}
	return text.String()
}

func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
