package main

import (
	"slices"
	"strings"
	"testing"
)

func TestRules(t *testing.T) {
	long := strings.Repeat("// line\n", longFile+1)
	body := strings.Repeat("\t_ = 0\n", longFunction)
	for _, test := range []struct {
		what, name, text string
		problem, note    string // parts of them, "" where there must be none
	}{
		{"bare go", "drain/engine.go", "package drain\nfunc f() {\n\tgo f()\n}\n", "drain/engine.go:3: a bare go", ""},
		{"the guard itself", "kube/guard.go", "package kube\nfunc f() { go f() }\n", "", ""},
		{"a test may", "kube/x_test.go", "package kube\nfunc f() { go f() }\n", "", ""},
		{"the lab may", "lab/up.go", "package main\nfunc f() { go f() }\n", "", ""},
		{"vague package", "kube/x.go", "package utils\n", "name it after", ""},
		{"vague folder", "kube/helpers/x.go", "package kube\n", "name it after", ""},
		{"vague test package", "kube/x_test.go", "package common_test\n", "name it after", ""},
		{"long file", "kube/x.go", "package kube\n" + long, "", "kube/x.go has"},
		{"long function", "kube/x.go", "package kube\nfunc f() {\n" + body + "}\n", "", "f has 62 lines"},
		{"no Go", "kube/x.go", "pakage kube\n", "expected 'package'", ""},
		{"replace", "go.mod", "module m\n\nreplace a => b v1\n", "replace makes", ""},
		{"exclude", "go.mod", "module m\nexclude (\n\ta v1\n)\n", "exclude makes", ""},
		{"plain module", "go.mod", "module m\nrequire replace.test/x v1\n", "", ""},
		{"machine path", "docs/x.md", "see\n`" + "/wo" + "rk/main/x.go`\n", "docs/x.md:2: a path of one machine", ""},
		{"home", "docs/x.md", "cd /ho" + "me/ada/src\n", "a path of one machine", ""},
		{"not a machine path", "docs/x.md", "https://example.test/wo" + "rk/x /var/t" + "mp/x a/t" + "mp/b /wo" + "rk\n", "", ""},
	} {
		t.Run(test.what, func(t *testing.T) {
			var found findings
			found.checkText(test.name, []byte(test.text))
			if strings.HasSuffix(test.name, ".go") {
				found.checkGo(test.name, []byte(test.text))
			}
			if test.name == "go.mod" {
				found.checkMainModule(test.name, []byte(test.text))
			}
			expect(t, "problems", found.problems, test.problem)
			expect(t, "notes", found.notes, test.note)
		})
	}
}

func expect(t *testing.T, what string, got []string, want string) {
	t.Helper()
	if want == "" && len(got) > 0 || want != "" && !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, want) }) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}
