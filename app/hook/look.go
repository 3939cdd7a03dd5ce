package hook

import (
	"os"

	"github.com/kdrain-tui/kdrain-tui/drain/process"
)

// Look says whether a command that a process of this program started still runs.
func Look(g process.Group) process.Seen { return g.Judge(here(), members) }

// here is where this process runs.
func here() process.Group {
	g := process.Group{}
	g.Host, _ = os.Hostname() // unknown then, as is all else
	g.Boot, g.Space = system()
	return g
}

// groupOf is the group of a command that was just started and leads it.
func groupOf(id int) process.Group {
	g := here()
	all, err := members(id)
	if err != nil {
		return g
	}
	for _, m := range all {
		if m.ID == id {
			g.ID, g.Began = id, m.Began
		}
	}
	return g
}
