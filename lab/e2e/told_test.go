//go:build e2e

package e2e

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// notificationsIn are the kinds of the notifications that a command appended to a file.
func notificationsIn(t *testing.T, path string) (kinds []string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var n struct{ Schema, Kind, Run, Message string }
		if err := json.Unmarshal(lines.Bytes(), &n); err != nil || n.Schema != "kdrain-tui/notification/v1" || n.Run == "" || n.Message == "" {
			t.Errorf("%v: %s", err, lines.Text())
		}
		kinds = append(kinds, n.Kind)
	}
	return kinds
}

// metricsIn reads a file of metrics as Prometheus does.
func metricsIn(t *testing.T, path string) map[string]float64 {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(file)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for name, family := range families {
		for _, m := range family.Metric {
			key := name
			for _, l := range m.Label {
				if l.GetName() != "run" && l.GetName() != "roll" {
					key += " " + l.GetValue()
				}
			}
			values[key] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
	return values
}

// A roll tells its command of itself and of its run, and Prometheus can read its metrics.
func TestRollIsTold(t *testing.T) {
	world := worldOf(t, setting{scene: "roll"})
	operator := world.operator(t)
	told, metrics := filepath.Join(t.TempDir(), "told"), filepath.Join(t.TempDir(), "kdrain.prom")
	operator.run("roll", "worker-1", "--yes", "--work=true", "--notify=cat >>"+told, "--metrics="+metrics).exits(t, 0)
	kinds := notificationsIn(t, told)
	for kind, times := range map[string]int{"PhaseEnded": 5, "BatchEnded": 1, "Ended": 2, "Question": 0} {
		if got := len(slices.DeleteFunc(slices.Clone(kinds), func(k string) bool { return k != kind })); got != times {
			t.Errorf("%s was told %d times, not %d: %q", kind, got, times, kinds)
		}
	}
	values := metricsIn(t, metrics)
	for name, want := range map[string]float64{"kdrain_roll_outcome done": 1, "kdrain_run_outcome done": 1, "kdrain_roll_nodes Done": 1,
		"kdrain_run_nodes Drained": 1, "kdrain_node_pods_blocked worker-1": 0, "kdrain_run_requests_total cordon": 1} {
		if got, there := values[name]; !there || got != want {
			t.Errorf("%s is %v (%v), not %v", name, got, there, want)
		}
	}
	// What fails there changes nothing.
	operator.run("drain", "worker-2", "--ignore-daemonsets", "--yes", "--notify=exit 9").exits(t, 0, "exit code 9")
}
