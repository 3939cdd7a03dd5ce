package app

import (
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestFindOwnPod(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "namespace"), []byte("ops\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	bound := t.TempDir()
	payload := `{"aud":["x"],"kubernetes.io":{"namespace":"ops","node":{"name":"w1"},"pod":{"name":"kdrain-real","uid":"u-1"},"serviceaccount":{"name":"kdrain"}}}`
	token := "eyJh." + base64.RawURLEncoding.EncodeToString([]byte(payload)) + ".c2ln\n"
	if err := os.WriteFile(filepath.Join(bound, "token"), []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	old := t.TempDir()
	legacy := "eyJh." + base64.RawURLEncoding.EncodeToString([]byte(`{"iss":"kubernetes/serviceaccount"}`)) + ".c2ln"
	if err := os.WriteFile(filepath.Join(old, "token"), []byte(legacy), 0o600); err != nil {
		t.Fatal(err)
	}
	inside := map[string]string{"KUBERNETES_SERVICE_HOST": "10.0.0.1"}
	with := func(more ...string) map[string]string {
		env := map[string]string{}
		for k, v := range inside {
			env[k] = v
		}
		for i := 0; i < len(more); i += 2 {
			env[more[i]] = more[i+1]
		}
		return env
	}
	table := []struct {
		name   string
		env    map[string]string
		host   string
		folder string
		want   OwnPod
	}{
		{"outside of a cluster, though the names are set", map[string]string{"POD_NAME": "x", "POD_NAMESPACE": "y"}, "laptop", folder, OwnPod{}},
		{"host name and service account", with(), "kdrain-7f9c-x", folder, OwnPod{Namespace: "ops", Name: "kdrain-7f9c-x", Service: "10.0.0.1"}},
		{"downward API", with("POD_NAME", "kdrain-0", "POD_NAMESPACE", "infra"), "worker-1", folder, OwnPod{Namespace: "infra", Name: "kdrain-0", Service: "10.0.0.1"}},
		{"downward API, the name alone", with("POD_NAME", "kdrain-0"), "worker-1", folder, OwnPod{Namespace: "ops", Name: "kdrain-0", Service: "10.0.0.1"}},
		{"the token knows better than names", with("POD_NAME", "another", "POD_NAMESPACE", "infra"), "worker-1", bound, OwnPod{Namespace: "ops", Name: "kdrain-real", UID: "u-1"}},
		{"a token that names no pod", with("POD_NAME", "kdrain-0", "POD_NAMESPACE", "infra"), "worker-1", old, OwnPod{Namespace: "infra", Name: "kdrain-0", Service: "10.0.0.1"}},
		{"no service account is mounted", with(), "kdrain-7f9c-x", folder + "/none", OwnPod{}},
		{"no host name", with(), "", folder, OwnPod{}},
	}
	for _, row := range table {
		hostname := func() (string, error) {
			if row.host == "" {
				return "", errors.New("none")
			}
			return row.host, nil
		}
		if got := FindOwnPod(func(k string) string { return row.env[k] }, hostname, row.folder); got != row.want {
			t.Errorf("%s: %+v, want %+v", row.name, got, row.want)
		}
	}
}

// Names repeat from cluster to cluster: known by them alone, our pod is looked for
// in our own cluster only.
func TestOwnPodIsLookedForInItsOwnCluster(t *testing.T) {
	named := OwnPod{Namespace: "ops", Name: "kdrain-0", Service: "10.0.0.1"}
	for _, row := range []struct {
		pod    OwnPod
		server string
		want   bool
	}{
		{named, "https://10.0.0.1:443", true},
		{named, "https://kubernetes.default.svc", true},
		{named, "https://prod.example:6443", false},
		{named, "://", false},
		{OwnPod{Namespace: "ops", Name: "kdrain-0", UID: "u-1"}, "https://prod.example:6443", true}, // and compared there
		{OwnPod{}, "https://10.0.0.1:443", false},
	} {
		if got := row.pod.in(row.server); got != row.want {
			t.Errorf("%+v on %s: %v", row.pod, row.server, got)
		}
	}
}
