package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/kdrain-tui/kdrain-tui/app/config"
	"github.com/kdrain-tui/kdrain-tui/app/preferences"
	"github.com/kdrain-tui/kdrain-tui/cli/print"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

// configured is a bench whose operator has set something.
func configured(t *testing.T, file string, environ ...string) *bench {
	t.Helper()
	b := newBench(t, smallCluster())
	b.Program.Config, b.Environ = filepath.Join(t.TempDir(), "config.yaml"), environ
	if err := os.WriteFile(b.Program.Config, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	return b
}

// Flag before environment before file before default, and the same on both frontends.
func TestPrecedence(t *testing.T) {
	const file = "theme: mono\nmouse: true\ndrain:\n  ignore-daemonsets: true\n  max-parallel-nodes: 2\n  timeout: 1m\n"
	b := configured(t, file, "KDRAIN_MAX_PARALLEL_NODES=3", "KDRAIN_TIMEOUT=2m")
	b.Terminal = Terminal{In: true, Out: true, Err: true}
	var request DashboardRequest
	b.Dashboard = func(_ context.Context, r DashboardRequest) (DashboardEnd, error) {
		request = r
		return DashboardEnd{}, nil
	}
	b.expect(t, ExitDone, nil, "--timeout=3m")
	o := request.Options
	if request.Screen.Theme != "mono" || !request.Screen.Mouse || !o.IgnoreDaemonSets || o.MaxParallelNodes != 3 || o.Timeout.Minutes() != 3 || o.FailFast {
		t.Errorf("%+v %+v", request.Screen, o)
	}
	b.out.Reset()
	b.run("plan", "worker-1", "-o", "json")
	var planned struct{ Options plan.Options }
	if err := json.Unmarshal(b.out.Bytes(), &planned); err != nil {
		t.Fatalf("%v %s%s", err, b.out, b.err)
	}
	if o := planned.Options; !o.IgnoreDaemonSets || o.MaxParallelNodes != 3 || o.Timeout.Minutes() != 2 {
		t.Errorf("%+v", o)
	}
}

// A mistake ends every command that would act by the settings, before it connects, and
// no other: a run can be aborted in any case.
func TestBrokenSettings(t *testing.T) {
	for _, args := range []string{"", "plan worker-1", "drain worker-1 --yes", "uncordon worker-1", "rollback aaaaaa --yes", "config"} {
		b := configured(t, "drain:\n  tiemout: 5m\n")
		b.expect(t, ExitUsage, []string{b.Program.Config + `:2: unknown setting "tiemout"`}, strings.Fields(args)...)
		if len(b.opened) > 0 {
			t.Errorf("%s: connected", args)
		}
	}
	b := configured(t, "drain: [")
	closed(t, writeRun(t, b.StateDir, "aaaaaa", noon, ""))
	b.expect(t, ExitDone, nil, "runs")
	b.expect(t, ExitDone, []string{"Warning: the settings do not count: " + b.Program.Config}, "report", "aaaaaa")
	b.expect(t, ExitError, []string{"run aaaaaa is not live"}, "ctl", "aaaaaa", "abort")
	b.expect(t, ExitDone, nil, "drain", "--help")
}

// Settings are not given on the command line: what may be given only with --node says
// nothing of them.
func TestSettingsAreNotGiven(t *testing.T) {
	b := configured(t, "drain:\n  timeout: 5m\n")
	b.expect(t, ExitError, []string{`there is no run "aaaaaa"`}, "resume", "aaaaaa", "--yes")
}

func TestConfigCommand(t *testing.T) {
	b := configured(t, "theme: mono\nprotected-contexts: [prod]\ndrain:\n  timeout: 1m\n", "KDRAIN_ASCII=true", "KDRAIN_NONE=1")
	b.expect(t, ExitDone, []string{"Warning: KDRAIN_NONE is no setting"}, "config", "-o", "json", "--max-parallel-nodes=4")
	var shown print.Settings
	if err := json.Unmarshal(b.out.Bytes(), &shown); err != nil || shown.Schema != print.SettingsSchema || !shown.Found {
		t.Fatalf("%v %s", err, b.out)
	}
	for _, want := range []print.Setting{
		{Name: "theme", Value: "mono", From: config.FromFile, Where: b.Program.Config + ":1"},
		{Name: "protected-contexts", Value: "prod", From: config.FromFile, Where: b.Program.Config + ":2"},
		{Name: "ascii", Value: "true", From: config.FromEnvironment, Where: "KDRAIN_ASCII"},
		{Name: "mouse", Value: "false", From: config.FromDefault, Where: ""},
		{Name: "no-color", Value: "false", From: config.FromDefault, Where: ""},
		{Name: "keep-journals", Value: "100", From: config.FromDefault, Where: ""},
		{Name: "drain.timeout", Value: "1m0s", From: config.FromFile, Where: b.Program.Config + ":4"},
		{Name: "drain.max-parallel-nodes", Value: "4", From: config.FromFlag, Where: ""},
		{Name: "drain.lease-namespace", Value: "kube-system", From: config.FromDefault, Where: ""},
	} {
		if !slices.Contains(shown.Settings, want) {
			t.Errorf("no %+v in\n%s", want, b.out)
		}
	}
	if len(b.opened) > 0 || strings.Contains(b.out.String(), "force") || strings.Contains(b.out.String(), "yes") {
		t.Errorf("%s", b.out)
	}
	b.out.Reset()
	if err := preferences.In(b.StateDir).KeepUsual("8f2c", true); err != nil {
		t.Fatal(err)
	}
	b.expect(t, ExitDone, nil, "config")
	if text := b.out.String(); !strings.HasPrefix(text, "file: "+b.Program.Config+"\n") ||
		!strings.Contains(text, "environment, KDRAIN_ASCII") ||
		!strings.Contains(text, "are accepted on cluster 8f2c") {
		t.Errorf("%s", text)
	}
}

func TestProtectedContexts(t *testing.T) {
	const file = "protected-contexts: ['pro*']\n" // the bench's context is prod
	for args, says := range map[string]string{
		"drain worker-1 --yes --force --ignore-daemonsets": "context prod is protected: --yes is not enough; nothing was done",
		"cordon worker-1":   "context prod is protected: there is no terminal",
		"uncordon worker-2": "context prod is protected: there is no terminal",
	} {
		b := configured(t, file)
		b.expect(t, ExitUsage, []string{says, "add --protected-ok"}, strings.Fields(args)...)
		if b.writer.writes() > 0 {
			t.Errorf("%s: wrote", args)
		}
		b = configured(t, file)
		b.run(append(strings.Fields(args), "--protected-ok")...)
		if strings.Contains(b.err.String(), "is protected") {
			t.Errorf("%s --protected-ok: %s", args, b.err)
		}
		b = configured(t, "protected-contexts: [other]\n")
		b.run(strings.Fields(args)...)
		if strings.Contains(b.err.String(), "is protected") {
			t.Errorf("%s elsewhere: %s", args, b.err)
		}
	}
	b := configured(t, file)
	b.expect(t, ExitDone, nil, "cordon", "worker-1", "--dry-run=client")
	b.run("plan", "worker-1")
	if strings.Contains(b.err.String(), "protected") {
		t.Errorf("what writes nothing: %s", b.err)
	}
}

func TestProtectedContextIsTyped(t *testing.T) {
	for typed, code := range map[string]int{"prod\n": ExitDone, "y\n": ExitAborted, "\n": ExitAborted} {
		b := configured(t, "protected-contexts: [prod]\n")
		b.types(typed)
		b.expect(t, code, []string{"Context prod is protected", "Cordon worker-1? Type prod to continue: "}, "cordon", "worker-1")
		if done := b.writer.writes() == 1; done != (code == ExitDone) {
			t.Errorf("%q: %d writes", typed, b.writer.writes())
		}
	}
}

const (
	schemaPath   = "../docs/config.schema.json"
	settingsPath = "../docs/config.md"
)

func choiceValues(f *pflag.Flag) (values []string) {
	for _, c := range plan.ChoicesOf(f) {
		values = append(values, c.Value)
	}
	return values
}

// schemaOf is the JSON schema of the settings that a set of flags can have.
func schemaOf(set *pflag.FlagSet) map[string]any {
	properties := map[string]any{}
	set.VisitAll(func(f *pflag.Flag) {
		if plan.WhyNoDefault(f) != "" {
			return
		}
		property := map[string]any{"description": f.Usage}
		values := choiceValues(f)
		switch kind := f.Value.Type(); kind {
		case "bool":
			property["type"] = "boolean"
		case "int", "uint", "int64":
			property["type"] = "integer"
		case "stringSlice":
			item := map[string]any{"type": "string"}
			if values != nil {
				item["enum"] = values
			}
			property["type"], property["items"] = []string{"array", "string"}, item
		default:
			property["type"] = []string{"string", "number"}
			if values != nil {
				property["enum"] = values
			}
		}
		properties[f.Name] = property
	})
	return map[string]any{"type": "object", "additionalProperties": false, "properties": properties}
}

// TestConfigSchema holds docs/config.schema.json to the flags; -update writes it.
func TestConfigSchema(t *testing.T) {
	known := knownFlags(newBench(t, nil).newFlags())
	schema := schemaOf(known.General)
	schema["$schema"], schema["title"] = "https://json-schema.org/draft/2020-12/schema", "Settings of kdrain-tui: config.yaml"
	drain := schemaOf(known.Drain)
	drain["description"] = "defaults of a drain"
	schema["properties"].(map[string]any)[config.DrainKey] = drain
	text, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	page(t, schemaPath, string(text)+"\n")
}

// page compares a generated page, or writes it with -update.
func page(t *testing.T, path, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(written) != text {
		t.Errorf("%s is not what the program says: make docs", path)
	}
}

const settingsIntro = `# Settings

Generated from the flags by ` + "`make docs`" + `; do not edit.

What you would type at every start can be set once: in the file ` + "`config.yaml`" + `, or by variables of the environment. Every
setting is the default of a flag and has its name. A flag of the command line counts before a variable, a variable before the file,
the file before the default of the program. ` + "`kdrain-tui config`" + ` prints all settings with their values and where each comes from.

The file is ` + "`$XDG_CONFIG_HOME/kdrain-tui/config.yaml`" + `: on Linux ` + "`~/.config/kdrain-tui/config.yaml`" + `, on macOS
` + "`~/Library/Application Support/kdrain-tui/config.yaml`" + `. It need not be there. [config.schema.json](config.schema.json) is its schema,
for editors.

` + "```yaml" + `
# yaml-language-server: $schema=https://raw.githubusercontent.com/kdrain-tui/kdrain-tui/main/docs/config.schema.json
theme: high-contrast
protected-contexts: ["prod-*"]
keep-journals: 200
drain:
  ignore-daemonsets: true
  delete-emptydir-data: true
  timeout: 15m
  max-parallel-nodes: 2
` + "```" + `

A variable is called ` + "`KDRAIN_`" + ` and the name in capitals, with ` + "`_`" + ` for ` + "`-`" + `: ` + "`KDRAIN_THEME=mono`" + `, ` + "`KDRAIN_DELETE_EMPTYDIR_DATA=true`" + `. One that is
empty is not set. A name that is nearly that of a setting is refused as a mistake; other variables of that beginning are left alone.

A mistake in the file or in a variable ends a command with exit code 2 before it connects, with file and line, or with the variable;
for ` + "`report` and `replay`" + ` it is a warning. Commands that act by no setting (` + "`ctl`, `runs`, `version`, `--help`" + `) do not read the file, so that a mistake never keeps you from steering or aborting a run.

On the dashboard the defaults of a drain are the options that it starts with; its options page shows and changes them.
` + "`resume RUN`" + ` goes on with the options that its run had.

## Protected contexts

In a context of the kubeconfig whose name is in ` + "`protected-contexts`" + ` (` + "`*`" + ` stands for any text, ` + "`?`" + ` for one character, case does not count), whatever changes the cluster is
confirmed by typing the name of the context where ` + "`y`" + ` or a key is enough elsewhere, on the dashboard and on the command line. ` + "`cordon` and `uncordon`" + `,
which ask nothing elsewhere, ask there. Where the confirmation of elsewhere is a typed one already, that stays. Without a terminal, and with ` + "`--yes`" + `, such a
command is refused with exit code 2, unless ` + "`--protected-ok`" + ` is given. To pause or abort a run needs nothing typed.

The name of the context is what counts: a server that is reached by ` + "`--server`" + ` in another context is not protected.

## Journals

What is chosen on the dashboard (its theme, and on which clusters, by the UID of kube-system, the usual flags are accepted; never
that of a protected context) is in ` + "`$XDG_STATE_HOME/kdrain-tui/preferences.json`" + `; flags and
settings are stronger. ` + "`config`" + ` shows the clusters.

The journals of runs are in ` + "`$XDG_STATE_HOME/kdrain-tui/runs`" + `. Starting a run removes those that are neither among the newest ` + "`keep-journals`" + ` (100) nor
younger than ` + "`keep-journals-days`" + ` (90). Never removed is the journal of a live run. Kept for a year, however many there are:
one whose run has not ended (` + "`resume`" + ` can continue it), one whose run left a temporary budget, replicas or an out-of-service taint
(` + "`rollback`" + ` knows of them from the journal alone), and one that cannot be read. A node that is still cordoned does not keep a journal:
` + "`rollback --node`" + ` undoes that by the annotation on the node. The journals of rolls go by the same rule; while that of a roll stays, so do those of its runs.
`

// TestSettingsPage holds docs/config.md to the flags; -update writes it.
func TestSettingsPage(t *testing.T) {
	known := knownFlags(newBench(t, nil).newFlags())
	var settings, refused strings.Builder
	for _, set := range []struct {
		prefix string
		*pflag.FlagSet
	}{{"", known.General}, {config.DrainKey + ".", known.Drain}} {
		set.VisitAll(func(f *pflag.Flag) {
			_, about := pflag.UnquoteUsage(f)
			if why := plan.WhyNoDefault(f); why != "" {
				refused.WriteString("| `--" + f.Name + "` | " + why + " |\n")
				return
			}
			if values := choiceValues(f); values != nil && !strings.Contains(about, values[0]) {
				about += ": `" + strings.Join(values, "`, `") + "`"
			}
			def := "-"
			if value := strings.Trim(f.DefValue, "[]"); value != "" {
				def = "`" + value + "`"
			}
			settings.WriteString("| `" + set.prefix + f.Name + "` | `" + config.Variable(f.Name) + "` | " + def + " | " + about + " |\n")
		})
	}
	page(t, settingsPath, settingsIntro+"\n## All settings\n\n| setting | variable | default | meaning |\n| --- | --- | --- | --- |\n"+settings.String()+
		"\n## What cannot be set\n\nThese flags are given each time, or not at all:\n\n| flag | why |\n| --- | --- |\n"+refused.String())
}

// Columns are set for every start or given as to kubectl get; what is no label is refused
// with its place.
func TestLabelColumns(t *testing.T) {
	b := configured(t, "label-columns: [pool, node.kubernetes.io/instance-type]\n")
	b.Terminal = Terminal{In: true, Out: true, Err: true}
	var request DashboardRequest
	b.Dashboard = func(_ context.Context, r DashboardRequest) (DashboardEnd, error) {
		request = r
		return DashboardEnd{}, nil
	}
	b.expect(t, ExitDone, nil)
	if want := []string{"pool", "node.kubernetes.io/instance-type"}; !slices.Equal(request.LabelColumns, want) {
		t.Errorf("%q", request.LabelColumns)
	}
	b.expect(t, ExitDone, nil, "-L", "zone,pool", "-L", "pool,arch")
	if want := []string{"zone", "pool", "arch"}; !slices.Equal(request.LabelColumns, want) {
		t.Errorf("%q", request.LabelColumns)
	}
	b.expect(t, ExitUsage, []string{`--label-columns=zone,: "" is not the key of a label`}, "-L", "zone,")
	b = configured(t, "label-columns: [pool, 'a b']\n")
	b.expect(t, ExitUsage, []string{b.Program.Config + ":1: label-columns"}, "config")
}
