package conn

import (
	"path/filepath"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// serverFlags lead to a server without any kubeconfig.
func ServerFlags(t *testing.T, url string) *Flags {
	t.Helper()
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	f := &Flags{}
	f.Overrides.ClusterInfo.Server = url
	return f
}

func ConnectTo(t *testing.T, f *kubetest.Server) *Cluster {
	t.Helper()
	c, err := Connect(t.Context(), ServerFlags(t, f.URL), "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}
