package live

import (
	"fmt"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
)

// Brief is what the first and the last event of a journal tell of its run or roll.
type Brief struct {
	ID         string
	Roll       bool
	Started    time.Time
	Nodes      []string
	User       string
	Context    string
	ClusterUID string
	Ended      time.Time // zero while it has no end
	Outcome    drain.Outcome
	Live       bool // a process works on it
	RolledBack bool // a rollback has taken back all that it could
	Damaged    bool // it cannot be read; Started is when the file was last written
	Elsewhere  bool // it was on another cluster than the one that it is shown for
}

// Begin takes over what its first event tells.
func (b *Brief) Begin(at time.Time, run *drain.RunFacts) {
	b.Started, b.User, b.Context, b.ClusterUID = at, run.User, run.Context, run.ClusterUID
	for _, n := range run.Nodes {
		b.Nodes = append(b.Nodes, n.Name)
	}
}

// Summary tells a run by its nodes, when it began and how it ended.
func (b Brief) Summary() string {
	nodes := strings.Join(b.Nodes, ", ")
	if len(b.Nodes) > 3 {
		nodes = fmt.Sprintf("%s and %d more", strings.Join(b.Nodes[:2], ", "), len(b.Nodes)-2)
	}
	return fmt.Sprintf("%s, %s, %s", nodes, b.Started.Format("2006-01-02 15:04"), b.State())
}

// State is how it ended, or "live", "not ended", "rolled back" or "damaged".
func (b Brief) State() string {
	switch {
	case b.Damaged:
		return "damaged"
	case b.Live:
		return "live"
	case b.RolledBack:
		return "rolled back"
	case b.Outcome == "":
		return "not ended"
	}
	return string(b.Outcome)
}
