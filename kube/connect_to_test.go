package kube

import (
	"path/filepath"
	"testing"
)

// serverFlags lead to a server without any kubeconfig.
func serverFlags(t *testing.T, url string) *Flags {
	t.Helper()
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	f := &Flags{}
	f.Overrides.ClusterInfo.Server = url
	return f
}

func connectTo(t *testing.T, f *fakeServer) *Cluster {
	t.Helper()
	c, err := Connect(t.Context(), serverFlags(t, f.URL), "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}
