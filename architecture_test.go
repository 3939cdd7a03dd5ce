package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const modulePath = "github.com/kdrain-tui/kdrain-tui"

// mayNotImport are packages of Go that the domain must not know: what waits, reads or
// writes is in app.
var mayNotImport = map[string]string{
	"os": "files are read and written in app", "net": "connections are made in kube",
	"context": "what can be cancelled waits, and what waits is in app",
	"sync":    "the domain runs on one goroutine", "os/exec": "hosts are reached from app",
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

// folderOf is the folder of a package in the module; false for the packages of others.
func folderOf(importPath string) (string, bool) {
	if importPath == modulePath {
		return "", true
	}
	return strings.CutPrefix(importPath, modulePath+"/")
}

func TestImportsRunDown(t *testing.T) {
	seen := map[string]bool{}
	for _, tags := range []string{"", "lab,panictest"} {
		for _, pkg := range goList(t, "-tags="+tags, "./...") {
			folder, _ := folderOf(pkg.ImportPath)
			row, known := packages[folder]
			if !known {
				t.Errorf("%s: a new package: give it a row in this test and a level in docs/architecture.md", pkg.ImportPath)
			}
			seen[folder] = true
			for _, imported := range pkg.Imports {
				other, ours := folderOf(imported)
				if ours && !slices.Contains(row.imports, other) {
					t.Errorf("%s imports %s: it may import of ours only %q", pkg.ImportPath, other, row.imports)
				}
				if ours && packages[other].forTests && !row.forTests {
					t.Errorf("%s imports %s, which is for tests", pkg.ImportPath, other)
				}
				if why := mayNotImport[imported]; why != "" && strings.HasPrefix(folder, "drain") && folder != "drain/landing/ask" {
					t.Errorf("%s imports %s: %s", pkg.ImportPath, imported, why)
				}
			}
		}
	}
	for folder := range packages {
		if !seen[folder] {
			t.Errorf("%q has a row in this test and is no package", folder)
		}
	}
}

// No package may import one that imports it, over any number of steps: the rows above
// are a table, and a table can have a circle where the code has none yet.
func TestTheTableHasNoCircle(t *testing.T) {
	var visit func(folder string, path []string)
	visit = func(folder string, path []string) {
		if slices.Contains(path, folder) {
			t.Fatalf("a circle: %q", append(path, folder))
		}
		for _, other := range packages[folder].imports {
			visit(other, append(path[:len(path):len(path)], folder))
		}
	}
	for folder := range packages {
		visit(folder, nil)
	}
}

// measure counts what a package has, without its tests.
func measure(t *testing.T, folder string) ceilings {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("./"+folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var has ceilings
	methods := map[string]int{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		has.files++
		has.lines += bytes.Count(text, []byte("\n"))
		file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range file.Decls {
			has.names += exportedNames(declaration)
			if f, ok := declaration.(*ast.FuncDecl); ok && f.Recv != nil {
				receiver := types.ExprString(f.Recv.List[0].Type)
				methods[strings.TrimPrefix(receiver, "*")]++
			}
		}
	}
	for _, count := range methods {
		has.methods = max(has.methods, count)
	}
	return has
}

// exportedNames counts the exported names of a declaration at the top of a file,
// constants and methods left out.
func exportedNames(declaration ast.Decl) int {
	count := 0
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil && d.Name.IsExported() {
			count++
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					count++
				}
			case *ast.ValueSpec:
				for _, name := range s.Names {
					if d.Tok == token.VAR && name.IsExported() {
						count++
					}
				}
			}
		}
	}
	return count
}

func TestPackagesFitInOnesHead(t *testing.T) {
	for folder, row := range packages {
		if row.forTests {
			continue
		}
		has, may := measure(t, folder), most
		if row.because != "" {
			may = ceilings{max(may.lines, row.exceeds.lines), max(may.files, row.exceeds.files),
				max(may.names, row.exceeds.names), max(may.methods, row.exceeds.methods)}
		}
		fits := has.lines <= most.lines && has.files <= most.files && has.names <= most.names && has.methods <= most.methods
		if row.because != "" && fits {
			t.Errorf("%s fits: it needs no exception", folder)
		}
		for _, c := range []struct {
			what     string
			has, may int
		}{
			{"lines", has.lines, may.lines}, {"files", has.files, may.files},
			{"exported names", has.names, may.names}, {"methods on one type", has.methods, may.methods},
		} {
			if c.has > c.may {
				t.Errorf("%s has %d %s, more than %d", folder, c.has, c.what, c.may)
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
		if _, ours := folderOf(pkg.ImportPath); ours && slices.Contains(pkg.Imports, "text/template") {
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
		cmd := exec.Command("go", "build", "-ldflags="+flags, "-o", path, ".")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as a release has it
		if out, err := cmd.CombinedOutput(); err != nil {
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

// What time it is, the domain is told: a rule that asks the clock cannot be replayed.
func TestTheDomainHasNoClock(t *testing.T) {
	err := filepath.WalkDir("drain", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		if strings.HasPrefix(path, filepath.Join("drain", "landing", "ask")) { // a program of the tests
			return nil
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), "time.Now(") {
			t.Errorf("%s asks for the time", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
