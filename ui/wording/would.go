package wording

import (
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// Assumed says that a preview is made as if the usual flags were accepted, and which key accepts them.
func Assumed() paint.Line {
	return paint.L(themes.Warning, "Assumed: --ignore-daemonsets --delete-emptydir-data. ").Add(themes.Key, "a").
		Add(themes.Warning, " accepts them.")
}
