//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// entry is what the tests read of a line of a journal.
type entry struct {
	Seq         int
	Kind        string
	Node        string
	Namespace   string
	Pod         string
	UID         string
	PodState    string
	NodeState   string
	RemedyState string
	Control     string
	By          string
	Outcome     string
	Action      *struct {
		ID   uint64
		Verb string
	}
	Remedy *struct{ Kind, Name, UID string }
}

// isEviction tells of a request that would end a pod's stay, about to be sent.
func (e entry) isEviction() bool {
	return e.Kind == "Intent" && e.Action != nil && (e.Action.Verb == "evict" || e.Action.Verb == "delete")
}

// diary is the journal of one run of an operator, read again at each look.
type diary struct {
	t    *testing.T
	path string
}

var runOnScreen = regexp.MustCompile(`(?m)^ (?:[^│]* )?Run (\w+)  `)

// diaryOf is the journal of the run that the screen shows.
func (o *operator) diaryOf(term *terminal) diary {
	o.t.Helper()
	s := term.until(patience, "a page with a run", func(s screen) bool { return runOnScreen.MatchString(s.String()) })
	id := runOnScreen.FindStringSubmatch(s.String())[1]
	for _, path := range o.journals() {
		if strings.Contains(path, id) {
			return diary{o.t, path}
		}
	}
	o.t.Fatalf("there is no journal of run %s among %v", id, o.journals())
	return diary{}
}

// entries are all lines that are whole by now.
func (d diary) entries() []entry {
	d.t.Helper()
	text, err := os.ReadFile(d.path)
	if err != nil {
		d.t.Fatal(err)
	}
	var all []entry
	for line := range strings.Lines(string(text)) {
		if !strings.HasSuffix(line, "\n") {
			break // it is being written
		}
		var e entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			d.t.Fatalf("%s: %v: %s", d.path, err, line)
		}
		all = append(all, e)
	}
	return all
}

// wait waits for an entry after another one, and returns it.
func (d diary) wait(after entry, what string, holds func(entry) bool) entry {
	d.t.Helper()
	var found entry
	eventually(d.t, patience, "the journal tells of "+what, func() bool {
		all := d.entries()
		at := slices.IndexFunc(all, func(e entry) bool { return e.Seq > after.Seq && holds(e) })
		if at >= 0 {
			found = all[at]
		}
		return at >= 0
	})
	return found
}

// control waits until the run took a control after that entry.
func (d diary) control(after entry, kind, uid string) entry {
	d.t.Helper()
	return d.wait(after, "control "+kind, func(e entry) bool {
		return e.Kind == "Control" && e.Control == kind && e.UID == uid && e.By == "ada"
	})
}

// answered waits until every request that the journal tells of has its answer there.
func (d diary) answered() {
	d.t.Helper()
	eventually(d.t, patience, "every request is answered", func() bool {
		out := map[uint64]bool{}
		for _, e := range d.entries() {
			switch e.Kind {
			case "Intent":
				out[e.Action.ID] = true
			case "Answer":
				delete(out, e.Action.ID)
			}
		}
		return len(out) == 0
	})
}

// last is the newest entry.
func (d diary) last() entry {
	d.t.Helper()
	all := d.entries()
	if len(all) == 0 {
		return entry{}
	}
	return all[len(all)-1]
}

// evictionsAfter are the requests against pods since that entry.
func (d diary) evictionsAfter(after entry) []entry {
	d.t.Helper()
	return slices.DeleteFunc(d.entries(), func(e entry) bool { return e.Seq <= after.Seq || !e.isEviction() })
}
