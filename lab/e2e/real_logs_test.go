//go:build e2e && real

package e2e

import (
	"strings"
	"testing"
)

// TestRealLogs reads logs on the dashboard as a kubelet and containerd give them: of a container that lives, of one that
// crashes and waits to be restarted, and of one that is removed, with its log.
func TestRealLogs(t *testing.T) {
	w := realWorld(t)
	pod := func(app string) string {
		name := w.kubectl(t, "get", "pods", "-n", "shop", "-l", app, "-o", "name", "--field-selector", "spec.nodeName=real-1")
		return strings.TrimPrefix(strings.Fields(name)[0], "pod/")
	}
	once := strings.TrimSpace(w.kubectl(t, "get", "pods", "-n", "shop", "-l", "job-name=once", "-o", "jsonpath={.items[0].metadata.name} {.items[0].spec.nodeName}"))
	once, node, _ := strings.Cut(once, " ")
	w.onNode(t, node, "sh", "-c", "crictl rm $(crictl ps -a -q --name '^once$')")

	term := w.operator(t).open(120, 40)
	term.waitFor("● live", "real-1")
	term.keys("p")
	for _, c := range []struct{ pod, log, not string }{
		{pod("app=web"), "serves", "previous instance"},
		{pod("app=crash"), "no configuration", "unable to retrieve"},
		{once, "its container is removed, and its log with it", "unable to retrieve"},
	} {
		term.keys("/")
		term.typing(c.pod)
		term.keys("Enter")
		term.until(patience, "only "+c.pod, func(s screen) bool { return s.shows(c.pod) && !s.shows("agent-") })
		term.keys("Enter")
		term.waitFor("2 logs   3 yaml")
		term.keys("2")
		shown := term.until(patience, "the log of "+c.pod, func(s screen) bool { return s.shows(c.log) })
		if shown.shows(c.not) {
			t.Errorf("%s: %q\n%s", c.pod, c.not, framed(shown))
		}
		term.keys("Escape")
		term.until(patience, "the list", func(s screen) bool { return !s.shows("3 yaml") })
		term.keys("Escape")
		term.until(patience, "the list without the filter", func(s screen) bool { return s.shows("agent-") })
	}
	term.keys("q")
	if code, _ := term.ended(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
