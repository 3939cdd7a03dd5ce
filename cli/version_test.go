package cli

import (
	"errors"
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	b := newBench(t, nil)
	b.expect(t, ExitDone, nil, "version")
	for _, text := range []string{"kdrain-tui  v1.2.3\n", "commit      abc\n", "client-go v0.37.2\n", "server      v1.36.3 (prod)\n"} {
		if !strings.Contains(b.out.String(), text) {
			t.Errorf("lacks %q:\n%s", text, b.out)
		}
	}
	b = newBench(t, nil)
	b.expect(t, ExitDone, nil, "version", "--client", "-o", "json")
	if len(b.opened) > 0 || !strings.Contains(b.out.String(), `"version": "v1.2.3"`) {
		t.Errorf("--client: %s", b.out)
	}
	b = newBench(t, nil)
	b.openErr = errors.New("no server")
	b.expect(t, ExitError, []string{"no server"}, "version")
	if !strings.Contains(b.out.String(), "v1.2.3") {
		t.Error("our own version must show without a server")
	}
}

// --version says what version --client does, on one line.
func TestVersionFlag(t *testing.T) {
	for _, name := range []string{"kdrain-tui", "kubectl-kdrain"} {
		b := newBench(t, nil)
		b.Name = name
		b.expect(t, ExitDone, nil, "--version")
		if want := b.display() + " version v1.2.3 (commit abc)\n"; b.out.String() != want || len(b.opened) > 0 {
			t.Errorf("%q, want %q", b.out, want)
		}
	}
}

func TestSkewWarning(t *testing.T) {
	for _, test := range []struct {
		server string
		warns  bool
	}{
		{"v1.36.3", false}, {"v1.37.0", false}, {"v1.38.0", false}, {"v1.35.1", true}, {"v1.39.0", true},
		{"v1.33+", true}, {"v1.30.4-eks-1a2b", true}, {"", false}, {"unknown", false},
	} {
		if got := skewWarning("v0.37.2", test.server); (got != "") != test.warns {
			t.Errorf("%s: %q", test.server, got)
		}
	}
}
