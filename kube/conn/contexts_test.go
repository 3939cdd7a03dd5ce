package conn

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/spf13/pflag"
)

// A context is offered only where nothing but it says which cluster is meant.
func TestContextsToChangeTo(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(config, []byte("apiVersion: v1\nkind: Config\ncontexts:\n"+
		"- {name: test, context: {cluster: c, user: u}}\n- {name: prod, context: {cluster: c, user: u}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	both := []string{"prod", "test"}
	for _, row := range []struct {
		flags []string
		want  []string
	}{
		{nil, both}, {[]string{"--context=test", "--request-timeout=5s", "--read-only", "-v=6", "-n=shop"}, both},
		{[]string{"--server=https://elsewhere"}, nil}, {[]string{"--user=u"}, nil}, {[]string{"--as=ada"}, nil},
		{[]string{"--as-user-extra=a=b"}, nil}, {[]string{"--token=t"}, nil}, {[]string{"--insecure-skip-tls-verify"}, nil},
	} {
		var f Flags
		set := pflag.NewFlagSet("", pflag.ContinueOnError)
		f.Bind(set)
		if err := set.Parse(append(row.flags, "--kubeconfig="+config)); err != nil {
			t.Fatal(err)
		}
		if got := f.Contexts(); !slices.Equal(got, row.want) {
			t.Errorf("%q: %q, want %q", row.flags, got, row.want)
		}
	}
}
