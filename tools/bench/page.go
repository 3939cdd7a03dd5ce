package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// figureRow is a row of the page that has a figure: what it is, the figure, and the
// result that it comes from, with its unit.
var figureRow = regexp.MustCompile("^(\\|[^|]*\\| )[^|]*( \\| `([^` ]+) ([^` ]+)` \\|)$")

// measuredLine says where and when the figures were measured.
const measuredLine = "Measured at "

// refreshPage writes the results into the page. Each row needs its result, so that no
// figure of an earlier commit stays.
func refreshPage(path, at string, results io.Reader) error {
	figures, err := readResults(results)
	if err != nil {
		return err
	}
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text, err := refreshed(string(page), at, figures)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// readResults are the values by name and unit. Lines that are no results are left out.
func readResults(results io.Reader) (map[string]float64, error) {
	figures := map[string]float64{}
	lines := bufio.NewScanner(results)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) != 3 {
			continue
		}
		if value, err := strconv.ParseFloat(fields[1], 64); err == nil {
			figures[fields[0]+" "+fields[2]] = value
		}
	}
	return figures, lines.Err()
}

func refreshed(page, at string, figures map[string]float64) (string, error) {
	lines := strings.Split(page, "\n")
	var missing []string
	rows, dated := 0, false
	for i, line := range lines {
		if strings.HasPrefix(line, measuredLine) {
			lines[i], dated = measuredLine+at+".", true
			continue
		}
		row := figureRow.FindStringSubmatch(line)
		if row == nil {
			continue
		}
		rows++
		value, measured := figures[row[3]+" "+row[4]]
		if !measured {
			missing = append(missing, row[3]+" "+row[4])
			continue
		}
		lines[i] = row[1] + readable(value, row[4]) + row[2]
	}
	switch {
	case !dated || rows == 0:
		return "", fmt.Errorf("no line that begins with %q, or no rows with results", measuredLine)
	case len(missing) > 0:
		return "", fmt.Errorf("not measured: %s", strings.Join(slices.Compact(missing), ", "))
	}
	return strings.Join(lines, "\n"), nil
}

// readable is a value as somebody reads it who does not know Go's benchmarks.
func readable(value float64, unit string) string {
	switch unit {
	case "ns/op":
		for _, step := range []struct {
			size float64
			name string
		}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}} {
			if value >= step.size {
				return significant(value/step.size) + " " + step.name
			}
		}
		return significant(value) + " ns"
	case "s/sync":
		unit = "s"
	case "peak-MB", "heap-MB":
		unit = "MB"
	case "B/pod":
		unit = "bytes"
	case "requests/pod":
		unit = "per pod"
	case "x":
		unit = "times"
	}
	return significant(value) + " " + unit
}

// significant is the value with three digits, or all that stand before the point.
func significant(value float64) string {
	digits := 2
	for limit := 10.0; digits > 0 && value >= limit; limit *= 10 {
		digits--
	}
	return strconv.FormatFloat(value, 'f', digits, 64)
}
