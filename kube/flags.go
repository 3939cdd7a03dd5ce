package kube

import (
	"github.com/spf13/pflag"
	"k8s.io/client-go/tools/clientcmd"
)

// Flags are the connection flags of kubectl, with the same names and meaning,
// and our own --read-only. The zero value is ready for Bind.
type Flags struct {
	Kubeconfig string
	Overrides  clientcmd.ConfigOverrides
	// ReadOnly makes the transport refuse whatever could change the cluster.
	ReadOnly bool

	asUserExtra []string
	cacheDir    string
}

// Bind defines the flags in a flag set.
func (f *Flags) Bind(set *pflag.FlagSet) {
	set.StringVar(&f.Kubeconfig, "kubeconfig", f.Kubeconfig, "Path to the kubeconfig file to use for CLI requests.")
	names := clientcmd.RecommendedConfigOverrideFlags("")
	names.ClusterOverrideFlags.APIServer.ShortName = "s"
	clientcmd.BindOverrideFlags(&f.Overrides, set, names)
	set.StringArrayVar(&f.asUserExtra, "as-user-extra", nil,
		"User extras to impersonate for the operation, this flag can be repeated to specify multiple values for the same key.")
	set.StringVar(&f.cacheDir, "cache-dir", "", "Accepted as kubectl's flag and ignored: nothing is cached on disk.")
	set.BoolVar(&f.ReadOnly, "read-only", f.ReadOnly, "Refuse every request that could change the cluster.")
}

// Namespace is the namespace that was asked for by flag, "" if none was.
func (f *Flags) Namespace() string { return f.Overrides.Context.Namespace }
