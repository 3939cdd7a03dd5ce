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

// Action is one thing that a key does on a page; its functions close over that page.
type Action struct {
	ID    string
	Keys  []string // as Bubble Tea names them: "space", "ctrl+c", "D"
	Title string   // short, for the hint line; "" keeps it out of there
	// TitleNow is the Title where that changes, "" where it keeps the action out of
	// the hint line now; nil where it does not change.
	TitleNow func() string
	Help     string // one sentence
	Group    string
	Pages    []Page // where it is offered
	// Writes marks what changes the cluster or a run. In read-only mode these
	// are not bound.
	Writes bool
	// Enabled reports whether it can be done now, and if not, why; nil is always.
	Enabled func() (ok bool, why string)
	Do      func()
}

// Registry is all actions, in the order of help and hints.
type Registry struct {
	// Help is each action once, with all the pages that offer it.
	Help   []Action
	onPage map[Page][]*Action
}

// New makes a registry, group by group in the given order. Pages may offer actions of
// the same ID: help has these once, so that they have the same keys and help. Two actions on one key of one
// page, and a group
// that is not among the given ones, are mistakes of the program.
func New(groups []string, actions []Action) (*Registry, error) {
	r := &Registry{onPage: map[Page][]*Action{}}
	for _, a := range actions {
		if !slices.Contains(groups, a.Group) {
			return nil, fmt.Errorf("action %s: there is no group %q", a.ID, a.Group)
		}
	}
	actions = slices.Clone(actions)
	slices.SortStableFunc(actions, func(a, b Action) int {
		return slices.Index(groups, a.Group) - slices.Index(groups, b.Group)
	})
	for i := range actions {
		a := &actions[i]
		for _, page := range a.Pages {
			for _, k := range a.Keys {
				if other := r.Find(page, k); other != nil {
					return nil, fmt.Errorf("key %q on page %s: %s and %s", k, page, other.ID, a.ID)
				}
			}
			r.onPage[page] = append(r.onPage[page], a)
		}
		if at := slices.IndexFunc(r.Help, func(h Action) bool { return h.ID == a.ID }); at >= 0 {
			if one := &r.Help[at]; one.Help != a.Help || !slices.Equal(one.Keys, a.Keys) {
				return nil, fmt.Errorf("action %s: it is two things, %q and %q", a.ID, one.Help, a.Help)
			}
			r.Help[at].Pages = append(slices.Clone(r.Help[at].Pages), a.Pages...)
		} else {
			r.Help = append(r.Help, *a)
		}
	}
	return r, nil
}

// Find is the action of a key on a page, nil if there is none.
func (r *Registry) Find(page Page, key string) *Action {
	for _, a := range r.onPage[page] {
		if slices.Contains(a.Keys, key) {
			return a
		}
	}
	return nil
}

// On are the actions of a page, in order.
func (r *Registry) On(page Page) []*Action { return r.onPage[page] }

// Groups are the groups of the registry, in order.
func (r *Registry) Groups() []string {
	var groups []string
	for _, a := range r.Help {
		if !slices.Contains(groups, a.Group) {
			groups = append(groups, a.Group)
		}
	}
	return groups
}

// Label is how a key is written for people.
func Label(key string) string {
	names := map[string]string{
		"up": "↑", "down": "↓", "left": "←", "right": "→", "pgup": "PgUp", "pgdown": "PgDn", "home": "Home", "end": "End",
	}
	if name, ok := names[key]; ok {
		return name
	}
	return strings.Replace(key, "ctrl+", "Ctrl+", 1)
}

// Labels are the keys of an action, written for people.
func (a *Action) Labels() string {
	labels := make([]string, len(a.Keys))
	for i, k := range a.Keys {
		labels[i] = Label(k)
	}
	return strings.Join(labels, " ")
}

// Markdown is the key reference of the documentation.
func (r *Registry) Markdown() string {
	var b strings.Builder
	b.WriteString("# Keys of the dashboard\n\nGenerated from the key registry by `go test ./ui -run TestKeyReference -update`; do not edit.\n\n")
	b.WriteString("No action sits on h j k l g G except moving. Whatever changes the cluster or a run is a capital letter\n" +
		"(marked **!**), and asks first; only pausing, continuing and retrying act at once. `--read-only` leaves all of them out. Pressing a key that cannot act now says why.\n" +
		"A question with a kubectl equivalent shows the command; `Ctrl+Y` copies it.\n\n" +
		"With `--mouse`, or `mouse: true` among the settings, a click selects a row, or a node of the map, and on the selected\n" +
		"one it is Enter. On the title of a column it sorts by that, and on the one sorted by it turns the order round. The wheel moves\n" +
		"the list or the text. A click never answers a question, and does nothing that is marked **!**: that is left to keys.\n")
	for _, g := range r.Groups() {
		fmt.Fprintf(&b, "\n## %s\n\n| key | where | what it does |\n| --- | --- | --- |\n", g)
		for i := range r.Help {
			a := &r.Help[i]
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
			pages := strings.Join(where, ", ")
			if len(a.Pages) == len(r.onPage) {
				pages = "every page"
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", strings.Join(keys, " "), pages, help)
		}
	}
	return b.String()
}
