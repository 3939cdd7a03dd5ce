package journal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A path that a pattern would read otherwise hides no journal.
func TestNamesInAnyFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "st[x]")
	if ids, err := Runs(dir); ids != nil || err != nil {
		t.Errorf("no folder: %q %v", ids, err)
	}
	for _, id := range []string{"b", "a"} {
		j, err := CreateRoll(dir, id)
		if err != nil {
			t.Fatal(err)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(JournalPath(dir, "r"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(RollPath(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	runs, err := Runs(dir)
	if rolls := Rolls(dir); !slices.Equal(rolls, []string{"a", "b"}) || !slices.Equal(runs, []string{"r"}) || err != nil {
		t.Errorf("rolls %q, runs %q, %v", rolls, runs, err)
	}
}

// A journal is removed as soon as no process works on it, on every system.
func TestRemove(t *testing.T) {
	dir := t.TempDir()
	j, err := CreateJournal(dir, "r")
	if err != nil {
		t.Fatal(err)
	}
	if err := Remove(j.Path()); !errors.Is(err, ErrRunLives) {
		t.Errorf("of a live run: %v", err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Remove(j.Path()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(j.Path()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}

// The name of a new journal is synced too: in a folder that cannot be opened no run begins.
func TestTheFolderIsSynced(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("every folder can be opened")
	}
	dir := t.TempDir()
	if err := os.Mkdir(folder(dir), 0o300); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(folder(dir), 0o700) }) // else it cannot be removed
	if _, err := CreateJournal(dir, "r"); err == nil || !strings.Contains(err.Error(), "write journal") {
		t.Error(err)
	}
}
