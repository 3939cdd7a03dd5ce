package metrics

import (
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// What a label must not break out of.
const hostileName = "a\"} 1\n# TYPE x gauge\\"

func shown() Shown {
	facts := &drain.RunFacts{ID: "k7f3pm", Context: hostileName, Version: "v1\xff", Nodes: []drain.NodeFacts{{Name: "worker-1"}, {Name: "worker-2"}}}
	for _, name := range []string{"a", "b", "c"} {
		facts.Pods = append(facts.Pods, eviction.Facts{Namespace: "shop", Name: name, UID: kube.UID(name), Node: "worker-1", Action: plan.ActionEvict})
	}
	pod := func(name string, state eviction.State) drain.Event {
		return drain.Event{Time: noon.Add(10 * time.Second), Kind: drain.EventPod, UID: kube.UID(name), PodState: state}
	}
	return Shown{
		Run: drain.Fold(nil, drain.Event{Seq: 1, Time: noon, Kind: drain.EventRunStarted, Run: facts},
			drain.Event{Time: noon, Kind: drain.EventPhase, Phase: drain.PhaseEvict, PhaseStatus: drain.PhaseRuns},
			drain.Event{Time: noon, Kind: drain.EventIntent, UID: "a", Pod: "a", Action: &attempt.ActionFacts{ID: 1, Verb: attempt.VerbEvict}},
			pod("a", eviction.Gone), pod("b", eviction.BudgetBlocked)),
		Roll: roll.Fold(nil, roll.Event{Time: noon, Kind: roll.EventRollStarted, Roll: &roll.Facts{
			Run: drain.RunFacts{ID: "k7f3", Nodes: facts.Nodes}, Batches: []roll.Batch{{Nodes: []string{"worker-1"}}, {Nodes: []string{"worker-2"}}}}},
			roll.Event{Time: noon, Kind: roll.EventBatchStarted, Batch: 1}),
	}
}

var (
	metricName = regexp.MustCompile(`^kdrain_(run|node|roll)_[a-z_]+[a-z]$`)
	labelPair  = regexp.MustCompile(`^([a-z_]+)="((?:[^"\\]|\\\\|\\n|\\")*)"(,|$)`)
	sampleLine = regexp.MustCompile(`^([a-z_]+)\{(.*)\} (\S+)$`)
)

// parse reads the text format as strictly as its description says: help, type, then all samples of a name, none twice.
func parse(t *testing.T, text string) map[string]float64 {
	t.Helper()
	samples, types := map[string]float64{}, map[string]string{}
	current := ""
	for number, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		fail := func(why string) { t.Errorf("line %d: %s: %q", number+1, why, line) }
		if rest, found := strings.CutPrefix(line, "# HELP "); found {
			name, help, _ := strings.Cut(rest, " ")
			if current = name; !metricName.MatchString(name) || types[name] != "" || help == "" {
				fail("help")
			}
			continue
		}
		if rest, found := strings.CutPrefix(line, "# TYPE "); found {
			name, kind, _ := strings.Cut(rest, " ")
			if name != current || types[name] != "" || kind != "gauge" && kind != "counter" || (kind == "counter") != strings.HasSuffix(name, "_total") {
				fail("type")
			}
			types[name] = kind
			continue
		}
		m := sampleLine.FindStringSubmatch(line)
		if m == nil || m[1] != current || types[current] == "" {
			fail("no sample")
			continue
		}
		var names []string
		for rest := m[2]; rest != ""; {
			pair := labelPair.FindStringSubmatch(rest)
			if pair == nil || slices.Contains(names, pair[1]) {
				fail("labels")
				break
			}
			names, rest = append(names, pair[1]), rest[len(pair[0]):]
		}
		value, err := strconv.ParseFloat(m[3], 64)
		key := m[1] + "{" + m[2] + "}"
		if _, twice := samples[key]; err != nil || twice || math.IsNaN(value) {
			fail("value")
		}
		samples[key] = value
	}
	if !strings.HasSuffix(text, "\n") {
		t.Error("the last line has no end")
	}
	return samples
}

func TestText(t *testing.T) {
	got := parse(t, shown().Text(noon.Add(70*time.Second)))
	for name, want := range map[string]float64{
		`kdrain_run_info{run="k7f3pm",context="a\"} 1\n# TYPE x gauge\\",version="v1�"}`: 1,
		`kdrain_run_start_timestamp_seconds{run="k7f3pm"}`:                               float64(noon.Unix()),
		`kdrain_run_last_event_timestamp_seconds{run="k7f3pm"}`:                          float64(noon.Unix() + 10),
		`kdrain_run_outcome{run="k7f3pm",outcome="done"}`:                                0,
		`kdrain_run_phase{run="k7f3pm",phase="evict"}`:                                   1,
		`kdrain_run_phase{run="k7f3pm",phase="cordon"}`:                                  0,
		`kdrain_run_pods{run="k7f3pm",state="Gone"}`:                                     1,
		`kdrain_run_pods{run="k7f3pm",state="BudgetBlocked"}`:                            1,
		`kdrain_run_pods{run="k7f3pm",state="Planned"}`:                                  1,
		`kdrain_run_longest_block_seconds{run="k7f3pm"}`:                                 60,
		`kdrain_run_requests_total{run="k7f3pm",verb="evict"}`:                           1,
		`kdrain_run_api_server_reachable{run="k7f3pm"}`:                                  1,
		`kdrain_run_nodes{run="k7f3pm",state="Waiting"}`:                                 2,
		`kdrain_node_state{run="k7f3pm",node="worker-1",state="Waiting"}`:                1,
		`kdrain_node_pods{run="k7f3pm",node="worker-1"}`:                                 3,
		`kdrain_node_pods_gone{run="k7f3pm",node="worker-1"}`:                            1,
		`kdrain_node_pods_blocked{run="k7f3pm",node="worker-1"}`:                         1,
		`kdrain_node_safe_to_power_off{run="k7f3pm",node="worker-2"}`:                    0,
		`kdrain_roll_batches{roll="k7f3"}`:                                               2,
		`kdrain_roll_batch{roll="k7f3"}`:                                                 1,
		`kdrain_roll_nodes{roll="k7f3",state="Waiting"}`:                                 1,
		`kdrain_roll_nodes{roll="k7f3",state="Draining"}`:                                1,
	} {
		if value, there := got[name]; !there || value != want {
			t.Errorf("%s is %v (%v), want %v", name, value, there, want)
		}
	}
	for name := range got {
		if strings.HasPrefix(name, "kdrain_run_end_") {
			t.Errorf("a run that lives has %s", name)
		}
	}
}

func TestEnd(t *testing.T) {
	s := shown()
	s.Run = drain.Fold(s.Run, drain.Event{Time: noon.Add(time.Minute), Kind: drain.EventRunEnded, Outcome: drain.OutcomePartly})
	got := parse(t, s.Text(noon.Add(time.Hour)))
	if got[`kdrain_run_outcome{run="k7f3pm",outcome="partly"}`] != 1 || got[`kdrain_run_end_timestamp_seconds{run="k7f3pm"}`] != float64(noon.Unix()+60) ||
		got[`kdrain_run_longest_block_seconds{run="k7f3pm"}`] != 0 {
		t.Errorf("%v", got)
	}
	if text := (Shown{}).Text(noon); text != "" {
		t.Errorf("nothing is shown as %q", text)
	}
}

// The page names every metric with its labels, and no other.
func TestPageListsEveryMetric(t *testing.T) {
	page, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	kinds, helps := map[string]string{}, map[string]string{}
	for _, line := range strings.Split(shown().Text(noon), "\n") {
		if rest, found := strings.CutPrefix(line, "# HELP "); found {
			name, help, _ := strings.Cut(rest, " ")
			helps[name] = help
		}
		if rest, found := strings.CutPrefix(line, "# TYPE "); found {
			name, kind, _ := strings.Cut(rest, " ")
			kinds[name] = kind
		}
	}
	labels := regexp.MustCompile(`([a-z]+)="`)
	of := map[string]string{"kdrain_run_end_timestamp_seconds": "run", "kdrain_roll_end_timestamp_seconds": "roll"}
	for line := range strings.Lines(shown().Text(noon)) {
		if m := sampleLine.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
			var names []string
			for _, pair := range labels.FindAllStringSubmatch(strings.ReplaceAll(m[2], `\"`, ""), -1) {
				names = append(names, pair[1])
			}
			of[m[1]] = strings.Join(names, ", ")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(helps)) {
		want[fmt.Sprintf("| `%s` | %s | %s | %s |", name, kinds[name], of[name], helps[name])] = true
	}
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "| `kdrain_") && !want[line] {
			t.Errorf("the page has\n%s", line)
		}
		delete(want, line)
	}
	for _, line := range slices.Sorted(maps.Keys(want)) {
		t.Errorf("the page has not\n%s", line)
	}
}
