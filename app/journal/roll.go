package journal

import (
	"path/filepath"

	"github.com/kdrain-tui/kdrain-tui/drain/roll"
)

// rollEnding is that of the journal of a roll.
const rollEnding = ".roll"

// RollPath is where the journal of a roll lies below the state directory: beside those of its runs.
func RollPath(dir, id string) string { return filepath.Join(folder(dir), id+rollEnding) }

// Rolls are the ids of all rolls that have a journal below the state directory.
func Rolls(dir string) (ids []string) {
	ids, _ = Names(dir, rollEnding)
	return ids
}

// CreateRoll is CreateJournal for a roll.
func CreateRoll(dir, id string) (*Of[roll.Event], error) {
	return create[roll.Event](RollPath(dir, id), rollSchema, id)
}

// OpenRoll is OpenJournal for a roll.
func OpenRoll(path string) (*Of[roll.Event], []roll.Event, error) {
	return open[roll.Event](path, rollSchema)
}

// ReadRoll is ReadJournal for a roll.
func ReadRoll(path string) (events []roll.Event, torn bool, err error) {
	return read[roll.Event](path, rollSchema)
}
