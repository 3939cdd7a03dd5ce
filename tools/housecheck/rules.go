package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	longFile     = 400
	longFunction = 60
	longLine     = 120 // columns; a tab is four
)

// findings are what is wrong, and what only deserves a look.
type findings struct {
	problems, notes []string
}

func (f *findings) problem(format string, args ...any) {
	f.problems = append(f.problems, fmt.Sprintf(format, args...))
}

func (f *findings) note(format string, args ...any) {
	f.notes = append(f.notes, fmt.Sprintf(format, args...))
}

// machinePath finds folders that only one machine has. The pieces are apart so
// that this file does not find itself.
var machinePath = regexp.MustCompile(`(^|[^A-Za-z0-9_.~$}*/-])/(` +
	strings.Join([]string{"work", "tmp", "home/[a-z]+", "root"}, "|") + `)/[A-Za-z0-9_.-]`)

func (f *findings) checkText(name string, text []byte) {
	if bytes.IndexByte(text, 0) >= 0 {
		return // no text
	}
	for number, line := range strings.Split(string(text), "\n") {
		if machinePath.MatchString(line) {
			f.problem("%s:%d: a path of one machine: %s", name, number+1, strings.TrimSpace(line))
		}
	}
}

// nested are the folders that are Go modules of their own.
var nested = []string{"lab/", "tools/"}

func inMainModule(name string) bool {
	return !slices.ContainsFunc(nested, func(dir string) bool { return strings.HasPrefix(name, dir) })
}

// guard is where the main module starts goroutines, so that a panic in one of
// them leaves the terminal in order.
const guard = "kube/guard.go"

var vagueNames = []string{"util", "utils", "common", "helper", "helpers", "misc", "shared"}

func (f *findings) checkGo(name string, text []byte) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		f.problem("%v", err)
		return
	}
	vague := func(name string) bool { return slices.Contains(vagueNames, strings.TrimSuffix(name, "_test")) }
	if vague(file.Name.Name) || vague(path.Base(path.Dir(name))) {
		f.problem("%s:1: package %s: name it after what it is about", name, file.Name.Name)
	}
	if lines := bytes.Count(text, []byte("\n")); lines > longFile {
		f.note("%s has %d lines, more than %d", name, lines, longFile)
	}
	isTest := strings.HasSuffix(name, "_test.go")
	if !isTest {
		f.checkWidth(name, files.File(file.Pos()), file, text)
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.GoStmt:
			if inMainModule(name) && !isTest && name != guard {
				f.problem("%s:%d: a bare go statement: start it with kube.Group", name, files.Position(node.Pos()).Line)
			}
		case *ast.FuncDecl:
			start, end := files.Position(node.Pos()).Line, files.Position(node.End()).Line
			if lines := end - start + 1; lines > longFunction && !isTest {
				f.note("%s:%d: %s has %d lines, more than %d", name, start, node.Name.Name, lines, longFunction)
			}
		}
		return true
	})
}

// checkWidth finds long lines of code and comments. Rows of a table may be as long as
// their values: the elements of a composite literal that stand on one line. So may what
// is generated, and a line that is one string, which is read as it is printed.
func (f *findings) checkWidth(name string, at *token.File, file *ast.File, text []byte) {
	if ast.IsGenerated(file) {
		return
	}
	free := map[int]bool{}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.CompositeLit:
			for _, element := range node.Elts {
				line := at.Line(element.Pos())
				free[line] = free[line] || line != at.Line(node.Lbrace) && line == at.Line(element.End())
			}
		case *ast.BasicLit:
			free[at.Line(node.Pos())] = free[at.Line(node.Pos())] || node.End()-node.Pos() > longLine*3/4
			for line := at.Line(node.Pos()) + 1; line <= at.Line(node.End()); line++ {
				free[line] = true // the inside of a raw string
			}
		}
		return true
	})
	for number, line := range strings.Split(string(text), "\n") {
		if columns := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")); columns > longLine &&
			!free[number+1] {
			f.problem("%s:%d: %d columns, more than %d", name, number+1, columns, longLine)
		}
	}
}

var redirect = regexp.MustCompile(`(?m)^\s*(replace|exclude)\b`)

// checkMainModule keeps `go install ...@latest` working.
func (f *findings) checkMainModule(name string, text []byte) {
	if match := redirect.Find(text); match != nil {
		f.problem("%s: %s makes `go install` impossible", name, bytes.TrimSpace(match))
	}
}
