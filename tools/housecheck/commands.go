package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A command that somebody pastes must name its cluster, or it acts on whatever the current
// context of that shell is. So each command in the source has to reach a call of Target.Line,
// or a field named Command, which is given its target where it is printed. It is followed through
// local variables, parameters and results, by their names alone.

// printedCommand finds a command in a literal, also within a sentence. The verbs that kubectl
// shares with us stand in sentences about it as well, so they count at the beginning only.
var printedCommand = regexp.MustCompile("^kubectl (drain|cordon|uncordon) |(^|[^a-z-])kubectl (get|describe|delete|edit|patch|scale|taint|annotate|label|auth|config|rollout|logs|apply)\\b" +
	"|(^|[^a-z-])kdrain-tui (plan|drain|cordon|uncordon|resume|rollback) ")

// ourVerb is what follows our name, where that is put in: those of commands that need a cluster.
var ourVerb = regexp.MustCompile(`^ (plan|drain|cordon|uncordon|resume|rollback)\b`)

// withoutTarget are literals that need none, with the reason.
var withoutTarget = []struct{ file, text, why string }{
	{"kube/conn/kubeconfig.go", "kubectl config view", "it reads the local file, which the error names"},
	{"drain/plan/target.go", "kubectl ", "it is what gives a command its target"},
	{"cli/job.go", "kubectl create -f FILE", "a manifest names no cluster: it is for the one that it is given to"},
}

// sourceFile is a file of the main module.
type sourceFile struct {
	name string
	file *ast.File
}

// place is a node with all that is around it, the file first.
type place struct {
	file *sourceFile
	path []ast.Node
}

// commands follows commands through the source.
type commands struct {
	set   *token.FileSet
	files []*sourceFile
	calls map[string][]place // by the name of what is called
	funcs map[string][]place // declarations, by name
	seen  map[any]bool       // what is being followed: a cycle leads nowhere else
}

func (f *findings) checkCommands(files map[string][]byte) {
	c := &commands{set: token.NewFileSet(), calls: map[string][]place{}, funcs: map[string][]place{}}
	for name, text := range files {
		if parsed, err := parser.ParseFile(c.set, name, text, parser.SkipObjectResolution); err == nil {
			c.files = append(c.files, &sourceFile{name, parsed})
		}
	}
	slices.SortFunc(c.files, func(a, b *sourceFile) int { return strings.Compare(a.name, b.name) })
	var literals []place
	for _, file := range c.files {
		visit(file, func(p place) {
			switch n := p.path[len(p.path)-1].(type) {
			case *ast.CallExpr:
				c.calls[calleeOf(n)] = append(c.calls[calleeOf(n)], p)
			case *ast.FuncDecl:
				c.funcs[n.Name.Name] = append(c.funcs[n.Name.Name], p)
			case *ast.BasicLit:
				if isCommand(p, n) {
					literals = append(literals, p)
				}
			}
		})
	}
	for _, p := range literals {
		c.seen = map[any]bool{}
		if !c.reaches(p) {
			literal := p.path[len(p.path)-1].(*ast.BasicLit)
			f.problem("%s:%d: a printed command without its cluster: give it to Target.Line: %s", p.file.name,
				c.set.Position(literal.Pos()).Line, literal.Value)
		}
	}
}

func visit(file *sourceFile, look func(place)) {
	var around []ast.Node
	ast.Inspect(file.file, func(n ast.Node) bool {
		if n == nil {
			around = around[:len(around)-1]
			return true
		}
		around = append(around, n)
		look(place{file, slices.Clone(around)})
		return true
	})
}

func isCommand(p place, n *ast.BasicLit) bool {
	text, err := strconv.Unquote(n.Value)
	if err != nil || n.Kind != token.STRING {
		return false
	}
	for _, w := range withoutTarget {
		if p.file.name == w.file && strings.Contains(text, w.text) {
			return false
		}
	}
	if printedCommand.MatchString(text) {
		return true
	}
	joined, is := p.path[len(p.path)-2].(*ast.BinaryExpr)
	if !is || !ourVerb.MatchString(text) {
		return false
	}
	left := joined.X
	if sum, is := left.(*ast.BinaryExpr); is {
		left = sum.Y
	}
	call, is := left.(*ast.CallExpr)
	return is && calleeOf(call) == "display"
}

// calleeOf is the name of what is called, without its package or value.
func calleeOf(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// transparent are calls whose result holds their arguments.
var transparent = []string{"Sprintf", "Join", "Or", "append", "string", "ToLower", "Concat"}

// reaches tells whether the value at a place comes to where it is given its cluster.
func (c *commands) reaches(p place) bool {
	for i := len(p.path) - 2; i >= 0; i-- {
		child := p.path[i+1]
		switch parent := p.path[i].(type) {
		case *ast.BinaryExpr:
			if parent.Op != token.ADD {
				return true // a condition, nothing that is printed
			}
		case *ast.UnaryExpr, *ast.CaseClause:
			return true // so is this
		case *ast.ParenExpr, *ast.IndexExpr, *ast.SliceExpr:
		case *ast.KeyValueExpr:
			if key, is := parent.Key.(*ast.Ident); is {
				return key.Name == "Command"
			}
		case *ast.CompositeLit:
			if typeNamed(parent.Type, "Advice") || typeNamed(parent.Type, "ToDo") || parent.Type == nil {
				return true // a literal without a type is one of a list of them
			}
			if _, list := parent.Type.(*ast.ArrayType); !list {
				return false
			}
		case *ast.CallExpr:
			name := calleeOf(parent)
			if name == "Line" {
				return true
			}
			if !slices.Contains(transparent, name) {
				return c.parameterReaches(p.file, name, slices.IndexFunc(parent.Args, func(a ast.Expr) bool {
					return a == child
				}))
			}
		case *ast.AssignStmt:
			at := slices.IndexFunc(parent.Rhs, func(e ast.Expr) bool { return e == child })
			if at < 0 || at >= len(parent.Lhs) {
				return false
			}
			return c.assigned(parent.Lhs[at], place{p.file, p.path[:i+1]})
		case *ast.ValueSpec:
			return len(parent.Names) > 0 && c.assigned(parent.Names[0], place{p.file, p.path[:i+1]})
		case *ast.RangeStmt:
			return parent.Value != nil && c.assigned(parent.Value, place{p.file, p.path[:i+1]})
		case *ast.ReturnStmt:
			return c.resultReaches(p.file, p.path[:i])
		default:
			return false
		}
	}
	return false
}

func typeNamed(t ast.Expr, name string) bool {
	switch t := t.(type) {
	case *ast.Ident:
		return t.Name == name
	case *ast.SelectorExpr:
		return t.Sel.Name == name
	case *ast.ArrayType:
		return typeNamed(t.Elt, name)
	}
	return false
}

// assigned follows what a value is assigned to: a field named Command, or a variable all of
// whose uses in its function have to reach.
func (c *commands) assigned(to ast.Expr, p place) bool {
	if field, is := to.(*ast.SelectorExpr); is {
		return field.Sel.Name == "Command"
	}
	name, is := to.(*ast.Ident)
	body := enclosing(p.path)
	return is && body != nil && c.usesReach(p.file, body, name.Name)
}

// enclosing is the function that a path is in.
func enclosing(around []ast.Node) *ast.FuncDecl {
	for _, n := range around {
		if f, is := n.(*ast.FuncDecl); is {
			return f
		}
	}
	return nil
}

type variable struct {
	of   *ast.FuncDecl
	name string
}

// usesReach tells whether each use of a variable as a value reaches; comparisons, and its own
// assignments, are none.
func (c *commands) usesReach(file *sourceFile, f *ast.FuncDecl, name string) bool {
	if c.seen[variable{f, name}] {
		return true
	}
	c.seen[variable{f, name}] = true
	reaches, used := true, false
	visit(file, func(p place) {
		n, is := p.path[len(p.path)-1].(*ast.Ident)
		if !is || n.Name != name || enclosing(p.path) != f {
			return
		}
		switch parent := p.path[len(p.path)-2].(type) {
		case *ast.AssignStmt:
			if slices.ContainsFunc(parent.Lhs, func(e ast.Expr) bool { return e == n }) {
				return
			}
		case *ast.SelectorExpr, *ast.Field, *ast.KeyValueExpr:
			if kv, is := parent.(*ast.KeyValueExpr); !is || kv.Key == n {
				return
			}
		case *ast.BinaryExpr:
			if parent.Op == token.EQL || parent.Op == token.NEQ {
				return
			}
		case *ast.CallExpr:
			if calleeOf(parent) == "len" {
				return
			}
		}
		used = true
		reaches = reaches && c.reaches(p)
	})
	return reaches && used
}

// parameterReaches follows an argument into the functions of that name.
func (c *commands) parameterReaches(from *sourceFile, name string, at int) bool {
	reaches := false
	for _, p := range visible(c.funcs[name], from, name) {
		f := p.path[len(p.path)-1].(*ast.FuncDecl)
		names := parametersOf(f)
		if at < 0 || at >= len(names) {
			continue // another one of that name
		}
		reaches = reaches || c.usesReach(p.file, f, names[at]) // without types, any of that name
	}
	return reaches
}

func parametersOf(f *ast.FuncDecl) (names []string) {
	for _, field := range f.Type.Params.List {
		for _, n := range field.Names {
			names = append(names, n.Name)
		}
	}
	return names
}

// visible are the places that can mean this name: those of the same package, where it is
// not exported.
func visible(places []place, from *sourceFile, name string) []place {
	if ast.IsExported(name) {
		return places
	}
	return slices.DeleteFunc(slices.Clone(places), func(p place) bool {
		return path.Dir(p.file.name) != path.Dir(from.name)
	})
}

// resultReaches follows the result of the function around a return to its calls.
func (c *commands) resultReaches(from *sourceFile, around []ast.Node) bool {
	f := enclosing(around)
	if f == nil {
		return false
	}
	if c.seen[f] {
		return true
	}
	c.seen[f] = true
	for _, call := range visible(c.calls[f.Name.Name], from, f.Name.Name) {
		another := len(call.path[len(call.path)-1].(*ast.CallExpr).Args) != len(parametersOf(f)) // of that name
		if !another && !c.reaches(call) {
			return false
		}
	}
	return true
}
