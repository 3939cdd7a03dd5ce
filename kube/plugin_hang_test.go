//go:build unix

package kube

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
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
	server := newFakeTLSServer(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Query().Get("sendInitialEvents") != "":
			writeJSON(w, 422, status(422, "Invalid", "no streaming", ""))
		case r.URL.Query().Get("watch") != "":
			w.WriteHeader(200)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		case r.Method == http.MethodGet:
			writeJSON(w, 200, `{"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[{"metadata":{"name":"n","uid":"u"}}]}`)
		default:
			writeJSON(w, 201, `{"kind":"Status","status":"Success"}`)
		}
	})
	command, hang, answer := hangingPlugin(t)
	t.Setenv("KUBECONFIG", writeKubeconfig(t, kubeconfig(server.URL,
		`exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: "`+command+`"}`, authority(server.Server))))
	c, err := Connect(t.Context(), &Flags{}, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	w := Start(t.Context(), c, WatchOptions{Kinds: []Kind{KindNodes}})
	ctx, cancel := context.WithTimeout(t.Context(), patient)
	defer cancel()
	if err := w.WaitSynced(ctx, KindNodes); err != nil {
		t.Fatal(err)
	}
	request := EvictRequest{Namespace: "n", Name: "x", UID: "u"}
	if a := NewWriter(c).Evict(t.Context(), request); !a.OK() {
		t.Fatalf("before: %+v", a)
	}
	hang()
	short, stop := context.WithTimeout(t.Context(), 1100*time.Millisecond)
	defer stop()
	if a := NewWriter(c).Evict(short, request); !a.Unsent || !strings.HasPrefix(a.Failure, "the credential plugin my-login has not answered for 1s: ") {
		t.Errorf("%+v", a)
	}
	w.Close()
	sent := len(server.seen())
	answer()
	c.WaitForRequests()
	if now := len(server.seen()); now != sent {
		t.Errorf("%d requests were sent that nobody waits for: %+v", now-sent, server.seen()[sent:])
	}
	if a := NewWriter(c).Evict(t.Context(), request); !a.OK() {
		t.Errorf("after: %+v", a)
	}
}
