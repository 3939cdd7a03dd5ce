package expect

import (
	"os"
	"path/filepath"
	"testing"
)

func TestReadRefusesUnknownFields(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.yaml")
	for text, fine := range map[string]bool{"scene: demo\n": true, "scene: demo\nbudgets: []\n": false} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(file); (err == nil) != fine {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := Read(file + ".gone"); err == nil {
		t.Error("a file that is not there was read")
	}
}

func TestOfFindsTheEntryOfAPod(t *testing.T) {
	web := &Pods{Namespace: "shop", Owner: "ReplicaSet/web-*", Nodes: map[string]int{"a": 2}}
	bare := &Pods{Namespace: "shop", Pod: "shell", Nodes: map[string]int{"a": 1}}
	everywhere := &Pods{Namespace: "shop", Owner: "DaemonSet/agent", Nodes: map[string]int{"*": 1}}
	s := Scene{Pods: []*Pods{web, bare, everywhere}}
	for _, c := range []struct {
		namespace, name, owner, node string
		want                         *Pods
	}{
		{"shop", "web-7d-x", "ReplicaSet/web-7d", "a", web},
		{"shop", "web-7d-x", "ReplicaSet/web-7d", "b", nil},
		{"other", "web-7d-x", "ReplicaSet/web-7d", "a", nil},
		{"shop", "shell", "", "a", bare},
		{"shop", "other", "", "a", nil},
		{"shop", "agent-x", "DaemonSet/agent", "z", everywhere},
	} {
		got := s.Of(c.namespace, c.name, c.owner, c.node)
		if c.want == nil && len(got) > 0 || c.want != nil && (len(got) != 1 || got[0] != c.want) {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestDifferencesOfFindings(t *testing.T) {
	lost := Finding{Code: "EmptyDirData", Level: "info", Objects: []string{"Pod/shop/web-*"}}
	n := Node{Findings: []Finding{lost}}
	s := Scene{Nodes: []Node{n}}
	named := func(level string, objects ...string) []Finding {
		return []Finding{{Code: "EmptyDirData", Level: level, Objects: objects}}
	}
	for _, c := range []struct {
		what  string
		named []Finding
		want  int
	}{
		{"as expected, and something of which nothing is said", append(named("info", "Pod/shop/web-1", "Pod/shop/web-2"), Finding{Code: "Other", Level: "error"}), 0},
		{"missing", nil, 1},
		{"of another level", named("warning", "Pod/shop/web-1"), 2},
		{"one object too many", named("info", "Pod/shop/web-1", "Pod/shop/api-1"), 2},
		{"without objects", named("info"), 2},
	} {
		if got := s.Differences(n, c.named); len(got) != c.want {
			t.Errorf("%s: %q", c.what, got)
		}
	}
	if got := s.Differences(Node{}, named("info", "Pod/shop/web-1")); len(got) != 1 {
		t.Errorf("on a node where nothing is expected: %q", got)
	}
}
