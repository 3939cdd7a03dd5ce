//go:build unix

package cli

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// hangingPlugin is a kubeconfig for the server whose credential plugin runs for each
// request and hangs once the server was asked for a list, until it is told to answer; hangs
// waits until it does.
func (s *apiServer) hangingPlugin(t *testing.T) (kubeconfig string, hangs func(), answer func()) {
	t.Helper()
	secure := httptest.NewTLSServer(http.HandlerFunc(s.serve)) // credentials are sent over TLS only
	t.Cleanup(func() { secure.CloseClientConnections(); secure.Close() })
	dir := t.TempDir()
	pipe, begun := filepath.Join(dir, "pipe"), filepath.Join(dir, "begun")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\nif [ -e " + dir + "/calls ]; then : > " + begun + "; read line < " + pipe + "; fi\n" +
		`echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"t","expirationTimestamp":"2020-01-01T00:00:00Z"}}'` + "\n"
	login := filepath.Join(dir, "my-login")
	if err := os.WriteFile(login, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	s.listed = func() { _ = os.WriteFile(filepath.Join(dir, "calls"), nil, 0o600) }
	kubeconfig = filepath.Join(dir, "config")
	if err := os.WriteFile(kubeconfig, []byte("{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: c, user: u}}],\n"+
		" clusters: [{name: c, cluster: {server: "+secure.URL+", insecure-skip-tls-verify: true}}],\n"+
		" users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: "+login+"}}}]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	hangs = func() {
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
			if _, err := os.Stat(begun); err == nil {
				return
			}
			if time.Now().After(deadline) {
				t.Error("the plugin is not asked")
				return
			}
		}
	}
	return kubeconfig, hangs, func() {
		_ = os.Remove(filepath.Join(dir, "calls"))
		for range 50 { // whichever still reads; none may
			if file, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
				file.Close()
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}

// While a credential plugin hangs, one Ctrl+C ends whatever command reads the cluster, and
// leaving the dashboard closes it.
func TestOneInterruptEndsWhileTheCredentialPluginHangs(t *testing.T) {
	for name, line := range map[string][]string{
		"plan": {"plan", "node", "--force"}, "rollback": {"rollback", "--node", "node", "--yes"},
		"drain": {"drain", "node", "--force", "--yes"}, "dashboard": nil,
	} {
		t.Run(name, func(t *testing.T) {
			node := theNode(name == "rollback")
			marked := cordonedBy(kube.FieldManager, "node") // so that a rollback has something to undo
			node.Annotations, node.ManagedFields = marked.Annotations, marked.ManagedFields
			s := newAPIServer(t, node, thePod())
			kubeconfig, hangs, answer := s.hangingPlugin(t)
			b := s.connected(t)
			interrupt := make(chan os.Signal, 1)
			b.Signals = interrupt
			b.Terminal = Terminal{In: true, Out: true}
			b.Dashboard = func(ctx context.Context, r DashboardRequest) (DashboardEnd, error) {
				hangs() // and the operator leaves
				return DashboardEnd{}, nil
			}
			var group kube.Group
			ended := make(chan int, 1)
			group.Go("program", func() { ended <- b.Main(context.Background(), append(slices.Clone(line), "--kubeconfig="+kubeconfig)) })
			if name != "dashboard" {
				hangs()
				interrupt <- os.Interrupt
			}
			select {
			case code := <-ended:
				if name != "dashboard" && code != ExitSignal+int(syscall.SIGINT) && code != ExitAborted {
					t.Errorf("exit %d\n%s%s", code, b.out, b.err)
				}
			case <-time.After(time.Minute):
				t.Errorf("%s does not end", strings.Join(line, " "))
			}
			answer()
			group.Wait()
		})
	}
}
