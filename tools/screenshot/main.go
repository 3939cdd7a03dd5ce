// Screenshot turns captured terminal screens into an SVG: one into a picture, several
// into an animation.
//
//	tmux capture-pane -e -p -N -t PANE | screenshot -title kdrain-tui > dashboard.svg
//
// (-e keeps the colours, -N the blanks at the ends of lines.) Where there are several,
// each begins with a line of its own: a form feed and how many milliseconds it is shown.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	title := flag.String("title", "kdrain-tui", "title of the window, and what a screen reader says")
	light := flag.Bool("light", false, "a light terminal")
	flag.Parse()
	palette := darkPalette
	if *light {
		palette = lightPalette
	}
	if err := run(os.Stdin, os.Stdout, *title, palette); err != nil {
		fmt.Fprintln(os.Stderr, "screenshot:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer, title string, palette palette) error {
	captured, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	frames, err := parseFrames(string(captured))
	if err != nil {
		return err
	}
	buffered := bufio.NewWriter(out)
	draw(buffered, frames, title, palette)
	return buffered.Flush()
}
