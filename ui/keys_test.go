package ui

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

func TestKeyRegistry(t *testing.T) {
	registry := drive(t, company(), 80, 24).m.keys // two actions on one key of a page fail
	ids := map[string]bool{}
	for _, a := range registry.Help {
		if ids[a.ID] {
			t.Errorf("two actions are called %s", a.ID)
		}
		ids[a.ID] = true
		if a.Help == "" || a.Group == "" || len(a.Pages) == 0 || a.Do == nil {
			t.Errorf("%s is not complete", a.ID)
		}
		for _, k := range a.Keys {
			if slices.Contains([]string{"h", "j", "k", "l", "g", "G"}, k) && a.Group != "Moving" {
				t.Errorf("%s is on %s, which only moves", a.ID, k)
			}
			if k == " " {
				t.Errorf("%s is on a blank: the key is called space", a.ID)
			}
			if a.Writes && (len(k) != 1 || strings.ToUpper(k) != k || strings.ToLower(k) == k) {
				t.Errorf("%s writes and is on %s, no capital letter", a.ID, k)
			}
		}
	}
}

func TestKeyReference(t *testing.T) {
	registry := drive(t, company(), 80, 24).m.keys
	path := filepath.Join("..", "docs", "keys.md")
	if *update {
		if err := os.WriteFile(path, []byte(registry.Markdown()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != registry.Markdown() {
		t.Error("docs/keys.md is not what the registry says: go test ./ui -run TestKeyReference -update")
	}
}

func TestSpaceMarks(t *testing.T) {
	d := drive(t, company(), 100, 30)
	d.keys("space")
	if !slices.Contains(d.marked(), "control-1") {
		t.Fatal("space does not mark")
	}
}

// Who has read enough of the keys is shown the way back, and ? is one too.
func TestKeysPageShowsTheWayBack(t *testing.T) {
	d := drive(t, company(), 80, 24)
	d.keys("?")
	d.shows("esc back", "or of the", "selected one; changes nothing")
	d.keys("?")
	if d.m.path.page != frame.Nodes {
		t.Errorf("on %s", d.m.path.page)
	}
}
