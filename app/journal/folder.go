package journal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// folder is where journals, and the sockets beside them, are below the state directory.
func folder(dir string) string { return filepath.Join(dir, "runs") }

// Names are the names of the files in the folder of journals that have an ending, without
// it, in order. They are read, not matched: the path of the folder may hold any character.
func Names(dir, ending string) ([]string, error) {
	entries, err := os.ReadDir(folder(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ending); ok && !e.IsDir() {
			names = append(names, name)
		}
	}
	return names, err
}

// Runs are the ids of all runs that have a journal below the state directory.
func Runs(dir string) ([]string, error) { return Names(dir, runEnding) }
