package main

import (
	"path"
	"regexp"
	"strings"
)

// packageOf reads the line that names the package of the results that follow.
func packageOf(line string) (string, bool) {
	name, found := strings.CutPrefix(line, "pkg: ")
	return path.Base(name), found
}

// isChatter tells the frame of go test's output, of no use beside the results.
func isChatter(line string) bool {
	for _, start := range []string{"goos: ", "goarch: ", "cpu: ", "PASS", "ok ", "?   "} {
		if strings.HasPrefix(line, start) {
			return true
		}
	}
	return false
}

var processors = regexp.MustCompile(`-[0-9]+$`)

// resultsOf turns "BenchmarkFrame-2  500  2000 ns/op  16 B/op" into one line per
// value: "ui/Frame 2000 ns/op".
func resultsOf(pkg, line string) []string {
	fields := strings.Fields(line)
	if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
		return nil
	}
	name := pkg + "/" + processors.ReplaceAllString(strings.TrimPrefix(fields[0], "Benchmark"), "")
	var results []string
	for i := 2; i+1 < len(fields); i += 2 {
		results = append(results, name+" "+fields[i]+" "+fields[i+1])
	}
	return results
}
