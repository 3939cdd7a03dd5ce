package process

import (
	"cmp"
	"fmt"
)

// Group is the process group of a command that this program started, as a journal keeps it. The zero value
// of a field is what the system does not tell.
type Group struct {
	ID    int    `json:"id,omitempty"`    // of the group, and of its first process
	Began string `json:"began,omitempty"` // when that first process did, in the system's own count
	Host  string `json:"host,omitempty"`
	Boot  string `json:"boot,omitempty"`  // changes with each boot of the host
	Space string `json:"space,omitempty"` // the PID namespace: another container sees other processes
}

// Member is one process of a group, as the system shows it.
type Member struct {
	ID    int
	Began string
	Ended bool // and its parent has not read how
}

// Life says whether a command still runs.
type Life string

// What can be said of a command. Unknown is not Ended.
const (
	Runs    Life = "runs"
	Ended   Life = "ended"
	Unknown Life = "unknown"
)

// Seen is what can be said of a group, and why nothing can be said where it is Unknown.
type Seen struct {
	Life Life
	Why  string
}

// Judge says whether a group still runs. here is this process: its ID and Began do not count. members
// are the processes that have the ID of the group now; err is why they cannot be read.
func (g Group) Judge(here Group, members func(id int) ([]Member, error)) Seen {
	switch {
	case g.Host != here.Host || g.Host == "":
		return Seen{Unknown, "it was started on host " + cmp.Or(g.Host, "unknown")}
	case g.ID == 0 || g.Began == "" || g.Boot == "":
		return Seen{Unknown, "this system does not tell which processes a command has"}
	case g.Boot != here.Boot:
		return Seen{Life: Ended}
	case g.Space != here.Space:
		return Seen{Unknown, "it was started in another container"}
	}
	all, err := members(g.ID)
	if err != nil {
		return Seen{Unknown, "the processes cannot be read: " + err.Error()}
	}
	life := Ended
	for _, m := range all {
		switch {
		case m.ID == g.ID && m.Began != g.Began:
			return Seen{Life: Ended} // an id is given again only after all of its group have ended
		case !m.Ended:
			life = Runs
		}
	}
	return Seen{Life: life}
}

// String names the group for a person.
func (g Group) String() string { return fmt.Sprintf("process group %d on host %s", g.ID, g.Host) }

// End is the command line that ends the group.
func (g Group) End() string { return fmt.Sprintf("kill -- -%d", g.ID) }
