//go:build unix

package conn_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
	"github.com/kdrain-tui/kdrain-tui/kube/watch"
	"github.com/kdrain-tui/kdrain-tui/kube/write"
)

// hangingPlugin is a credential plugin whose token is always too old already: it
// runs for each request. From hang on it answers no more until it is told to.
func hangingPlugin(t *testing.T) (command string, hang, answer func()) {
	t.Helper()
	dir := t.TempDir()
	mark, pipe := filepath.Join(dir, "hang"), filepath.Join(dir, "pipe")
	command = filepath.Join(dir, "my-login")
	script := "#!/bin/sh\nif [ -e " + mark + " ]; then read line < " + pipe + "; fi\n" +
		`echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"t","expirationTimestamp":"2020-01-01T00:00:00Z"}}'` + "\n"
	if err := os.WriteFile(command, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	hang = func() {
		if err := os.WriteFile(mark, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return command, hang, func() {
		if err := os.Remove(mark); err != nil {
			t.Fatal(err)
		}
		file, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits until the plugin reads
		if err != nil {
			t.Fatal(err)
		}
		file.Close()
	}
}

// A credential plugin that hangs holds up neither a write past its time, nor the
// end of a watcher; what was given up is not sent when it answers after all.
func TestHangingCredentialPlugin(t *testing.T) {
	server := kubetest.NewTLSServer(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Query().Get("sendInitialEvents") != "":
			kubetest.WriteJSON(w, 422, kubetest.Status(422, "Invalid", "no streaming", ""))
		case r.URL.Query().Get("watch") != "":
			w.WriteHeader(200)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		case r.Method == http.MethodGet:
			kubetest.WriteJSON(w, 200, `{"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[{"metadata":{"name":"n","uid":"u"}}]}`)
		default:
			kubetest.WriteJSON(w, 201, `{"kind":"Status","status":"Success"}`)
		}
	})
	command, hang, answer := hangingPlugin(t)
	t.Setenv("KUBECONFIG", conn.WriteKubeconfig(t, conn.Kubeconfig(server.URL,
		`exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: "`+command+`"}`, conn.Authority(server.Server))))
	c, err := conn.Connect(t.Context(), &conn.Flags{}, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	w := watch.Start(t.Context(), c, watch.Options{Needs: watch.Whole(kube.KindNodes)})
	ctx, cancel := context.WithTimeout(t.Context(), conn.Patient)
	defer cancel()
	if err := kubetest.WaitSynced(ctx, w, kube.KindNodes); err != nil {
		t.Fatal(err)
	}
	request := request.Evict{Namespace: "n", Name: "x", UID: "u"}
	if a := write.New(c).Evict(t.Context(), request); !a.OK() {
		t.Fatalf("before: %+v", a)
	}
	hang()
	short, stop := context.WithTimeout(t.Context(), 1100*time.Millisecond)
	defer stop()
	if a := write.New(c).Evict(short, request); !a.Unsent || !strings.HasPrefix(a.Failure, "the credential plugin my-login has not answered for 1s: ") {
		t.Errorf("%+v", a)
	}
	w.Close()
	sent := len(server.Seen())
	answer()
	c.WaitForRequests()
	if now := len(server.Seen()); now != sent {
		t.Errorf("%d requests were sent that are not waited for: %+v", now-sent, server.Seen()[sent:])
	}
	if a := write.New(c).Evict(t.Context(), request); !a.OK() {
		t.Errorf("after: %+v", a)
	}
}
