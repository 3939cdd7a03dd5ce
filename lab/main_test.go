package main

import (
	"bytes"
	"context"
	"reflect"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

func TestFlagsStandBeforeOrAfterArguments(t *testing.T) {
	for _, test := range []struct {
		line string
		want command
	}{
		{"up --pace real --audit --dir d", command{name: "up", pace: "real", audit: true, dir: "d"}},
		{"up", command{name: "up", pace: "fast"}},
		{"up --kubernetes 1.34", command{name: "up", pace: "fast", kubernetes: "1.34"}},
		{"build --kubernetes=1.35", command{name: "build", kubernetes: "1.35"}},
		{"scene demo --dir d", command{name: "scene", dir: "d", args: []string{"demo"}}},
		{"scene --dir=d demo", command{name: "scene", dir: "d", args: []string{"demo"}}},
		{"kubectl --dir d get pods -A --dir x", command{name: "kubectl", dir: "d", args: []string{"get", "pods", "-A", "--dir", "x"}}},
		{"kubectl -n shop get pods", command{name: "kubectl", args: []string{"-n", "shop", "get", "pods"}}},
		{"kubectl --dir=d version", command{name: "kubectl", dir: "d", args: []string{"version"}}},
	} {
		got, err := parse(strings.Fields(test.line))
		if err != nil {
			t.Errorf("%s: %v", test.line, err)
			continue
		}
		got.set = nil
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v", test.line, got)
		}
	}
}

func TestWrongCallsEndWithTwoAndTheUsage(t *testing.T) {
	for _, line := range []string{"", "fly", "up --pace slow", "up now", "up --kubernetes 1.20", "build --kubernetes 1",
		"up --kubernetes 1.34 --nodes 1", "scene", "scene nowhere", "down --pace fast"} {
		var out, log bytes.Buffer
		args := strings.Fields(line)
		if len(args) > 0 {
			args = append(args, "--dir", t.TempDir())
		}
		if code := run(context.Background(), args, &out, &log); code != 2 {
			t.Errorf("%q: exit code %d", line, code)
		}
		if out.Len() > 0 || !strings.Contains(log.String(), "usage: lab") {
			t.Errorf("%q: %s%s", line, out.String(), log.String())
		}
	}
}

// delays reads from a configuration of kwok how long each stage takes.
func delays(t *testing.T, pace string) map[string]any {
	t.Helper()
	config, err := stages(pace)
	if err != nil {
		t.Fatal(err)
	}
	read := map[string]any{}
	for _, document := range bytes.Split(config, []byte("---\n"))[1:] {
		var stage struct {
			Kind     string
			Metadata struct{ Name string }
			Spec     struct {
				Delay map[string]any
				Steps []any
			}
		}
		if err := yaml.Unmarshal(document, &stage); err != nil {
			t.Fatal(err)
		}
		if stage.Kind != "Stage" {
			continue // kwok's own configuration
		}
		if len(stage.Spec.Steps) == 0 {
			t.Errorf("stage %q does nothing", stage.Metadata.Name)
		}
		read[stage.Metadata.Name] = stage.Spec.Delay
	}
	return read
}

func TestAPaceChangesTheDelaysItNamesAndNoOthers(t *testing.T) {
	fast, real := delays(t, "fast"), delays(t, "real")
	for name := range paces["real"] {
		if _, known := fast[name]; !known {
			t.Errorf("there is no stage %s", name)
		}
	}
	for name := range fast {
		_, named := paces["real"][name]
		if changed := !reflect.DeepEqual(fast[name], real[name]); changed != named {
			t.Errorf("stage %s: changed is %t", name, changed)
		}
	}
}
