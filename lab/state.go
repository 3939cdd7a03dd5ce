package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Lab is what DIR/lab.json says of a lab: enough to stop it, to start a part of
// it again, and to recognise its processes.
type Lab struct {
	dir string // where it was read from; not part of the file

	Bin        string      `json:"bin"`
	Pace       string      `json:"pace"`
	Audit      bool        `json:"audit"`
	Ports      Ports       `json:"ports"`
	Scene      string      `json:"scene,omitempty"`
	Settled    bool        `json:"settled,omitempty"`
	Components []Component `json:"components"`
	Nodes      []Component `json:"nodes,omitempty"`  // the first processes of real nodes
	Layers     []string    `json:"layers,omitempty"` // of their file systems, the uppermost first
}

// Component is one process of a lab.
type Component struct {
	Name    string   `json:"name"`
	Args    []string `json:"args"`
	PID     int      `json:"pid,omitempty"`
	Started string   `json:"started,omitempty"` // tells our process from a later one with the same id
}

func (l *Lab) path(names ...string) string {
	return filepath.Join(append([]string{l.dir}, names...)...)
}

func (l *Lab) kubeconfig() string { return l.path("kubeconfig") }

func (l *Lab) component(name string) (*Component, error) {
	for i := range l.Components {
		if l.Components[i].Name == name {
			return &l.Components[i], nil
		}
	}
	return nil, usageError{fmt.Sprintf("no component %q", name)}
}

// save replaces the file in one step: a reader never sees half of it.
func (l *Lab) save() error {
	data, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the state of the lab: %w", err)
	}
	aside := l.path("lab.json.new")
	if err := os.WriteFile(aside, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("write the state of the lab: %w", err)
	}
	if err := os.Rename(aside, l.path("lab.json")); err != nil {
		return fmt.Errorf("write the state of the lab: %w", err)
	}
	return nil
}

// readLab returns fs.ErrNotExist, wrapped, where no lab was started.
func readLab(dir string) (*Lab, error) {
	data, err := os.ReadFile(filepath.Join(dir, "lab.json"))
	if err != nil {
		return nil, fmt.Errorf("read the state of the lab: %w", err)
	}
	lab := &Lab{dir: dir}
	if err := json.Unmarshal(data, lab); err != nil {
		return nil, fmt.Errorf("read the state of the lab in %s: %w", dir, err)
	}
	return lab, nil
}

// runningLab is readLab for commands that make no sense without one.
func runningLab(dir string) (*Lab, error) {
	lab, err := readLab(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no lab in %s; start one with: lab up --dir %s", dir, dir)
	}
	return lab, err
}

func status(dir string, out io.Writer) error {
	lab, err := runningLab(dir)
	if err != nil {
		return err
	}
	scene := lab.Scene
	switch {
	case scene == "":
		scene = "none"
	case !lab.Settled:
		scene += " (not settled)"
	}
	fmt.Fprintf(out, "lab in %s: pace %s, scene %s\n", dir, lab.Pace, scene)
	for _, c := range slices.Concat(lab.Components, lab.Nodes) {
		fmt.Fprintf(out, "%-24s %-8s pid %d\n", c.Name, c.condition(), c.PID)
	}
	return nil
}
