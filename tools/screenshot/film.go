package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// frame is a screen and how long it is shown.
type frame struct {
	screen screen
	shown  time.Duration
}

// parseFrames reads one screen, or several that begin with a form feed each. What does
// not differ from the screen before it is that screen for longer.
func parseFrames(captured string) ([]frame, error) {
	first, rest, several := strings.Cut(captured, "\f")
	if several && first != "" {
		return nil, errors.New("there is text before the first form feed")
	}
	if !several {
		rest = "0\n" + first
	}
	var frames []frame
	before := ""
	for _, part := range strings.Split(rest, "\f") {
		head, text, _ := strings.Cut(part, "\n")
		milliseconds, err := strconv.Atoi(head)
		if err != nil || several && milliseconds <= 0 {
			return nil, fmt.Errorf("frame %d: %q is no number of milliseconds", len(frames)+1, head)
		}
		shown := time.Duration(milliseconds) * time.Millisecond
		if len(frames) > 0 && text == before {
			frames[len(frames)-1].shown += shown
			continue
		}
		before = text
		frames = append(frames, frame{parse(text), shown})
	}
	if !slices.ContainsFunc(frames, func(f frame) bool { return f.screen.columns > 0 }) {
		return nil, errors.New("nothing on standard input")
	}
	return frames, nil
}

// drawFilm draws the frames side by side, each line of text that several have only once,
// and lets the strip jump from one to the next. Who asked for less motion sees the last.
func drawFilm(out io.Writer, frames []frame, width float64, p palette) {
	var rows []string
	number := map[string]int{}
	var strip strings.Builder
	for i, f := range frames {
		fmt.Fprintf(&strip, `<g transform="translate(%.0f)">`, float64(i)*width)
		for line, cells := range f.screen.lines {
			row := drawRow(cells, p)
			if row == "" {
				continue
			}
			n, known := number[row]
			if !known {
				n = len(rows)
				number[row] = n
				rows = append(rows, row)
			}
			fmt.Fprintf(&strip, `<use href="#r%d" y="%.0f"/>`, n, float64(line)*cellHeight)
		}
		strip.WriteString("</g>\n")
	}
	if len(frames) > 1 {
		fmt.Fprintf(out, "<style>%s</style>\n", animation(frames, width))
	}
	fmt.Fprint(out, "<defs>\n")
	for n, row := range rows {
		fmt.Fprintf(out, "<g id=\"r%d\">%s</g>\n", n, row)
	}
	fmt.Fprintf(out, "</defs>\n<g class=\"film\">\n%s</g>\n", strip.String())
}

// animation moves the strip by a frame when the time of the one before is over.
func animation(frames []frame, width float64) string {
	var whole, now time.Duration
	for _, f := range frames {
		whole += f.shown
	}
	var steps strings.Builder
	for i, f := range frames {
		fmt.Fprintf(&steps, "%.3f%%{transform:translateX(%.0fpx)}", 100*now.Seconds()/whole.Seconds(),
			float64(-i)*width)
		now += f.shown
	}
	return fmt.Sprintf("@keyframes film{%s}.film{animation:film %.1fs step-end infinite}"+
		"@media(prefers-reduced-motion:reduce){.film{animation:none;transform:translateX(%.0fpx)}}",
		steps.String(), whole.Seconds(), float64(1-len(frames))*width)
}
