package write

import (
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
	"path/filepath"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// serverFlags lead to a server without any kubeconfig.
func serverFlags(t *testing.T, url string) *conn.Flags {
	t.Helper()
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	f := &conn.Flags{}
	f.Overrides.ClusterInfo.Server = url
	return f
}

func connectTo(t *testing.T, f *kubetest.Server) *conn.Cluster {
	t.Helper()
	c, err := conn.Connect(t.Context(), serverFlags(t, f.URL), "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}
