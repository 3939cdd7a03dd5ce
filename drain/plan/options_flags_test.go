package plan

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// usual are the options that no flag changes.
func usual() Options {
	o := DefaultOptions()
	o.LeaseNamespace = kube.DefaultLeaseNamespace
	return o
}

// jsonOf are the options' JSON by name.
func jsonOf(t *testing.T, o Options) map[string]string {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		t.Fatal(err)
	}
	fields := map[string]string{}
	for name, value := range raw {
		fields[name] = string(value)
	}
	return fields
}

// Each field has a flag with a help line, a JSON name, and its place in a command
// line.
func TestEveryOptionIsDeclared(t *testing.T) {
	base := usual()
	fields, seen := reflect.TypeFor[Options](), map[string]bool{}
	for i := range fields.NumField() {
		o, name := usual(), fields.Field(i).Name
		if !switchOn(&o, i) {
			continue // a parsed form
		}
		var changed []string
		o.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Value.String() != f.DefValue {
				changed = append(changed, f.Name)
			}
		})
		if len(changed) != 1 || seen[changed[0]] {
			t.Errorf("%s has the flags %v, want one of its own", name, changed)
			continue
		}
		seen[changed[0]] = true
		if words := o.FlagWords(nil); len(words) != 1 || !strings.HasPrefix(words[0], "--"+changed[0]) {
			t.Errorf("%s is %v on a command line", name, words)
		}
		was, is := jsonOf(t, base), jsonOf(t, o)
		differ := 0
		for key, value := range is {
			if was[key] != value {
				differ++
			}
		}
		if differ != 1 {
			t.Errorf("%s has %d names in JSON", name, differ)
		}
	}
	base.Flags().VisitAll(func(f *pflag.Flag) {
		if !seen[f.Name] || GroupOf(f) == "" {
			t.Errorf("--%s has no field or no group", f.Name)
		}
		if strings.HasSuffix(f.Usage, ".") || f.Usage == "" || strings.ToLower(f.Usage[:1]) != f.Usage[:1] {
			t.Errorf("--%s: %q: want a clause that begins small and has no full stop", f.Name, f.Usage)
		}
	})
}

// pflag writes defaults into what it binds: the options keep what they had.
func TestAddFlagsKeepsTheValues(t *testing.T) {
	o := usual()
	o.Force, o.Timeout, o.Honor, o.MaxParallelNodes = true, time.Minute, honorable[:1], 0
	want := o
	fs := o.Flags()
	if !reflect.DeepEqual(o, want) {
		t.Errorf("%+v, want %+v", o, want)
	}
	if err := fs.Set("force", "false"); err != nil || o.Force {
		t.Errorf("force is %v, %v", o.Force, err)
	}
}

// What the command line says comes back from the options' words.
func TestFlagsReadWhatIsPrinted(t *testing.T) {
	given := []string{"--force", "--grace-period=5", "--timeout=1m30s", "--pod-selector=app=web", "--skip-wait-for-delete-timeout=7",
		"--dry-run=server", "--max-parallel-nodes=3", "--order=tiers", "--honor=cluster-api,karpenter", "--exclude-pod=shop/a,shop/b.c", "--evict-daemonsets=app=csi", "--guard=25%", "--guard-write",
		"--lease-namespace=leases", "--take-over=aaaaaa,bbbbbb"}
	o := usual()
	if err := o.Flags().Parse(given); err != nil {
		t.Fatal(err)
	}
	if words := o.FlagWords(nil); !reflect.DeepEqual(words, given) {
		t.Errorf("got  %q\nwant %q", words, given)
	}
}

func TestListsAddAndReplace(t *testing.T) {
	o := usual()
	o.Honor = honorable[2:]
	fs := o.Flags()
	_ = fs.Set("honor", "cluster-api")
	_ = fs.Set("honor", "karpenter")
	if len(o.Honor) != 2 || o.Honor[0] != HonorClusterAPI || o.Honor[1] != HonorKarpenter {
		t.Errorf("given twice: %v", o.Honor)
	}
	if err := fs.Lookup("honor").Value.(pflag.SliceValue).Replace([]string{"cluster-autoscaler"}); err != nil || len(o.Honor) != 1 {
		t.Errorf("replaced: %v, %v", o.Honor, err)
	}
}

func TestFlagsRefuse(t *testing.T) {
	for _, c := range []struct{ flag, text string }{
		{"order", "random"}, {"honor", "me"}, {"guard", "0"}, {"guard", "101%"}, {"dry-run", ""}, {"dry-run", "sever"},
		{"timeout", "-1s"}, {"timeout", "soon"}, {"max-parallel-nodes", "0"}, {"max-evict-retries", "-1"}, {"grace-period", "x"},
		{"pod-selector", "a=("}, {"evict-daemonsets", "a=("}, {"lease-namespace", "kube-node-lease"}, {"lease-namespace", "a b"},
		{"exclude-pod", "a"}, {"exclude-pod", "shop/"}, {"exclude-pod", "/a"}, {"exclude-pod", "shop/a/b"}, {"exclude-pod", "shop/a,Shop/b"},
	} {
		o := usual()
		if err := o.Flags().Set(c.flag, c.text); err == nil {
			t.Errorf("--%s takes %q", c.flag, c.text)
		}
		if !reflect.DeepEqual(o, usual()) {
			t.Errorf("--%s=%s changed the options", c.flag, c.text)
		}
	}
}

// Any two options work together but for the pairs of the table, each of which has its reason, and its help on
// the flags that it is about.
func TestPairsOfOptions(t *testing.T) {
	fields := reflect.TypeFor[Options]()
	flagOf := func(o Options, base *pflag.FlagSet) (flag string) {
		o.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Value.String() != base.Lookup(f.Name).Value.String() {
				flag = f.Name
			}
		})
		return flag
	}
	base := usual()
	flags, refused := base.Flags(), map[pair]bool{}
	for i := range fields.NumField() {
		for k := range i {
			one, other, both := usual(), usual(), usual()
			if !switchOn(&one, i) || !switchOn(&other, k) || !switchOn(&both, i) || !switchOn(&both, k) {
				continue
			}
			a, b, known := flagOf(one, flags), flagOf(other, flags), false
			for _, p := range pairs {
				switch {
				case p.apart && (p.flag == a && p.other == b || p.flag == b && p.other == a):
					known, refused[p] = true, true
				case !p.apart && (p.flag == a && p.other != b || p.flag == b && p.other != a) && p.other != "lease-namespace":
					known = true
				}
			}
			if err := both.Validate(); (err != nil) != known {
				t.Errorf("--%s with --%s: %v", a, b, err)
			}
		}
	}
	for _, p := range pairs {
		if usage := flags.Lookup(p.flag).Usage; p.why == "" || !strings.Contains(usage, "--"+p.other) || p.apart && !refused[p] ||
			p.apart && !strings.Contains(flags.Lookup(p.other).Usage, "--"+p.flag) {
			t.Errorf("%+v: %q", p, usage)
		}
	}
	base.LeaseNamespace, base.TakeOver = "", []string{TakeOverAny}
	if base.Validate() == nil {
		t.Error("--take-over is valid without Leases")
	}
}

// switchOn sets a field to a value that does something, false where it is no option.
func switchOn(o *Options, field int) bool {
	switch f := reflect.ValueOf(o).Elem().Field(field); {
	case !f.CanSet():
		return false
	case f.Kind() == reflect.Bool:
		f.SetBool(true)
	case f.Kind() == reflect.Int:
		f.SetInt(7)
	case f.Kind() == reflect.Int64:
		f.SetInt(int64(7 * time.Second))
	case f.Kind() == reflect.String:
		f.SetString("seven")
	case f.Kind() == reflect.Slice:
		f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		f.Index(0).SetString("x")
	default:
		return false
	}
	return true
}

// The id of a roll means the runs of its batches too; the id of a batch means only itself.
func TestTakesOver(t *testing.T) {
	for _, c := range []struct {
		given, holder string
		want          bool
	}{
		{"abc234", "abc234", true},
		{"abc234", "abc234-2", true},
		{"abc234-2", "abc234", false},
		{"abc234", "abc2345", false},
		{TakeOverAny, "xyz567", true},
	} {
		if got := (&Options{TakeOver: []string{c.given}}).TakesOver(c.holder); got != c.want {
			t.Errorf("--take-over=%s and a Lease of %s: %v", c.given, c.holder, got)
		}
	}
}
