package main

import (
	"os"
	"strings"
	"testing"
)

const somePage = "# P\n\nMeasured at 0000.\n\n| what | figure | result |\n| --- | --- | --- |\n" +
	"| a frame | - | `ui/Frame ns/op` |\n| faster | 1.0 times | `drain/ten-nodes/ratio x` |\n"

func TestRefreshed(t *testing.T) {
	figures, err := readResults(strings.NewReader("ui/Frame 531234.5 ns/op\nbar drain/ten-nodes/ratio ok\ndrain/ten-nodes/ratio 5.97 x\nui/Frame 3 allocs/op\n"))
	if err != nil || len(figures) != 3 {
		t.Fatalf("%v, %v", figures, err)
	}
	got, err := refreshed(somePage, "c0ffee, 2 cores", figures)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"Measured at c0ffee, 2 cores.\n", "| a frame | 531 µs | `ui/Frame ns/op` |\n", "| faster | 5.97 times | `drain/ten-nodes/ratio x` |\n", "| --- | --- | --- |\n"} {
		if !strings.Contains(got, line) {
			t.Errorf("no %q in\n%s", line, got)
		}
	}
	delete(figures, "ui/Frame ns/op")
	if _, err := refreshed(somePage, "", figures); err == nil || !strings.Contains(err.Error(), "not measured: ui/Frame ns/op") {
		t.Errorf("a result is missing: %v", err)
	}
	if _, err := refreshed("# P\n", "", figures); err == nil {
		t.Error("a page without figures was refreshed")
	}
}

func TestReadable(t *testing.T) {
	for _, test := range []struct {
		value float64
		unit  string
		want  string
	}{
		{950, "ns/op", "950 ns"}, {12_345, "ns/op", "12.3 µs"}, {2.5e6, "ns/op", "2.50 ms"}, {11.5e9, "ns/op", "11.5 s"},
		{209.4, "peak-MB", "209 MB"}, {1.003, "requests/pod", "1.00 per pod"}, {3.1, "x", "3.10 times"}, {0.61, "s", "0.61 s"}, {1234.6, "B/pod", "1235 bytes"},
	} {
		if got := readable(test.value, test.unit); got != test.want {
			t.Errorf("%v %s: got %s, want %s", test.value, test.unit, got, test.want)
		}
	}
}

// The rows of the page are such that they can be refreshed.
func TestPerformancePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/performance.md")
	if err != nil {
		t.Fatal(err)
	}
	figures, rows := map[string]float64{}, 0
	for line := range strings.Lines(string(page)) {
		if row := figureRow.FindStringSubmatch(strings.TrimSuffix(line, "\n")); row != nil {
			figures[row[3]+" "+row[4]] = 1
		}
		if strings.HasPrefix(line, "| ") && strings.HasSuffix(line, "` |\n") {
			rows++
		}
	}
	if _, err := refreshed(string(page), "here", figures); err != nil || len(figures) != rows {
		t.Errorf("%d of %d rows can be refreshed: %v", len(figures), rows, err)
	}
}
