// Screenshot turns a captured terminal screen into an SVG picture:
//
//	tmux capture-pane -e -p -N -t PANE | screenshot -title kdrain-tui > dashboard.svg
//
// (-e keeps the colours, -N the blanks at the ends of lines.)
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
	screen := parse(string(captured))
	if screen.columns == 0 {
		return fmt.Errorf("nothing on standard input")
	}
	buffered := bufio.NewWriter(out)
	draw(buffered, screen, title, palette)
	return buffered.Flush()
}
