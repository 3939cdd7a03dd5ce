package cli

import (
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
		{"host name and service account", with(), "kdrain-7f9c-x", folder, OwnPod{"ops", "kdrain-7f9c-x"}},
		{"downward API", with("POD_NAME", "kdrain-0", "POD_NAMESPACE", "infra"), "worker-1", folder, OwnPod{"infra", "kdrain-0"}},
		{"downward API, the name alone", with("POD_NAME", "kdrain-0"), "worker-1", folder, OwnPod{"ops", "kdrain-0"}},
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
