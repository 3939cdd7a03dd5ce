package frame

import (
	"context"

	"github.com/kdrain-tui/kdrain-tui/app/live"
)

// Runs are the runs and rolls of this machine. All of it may wait, as a Cluster.
type Runs interface {
	// All are all of them, newest first.
	All() ([]live.Brief, error)
	// Show is a run or a roll, one of both: watched where another process works on it, else
	// at its end.
	Show(b live.Brief) (live.Run, live.Roll, error)
	// Report is what became of it, as markdown.
	Report(b live.Brief) (string, error)
	// Resume goes on with it in this process.
	Resume(ctx context.Context, b live.Brief) (live.Run, live.Roll, error)
	// Rollback plans to take back what a run did.
	Rollback(ctx context.Context, b live.Brief) (live.Rollback, error)
}
