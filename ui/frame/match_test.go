package frame

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

func TestMatch(t *testing.T) {
	rows := map[string]labels.Set{
		"worker-a1 v1.35.1": {"pool": "batch", "zone": "a"},
		"worker-b1 v1.36.3": {"pool": "web", "zone": "b"},
		"worker-b2 v1.36.3": {"zone": "b"},
	}
	for filter, want := range map[string]string{
		"": "a1 b1 b2", "!": "a1 b1 b2", "~": "a1 b1 b2", "-l": "a1 b1 b2",
		"V1.36": "b1 b2", "!v1.36": "a1", "  worker-A1 ": "a1", "nothing": "", "!nothing": "a1 b1 b2",
		"~v1[.]3[56]": "a1 b1 b2", "~^WORKER-b": "b1 b2", "!~b[12] ": "a1", "v1[.]3": "",
		"-l pool=batch": "a1", "-lpool": "a1 b1", "!-l pool": "b2", "-l zone in (a),pool!=web": "a1", "-l Pool=batch": "",
		"~(": "a1 b1 b2", "-l pool in (": "a1 b1 b2",
	} {
		l := List{Filter: filter, Labels: true}
		m := l.Match()
		var kept []string
		for name, set := range rows {
			if m.Keeps(set, func(has func(string) bool) bool { return has(name) }) {
				kept = append(kept, name[7:9])
			}
		}
		slices.Sort(kept)
		if got := join(kept); got != want {
			t.Errorf("%q keeps %q, want %q", filter, got, want)
		}
		if broken := filter == "~(" || filter == "-l pool in ("; broken != (m.Problem != "") {
			t.Errorf("%q: problem %q", filter, m.Problem)
		}
	}
	// Where rows have no labels, -l is a text as any other.
	l := List{Filter: "-l x"}
	if m := l.Match(); m.Keeps(nil, func(has func(string) bool) bool { return has("pod") }) {
		t.Error("a row without the text is kept")
	}
}

func join(words []string) (all string) {
	for i, w := range words {
		if i > 0 {
			all += " "
		}
		all += w
	}
	return all
}

// What a filter looks for is marked where it stands, also across the parts of a line.
func TestMark(t *testing.T) {
	for _, c := range [][3]string{
		{"b-a", "web-api-b-a", "we[b-a]pi-[b-a]"}, {"WEB", "web-web-x", "[web]-[web]-x"}, {"", "web", "web"}, {"!web", "web", "web"},
		{"-l web", "web", "web"}, {"~[0-9]+", "a1b22", "a[1]b[22]"}, {"~x*", "axb", "a[x]b"}, {"~(", "a(b", "a(b"}, {"İ", "İİ", "İİ"},
		{"abcd", "abcdabcd", "[abcd][abcd]"},
	} {
		l := List{Filter: c[0], Labels: true}
		line := paint.L(themes.Muted, c[1][:len(c[1])/2]).Add(themes.Text, c[1][len(c[1])/2:])
		got, in := "", false
		for _, s := range l.Match().Mark(line) {
			if s.Hit != in {
				got, in = got+map[bool]string{true: "[", false: "]"}[s.Hit], s.Hit
			}
			got += s.Text
		}
		if in {
			got += "]"
		}
		if want := strings.ReplaceAll(c[2], "][", ""); got != want { // neighbours are one mark
			t.Errorf("%q in %q: %s, want %s", c[0], c[1], got, want)
		}
	}
}
