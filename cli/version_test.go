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
