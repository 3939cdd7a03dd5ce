package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// listed is as much of `go list -json` as we read.
type listed struct {
	Dir          string
	ImportPath   string
	TestGoFiles  []string
	XTestGoFiles []string
}

func (l listed) testFiles() []string { return slices.Concat(l.TestGoFiles, l.XTestGoFiles) }

// selectTagged gives the arguments for `go test` that run the tests that exist
// only with the build tag, none where there are no such tests.
func (s *session) selectTagged(ctx context.Context, dir, tag string) ([]string, error) {
	plain, err := s.list(ctx, dir)
	if err != nil {
		return nil, err
	}
	withTag, err := s.list(ctx, dir, "-tags="+tag)
	if err != nil {
		return nil, err
	}
	known := map[string][]string{}
	for _, pkg := range plain {
		known[pkg.ImportPath] = pkg.testFiles()
	}
	var tests, packages []string
	for _, pkg := range withTag {
		before := len(tests)
		for _, file := range pkg.testFiles() {
			if slices.Contains(known[pkg.ImportPath], file) {
				continue
			}
			names, err := testNames(filepath.Join(pkg.Dir, file))
			if err != nil {
				return nil, err
			}
			tests = append(tests, names...)
		}
		if len(tests) > before {
			packages = append(packages, pkg.ImportPath)
		}
	}
	if len(tests) == 0 {
		return nil, nil
	}
	return append([]string{"-run=^(" + strings.Join(tests, "|") + ")$"}, packages...), nil
}

func (s *session) list(ctx context.Context, dir string, args ...string) ([]listed, error) {
	cmd := s.command(ctx, "go", append(append([]string{"list", "-json=Dir,ImportPath,TestGoFiles,XTestGoFiles"},
		args...), "./...")...)
	cmd.Dir = dir
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go list in %s: %w", dir, err)
	}
	var packages []listed
	for decoder := json.NewDecoder(&out); ; {
		var pkg listed
		switch err := decoder.Decode(&pkg); {
		case errors.Is(err, io.EOF):
			return packages, nil
		case err != nil:
			return nil, fmt.Errorf("read go list: %w", err)
		}
		packages = append(packages, pkg)
	}
}

// testNames lists the test functions of a file.
func testNames(path string) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, decl := range file.Decls {
		function, ok := decl.(*ast.FuncDecl)
		if ok && function.Recv == nil && strings.HasPrefix(function.Name.Name, "Test") &&
			function.Name.Name != "TestMain" {
			names = append(names, function.Name.Name)
		}
	}
	return names, nil
}
