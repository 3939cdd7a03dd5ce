package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

func known() Known {
	o := plan.DefaultOptions()
	k := Known{General: pflag.NewFlagSet("", pflag.ContinueOnError), Drain: o.Flags()}
	k.General.SortFlags = false
	k.General.String("theme", "", "")
	k.General.Bool("ascii", false, "")
	k.General.StringSlice("protected-contexts", nil, "")
	k.General.Bool("yes", false, "")
	plan.NoDefault(k.General, "yes", "it is a confirmation")
	return k
}

func load(t *testing.T, text string, environ ...string) (*Settings, string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Load(path, environ, known())
	return s, path, err
}

func TestLoad(t *testing.T) {
	s, path, err := load(t, `# of the team
theme: mono
protected-contexts: [prod-*, live]
drain:
  ignore-daemonsets: true
  timeout: 15m
  max-parallel-nodes: 3
  honor:
  - karpenter
  - cluster-api
`, "KDRAIN_TIMEOUT=20m", "KDRAIN_ASCII=true", "KDRAIN_THEME=", "KDRAIN_LAB=/x", "HOME=/y", "KDRAIN_HONOR=karpenter")
	if err != nil {
		t.Fatal(err)
	}
	for flag, want := range map[string]Setting{
		"theme":              {"mono", FromFile, path + ":2"},
		"protected-contexts": {"prod-*,live", FromFile, path + ":3"},
		"ignore-daemonsets":  {"true", FromFile, path + ":5"},
		"timeout":            {"20m", FromEnvironment, "KDRAIN_TIMEOUT"},
		"max-parallel-nodes": {"3", FromFile, path + ":7"},
		"honor":              {"karpenter", FromEnvironment, "KDRAIN_HONOR"},
		"ascii":              {"true", FromEnvironment, "KDRAIN_ASCII"},
	} {
		if got, ok := s.Of(flag); !ok || got != want {
			t.Errorf("%s: %+v, want %+v", flag, got, want)
		}
	}
	if _, ok := s.Of("strict-order"); ok || !s.Found || !slices.Equal(s.Unknown, []string{"KDRAIN_LAB"}) {
		t.Errorf("%+v", s)
	}
}

func TestNoFile(t *testing.T) {
	for _, path := range []string{filepath.Join(t.TempDir(), "none", "config.yaml")} {
		if s, err := Load(path, nil, known()); err != nil || s.Found {
			t.Errorf("%+v %v", s, err)
		}
	}
	for _, text := range []string{"", "# nothing\n", "---\n"} {
		if s, _, err := load(t, text); err != nil || !s.Found || len(s.set) > 0 {
			t.Errorf("%q: %+v %v", text, s, err)
		}
	}
}

// Each mistake is told with its line.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"theme: a\nthemes: b\n":               `:2: unknown setting "themes": did you mean theme?`,
		"drain:\n  tiemout: 5m\n":             `:2: unknown setting "tiemout": did you mean timeout?`,
		"colour: never\n":                     `:1: unknown setting "colour": there are theme, ascii, protected-contexts`,
		"theme: a\ntheme: b\n":                `:2: "theme" is given twice, first in line 1`,
		"protected-contexts: {a: b}\n":        ":1: protected-contexts is a list of names, not a mapping",
		"theme: [a]\n":                        ":1: theme is one value, not a list",
		"theme:\n":                            ":1: theme is one value, not nothing",
		"ascii: maybe\n":                      `:1: ascii: "maybe": must be true or false`,
		"drain:\n  ignoreDaemonsets: true\n":  `:2: unknown setting "ignoreDaemonsets": did you mean ignore-daemonsets?`,
		"drain:\n  timeout: soon\n":           `:2: timeout: "soon": must be a length of time`,
		"drain:\n  max-parallel-nodes: 0\n":   `:2: max-parallel-nodes: "0": must be 1 or more`,
		"drain:\n  honor: [me]\n":             `:2: honor: a list: unknown value "me"`,
		"drain:\n  honor: [[me]]\n":           ":2: honor is a list of names, not of a list",
		"drain:\n  force: true\n":             ":2: force cannot be set here: pods that no controller declares do not come back",
		"drain:\n  disable-eviction: false\n": ":2: disable-eviction cannot be set here: it goes past all PodDisruptionBudgets",
		"yes: true\n":                         ":1: yes cannot be set here: it is a confirmation",
		"drain:\n  yes: true\n":               ":2: yes cannot be set here: it is a confirmation",
		"force: true\n":                       ":1: force cannot be set here: pods that no controller declares do not come back",
		"timeout: 5m\n":                       `:1: "timeout" is a setting, which belongs under drain`,
		"drain:\n  theme: mono\n":             `:2: "theme" is a setting, which stands beside drain, not in it`,
		"drain: true\n":                       `:1: drain is a mapping, not "true"`,
		"- theme\n":                           ":1: the configuration is a mapping, not a list",
		"theme: a\n---\ntheme: b\n":           ":2: the file is one YAML document",
		"theme: 'a\n":                         ":2: found unexpected end of stream",
	} {
		_, path, err := load(t, text)
		if err == nil || !strings.Contains(err.Error(), path+want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	_, path, err := load(t, "theme: [a]\nascii: maybe\n")
	if err == nil || strings.Count(err.Error(), path) != 2 {
		t.Errorf("not all mistakes: %v", err)
	}
}

func TestMistakesInVariables(t *testing.T) {
	for variable, want := range map[string]string{
		"KDRAIN_TIMEOUT=soon":        "KDRAIN_TIMEOUT=soon: must be a length of time",
		"KDRAIN_YES=true":            "KDRAIN_YES: --yes cannot be set by a variable: it is a confirmation",
		"KDRAIN_FORCE_AFTER=5m":      "KDRAIN_FORCE_AFTER: --force-after cannot be set by a variable: it deletes pods past their PodDisruptionBudgets",
		"KDRAIN_ALLOW_SCALE=1":       "KDRAIN_ALLOW_SCALE: --allow-scale cannot",
		"KDRAIN_TAKE_OVER=any":       "it stops the runs of others",
		"KDRAIN_IGNORE_DAEMONSETS=x": "KDRAIN_IGNORE_DAEMONSETS=x: must be true or false",
		"KDRAIN_PROTECTED_CONTEXT=x": "unknown variable KDRAIN_PROTECTED_CONTEXT: did you mean KDRAIN_PROTECTED_CONTEXTS?",
		"KDRAIN_TIMOUT=5m":           "unknown variable KDRAIN_TIMOUT: did you mean KDRAIN_TIMEOUT?",
		"KDRAIN_theme=mono":          "unknown variable KDRAIN_theme: did you mean KDRAIN_THEME?",
	} {
		if _, _, err := load(t, "", variable); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", variable, err)
		}
	}
}

// What goes past budgets, loses data or confirms something has a reason; whoever adds
// such a flag gives it one here.
func TestWhatHasNoDefault(t *testing.T) {
	var without []string
	known().Drain.VisitAll(func(f *pflag.Flag) {
		if plan.WhyNoDefault(f) != "" {
			without = append(without, f.Name)
		}
	})
	slices.Sort(without)
	want := strings.Fields("allow-scale allow-taint allow-zero-grace disable-eviction dry-run exclude-pod force force-after grace-period max-evict-retries pod-selector surge-managed take-over")
	if !slices.Equal(without, want) {
		t.Errorf("%q\nwant %q", without, want)
	}
}

func TestMatches(t *testing.T) {
	for name, want := range map[string]bool{
		"prod": true, "prod-eu": false, "live-1": true, "live-": true, "alive-1": false, "x": false, "": false,
		"arn:aws:eks:eu:1:cluster/shop-live": true, "a-b-c": true, "a-c": false,
		"dev-1": true, "dev-ü": true, "dev-": false, "dev-10": false,
	} {
		if got := Matches([]string{"prod", "live-*", "*/shop-*", "a-*-c", "dev-?"}, name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
	if !Matches([]string{"PROD*"}, "prod-eu") || !Matches([]string{"prod"}, "Prod") {
		t.Error("case counts")
	}
	if Matches(nil, "prod") || !Matches([]string{"*"}, "prod") {
		t.Error("none, or any")
	}
}
