package main

import (
	"fmt"
	"testing"
)

func TestPrintedCommandsReachTheirCluster(t *testing.T) {
	const around = "package p\n\nfunc see(name string) string { return \"kubectl describe node \" + name }\n\n%s\n"
	for name, c := range map[string]struct {
		code  string
		wrong int
	}{
		"given its cluster":       {`func f(t Target) string { return "see " + t.Line("kubectl get nodes") }`, 0},
		"in a sentence":           {`func f() { print("nothing was changed; kubectl get nodes lists them") }`, 1},
		"a hint":                  {`var e = Error{Hint: "kubectl get pods tells"}`, 1},
		"a field for commands":    {`var a = Advice{Text: "look", Command: "kubectl get pods"}`, 0},
		"by a variable":           {`func f(t Target) string { c := "kubectl get pods"; return t.Line(c) }`, 0},
		"by a variable, printed":  {`func f(t Target) { c := "kubectl get pods"; print(t.Line(c)); print(c) }`, 1},
		"by a result":             {`func f(t Target) string { return t.Line(see("a")) }`, 0},
		"by a result, printed":    {`func f(t Target) { print(t.Line(see("a"))); print(see("b")) }`, 1},
		"by a parameter":          {`func g(t Target, c string) { print(t.Line(c)) }; func f(t Target) { g(t, "kubectl get pods") }`, 0},
		"by a parameter, printed": {`func g(c string) { print(c) }; func f() { g("kubectl get pods") }`, 1},
		"ours":                    {`func f(id string) { print("kdrain-tui resume " + id) }`, 1},
		"ours, under its name":    {`func f(p Program) { print("see " + p.display() + " plan") }`, 1},
		"ours, without a cluster": {`func f(p Program) { print("see " + p.display() + " runs") }`, 0},
		"about kubectl":           {`func f() { print("the flags of kubectl drain") }`, 0},
		"compared":                {`func f(s string) bool { return s == "kubectl get pods" }`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var found findings
			found.checkCommands(map[string][]byte{"p/p.go": fmt.Appendf(nil, around, c.code)})
			if len(found.problems) != c.wrong {
				t.Errorf("%d, want %d: %v", len(found.problems), c.wrong, found.problems)
			}
		})
	}
}
