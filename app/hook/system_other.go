//go:build !linux && !darwin

package hook

import (
	"errors"

	"github.com/kdrain-tui/kdrain-tui/drain/process"
)

// system is not known: nothing can be said of a command of another process.
func system() (boot, space string) { return "", "" }

func members(int) ([]process.Member, error) {
	return nil, errors.New("this system does not tell which processes a command has")
}
