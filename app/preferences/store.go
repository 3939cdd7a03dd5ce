package preferences

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// chosen is the content of the file.
type chosen struct {
	Theme string `json:"theme,omitempty"`
	// Usual are the clusters, by the UID of kube-system, on which the usual flags are accepted: a context of the same
	// name may be another cluster tomorrow.
	Usual []string `json:"usualFlagsAcceptedOn,omitempty"`
}

// Store is the file in which choices are kept. A choice that cannot be read is none, so that a damaged file
// keeps no one from a dashboard.
type Store struct {
	path    string
	writing sync.Mutex
}

// In is the store in the folder of the program's state.
func In(dir string) *Store { return &Store{path: filepath.Join(dir, "preferences.json")} }

// Theme is the name of the theme that was chosen last, "" for none.
func (s *Store) Theme() string {
	c, _ := s.read() // see Store
	return c.Theme
}

// Usual reports whether the usual flags are accepted on a cluster.
func (s *Store) Usual(cluster string) bool {
	c, _ := s.read() // see Store
	return slices.Contains(c.Usual, cluster)
}

// Clusters are those on which the usual flags are accepted.
func (s *Store) Clusters() []string {
	c, _ := s.read() // see Store
	return c.Usual
}

// KeepTheme remembers a theme.
func (s *Store) KeepTheme(name string) error {
	return s.change(func(c *chosen) { c.Theme = name })
}

// KeepUsual remembers whether the usual flags are accepted on a cluster.
func (s *Store) KeepUsual(cluster string, accepted bool) error {
	return s.change(func(c *chosen) {
		c.Usual = slices.DeleteFunc(c.Usual, func(other string) bool { return other == cluster })
		if accepted {
			c.Usual = append(c.Usual, cluster)
			slices.Sort(c.Usual)
		}
	})
}

func (s *Store) read() (c chosen, err error) {
	text, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return chosen{}, nil
	}
	if err != nil {
		return chosen{}, err
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return chosen{}, fmt.Errorf("%s: %w", s.path, err)
	}
	return c, nil
}

// change replaces the file as a whole: who reads it meanwhile, reads what was or what is. Of two processes
// that change it at once the later one may undo the choice of the other.
func (s *Store) change(edit func(*chosen)) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	c, err := s.read()
	if err != nil {
		return fmt.Errorf("nothing was remembered: %w", err)
	}
	edit(&c)
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return fmt.Errorf("nothing was remembered: %w", err)
	}
	next, err := os.CreateTemp(filepath.Dir(s.path), ".preferences-*") // 0600
	if err != nil {
		return fmt.Errorf("nothing was remembered: %w", err)
	}
	_, err = next.Write(append(text, '\n'))
	err = errors.Join(err, next.Close())
	if err == nil {
		err = os.Rename(next.Name(), s.path)
	}
	if err != nil {
		return fmt.Errorf("nothing was remembered: %w", errors.Join(err, os.Remove(next.Name())))
	}
	return nil
}
