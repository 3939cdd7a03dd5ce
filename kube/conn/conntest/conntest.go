package conntest

import (
	"path/filepath"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/kube/conn"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// Flags lead to a server without any kubeconfig.
func Flags(t *testing.T, url string) *conn.Flags {
	t.Helper()
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	f := &conn.Flags{}
	f.Overrides.ClusterInfo.Server = url
	return f
}

// To is a connection to the server, until the test ends.
func To(t *testing.T, f *kubetest.Server) *conn.Cluster {
	t.Helper()
	c, err := conn.Connect(t.Context(), Flags(t, f.URL), "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}
