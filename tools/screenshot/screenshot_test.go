package main

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestParseStyles(t *testing.T) {
	for _, test := range []struct {
		what, text string
		want       style
	}{
		{"plain", "x", style{}},
		{"named", "\x1b[31;44mx", style{foreground: colour{numbered, 1}, background: colour{numbered, 4}}},
		{"bright", "\x1b[92;103mx", style{foreground: colour{numbered, 10}, background: colour{numbered, 11}}},
		{"256", "\x1b[38;5;208;48;5;17mx", style{foreground: colour{numbered, 208}, background: colour{numbered, 17}}},
		{"direct", "\x1b[1;38;2;1;2;3mx", style{bold: true, foreground: colour{direct, 0x010203}}},
		{"direct, colons", "\x1b[38:2::1:2:3mx", style{foreground: colour{direct, 0x010203}}},
		{"numbered, colons", "\x1b[48:5:9mx", style{background: colour{numbered, 9}}},
		{"curly underline", "\x1b[4:3mx", style{underline: true}},
		{"attributes", "\x1b[1;2;3;4;7;9mx", style{bold: true, dim: true, italic: true, underline: true, reverse: true, strike: true}},
		{"attributes off", "\x1b[1;2;3;4;7;9m\x1b[22;23;24;27;29mx", style{}},
		{"reset", "\x1b[1;31m\x1b[mx", style{}},
		{"default colours", "\x1b[31;41m\x1b[39;49mx", style{}},
		{"over the end of a line", "\x1b[1m\nx", style{bold: true}},
		{"other sequences", "\x1b]8;;https://example.test\x1b\\\x1b(B\x1b[?25l\x1b[1mx", style{bold: true}},
	} {
		s := parse(test.text)
		line := s.lines[len(s.lines)-1]
		if len(line) != 1 || line[0].text != "x" || line[0].style != test.want {
			t.Errorf("%s: got %+v, want %+v", test.what, line, test.want)
		}
	}
}

func TestParseCells(t *testing.T) {
	s := parse("ab\n漢e\u0301│\n\n")
	if s.columns != 4 || len(s.lines) != 3 {
		t.Fatalf("%d columns, %d lines", s.columns, len(s.lines))
	}
	var texts []string
	for _, c := range s.lines[1] {
		texts = append(texts, c.text)
	}
	if got := strings.Join(texts, "|"); got != "漢||e\u0301|│" {
		t.Errorf("got %q", got)
	}
}

func TestColours(t *testing.T) {
	for _, test := range []struct {
		c    colour
		want uint32
	}{
		{colour{}, darkPalette.foreground}, {colour{numbered, 1}, darkPalette.named[1]}, {colour{numbered, 16}, 0},
		{colour{numbered, 231}, 0xffffff}, {colour{numbered, 208}, 0xff8700}, {colour{numbered, 232}, 0x080808},
		{colour{numbered, 255}, 0xeeeeee}, {colour{direct, 0x123456}, 0x123456},
	} {
		if got := darkPalette.rgb(test.c, darkPalette.foreground); got != test.want {
			t.Errorf("%+v: got %06x, want %06x", test.c, got, test.want)
		}
	}
	if got := mix(0xff0000, 0x0000ff); got != 0xaa0055 {
		t.Errorf("dim: %06x", got)
	}
	foreground, background, drawn := darkPalette.colours(style{reverse: true})
	if foreground != darkPalette.background || background != darkPalette.foreground || !drawn {
		t.Errorf("reverse: %06x on %06x, %v", foreground, background, drawn)
	}
}

func TestPictureIsXMLWithTheWords(t *testing.T) {
	var out strings.Builder
	in := "\x1b[1mNODE\x1b[0m  a<b & \"c\"\n\x1b[7m worker-1 \x1b[0m \x1b[2m▇▇▁\x1b[0m"
	if err := run(strings.NewReader(in), &out, "a <title>", darkPalette); err != nil {
		t.Fatal(err)
	}
	var words []string
	for decoder := xml.NewDecoder(strings.NewReader(out.String())); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, out.String())
		}
		if text, ok := token.(xml.CharData); ok && strings.TrimSpace(string(text)) != "" {
			words = append(words, string(text))
		}
	}
	want := []string{"a <title>", "a <title>", "NODE", `a<b & "c"`, "worker-1", "▇▇▁"}
	if strings.Join(words, "|") != strings.Join(want, "|") {
		t.Errorf("got %q, want %q", words, want)
	}
	if !strings.Contains(out.String(), `font-weight="700">NODE`) {
		t.Errorf("NODE is not bold:\n%s", out.String())
	}
}

func TestNothingIsNoPicture(t *testing.T) {
	if err := run(strings.NewReader("\n\n"), io.Discard, "", darkPalette); err == nil {
		t.Error("a picture of nothing")
	}
}

func TestFrames(t *testing.T) {
	for _, test := range []struct{ what, captured, want string }{
		{"one screen", "ab\n", "2x1 0s"},
		{"two", "\f100\nab\n\f250\nabc\n", "2x1 100ms, 3x1 250ms"},
		{"the same for longer", "\f100\nab\n\f100\nab\n\f50\nb\n", "2x1 200ms, 1x1 50ms"},
		{"nothing", "", "nothing on standard input"},
		{"no time", "\fsoon\nab\n", `frame 1: "soon" is no number of milliseconds`},
		{"no time at all", "\f0\nab\n", `frame 1: "0" is no number of milliseconds`},
		{"text before", "x\f100\nab\n", "there is text before the first form feed"},
	} {
		frames, err := parseFrames(test.captured)
		var have []string
		for _, f := range frames {
			have = append(have, fmt.Sprintf("%dx%d %s", f.screen.columns, len(f.screen.lines), f.shown))
		}
		if err != nil {
			have = []string{err.Error()}
		}
		if got := strings.Join(have, ", "); got != test.want {
			t.Errorf("%s: got %s, want %s", test.what, got, test.want)
		}
	}
}

// The strip stands still for as long as each frame is shown, and a line that does not
// change is there once.
func TestAnimation(t *testing.T) {
	var out strings.Builder
	if err := run(strings.NewReader("\f300\nhead\none\n\f100\nhead\ntwo\n"), &out, "film", darkPalette); err != nil {
		t.Fatal(err)
	}
	svg := out.String()
	if n := strings.Count(svg, ">head</text>"); n != 1 {
		t.Errorf("the line that stays is there %d times", n)
	}
	for _, part := range []string{"0.000%{transform:translateX(0px)}75.000%{transform:translateX(-", "film 0.4s step-end infinite", ">one</text>", ">two</text>"} {
		if !strings.Contains(svg, part) {
			t.Errorf("no %q in\n%s", part, svg)
		}
	}
	for decoder := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
