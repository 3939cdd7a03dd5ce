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
		field := reflect.ValueOf(&o).Elem().Field(i)
		switch field.Kind() {
		case reflect.Bool:
			field.SetBool(true)
		case reflect.Int:
			field.SetInt(7)
		case reflect.Int64:
			field.SetInt(int64(7 * time.Second))
		case reflect.String:
			field.SetString("seven")
		case reflect.Slice:
			field.Set(reflect.MakeSlice(field.Type(), 2, 2))
			field.Index(0).SetString("x")
		default:
			continue // the parsed selector
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

func TestValidate(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "--guard=1 --guard-write": true, "--guard-write": false,
		"--take-over": true, "--take-over --lease-namespace=": false,
	} {
		o := usual()
		if err := o.Flags().Parse(strings.Fields(text)); err != nil {
			t.Fatal(err)
		}
		if err := o.Validate(); (err == nil) != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}
