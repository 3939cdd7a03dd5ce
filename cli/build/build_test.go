package build

import "testing"

func TestSkewWarning(t *testing.T) {
	for _, test := range []struct {
		server string
		warns  bool
	}{
		{"v1.36.3", false}, {"v1.37.0", false}, {"v1.38.0", false}, {"v1.35.1", true}, {"v1.39.0", true},
		{"v1.33+", true}, {"v1.30.4-eks-1a2b", true}, {"", false}, {"unknown", false},
	} {
		if got := SkewWarning("v0.37.2", test.server); (got != "") != test.warns {
			t.Errorf("%s: %q", test.server, got)
		}
	}
}
