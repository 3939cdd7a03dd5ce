package preferences

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWhatWasChosenIsThereAtTheNextStart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	first := In(dir)
	if first.Theme() != "" || first.Usual("prod") {
		t.Error("something is chosen before the first choice")
	}
	for _, err := range []error{first.KeepTheme("mono"), first.KeepUsual("prod", true), first.KeepUsual("test", true),
		first.KeepUsual("prod", true), first.KeepUsual("test", false)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	next := In(dir)
	if next.Theme() != "mono" || !next.Usual("prod") || next.Usual("test") || next.Usual("") {
		t.Errorf("theme %q, prod %t, test %t", next.Theme(), next.Usual("prod"), next.Usual("test"))
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v: one file is wanted, no rests of others", entries, err)
	}
	if info, err := os.Stat(filepath.Join(dir, entries[0].Name())); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v: only its owner may read it", info.Mode(), err)
	}
}

// A damaged file chooses nothing, and is not written over: it may be somebody's work.
func TestADamagedFileChoosesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "preferences.json")
	if err := os.WriteFile(path, []byte("theme: mono"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := In(dir)
	if s.Theme() != "" || s.Usual("prod") {
		t.Error("a damaged file chooses something")
	}
	if err := s.KeepTheme("mono"); err == nil {
		t.Error("no error")
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "theme: mono" {
		t.Errorf("%q, %v: the file was changed", text, err)
	}
}
