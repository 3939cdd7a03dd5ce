package themes

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// write puts a theme of the operator's into a folder of its own.
func write(t *testing.T, name, text string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestBuiltinsLoadAndNameEveryToken(t *testing.T) {
	for _, name := range builtinNames {
		text, err := builtinFiles.ReadFile("builtin/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		alone, err := parse(name, name, text, Theme{})
		if err != nil {
			t.Fatal(err)
		}
		for _, token := range tokens {
			_, inLight := alone.light[token]
			_, inDark := alone.dark[token]
			if !inLight || !inDark {
				t.Errorf("%s leaves %s to the default theme", name, token)
			}
		}
		loaded, err := Load(name, "")
		if err != nil || loaded.Name() != name {
			t.Errorf("Load(%q) = %q, %v", name, loaded.Name(), err)
		}
	}
}

func TestBuiltinFilesAreTheNamedOnes(t *testing.T) {
	entries, err := builtinFiles.ReadDir("builtin")
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(builtinNames) {
		t.Errorf("%d files for %d names", len(entries), len(builtinNames))
	}
}

func TestDefaultIsMadeOfANSIColours(t *testing.T) {
	theme, err := Load("", "")
	if err != nil || theme.Name() != defaultName {
		t.Fatalf("Load(\"\") = %q, %v", theme.Name(), err)
	}
	for _, style := range stylesOf(theme) {
		for _, colour := range []string{style.Foreground, style.Background} {
			if colour != "" && !slices.Contains(colourNames, colour) {
				t.Errorf("colour %q does not follow the terminal's palette", colour)
			}
		}
	}
}

func TestMonoHasNoColour(t *testing.T) {
	theme, err := Load("mono", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, style := range stylesOf(theme) {
		if style.Foreground != "" || style.Background != "" {
			t.Errorf("mono has a colour: %+v", style)
		}
	}
}

func stylesOf(theme Theme) []Style {
	var styles []Style
	for _, token := range tokens {
		styles = append(styles, theme.Style(token, true), theme.Style(token, false))
	}
	return styles
}

func TestUsersThemeInheritsWhatItDoesNotSay(t *testing.T) {
	dir := write(t, "mine", `
tokens:
  good: {foreground: "#00ff7f", bold: true}
  warning:
    light: {foreground: "130", italic: true}
  text: &plain {foreground: default}
  info: *plain
`)
	theme, err := Load("mine", dir)
	if err != nil {
		t.Fatal(err)
	}
	base, err := Load(defaultName, dir)
	if err != nil {
		t.Fatal(err)
	}
	good := Style{Foreground: "#00ff7f", Bold: true}
	for _, test := range []struct {
		what      string
		got, want Style
	}{
		{"good, light", theme.Style(Good, false), good},
		{"good, dark", theme.Style(Good, true), good},
		{"warning, light", theme.Style(Warning, false), Style{Foreground: "130", Italic: true}},
		{"warning, dark, inherited", theme.Style(Warning, true), base.Style(Warning, true)},
		{"bad, inherited", theme.Style(Bad, false), base.Style(Bad, false)},
		{"info, an alias", theme.Style(Info, true), Style{Foreground: "default"}},
		{"no such token", theme.Style("nothing", true), Style{}},
	} {
		if test.got != test.want {
			t.Errorf("%s: got %+v, want %+v", test.what, test.got, test.want)
		}
	}
	if theme.Name() != "mine" {
		t.Errorf("name %q", theme.Name())
	}
}

func TestEmptyThemeIsTheDefault(t *testing.T) {
	for _, text := range []string{"", "# nothing yet\n", "---\n", "description: nothing yet\n"} {
		theme, err := Load("mine", write(t, "mine", text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if theme.Style(Bad, true).Foreground != "red" {
			t.Errorf("%q does not inherit", text)
		}
	}
}

func TestErrorsNameFileAndLine(t *testing.T) {
	for _, test := range []struct {
		what, text string
		line, want string
	}{
		{"unknown token", "tokens:\n  good: {}\n  godo: {}\n", "3", `unknown token "godo": there are text, muted`},
		{"bad colour", "tokens:\n  good:\n    foreground: leaf\n", "3", `bad colour "leaf"`},
		{"number too high", "tokens:\n  good: {foreground: 256}\n", "2", `bad colour "256"`},
		{"short hex", "tokens:\n  good: {foreground: '#fff'}\n", "2", `bad colour "#fff"`},
		{"hex without quotes", "tokens:\n  good:\n    bold: true\n    foreground: #00ff00\n", "4", "needs quotes"},
		{"a list as a colour", "tokens:\n  good: {foreground: [red]}\n", "2", "not a list"},
		{"unknown key in a style", "tokens:\n  good:\n    colour: red\n", "3", `unknown key "colour"`},
		{"unknown key of a theme", "description: x\ninherits: mono\n", "2", `unknown key "inherits"`},
		{"mixed", "tokens:\n  good:\n    dark: {bold: true}\n    bold: true\n", "4", "beside light or dark"},
		{"wrong type", "tokens:\n  good: {bold: 'yes'}\n", "2", "bold is true or false"},
		{"token that is a word", "tokens:\n  good: green\n", "2", `good is a mapping, not "green"`},
		{"token that is nothing", "tokens:\n  good:\n", "2", "good is a mapping, not nothing"},
		{"tokens that are a list", "tokens:\n  - good\n", "2", "tokens is a mapping, not a list"},
		{"description that is a list", "description: [a]\n", "1", "description is a text"},
		{"given twice", "tokens:\n  good: {}\n  bad: {}\n  good: {}\n", "4", "given twice, first in line 2"},
		{"no mapping at all", "good\n", "1", "a theme is a mapping"},
		{"bad YAML", "tokens:\n  good: {bold: true\n  bad: {}\n", "", "did not find"},
		{"tabs", "tokens:\n\tgood: {}\n", "2", "cannot start any token"},
		{"no text at all", "\x00\x01", "1", "control characters"},
		{"two documents", "tokens: {}\n---\ntokens: {}\n", "2", "one YAML document"},
	} {
		t.Run(test.what, func(t *testing.T) {
			dir := write(t, "mine", test.text)
			theme, err := Load("mine", dir)
			if err == nil {
				t.Fatalf("loaded as %+v", theme)
			}
			place := filepath.Join(dir, "mine.yaml") + ":" + test.line
			if !strings.HasPrefix(err.Error(), place) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v\nwant %s ... %s", err, place, test.want)
			}
		})
	}
}

func TestEveryMistakeIsNamedAtOnce(t *testing.T) {
	_, err := Load("mine", write(t, "mine", "tokens:\n  godo: {}\n  bad: {foreground: rde}\n"))
	if err == nil || !strings.Contains(err.Error(), ":2: ") || !strings.Contains(err.Error(), ":3: ") {
		t.Errorf("got %v", err)
	}
}

func TestNamesThatAreNotThemes(t *testing.T) {
	dir := write(t, "mine", "")
	if _, err := Load("other", dir); err == nil ||
		!strings.Contains(err.Error(), `unknown theme "other": there are default, high-contrast, colour-blind, deuteranopia, tritanopia, mono, mine`) {
		t.Errorf("unknown: %v", err)
	}
	for _, name := range []string{"../mine", "a/b", ".", "a.b", " "} {
		if _, err := Load(name, dir); err == nil || !strings.Contains(err.Error(), "bad theme name") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestBuiltinNameIsNotShadowedSilently(t *testing.T) {
	dir := write(t, "mono", "")
	if _, err := Load("mono", dir); err == nil || !strings.Contains(err.Error(), "mono.yaml: mono is the name of a built-in theme") {
		t.Errorf("got %v", err)
	}
	if _, err := Load("default", dir); err != nil {
		t.Errorf("another theme suffers: %v", err)
	}
	if names := Names(dir); len(names) != len(builtinNames) {
		t.Errorf("names %q", names)
	}
}

func TestNamesOfAFolder(t *testing.T) {
	dir := write(t, "zebra", "")
	for _, other := range []string{"ash.yaml", "notes.txt", ".hidden.yaml"} {
		if err := os.WriteFile(filepath.Join(dir, other), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.yaml"), 0o700); err != nil {
		t.Fatal(err)
	}
	want := append(slices.Clone(builtinNames), "ash", "zebra")
	if got := Names(dir); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Names(filepath.Join(dir, "missing")); !slices.Equal(got, builtinNames) {
		t.Errorf("a missing folder: %q", got)
	}
}
