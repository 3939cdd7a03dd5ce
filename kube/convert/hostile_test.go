package convert

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/kube/hostile"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// texts visits every string in a value, by its path.
func texts(path string, v reflect.Value, visit func(path, text string)) {
	switch v.Kind() {
	case reflect.String:
		visit(path, v.String())
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			texts(path, v.Elem(), visit)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			texts(path+"[]", v.Index(i), visit)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			texts(path+".key", key, visit)
			texts(path+".value", v.MapIndex(key), visit)
		}
	case reflect.Struct:
		if v.Type().PkgPath() == "time" {
			return
		}
		for i := range v.NumField() {
			texts(path+"."+v.Type().Field(i).Name, v.Field(i), visit)
		}
	}
}

func checkRecords(t *testing.T, seed uint64) {
	notes := append([]string{kube.ByAnnotation, kube.ReasonAnnotation}, kube.KeptAnnotations...)
	for _, object := range hostile.Objects(rand.New(rand.NewPCG(seed, 1)), notes) {
		record, err := Record(object)
		if err != nil {
			t.Fatal(err)
		}
		texts(fmt.Sprintf("%T", record), reflect.ValueOf(record), func(path, text string) {
			if i := strings.IndexFunc(text, kube.Unsafe); i >= 0 {
				t.Errorf("seed %d: %s of %T holds %q", seed, path, object, text)
			}
		})
	}
}

// TestRecordsAreClean sends escape sequences through every field of every kind
// that the store keeps.
func TestRecordsAreClean(t *testing.T) {
	for seed := range uint64(60) {
		checkRecords(t, seed)
	}
}

func FuzzRecordsAreClean(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRecords)
}

// A name that is made visible is never that of an object: validation knows no
// such character. So a pod that names a claim with a control sequence in it does
// not come to have the claim that is left without it.
func TestVisibleNamesMeetNoOther(t *testing.T) {
	if got := kube.Visible("data\x1b[m\u202e"); got != "data\ufffd[m\ufffd" {
		t.Errorf("%q", got)
	}
	if got := kube.Visible("kubernetes.io/csi/x^" + "a\x1b["); got != kube.Visible("kubernetes.io/csi/x^")+kube.Visible("a\x1b[") {
		t.Errorf("%q: parts of a name are not what the whole is", got)
	}
	for _, same := range []string{"", "data-0", "üñí 漢字 🙂"} {
		if kube.Visible(same) != same {
			t.Errorf("%q was changed", same)
		}
	}
}
