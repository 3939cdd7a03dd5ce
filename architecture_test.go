package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const modulePath = "github.com/kdrain-tui/kdrain-tui"

// below says what each room may import of the others: the house of
// docs/architecture.md. A room is a folder with everything in it; "" is main.
var below = map[string][]string{
	"":       {"ui", "cli", "app", "drain", "kube", "themes"},
	"ui":     {"app", "drain", "kube", "themes"},
	"cli":    {"app", "drain", "kube"},
	"app":    {"drain", "kube"},
	"drain":  {"kube"},
	"kube":   {},
	"themes": {},
}

// goPackage is as much of `go list -json` as we read.
type goPackage struct {
	ImportPath   string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

func goList(t *testing.T, args ...string) []goPackage {
	t.Helper()
	args = append([]string{"list", "-json=ImportPath,Imports,TestImports,XTestImports"}, args...)
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatalf("go %v: %v", args, err)
	}
	var packages []goPackage
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var pkg goPackage
		if err := decoder.Decode(&pkg); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, pkg)
	}
}

// roomOf is the folder below the module that a package is in; false for the
// packages of others.
func roomOf(importPath string) (string, bool) {
	if importPath == modulePath {
		return "", true
	}
	inside, ours := strings.CutPrefix(importPath, modulePath+"/")
	room, _, _ := strings.Cut(inside, "/")
	return room, ours
}

func TestImportsRunOneWay(t *testing.T) {
	for _, tags := range []string{"", "lab,panictest"} {
		for _, pkg := range goList(t, "-tags="+tags, "./...") {
			room, _ := roomOf(pkg.ImportPath)
			allowed, known := below[room]
			if !known {
				t.Errorf("%s: a new room %q: give it a floor in this test and in docs/architecture.md", pkg.ImportPath, room)
			}
			for _, imported := range slices.Concat(pkg.Imports, pkg.TestImports, pkg.XTestImports) {
				other, ours := roomOf(imported)
				if ours && other != room && !slices.Contains(allowed, other) {
					t.Errorf("%s imports %s: %q may import of ours only %q", pkg.ImportPath, imported, room, allowed)
				}
			}
		}
	}
}

// Too large for the binary, or not meant to be imported.
var unwanted = []string{"k8s.io/cli-runtime", "k8s.io/kubectl", "k8s.io/kubernetes", "html/template"}

func TestUnwantedDependencies(t *testing.T) {
	for _, pkg := range goList(t, "-deps", ".") {
		for _, path := range unwanted {
			if pkg.ImportPath == path || strings.HasPrefix(pkg.ImportPath, path+"/") {
				t.Errorf("%s is linked into the program", pkg.ImportPath)
			}
		}
		// cobra imports text/template and takes care that the linker can leave it
		// out; TestTheProgramItself looks whether it did.
		if _, ours := roomOf(pkg.ImportPath); ours && slices.Contains(pkg.Imports, "text/template") {
			t.Errorf("%s imports text/template", pkg.ImportPath)
		}
	}
}

// mostBytes is the size that the design allows: 45 MB without symbols.
const mostBytes = 45_000_000

func TestTheProgramItself(t *testing.T) {
	if testing.Short() {
		t.Skip("links the program twice")
	}
	dir := t.TempDir()
	build := func(name, flags string) string {
		path := filepath.Join(dir, name)
		if out, err := exec.Command("go", "build", "-ldflags="+flags, "-o", path, ".").CombinedOutput(); err != nil {
			t.Fatalf("go build: %v\n%s", err, out)
		}
		return path
	}
	stripped, whole := build("stripped", "-s -w"), build("whole", "-w")

	info, err := os.Stat(stripped)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes without symbols", info.Size())
	if info.Size() > mostBytes {
		t.Errorf("%d bytes without symbols, more than %d", info.Size(), mostBytes)
	}

	// A template with methods called by name keeps the linker from dropping any
	// method of any type: megabytes.
	symbols, err := exec.Command("go", "tool", "nm", whole).Output()
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(symbols, []byte("text/template.(*Template).Execute\n")) {
		t.Error("text/template is linked into the program")
	}

	built, err := buildinfo.ReadFile(stripped)
	if err != nil {
		t.Fatal(err)
	}
	for _, dependency := range built.Deps {
		if dependency.Replace != nil {
			t.Errorf("%s is replaced: go install would build something else", dependency.Path)
		}
	}
}

func TestModuleCanBeInstalled(t *testing.T) {
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(text, []byte("module "+modulePath+"\n")) {
		t.Errorf("the module is not %s", modulePath)
	}
	if found := regexp.MustCompile(`(?m)^\s*(replace|exclude)\b.*`).Find(text); found != nil {
		t.Errorf("%q: go install takes no module with that", found)
	}
}
