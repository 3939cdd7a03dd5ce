package format

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"timeout", "theme", "ignore-daemonsets", "guard", "guard-write"}
	for typed, want := range map[string]string{
		"tiemout": "timeout", "themes": "theme", "ignore": "ignore-daemonsets", "gua": "guard", "guard-": "guard",
		"": "", "colour": "", "time": "timeout", "t": "",
	} {
		if got := Nearest(typed, names); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
	if got := Nearest("x", nil); got != "" {
		t.Error(got)
	}
}

func TestDistance(t *testing.T) {
	for pair, want := range map[[2]string]int{
		{"", ""}: 0, {"a", ""}: 1, {"drain", "drian"}: 2, {"timeout", "timout"}: 1, {"abc", "xyz"}: 3, {"a", "abcd"}: 3,
	} {
		if got := distance(pair[0], pair[1]); got != want || distance(pair[1], pair[0]) != want {
			t.Errorf("%q: %d, want %d", pair, got, want)
		}
	}
}
