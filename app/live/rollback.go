package live

import (
	"context"

	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
)

// Rollback takes back what one run did. Until Close no other process goes on with the run.
type Rollback interface {
	// Undos are what is to be undone, and what is left as it is.
	Undos() []rollback.Undo
	// Undo undoes one of them, after a look whether that is still what it was.
	Undo(ctx context.Context, u rollback.Undo) error
	// Close gives the run back.
	Close() error
}
