package budget

import "testing"

func TestGuardFromText(t *testing.T) {
	for text, want := range map[string]bool{"25%": true, "1": true, "100%": true, "0": false, "0%": false, "101%": false, "-1": false, "2147483648": false, "x": false, "": true, "%": false} {
		var g Guard
		if err := g.Set(text); (err == nil) != want || want && g != Guard(text) {
			t.Errorf("%q: %v %q", text, err, g)
		}
	}
	// Rounded up, as the disruption controller does with maxUnavailable.
	for _, c := range []struct {
		guard          Guard
		replicas, want int32
	}{{"25%", 4, 1}, {"25%", 5, 2}, {"1%", 3, 1}, {"2", 10, 2}} {
		if got := c.guard.away(c.replicas); got != c.want {
			t.Errorf("%s of %d: %d, want %d", c.guard, c.replicas, got, c.want)
		}
	}
}
