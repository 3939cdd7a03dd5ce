//go:build lab

package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app"
)

// A drain that fails names the nodes and pods that are left, and why; in a protected context
// --yes writes nothing.
func TestFailedAndProtectedDrains(t *testing.T) {
	t.Parallel()
	l := newLabStage(t)
	l.create("testdata/findings-nodes.yaml", "nodes")
	l.kubectl("wait", "--for=condition=Ready", "node", "-l", "stage="+l.namespace, "--timeout=90s")
	l.create("testdata/first.yaml", "pods")
	l.kubectl("wait", "--for=condition=Ready", "pod", "--all", "-n", l.namespace, "--timeout=90s")
	l.kubectl("patch", "pdb", "web", "-n", l.namespace, "--type=merge", "-p", `{"spec":{"minAvailable":3}}`)
	l.kubectl("wait", "--for=jsonpath={.status.desiredHealthy}=3", "pdb", "web", "-n", l.namespace, "--timeout=90s")

	settings := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(settings, []byte("protected-contexts: ['la*']\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	drain := "drain NS-a --force --ignore-daemonsets --yes --timeout=2s"
	for _, c := range []struct {
		args string
		code int
		says []string
	}{
		{drain, ExitUsage, []string{"context lab is protected: --yes is not enough; nothing was done"}},
		{"cordon NS-a", ExitUsage, []string{"context lab is protected: there is no terminal"}},
		{"plan NS-a --force --ignore-daemonsets", ExitRefused, nil},
		{"uncordon NS-a --protected-ok", ExitDone, nil}, // already: none of these has cordoned it
		{drain + " --protected-ok", ExitPartly, []string{
			"There are pending nodes to be drained:\n NS-a\n", "There are pending pods in node \"NS-a\":\n",
			"pod/web-1 -n NS (", "pod/web-2 -n NS (", "budget web", "kdrain-tui --kubeconfig=", " uncordon NS-a",
		}},
	} {
		var out, errs bytes.Buffer
		p := &Program{
			Name: "kdrain-tui", In: strings.NewReader(""), Out: &out, Err: &errs, StateDir: t.TempDir(), Config: settings, Now: time.Now,
			Exit: func(code int) { t.Errorf("exit %d", code) }, Open: app.Connect,
		}
		args := append(strings.Fields(l.named(c.args)), "--kubeconfig", filepath.Join(l.dir, "kubeconfig"))
		code := p.Main(t.Context(), args)
		if code != c.code {
			t.Errorf("%v: exit %d, want %d\n%s%s", args, code, c.code, out.String(), errs.String())
		}
		for _, words := range c.says {
			if !strings.Contains(errs.String(), l.named(words)) {
				t.Errorf("%v: %q is not in\n%s", args, l.named(words), errs.String())
			}
		}
		if strings.HasPrefix(c.args, "uncordon") && !strings.Contains(out.String(), "already uncordoned") {
			t.Errorf("a protected context was written to:\n%s", out.String())
		}
	}
}
