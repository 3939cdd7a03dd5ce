package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/app/control"
)

// constantsOf reads the string constants of a package's source from its folder
// (without tests), by type; untyped ones are under "".
func constantsOf(t *testing.T, dir string, only ...string) map[string][]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	constants := map[string][]string{}
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") ||
			len(only) > 0 && !slices.Contains(only, name) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), dir+"/"+name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			if group, ok := decl.(*ast.GenDecl); ok && group.Tok == token.CONST {
				readConstants(t, group, constants)
			}
		}
	}
	return constants
}

func readConstants(t *testing.T, group *ast.GenDecl, constants map[string][]string) {
	t.Helper()
	for _, spec := range group.Specs {
		values := spec.(*ast.ValueSpec)
		kind := ""
		if name, ok := values.Type.(*ast.Ident); ok {
			kind = name.Name
		}
		for _, value := range values.Values {
			literal, ok := value.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				continue
			}
			text, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			constants[kind] = append(constants[kind], text)
		}
	}
}

func readPage(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("docs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var code = regexp.MustCompile("`([^`\n]+)`")

// codesOf lists what stands between backquotes.
func codesOf(text string) []string {
	var codes []string
	for _, match := range code.FindAllStringSubmatch(text, -1) {
		codes = append(codes, match[1])
	}
	return codes
}

// firstColumn lists the first cell of each row of the tables in a text.
func firstColumn(text string) []string {
	var cells []string
	for line := range strings.Lines(text) {
		if cell, found := strings.CutPrefix(line, "| `"); found {
			name, _, _ := strings.Cut(cell, "`")
			cells = append(cells, name)
		}
	}
	return cells
}

func sameNames(t *testing.T, what string, inCode, onPage []string) {
	t.Helper()
	inCode, onPage = slices.Clone(inCode), slices.Clone(onPage)
	slices.Sort(inCode)
	slices.Sort(onPage)
	if len(inCode) == 0 || !slices.Equal(inCode, onPage) {
		t.Errorf("%s:\nthe code has  %q\nthe page has  %q", what, inCode, onPage)
	}
}

func TestMarksPageListsEveryMark(t *testing.T) {
	page, _, _ := strings.Cut(readPage(t, "marks.md"), "\n## ")
	sameNames(t, "docs/marks.md", constantsOf(t, "kube", "marks.go")[""], firstColumn(page))
}

// A mark that is written without its constant would be missing on the page.
func TestMarksAreWrittenInOnePlace(t *testing.T) {
	domain := "kdrain-tui" + ".dev/"
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && slices.Contains([]string{"lab", "tools", ".git"}, path) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || path == "kube/marks.go" {
			return nil
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), domain) {
			t.Errorf("%s has a mark of its own; marks are constants of kube/marks.go", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestEventsPageListsEveryValue(t *testing.T) {
	page := readPage(t, "events.md")
	constants := constantsOf(t, "drain")
	constants["Verb"] = constantsOf(t, "drain/attempt")["Verb"]
	between := func(from, to string) string {
		_, rest, found := strings.Cut(page, from)
		part, _, ended := strings.Cut(rest, to)
		if !found || !ended {
			t.Fatalf("docs/events.md has no %q up to %q", from, to)
		}
		return part
	}
	sameNames(t, "kinds", constants["EventKind"], firstColumn(between("## Kinds", "## Values")))
	sameNames(t, "states of pods", constantsOf(t, "drain/eviction")["State"], firstColumn(between("**podState**", "**nodeState**")))
	for kind, paragraph := range map[string]string{
		"Phase": "**phase**", "PhaseStatus": "**phaseStatus**", "NodeState": "**nodeState**",
		"Outcome": "**outcome**", "CommandKind": "**control**", "Verb": "**action.verb**",
	} {
		sameNames(t, paragraph, constants[kind], codesOf(between(paragraph, "\n\n")))
	}
	sameNames(t, "wait.for", constantsOf(t, "drain/waits")["For"], codesOf(between("**wait.for**", ". A wait")))
	untyped := slices.Concat(constants[""], constantsOf(t, "drain/report")[""])
	for _, schema := range []string{"event", "report"} {
		if name := "kdrain-tui/" + schema + "/v1"; !slices.Contains(untyped, name) || !strings.Contains(page, name) {
			t.Errorf("schema %s is not in both", name)
		}
	}
}

func TestNotificationsPageListsEveryKind(t *testing.T) {
	_, when, _ := strings.Cut(readPage(t, "notifications.md"), "## When")
	when, _, _ = strings.Cut(when, "## ")
	sameNames(t, "docs/notifications.md", constantsOf(t, "drain/notice")["Kind"], firstColumn(when))
}

func TestControlPageListsEveryVerb(t *testing.T) {
	page, _, _ := strings.Cut(readPage(t, "control.md"), "\n## ")
	var inCode []string
	for _, v := range control.Verbs {
		usage := v.Name
		if v.Of != control.OfRun {
			usage += " " + strings.ToUpper(string(v.Of))
		}
		inCode = append(inCode, usage)
		if !strings.Contains(page, "| `"+usage+"` | "+v.Does+" |\n") {
			t.Errorf("docs/control.md says something else of %s than its help: %s", usage, v.Does)
		}
	}
	sameNames(t, "docs/control.md", inCode, firstColumn(page))
}

// exitRow is a row of the table: the code, then what it means.
var exitRow = regexp.MustCompile(`(?m)^\| ([0-9]+)(?:\+n)? \|`)

func TestExitCodesPageListsEveryCode(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "cli/failure.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var inCode, onPage []string
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if ok && len(spec.Values) == 1 && strings.HasPrefix(spec.Names[0].Name, "Exit") {
			inCode = append(inCode, spec.Values[0].(*ast.BasicLit).Value)
		}
		return true
	})
	for _, match := range exitRow.FindAllStringSubmatch(readPage(t, "exit-codes.md"), -1) {
		onPage = append(onPage, match[1])
	}
	sameNames(t, "docs/exit-codes.md", slices.Compact(inCode), onPage) // commands may share a code
}

// pageLink is a link from one of our pages to a file of ours.
var pageLink = regexp.MustCompile(`\]\(([^):#]+)(?:#[^)]*)?\)`)

// Every page is reached from README.md, and no link of a page is dead.
func TestReadmeReachesEveryPage(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	linked := map[string]bool{}
	for _, page := range append(pages, "README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range pageLink.FindAllStringSubmatch(string(text), -1) {
			to := filepath.Join(filepath.Dir(page), link[1])
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links %s: %v", page, link[1], err)
			}
			if page == "README.md" {
				linked[to] = true
			}
		}
	}
	for _, page := range pages {
		if !linked[page] {
			t.Errorf("README.md does not link %s", page)
		}
	}
}
