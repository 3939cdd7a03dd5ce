package hook

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func run(t *testing.T, ctx context.Context, c Command) (lines []string, code int, err error) {
	t.Helper()
	c.Tell = func(batch []string) { lines = append(lines, batch...) }
	code, err = Run(ctx, c)
	return lines, code, err
}

func TestLongLines(t *testing.T) {
	var lines []string
	s := &splitter{send: func(batch []string) { lines = append(lines, batch...) }}
	for range 3 * mostOfLine {
		if _, err := s.Write([]byte("xä")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Write([]byte("\nshort\n")); err != nil {
		t.Fatal(err)
	}
	s.end()
	if len(lines) != 2 || !strings.HasSuffix(lines[0], "ä…") && !strings.HasSuffix(lines[0], "x…") || !utf8.ValidString(lines[0]) ||
		strings.ContainsRune(lines[0], utf8.RuneError) || len(lines[0]) > mostOfLine+3 || lines[1] != "short" {
		t.Errorf("%q", lines)
	}
}
