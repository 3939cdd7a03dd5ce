package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/strictyaml"
)

// Known are the flags that a setting can be the default of, those of a drain apart. Values
// are tried on them: give sets that no command reads.
type Known struct{ General, Drain *pflag.FlagSet }

// DrainKey is the key of the file under which the defaults of a drain are.
const DrainKey = "drain"

// Origin is where a setting comes from.
type Origin string

// The origins of a setting, the stronger first.
const (
	FromFlag        Origin = "flag"
	FromEnvironment Origin = "environment"
	FromFile        Origin = "file"
	FromDefault     Origin = "default"
)

// Setting is a value that the operator has set for every start.
type Setting struct {
	Text  string // as the flag takes it
	From  Origin
	Where string // the variable, or the file with the line
}

// Settings are what the operator has set for every start.
type Settings struct {
	Path  string // of the file
	Found bool   // it is there
	// Unknown are the variables that look like settings and are none.
	Unknown []string

	set map[string]Setting // by the name of the flag
}

// Of is the setting for a flag, if there is one.
func (s *Settings) Of(flag string) (Setting, bool) {
	setting, ok := s.set[flag]
	return setting, ok
}

// Load reads the file, which need not be there, and the environment, which counts before
// the file. The error names every mistake, with file and line or with the variable.
func Load(path string, environ []string, known Known) (*Settings, error) {
	s := &Settings{Path: path, set: map[string]Setting{}}
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("read the configuration: %w", err)
	default:
		s.Found = true
		if err := s.readFile(text, known); err != nil {
			return nil, err
		}
	}
	return s, s.readEnvironment(environ, known)
}

func (s *Settings) readFile(text []byte, known Known) error {
	root, err := strictyaml.Document(s.Path, text)
	if err != nil || root == nil {
		return err
	}
	r := &strictyaml.Reader{Path: s.Path}
	for key, value := range r.Pairs(root, "the configuration") {
		if key.Value == DrainKey {
			for key, value := range r.Pairs(value, DrainKey) {
				s.readSetting(r, key, value, known.Drain, known.General, "which stands beside drain, not in it")
			}
			continue
		}
		s.readSetting(r, key, value, known.General, known.Drain, "which belongs under "+DrainKey)
	}
	return r.Err()
}

// readSetting reads one setting of a set of flags; elsewhere is what to say of one of the
// other set.
func (s *Settings) readSetting(
	r *strictyaml.Reader, key, value *yaml.Node, here, other *pflag.FlagSet, elsewhere string,
) {
	f, misplaced := here.Lookup(key.Value), false
	if f == nil {
		f, misplaced = other.Lookup(key.Value), true
	}
	if f == nil {
		r.Fail(key, "unknown setting %q: %s", key.Value, meant(key.Value, Settable(here)))
		return
	}
	if why := plan.WhyNoDefault(f); why != "" {
		r.Fail(key, "%s cannot be set here: %s", key.Value, why)
		return
	}
	if misplaced {
		r.Fail(key, "%q is a setting, %s", key.Value, elsewhere)
		return
	}
	text, ok := textOf(r, key, value, f)
	if !ok {
		return
	}
	if err := f.Value.Set(text); err != nil {
		r.Fail(value, "%s: %s: %v", key.Value, strictyaml.Describe(value), problem(f, err))
		return
	}
	s.set[f.Name] = Setting{Text: text, From: FromFile, Where: fmt.Sprintf("%s:%d", s.Path, key.Line)}
}

// meant is the setting that was probably meant, else all that there are.
func meant(typed string, settings []string) string {
	if nearest := format.Nearest(strings.ToLower(typed), settings); nearest != "" {
		return "did you mean " + nearest + "?"
	}
	return "there are " + strings.Join(settings, ", ")
}

// textOf is a value as the flag takes it: a list has commas.
func textOf(r *strictyaml.Reader, key, value *yaml.Node, f *pflag.Flag) (string, bool) {
	switch {
	case value.Kind == yaml.ScalarNode && value.Tag != "!!null":
		return value.Value, true
	case value.Kind == yaml.SequenceNode && f.Value.Type() == "stringSlice":
		var texts []string
		for _, item := range value.Content {
			if item.Kind != yaml.ScalarNode || item.Tag == "!!null" || strings.ContainsAny(item.Value, ", ") {
				r.Fail(item, "%s is a list of names, not of %s", key.Value, strictyaml.Describe(item))
				return "", false
			}
			texts = append(texts, item.Value)
		}
		return strings.Join(texts, ","), true
	}
	kind := "one value"
	if f.Value.Type() == "stringSlice" {
		kind = "a list of names"
	}
	r.Fail(value, "%s is %s, not %s", key.Value, kind, strictyaml.Describe(value))
	return "", false
}

// prefix is that of the variables that are settings.
const prefix = "KDRAIN_"

// Variable is the variable of the environment for a flag.
func Variable(flag string) string {
	return prefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// readEnvironment reads the variables. One that is empty is not set.
func (s *Settings) readEnvironment(environ []string, known Known) error {
	var problems []error
	for _, pair := range slices.Sorted(slices.Values(environ)) {
		name, text, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, prefix) || text == "" {
			continue
		}
		f := flagOf(name, known)
		switch {
		case f == nil:
			// A Service of that name, say, has variables with the prefix too.
			typed := strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(name, prefix)), "_", "-")
			settings := slices.Concat(Settable(known.General), Settable(known.Drain))
			if nearest := format.Nearest(typed, settings); nearest != "" {
				problems = append(problems,
					fmt.Errorf("unknown variable %s: did you mean %s?", name, Variable(nearest)))
			}
			s.Unknown = append(s.Unknown, name)
			continue
		case plan.WhyNoDefault(f) != "":
			problems = append(problems,
				fmt.Errorf("%s: --%s cannot be set by a variable: %s", name, f.Name, plan.WhyNoDefault(f)))
			continue
		}
		if err := f.Value.Set(text); err != nil {
			problems = append(problems, fmt.Errorf("%s=%s: %w", name, text, problem(f, err)))
			continue
		}
		s.set[f.Name] = Setting{Text: text, From: FromEnvironment, Where: name}
	}
	return errors.Join(problems...)
}

// problem says of a value that is no number or truth value what it must be.
func problem(f *pflag.Flag, err error) error {
	if syntax := (*strconv.NumError)(nil); !errors.As(err, &syntax) {
		return err
	}
	switch kind := f.Value.Type(); {
	case kind == "bool":
		return errors.New("must be true or false")
	case strings.HasPrefix(kind, "uint"):
		return errors.New("must be a whole number, 0 or more")
	}
	return errors.New("must be a whole number")
}

func flagOf(variable string, known Known) (found *pflag.Flag) {
	for _, set := range []*pflag.FlagSet{known.General, known.Drain} {
		set.VisitAll(func(f *pflag.Flag) {
			if Variable(f.Name) == variable {
				found = f
			}
		})
	}
	return found
}

// Settable are the names of the flags of a set that may have a default of the operator's.
func Settable(set *pflag.FlagSet) (names []string) {
	set.VisitAll(func(f *pflag.Flag) {
		if plan.WhyNoDefault(f) == "" {
			names = append(names, f.Name)
		}
	})
	return names
}

// Matches reports whether a name is meant by one of the patterns, in which * stands for any
// text and ? for one character. Case does not count.
func Matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		return matches([]rune(strings.ToLower(pattern)), []rune(strings.ToLower(name)))
	})
}

func matches(pattern, name []rune) bool {
	switch {
	case len(pattern) == 0:
		return len(name) == 0
	case pattern[0] == '*':
		return matches(pattern[1:], name) || len(name) > 0 && matches(pattern, name[1:])
	}
	return len(name) > 0 && (pattern[0] == '?' || pattern[0] == name[0]) && matches(pattern[1:], name[1:])
}
