package themes

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// defaultName is the theme that others inherit from.
const defaultName = "default"

const fileEnding = ".yaml"

//go:embed builtin/*.yaml
var builtinFiles embed.FS

// builtinNames in the order in which they are offered.
var builtinNames = []string{defaultName, "high-contrast", "colour-blind", "deuteranopia", "tritanopia", "mono"}

// nameRule keeps a theme's name inside its folder.
var nameRule = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)

// Theme is a palette. The zero Theme leaves everything as the terminal has it.
type Theme struct {
	name        string
	description string
	light, dark map[Token]Style
}

// Name is the name that the theme was loaded by.
func (t Theme) Name() string { return t.name }

// Description is what its file says of it, "" where that says nothing.
func (t Theme) Description() string { return t.description }

// Style is how a token looks on a dark or on a light terminal.
func (t Theme) Style(token Token, dark bool) Style {
	if dark {
		return t.dark[token]
	}
	return t.light[token]
}

// Load finds a theme by name, "" being the default: a built-in, or the file
// NAME.yaml in dir. A built-in's name belongs to the built-in: with a file of
// that name in dir neither is taken, so that no user looks at a theme other
// than the one they mean.
func Load(name, dir string) (Theme, error) {
	if name == "" {
		name = defaultName
	}
	if !nameRule.MatchString(name) {
		return Theme{}, fmt.Errorf("bad theme name %q: want letters, digits, - and _", name)
	}
	path := filepath.Join(dir, name+fileEnding)
	if slices.Contains(builtinNames, name) {
		if dir != "" && fileExists(path) {
			return Theme{}, fmt.Errorf("%s: %s is the name of a built-in theme, give the file another", path, name)
		}
		return loadBuiltin(name)
	}
	if dir == "" || !fileExists(path) {
		return Theme{}, fmt.Errorf("unknown theme %q: there are %s", name, strings.Join(Names(dir), ", "))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return Theme{}, fmt.Errorf("read theme: %w", err)
	}
	base, err := loadBuiltin(defaultName)
	if err != nil {
		return Theme{}, err
	}
	return parse(name, path, text, base)
}

// Names lists the themes that Load knows: the built-ins, then those of dir by
// name. A folder that is missing or not readable has none.
func Names(dir string) []string {
	names := slices.Clone(builtinNames)
	if dir == "" {
		return names
	}
	entries, err := os.ReadDir(dir) // sorted by name
	if err != nil {
		return names
	}
	for _, entry := range entries {
		name, isTheme := strings.CutSuffix(entry.Name(), fileEnding)
		if isTheme && !entry.IsDir() && nameRule.MatchString(name) && !slices.Contains(builtinNames, name) {
			names = append(names, name)
		}
	}
	return names
}

func loadBuiltin(name string) (Theme, error) {
	path := "builtin/" + name + fileEnding
	text, err := builtinFiles.ReadFile(path)
	if err != nil {
		return Theme{}, fmt.Errorf("read built-in theme: %w", err)
	}
	var base Theme
	if name != defaultName {
		if base, err = loadBuiltin(defaultName); err != nil {
			return Theme{}, err
		}
	}
	return parse(name, path, text, base)
}

// fileExists counts a file that cannot be read as there, so that reading
// it says why.
func fileExists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
