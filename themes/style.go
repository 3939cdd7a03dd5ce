package themes

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

// Style is how a token looks. A colour is "" or "default" for the terminal's
// own, one of ColourNames, a number from "0" to "255", or "#rrggbb".
type Style struct {
	Foreground string
	Background string
	Bold       bool
	Dim        bool
	Italic     bool
	Underline  bool
	Reverse    bool
}

// colourNames are the 16 ANSI colours; the index of a name is its number.
var colourNames = []string{
	"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
	"brightBlack", "brightRed", "brightGreen", "brightYellow",
	"brightBlue", "brightMagenta", "brightCyan", "brightWhite",
}

// ColourNames lists the names of the 16 ANSI colours; the index of a name is
// the colour's number.
func ColourNames() []string { return slices.Clone(colourNames) }

var (
	hexColour     = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)
	numericColour = regexp.MustCompile(`^(0|[1-9][0-9]{0,2})$`)
)

// checkColour says what is wrong with a colour, nil where nothing is.
func checkColour(colour string) error {
	switch {
	case colour == "", colour == "default", slices.Contains(colourNames, colour), hexColour.MatchString(colour):
		return nil
	case numericColour.MatchString(colour):
		if number, err := strconv.Atoi(colour); err == nil && number <= 255 {
			return nil
		}
	}
	return fmt.Errorf("bad colour %q: want default, a name such as green or brightGreen, 0 to 255, or #rrggbb in quotes", colour)
}
