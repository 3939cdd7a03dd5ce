// Package keys is the one list of everything a key can do. Dispatch, hints,
// the help page, docs/keys.md and read-only mode all come from it.
package keys

import (
	"fmt"
	"slices"
	"strings"
)

// Page names where an action is offered.
type Page string

// Action is one thing that a key does. C is what it acts on.
type Action[C any] struct {
	ID    string
	Keys  []string // as Bubble Tea names them: "space", "ctrl+c", "D"
	Title string   // short, for the hint line; "" keeps it out of there
	// TitleNow is the Title where that changes with what is acted on, "" where it
	// keeps it out of the hint line now; nil where it does not change.
	TitleNow func(C) string
	Help     string // one sentence
	Group    string
	Pages    []Page // where it is offered
	// Writes marks what changes the cluster or a run. In read-only mode these
	// are not bound.
	Writes bool
	// Enabled tells whether it can be done now, and if not, why; nil is always.
	Enabled func(C) (ok bool, why string)
	Do      func(C)
}

// Registry is all actions, in the order of help and hints.
type Registry[C any] struct {
	Actions []Action[C]
	byKey   map[Page]map[string]*Action[C]
}

// New makes a registry; two actions on one key of one page are a mistake of
// the program.
func New[C any](actions []Action[C]) (*Registry[C], error) {
	r := &Registry[C]{Actions: actions, byKey: map[Page]map[string]*Action[C]{}}
	for i := range actions {
		a := &actions[i]
		for _, page := range a.Pages {
			if r.byKey[page] == nil {
				r.byKey[page] = map[string]*Action[C]{}
			}
			for _, k := range a.Keys {
				if other := r.byKey[page][k]; other != nil {
					return nil, fmt.Errorf("key %q on page %s: %s and %s", k, page, other.ID, a.ID)
				}
				r.byKey[page][k] = a
			}
		}
	}
	return r, nil
}

// Find is the action of a key on a page, nil if there is none.
func (r *Registry[C]) Find(page Page, key string) *Action[C] { return r.byKey[page][key] }

// On are the actions of a page, in order.
func (r *Registry[C]) On(page Page) []*Action[C] {
	var on []*Action[C]
	for i := range r.Actions {
		if slices.Contains(r.Actions[i].Pages, page) {
			on = append(on, &r.Actions[i])
		}
	}
	return on
}

// Groups are the groups of the registry, in order.
func (r *Registry[C]) Groups() []string {
	var groups []string
	for _, a := range r.Actions {
		if !slices.Contains(groups, a.Group) {
			groups = append(groups, a.Group)
		}
	}
	return groups
}

// Label is how a key is written for people.
func Label(key string) string {
	names := map[string]string{
		"up": "↑", "down": "↓", "pgup": "PgUp", "pgdown": "PgDn", "home": "Home", "end": "End",
	}
	if name, ok := names[key]; ok {
		return name
	}
	return strings.Replace(key, "ctrl+", "Ctrl+", 1)
}

// Labels are the keys of an action, written for people.
func (a *Action[C]) Labels() string {
	labels := make([]string, len(a.Keys))
	for i, k := range a.Keys {
		labels[i] = Label(k)
	}
	return strings.Join(labels, " ")
}

// Markdown is the key reference of the documentation.
func (r *Registry[C]) Markdown() string {
	var b strings.Builder
	b.WriteString("# Keys of the dashboard\n\nGenerated from the key registry by `go test ./ui -run TestKeyReference -update`; do not edit.\n\n")
	b.WriteString("No action sits on h j k l g G except moving. Whatever changes the cluster or a run is a capital letter, and asks first\n" +
		"(marked **!**); `--read-only` leaves those out. Pressing a key that cannot act now says why.\n" +
		"A question that kubectl has a word for shows it; `Ctrl+Y` copies it.\n")
	for _, g := range r.Groups() {
		fmt.Fprintf(&b, "\n## %s\n\n| key | where | what it does |\n| --- | --- | --- |\n", g)
		for i := range r.Actions {
			a := &r.Actions[i]
			if a.Group != g {
				continue
			}
			where := make([]string, len(a.Pages))
			for j, p := range a.Pages {
				where[j] = string(p)
			}
			help := a.Help
			if a.Writes {
				help = "**!** " + help
			}
			keys := make([]string, len(a.Keys))
			for j, k := range a.Keys {
				keys[j] = "`" + strings.ReplaceAll(Label(k), "|", "\\|") + "`"
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", strings.Join(keys, " "), strings.Join(where, ", "), help)
		}
	}
	return b.String()
}
