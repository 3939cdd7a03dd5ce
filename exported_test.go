package main

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// forTests are exported names that only tests of other packages use, and why they do.
var forTests = map[string]string{
	"app/config.Variable":       "a test of cli writes the page of settings",
	"app/journal.Of.Path":       "tests of the engine read the file that a run writes",
	"drain/remedy.Kinds":        "tests of other packages take each remedy in turn",
	"ui/keys.Registry.Markdown": "a test of ui writes the page of keys",
}

// What no other package uses is not exported: a package's exported names are what
// its readers must know. Tests are no users, but for packages that only tests import.
// What belongs to something that is used may be exported with it: the types in its
// signature or fields, the other constants of its type or its group; so may errors.
func TestExportedNames(t *testing.T) {
	p := checkModule(t)
	t.Run("are used", p.areUsed)
	t.Run("are the words of the journal", p.areWords)
}

func (p *program) areUsed(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(p.declared)) {
		object := p.declared[name]
		known := forTests[name] != ""
		switch used := p.used[object] || p.satisfies(object) || p.listed(object) || isError(object); {
		case used && known:
			t.Errorf("%s has users: it needs no exception", name)
		case !used && !known:
			t.Errorf("%s: %s has no user in another package: unexport or delete it", p.files.Position(object.Pos()), name)
		}
	}
	for name := range forTests {
		if p.declared[name] == nil {
			t.Errorf("%s is no name: it needs no exception", name)
		}
	}
}

var notALetter = regexp.MustCompile(`[^a-z]`)

// Who greps a word of a journal, of a report or of JSON output finds the constant: its name ends with the word.
func (p *program) areWords(t *testing.T) {
	checked := 0
	for name, object := range p.declared {
		c, ok := object.(*types.Const)
		if !ok || !strings.HasPrefix(name, "drain") || c.Val().Kind() != constant.String {
			continue
		}
		if _, enumerated := c.Type().(*types.Named); !enumerated {
			continue
		}
		checked++
		word := notALetter.ReplaceAllString(strings.ToLower(constant.StringVal(c.Val())), "")
		if !strings.HasSuffix(strings.ToLower(object.Name()), word) {
			t.Errorf("%s: %s is the word %s", p.files.Position(object.Pos()), name, c.Val())
		}
	}
	if checked < 200 {
		t.Errorf("%d constants were compared", checked)
	}
}

// program is the main module, type-checked from its source.
type program struct {
	files    *token.FileSet
	exports  map[string]string         // of the packages of others: the compiler's export data
	sources  map[string]listed         // of ours
	checked  map[string]*types.Package // of ours
	others   types.Importer
	declared map[string]types.Object // exported names and methods of ours, by what messages call them
	used     map[types.Object]bool   // those that another package uses
	reached  map[types.Object]bool   // types whose parts are noted
	asked    map[string]bool         // names of methods of all interfaces
	// groups are the constants that are declared together.
	groups map[types.Object]map[types.Object]bool
	tested map[string]bool // names of other packages in tests, as written there
}

type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

func checkModule(t *testing.T) *program {
	t.Helper()
	p := &program{
		files: token.NewFileSet(), exports: map[string]string{}, sources: map[string]listed{},
		checked: map[string]*types.Package{}, declared: map[string]types.Object{},
		used: map[types.Object]bool{}, reached: map[types.Object]bool{}, asked: map[string]bool{},
		groups: map[types.Object]map[types.Object]bool{}, tested: namesInTests(t),
	}
	list := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles", "./...")
	list.Env = append(os.Environ(), "CGO_ENABLED=0") // as the program is built: nothing is compiled twice
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var one listed
		if err := decoder.Decode(&one); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if _, ours := folderOf(one.ImportPath); ours {
			p.sources[one.ImportPath] = one
		} else {
			p.exports[one.ImportPath] = one.Export
		}
	}
	p.others = importer.ForCompiler(p.files, "gc", func(path string) (io.ReadCloser, error) { return os.Open(p.exports[path]) })
	for path := range p.sources {
		if _, err := p.Import(path); err != nil {
			t.Fatal(err)
		}
	}
	for _, object := range slices.Collect(maps.Keys(p.used)) {
		p.reach(object)
	}
	return p
}

var qualified = regexp.MustCompile(`\b[a-z]+\.[A-Z]\w*`)

func namesInTests(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") || path == "exported_test.go" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, name := range qualified.FindAllString(string(text), -1) {
			names[name] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// Import type-checks a package of ours once, so that all that use a name mean the same
// object.
func (p *program) Import(path string) (*types.Package, error) {
	source, ours := p.sources[path]
	if !ours {
		return p.others.Import(path)
	}
	if done := p.checked[path]; done != nil {
		return done, nil
	}
	var files []*ast.File
	for _, name := range source.GoFiles {
		file, err := parser.ParseFile(p.files, filepath.Join(source.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}}
	pkg, err := (&types.Config{Importer: p}).Check(path, p.files, files, info)
	if err != nil {
		return nil, err
	}
	p.checked[path] = pkg
	p.note(path, pkg, info)
	for _, file := range files {
		p.group(file, info)
	}
	return pkg, nil
}

func (p *program) note(path string, pkg *types.Package, info *types.Info) {
	folder, _ := folderOf(path)
	for _, name := range pkg.Scope().Names() {
		object := pkg.Scope().Lookup(name)
		if object.Exported() && !packages[folder].forTests {
			p.declared[folder+"."+name] = object
		}
		named, ok := object.Type().(*types.Named)
		if _, isType := object.(*types.TypeName); !isType || !ok || !object.Exported() || packages[folder].forTests {
			continue
		}
		for method := range named.Methods() {
			if method.Exported() {
				p.declared[folder+"."+name+"."+method.Name()] = method
			}
		}
	}
	for _, object := range info.Uses {
		if object.Pkg() != nil && object.Pkg() != pkg {
			if f, ok := object.(*types.Func); ok {
				object = f.Origin()
			}
			p.used[object] = true
		}
	}
	for _, value := range info.Types {
		p.ask(value.Type)
		if s, ok := value.Type.(*types.Signature); ok { // what an argument may have to satisfy
			for v := range s.Params().Variables() {
				p.ask(v.Type())
			}
		}
	}
}

// group notes which constants are declared together.
func (p *program) group(file *ast.File, info *types.Info) {
	for _, declaration := range file.Decls {
		d, ok := declaration.(*ast.GenDecl)
		if !ok || d.Tok != token.CONST {
			continue
		}
		together := map[types.Object]bool{}
		for _, spec := range d.Specs {
			for _, name := range spec.(*ast.ValueSpec).Names {
				together[info.Defs[name]] = true
				p.groups[info.Defs[name]] = together
			}
		}
	}
}

// ask notes what an interface asks of those who satisfy it.
func (p *program) ask(t types.Type) {
	if i, ok := t.Underlying().(*types.Interface); ok {
		for method := range i.Methods() {
			p.asked[method.Name()] = true
		}
	}
}

// satisfies tells of methods that may be called through an interface.
func (p *program) satisfies(object types.Object) bool {
	f, ok := object.(*types.Func)
	return ok && f.Signature().Recv() != nil && (p.asked[f.Name()] || reflected[f.Name()])
}

// reach notes the types that the users of an object get hold of without naming them: they
// are in the signature of a function, in an exported field, behind an exported method.
func (p *program) reach(object types.Object) {
	var visit func(t types.Type)
	visit = func(t types.Type) {
		switch t := t.(type) {
		case *types.Alias:
			visit(types.Unalias(t))
		case *types.Named:
			name := t.Obj()
			for argument := range t.TypeArgs().Types() {
				visit(argument)
			}
			if name.Pkg() == nil || p.checked[name.Pkg().Path()] == nil || p.reached[name] {
				return
			}
			p.reached[name], p.used[name] = true, true
			visit(t.Underlying())
			for method := range t.Methods() {
				if method.Exported() {
					visit(method.Type())
				}
			}
		case *types.Struct:
			for field := range t.Fields() {
				if field.Exported() {
					visit(field.Type())
				}
			}
		case *types.Signature:
			for v := range t.Params().Variables() {
				visit(v.Type())
			}
			for v := range t.Results().Variables() {
				visit(v.Type())
			}
		case *types.Map:
			visit(t.Key())
			visit(t.Elem())
		case interface{ Elem() types.Type }:
			visit(t.Elem())
		}
	}
	visit(object.Type())
}

// listed tells of the constants of a type that is used: an enumeration is whole. Others
// may be there for the tests of other packages, which count with the same numbers.
func (p *program) listed(object types.Object) bool {
	constant, ok := object.(*types.Const)
	if !ok {
		return false
	}
	if named, ok := constant.Type().(*types.Named); ok && p.used[named.Obj()] {
		return true
	}
	for other := range p.groups[constant] {
		if p.used[other] {
			return true
		}
	}
	return p.tested[object.Pkg().Name()+"."+object.Name()] || coded.MatchString(object.Name())
}

// coded are constants that docs and JSON list: exit codes and codes of findings.
var coded = regexp.MustCompile(`^(Exit|Finding)[A-Z]`)

// isError tells of errors, which callers of another package ask for by errors.Is and As.
func isError(object types.Object) bool {
	return strings.HasPrefix(object.Name(), "Err") || strings.HasSuffix(object.Name(), "Error")
}

// reflected are methods that libraries find by their names.
var reflected = map[string]bool{"String": true, "Error": true, "Unwrap": true, "Is": true,
	"MarshalJSON": true, "UnmarshalJSON": true, "MarshalText": true, "UnmarshalText": true,
	"WrappedRoundTripper": true} // k8s.io/apimachinery/pkg/util/net
